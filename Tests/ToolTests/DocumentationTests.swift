// The documentation names tests, which have to exist.

import Foundation
import Testing

@Suite struct DocumentationTests {
    @Test(arguments: ["docs/import-contract.md", "docs/divergences.md", "docs/faults.md"])
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

    /// The options of each command, as its help lists them.
    private func options() throws -> [String: Set<String>] {
        let help = try graft("--help").succeeded().text
        let commands = help.matches(of: /(?m)^  ([a-z]+)  +[A-Z]/).map { String($0.1) }
        try #require(commands.contains("check") && commands.contains("import"))
        return try Dictionary(
            uniqueKeysWithValues: commands.map { command in
                let text = try graft(command, "--help").succeeded().text
                return (command, Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }))
            })
    }

    @Test func `each option that an error's text or a page names exists, and the command named with it has it`() throws
    {
        let options = try options()
        let all = options.values.reduce(into: Set(["--help", "--version"])) { $0.formUnion($1) }
        var files = ["Sources", "docs"].flatMap { folder in
            let root = Project.root.appending(path: folder)
            return FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        }.compactMap { $0 as? URL }.filter { ["swift", "md"].contains($0.pathExtension) }
        files += ["README.md", "CHANGELOG.md"].map { Project.root.appending(path: $0) }
        var count = 0
        // Style sheets have names that look like options.
        let styled = ["HTMLPage.swift", "StorePage.swift", "DiffFilter.swift", "ModelDiagram+Dot.swift"]
        for file in files where !styled.contains(file.lastPathComponent) {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where line.contains("--") && !line.contains("swift test") && !line.contains("scripts/test")
                && !line.contains("swift build")
                && !line.contains("git ")
            {
                for option in line.matches(of: /(?:^|[ `'"(])(--[a-z][a-z-]*[a-z])(?![a-zA-Z-])/) {
                    count += 1
                    #expect(all.contains(String(option.1)), "\(file.lastPathComponent): \(line)")
                }
                for match in line.matches(of: /graft ([a-z]+)((?: [^ `]+)*? --[a-z-]+[a-z])/) {
                    guard let known = options[String(match.1)] else { continue }
                    for option in match.2.matches(of: /--[a-z-]*[a-z]/) {
                        #expect(known.contains(String(option.output)), "\(file.lastPathComponent): \(line)")
                    }
                }
            }
        }
        #expect(count > 50)
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
