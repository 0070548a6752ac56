// What docs/reliability.md says of the sources is true of them.

import Foundation
import Testing

@Suite struct ReliabilityPageTests {
    private func sources() throws -> [(name: String, text: String)] {
        let root = Project.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
            ($0.deletingPathExtension().lastPathComponent, try String(contentsOf: $0, encoding: .utf8))
        }
    }

    @Test func `each suite that the page names exists`() throws {
        let page = try String(contentsOf: Project.root.appending(path: "docs/reliability.md"), encoding: .utf8)
        let root = Project.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        let suites = Set(files.compactMap { ($0 as? URL)?.lastPathComponent })
        let named = Set(page.matches(of: /\b([A-Z]\w+Tests)\b/).map { String($0.1) })
        let targets = Set(suites.filter { !$0.contains(".") })
        #expect(named.count > 15)
        for name in named.subtracting(targets) { #expect(suites.contains("\(name).swift"), "\(name)") }
    }

    @Test func `each file with unsafe code is on the page, and no other`() throws {
        let page = try String(contentsOf: Project.root.appending(path: "docs/reliability.md"), encoding: .utf8)
        let start = try #require(page.range(of: "### Unsafe code"))
        let end = try #require(page[start.upperBound...].range(of: "\n###"))
        let named = Set(page[start.upperBound..<end.lowerBound].matches(of: /`([A-Z][\w+]*)`/).map { String($0.1) })
        let unsafe = Set(try sources().filter { $0.text.contains(/\bunsafe\b/) }.map(\.name))
        #expect(unsafe.subtracting(named).sorted() == [])
        let known = Set(try sources().map(\.name))
        #expect(named.intersection(known).subtracting(unsafe).sorted() == [])
        #expect(unsafe.count > 30)
    }

    @Test func `no row and no schema is read by calls that stop the process in a damaged file`() throws {
        for (name, text) in try sources() where text.contains("import GRDB") || name.contains("SQL") {
            let calls = text.matches(of: /\b(?:fetchOne|fetchAll|fetchCursor|tableExists)\b|columns\(in:|Row\.fetch/)
            #expect(calls.isEmpty, "\(name): \(calls.first.map { String($0.output) } ?? "")")
        }
    }
}
