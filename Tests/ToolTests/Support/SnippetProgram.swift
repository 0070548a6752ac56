// A program made of the pages' blocks of Swift (SnippetTests).

import Foundation
import Testing

struct SnippetProgram {
    let executable: URL
    private let folder: TemporaryFolder

    private static let templates = Project.resources.appending(path: "Snippets")
    /// What the blocks import, and what that is built on.
    private static let modules = [
        "CClassNames", "CTryRetain", "CoreData", "ModelDocuments", "GRDB", "Graft", "Groot", "CYaml", "Yams",
    ]
    private static let marker = "@@ block at line "

    init() throws {
        folder = try TemporaryFolder()
        executable = folder.url.appending(path: "snippets")
        var sources = [Self.templates.appending(path: "Support.swift").path]
        var cases = ""
        for page in try Pages.withSwift() {
            let name = page.name.replacing("-", with: "_")
            sources.append(try folder.file("\(name).swift", Self.source(of: page)))
            cases += "case \"\(page.name)\": try await \(name)_page()\n"
        }
        sources.append(
            try folder.file(
                "main.swift", "switch CommandLine.arguments[1] {\n\(cases)default: fatalError(\"no such page\")\n}\n"))
        let build = Project.executable.deletingLastPathComponent()
        let objects = try Self.objects(in: build)
        let compiled = try run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["swiftc", "-swift-version", "6", "-Onone", "-suppress-warnings", "-module-name", "Snippets"]
                + ["-I", build.appending(path: "Modules").path, "-o", executable.path]
                + Self.moduleMaps(in: build) + sources + objects + ["-lz", "-lsqlite3", "-use-ld=lld"],
            input: nil, in: folder)
        try #require(compiled.status == 0, "\(compiled.text)\(compiled.diagnostics)")
    }

    /// The file of a page, with its blocks in their places.
    private static func source(of page: Page) throws -> String {
        let template = try String(
            contentsOf: templates.appending(path: "\(page.name).swift"), encoding: .utf8)
        var blocks = page.blocks.filter(\.isProgram)[...]
        var imports = ""
        var source = ""
        for (index, line) in template.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.trimmingPrefix { $0 == " " }
            guard words == "// snippet" || words == "// declarations" else {
                source += "\(line)\n"
                continue
            }
            let next = blocks.popFirst()
            let block = try #require(next, "\(page.path) has fewer blocks than \(page.name).swift")
            let (imported, rest) = (
                block.lines.filter { $0.hasPrefix("import ") }, block.lines.map { $0.hasPrefix("import ") ? "" : $0 }
            )
            imports += imported.map { "\($0)\n" }.joined()
            let marks = words == "// snippet"
            if marks { source += "print(\"\(marker)\(block.line)\")\n" }
            source += "#sourceLocation(file: \"\(page.path)\", line: \(block.line))\n"
            source += rest.joined(separator: "\n")
            source += "\n#sourceLocation(file: \"\(page.name).swift\", line: \(index + 2))\n"
            if marks { source += "print(\"\(marker)0\")\n" }
        }
        try #require(blocks.isEmpty, "\(page.path) has more blocks than \(page.name).swift")
        return imports + source
    }

    /// The objects that the tests were linked of, without the tests: a folder of objects also has those of files that are gone.
    private static func objects(in build: URL) throws -> [String] {
        let list = build.appending(path: "graftPackageTests.product/Objects.LinkFileList")
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: ["'", " "])
        }
        return objects.filter { object in modules.contains { object.contains("/\($0).build/") } }
    }

    /// Where the modules are described that are written in C.
    private static func moduleMaps(in build: URL) -> [String] {
        let checkouts = Project.root.appending(path: ".build/checkouts")
        let folders = [
            Project.root.appending(path: "Sources/CZlib"),
            checkouts.appending(path: "GRDB.swift/Sources/GRDBSQLite"),
            checkouts.appending(path: "Yams/Sources/CYaml/include"),
        ]
        return folders.flatMap { ["-I", $0.path] }
            + ["CClassNames", "CTryRetain"].flatMap { module in
                ["-Xcc", "-fmodule-map-file=\(build.appending(path: "\(module).build/module.modulemap").path)"]
            }
    }

    /// What each block printed, by its line.
    static func printed(_ output: String) -> [Int: String] {
        var printed: [Int: [Substring]] = [:]
        var line = 0
        for text in output.split(separator: "\n", omittingEmptySubsequences: false) {
            if text.hasPrefix(marker), let number = Int(text.dropFirst(marker.count)) {
                line = number
            } else {
                printed[line, default: []].append(text)
            }
        }
        return printed.mapValues { $0.joined(separator: "\n") }
    }
}
