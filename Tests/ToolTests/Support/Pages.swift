// The pages of the documentation and the code blocks in them. The words behind a fence say what a block is:
//
//     swift            is compiled and run (SnippetTests)
//     sh               is run (ReadmeTests)
//     text output      is what the block of Swift before it prints
//     swift fragment   is a part of something larger, such as a manifest; also `sh fragment`
//
// Blocks without a word are neither code nor output: trees of files, diagrams, grammars.

import Foundation

/// A page in Markdown.
struct Page {
    /// The path from the project's folder.
    let path: String
    let text: String

    /// A code block.
    struct Block {
        /// The first line inside, from 1.
        var line: Int
        var language: String
        /// The second word behind the fence.
        var role: String
        var lines: [Substring] = []

        var text: String { lines.joined(separator: "\n") }
        /// Whether it is Swift to compile and run.
        var isProgram: Bool { language == "swift" && role.isEmpty }
        /// Whether it is commands to run.
        var isCommands: Bool { language == "sh" && role.isEmpty }
    }

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
    }

    /// The name without folder and extension.
    var name: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }

    var blocks: [Block] {
        var blocks: [Block] = []
        var isInside = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if isInside, line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            } else if line.hasPrefix("```") {
                let words = line.dropFirst(3).split(separator: " ").map(String.init)
                let (language, role) = (words.first ?? "", words.dropFirst().first ?? "")
                blocks.append(Block(line: index + 2, language: language, role: role))
                isInside = true
            }
        }
        return blocks
    }
}

enum Pages {
    /// The pages of docs/ and the README, by path.
    static func all() throws -> [Page] {
        let files = FileManager.default.enumerator(atPath: Project.root.appending(path: "docs").path)
        let pages = (files?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.sorted()
        return try (["README.md"] + pages.map { "docs/\($0)" }).map(Page.init)
    }

    /// The tutorial's files and commands build on each other: scripts/tutorial runs it as a whole.
    private static let tutorial = "docs/tutorial.md"

    /// The pages with Swift to compile and run.
    static func withSwift() throws -> [Page] {
        try all().filter { $0.path != tutorial && $0.blocks.contains(where: \.isProgram) }
    }

    /// The pages with commands to run.
    static func withCommands() throws -> [Page] {
        try all().filter { $0.path != tutorial && $0.blocks.contains(where: \.isCommands) }
    }
}
