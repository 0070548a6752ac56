// What the README shows is run here: its commands in a shell, its Swift as the function below, which has to be the same text.

import CoreData
import Graft
import Testing

@Suite struct ReadmeTests {
    /// The code blocks of a page in a language; nil for those without one.
    private func blocks(_ language: String?, of page: String = "README.md") throws -> [[Substring]] {
        let readme = try String(contentsOf: Project.root.appending(path: page), encoding: .utf8)
        var blocks: [[Substring]] = []
        var fence: Substring?
        for line in readme.split(separator: "\n", omittingEmptySubsequences: false) {
            if fence != nil, line == "```" {
                fence = nil
            } else if line.hasPrefix("```") {
                fence = line.dropFirst(3)
                if fence ?? "" == language ?? "" { blocks.append([]) }
            } else if let fence, fence == language ?? "" {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }

    private func copyOfHeroes() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: Project.heroes.path) {
            try FileManager.default.copyItem(
                at: Project.heroes.appending(path: name), to: folder.url.appending(path: name))
        }
        return folder
    }

    @Test(arguments: [
        ("README.md", "Heroes.sqlite"), ("docs/infer.md", "Model.xcdatamodeld"), ("docs/tool.md", "everything.json"),
    ])
    func `the tool's commands work as they stand`(_ page: String, _ made: String) throws {
        let folder = try copyOfHeroes()
        let commands = try blocks(nil, of: page).joined().filter { $0.hasPrefix("graft ") }
        try #require(commands.count >= 2)
        for command in commands {
            let run = try shell("graft() { \"$GRAFT\" \"$@\"; }; \(command)", in: folder)
            #expect(run.status == 0, "\(command): \(run.diagnostics)")
        }
        #expect(try folder.names.contains(made))
    }

    /// `make examples` also builds and runs the tutorial's program.
    @Test func `the tutorial's commands print what the page says`() throws {
        let script = Project.root.appending(path: "scripts/tutorial").path
        try shell("'\(script)' \"$GRAFT\"", in: TemporaryFolder()).succeeded()
    }

    @Test func `the picture is that of the model that the first command makes`() throws {
        let folder = try copyOfHeroes()
        try graft("import", "heroes.json", "--store", "Heroes.sqlite", in: folder).succeeded()
        let drawn = try graft("diagram", "Heroes.sqlite", "--format", "mermaid", in: folder).succeeded()
        #expect(try blocks("mermaid").first == drawn.lines)
    }

    @MainActor @Test func `the library's example works as it stands`() throws {
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let marked = source.split(separator: "// README.md begins\n").last
        let text = try #require(marked?.split(separator: "// README").first)
        let code = text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
        let shown = try #require(try blocks("swift").first).map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
        // The first lines import the modules and name the folder.
        #expect(Array(shown.dropFirst(3)) == code)

        let folder = try copyOfHeroes()
        let flying = try withExtendedLifetime(folder) { try example(in: folder.url) }
        #expect(flying == ["La Brisa", "Revontuli"])
    }

    @MainActor private func example(in folder: URL) throws -> [String] {
        // README.md begins
        guard let model = NSManagedObjectModel(contentsOf: folder.appending(path: "Heroes.xcdatamodeld")) else {
            fatalError("The model can't be read.")
        }
        let container = NSPersistentContainer(name: "Heroes", managedObjectModel: model)
        let store = NSPersistentStoreDescription(url: folder.appending(path: "Heroes.sqlite"))
        container.persistentStoreDescriptions = [store]
        container.loadPersistentStores { _, error in
            if let error { fatalError(error.localizedDescription) }
        }

        let report = try container.importJSON(contentsOf: [folder.appending(path: "heroes.json")], entity: "Hero")
        print(report)  // Hero: 4 inserted, and so on

        let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
        request.predicate = NSPredicate(format: "ANY powers.name == %@", "Flight")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let flying = try container.viewContext.fetch(request)
        let json = try container.viewContext.json(of: flying)
        // README.md ends
        let objects = try JSONSerialization.jsonObject(with: json) as? [[String: Any]]
        return objects?.compactMap { $0["name"] as? String } ?? []
    }
}
