// The documentation names tests, which have to exist.

import Foundation
import Testing

@Suite struct DocumentationTests {
    @Test(arguments: ["docs/import-contract.md", "docs/divergences.md"])
    func `each test that the documentation names exists`(_ document: String) throws {
        let text = try String(contentsOf: Project.root.appending(path: document), encoding: .utf8)
        let references = text.matches(of: /([A-Za-z]+Tests): `([^`]+)`/)
        try #require(!references.isEmpty)
        let sources = try testSources()
        for reference in references {
            let source = sources["\(reference.1).swift"] ?? ""
            #expect(source.contains("func `\(reference.2)`"), "\(reference.1): \(reference.2)")
        }
    }

    /// The tests' sources by file name.
    private func testSources() throws -> [String: String] {
        let folder = Project.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.reduce(into: [:]) {
            $0[$1.lastPathComponent] = try String(contentsOf: $1, encoding: .utf8)
        }
    }
}
