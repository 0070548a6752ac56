// Every block of Swift in the pages is compiled and run, by one call of the compiler for all pages against the modules that the
// tests were built with: that takes seconds, and a block that doesn't compile fails here and not the build. Each page has a file
// in Resources/Snippets in which `// snippet` lines stand for its blocks, in their order, with what they need around them;
// `// declarations` stand for blocks that aren't statements. It ends in a function named after the page.

import Foundation
import Testing

@Suite struct SnippetTests {
    /// The program with all pages, or why there is none.
    private static let program: Result<SnippetProgram, any Error> = Result { try SnippetProgram() }

    @Test(arguments: try Pages.withSwift().map(\.path))
    func `the Swift of a page compiles, runs and prints what the page says`(_ path: String) throws {
        let program = try Self.program.get()
        let page = try Page(path)
        let folder = try TemporaryFolder()
        let heroes = folder.url.appending(path: "Examples/Heroes")
        try FileManager.default.createDirectory(
            at: heroes.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Project.heroes, to: heroes)
        let ended = try run(program.executable, [page.name], input: nil, in: folder)
        #expect(ended.status == 0, "\(path): \(ended.diagnostics)")
        let printed = SnippetProgram.printed(ended.text)
        let blocks = page.blocks
        for (block, output) in zip(blocks, blocks.dropFirst()) where output.role == "output" {
            try #require(block.isProgram, "\(path):\(output.line)")
            #expect(printed[block.line] == output.text, "\(path):\(output.line)")
        }
    }

    @Test func `pages say of few blocks that they are fragments, and of each block what it is`() throws {
        let blocks = try Pages.all().flatMap(\.blocks)
        let code = blocks.filter { ["swift", "sh"].contains($0.language) && $0.role != "output" }
        #expect(code.count { $0.role == "fragment" } * 3 < code.count)
        for block in blocks {
            #expect(["", "swift", "sh", "json", "text", "mermaid"].contains(block.language), "\(block.text)")
            #expect(["", "fragment", "output"].contains(block.role), "\(block.text)")
            // What has no language is no code; a grammar of commands has brackets.
            for line in block.lines where block.language.isEmpty {
                #expect(!line.contains(/^(?:graft [^\[]*|(?:let|var|try|import) .*)$/), "\(line)")
            }
        }
    }
}
