// The commands that the pages show are run here, in a copy of Examples/Heroes; their Swift is in SnippetTests.

import Foundation
import Testing

@Suite struct ReadmeTests {
    /// The folder in which a page's commands run: the README's are those of the project's root, the others' of the example's folder.
    private func copyOfHeroes(for page: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let place = page == "README.md" ? folder.url.appending(path: "Examples/Heroes") : folder.url
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: Project.heroes.path) {
            try FileManager.default.copyItem(
                at: Project.heroes.appending(path: name), to: place.appending(path: name))
        }
        return folder
    }

    /// What the commands of some pages make.
    private static let made = [
        "README.md": "Heroes.sqlite", "docs/infer.md": "Model.xcdatamodeld", "docs/tool.md": "everything.json",
    ]

    @Test(arguments: try Pages.withCommands().map(\.path))
    func `the tool's commands work as they stand`(_ path: String) throws {
        let folder = try copyOfHeroes(for: path)
        let commands = try Page(path).blocks.filter(\.isCommands).flatMap(\.lines)
        // A page that begins with a store tells where it comes from, or has one.
        if !commands.contains(where: { $0.hasPrefix("graft import") }) {
            try graft("import", "heroes.json", "--store", "Heroes.sqlite", in: folder).succeeded()
        }
        for command in commands {
            let run = try shell("graft() { \"$GRAFT\" \"$@\"; }; \(command)", in: folder)
            #expect(run.status == 0, "\(command): \(run.diagnostics)")
        }
        if let made = Self.made[path] { #expect(try folder.names.contains(made)) }
    }

    @Test func `the pages with commands are found`() throws {
        #expect(try Set(Pages.withCommands().map(\.path)).isSuperset(of: Self.made.keys))
    }

    /// `make examples` also builds and runs the tutorial's program.
    @Test func `the tutorial's commands print what the page says`() throws {
        let script = Project.root.appending(path: "scripts/tutorial").path
        try shell("'\(script)' \"$GRAFT\"", in: TemporaryFolder()).succeeded()
    }

    @Test func `the picture is that of the model that the first command makes`() throws {
        let folder = try copyOfHeroes(for: "README.md")
        try graft("import", "Examples/Heroes/heroes.json", "--store", "Heroes.sqlite", in: folder).succeeded()
        let drawn = try graft("diagram", "Heroes.sqlite", "--format", "mermaid", in: folder).succeeded()
        #expect(try Page("README.md").blocks.first { $0.language == "mermaid" }?.lines == drawn.lines)
    }
}
