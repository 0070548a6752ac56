// What docs/reliability.md and docs/faults.md say of the sources is true of them.

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
            let calls = text.matches(
                of: /\b(?:fetchOne|fetchAll|fetchCursor|tableExists)\b|columns\(in:|Row\.fetch/.wordBoundaryKind(
                    .simple))
            #expect(calls.isEmpty, "\(name): \(calls.first.map { String($0.output) } ?? "")")
        }
    }

    // MARK: docs/faults.md

    /// The names between backticks in a section of the page: types, functions and files.
    private func names(inSection title: String) throws -> Set<String> {
        let page = try String(contentsOf: Project.root.appending(path: "docs/faults.md"), encoding: .utf8)
        let start = try #require(page.range(of: "## \(title)\n"))
        let end = page[start.upperBound...].range(of: "\n## ")?.lowerBound ?? page.endIndex
        return Set(page[start.upperBound..<end].matches(of: /`([A-Z][\w+]*)`/).map { String($0.1) })
    }

    @Test func `each file that asks SQLite for a column is on the page of faults, and no other`() throws {
        let sources = try sources()
        let named = try names(inSection: "Rows of SQLite files")
        // By default, `db.readRows` is one word.
        let own = /\b(?:RowStatement|SystemRow|readRows|DatabaseValue)\b|sqlite3_(?:column|value)_/
            .wordBoundaryKind(.simple)
        let helpers = /\bdb\.(?:number|texts|hasTable|columnNames)\(/.wordBoundaryKind(.simple)
        let reading = Set(sources.filter { $0.text.contains(own) || $0.text.contains(helpers) }.map(\.name))
        #expect(reading.subtracting(named).sorted() == [])
        #expect(named.intersection(Set(sources.map(\.name))).subtracting(reading).sorted() == [])
        #expect(reading.count > 30)
    }

    @Test func `each file in which a fault fires is on the page of faults`() throws {
        let named = try names(inSection: "How a fault is filled").union(names(inSection: "Where faults fire"))
        let calls = /\b(?:realize\(\)|readOrStop\()/.wordBoundaryKind(.simple)
        let firing = Set(try sources().filter { $0.text.contains(calls) }.map(\.name))
        #expect(firing.subtracting(named).sorted() == [])
        #expect(firing.count > 15)
    }
}
