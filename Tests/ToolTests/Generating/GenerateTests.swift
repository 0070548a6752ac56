// `graft generate`.

import CoreData
import Foundation
import ModelDocuments
import Testing

@testable import GraftTool

@Suite struct GenerateTests {
    private var model: String {
        Project.root.appending(path: "Examples/Todo/Sources/Todo/Todo.xcdatamodeld").path
    }

    @Test func `each entity with a class gets a file to go on with and one with its properties`() throws {
        let folder = try TemporaryFolder()
        let run = try graft("generate", model, "--output", "Classes", "--entity", "TodoList", in: folder).succeeded()
        #expect(run.lines == ["TodoList+CoreDataClass.swift", "TodoList+CoreDataProperties.swift"])
        let properties = try String(
            contentsOf: folder.url.appending(path: "Classes/TodoList+CoreDataProperties.swift"), encoding: .utf8)
        #expect(properties.contains("    @NSManaged public var title: String?\n"))
        #expect(properties.contains("    public var title: String? {\n"))
    }

    @Test func `a class file that is there already stays as it is`() throws {
        let folder = try TemporaryFolder()
        _ = try graft("generate", model, "--output", ".", in: folder).succeeded()
        let file = folder.url.appending(path: "TodoItem+CoreDataClass.swift")
        try Data("// mine\n".utf8).write(to: file)
        let run = try graft("generate", model, "--output", ".", in: folder).succeeded()
        #expect(run.lines.contains("TodoItem+CoreDataClass.swift stays as it is"))
        #expect(try Data(contentsOf: file) == Data("// mine\n".utf8))
    }

    @Test func `an unknown entity is an error with a suggestion`() throws {
        let run = try graft("generate", model, "--output", ".", "--entity", "TodoLst", in: TemporaryFolder())
        #expect(run.status == 1)
        #expect(run.diagnostics.contains("TodoList"))
    }

    @Test func `entities that share a class aren't written over each other`() throws {
        let folder = try TemporaryFolder()
        let model = try folder.model(
            #"<entity name="A" representedClassName="Shared"/><entity name="B" representedClassName="Shared"/>"#)
        try graft("generate", model, "--output", "Classes", in: folder).failed(saying: "Shared+CoreData", "--entity")
        #expect(!FileManager.default.fileExists(atPath: folder.path("Classes")))
        try graft("generate", model, "--output", "Classes", "--entity", "A", in: folder).succeeded()
    }

    @Test func `an entity that is named twice is written once`() throws {
        let folder = try TemporaryFolder()
        let entity = ["--entity", "TodoList"]
        let run = try graft(["generate", model, "--output", "."] + entity + entity, in: folder).succeeded()
        #expect(run.lines == ["TodoList+CoreDataClass.swift", "TodoList+CoreDataProperties.swift"])
    }

    @Test func `a folder that can't be written into is an error with its place`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("file", "")
        try graft("generate", model, "--output", "", in: folder).failed(saying: "path of a file is empty")
        try graft("generate", model, "--output", file, in: folder).failed(saying: file, "Name a folder")
        try graft("generate", model, "--output", "\(file)/Classes", in: folder).failed(
            saying: "file/Classes", "the folder can't be made", "Name another one")
        try FileManager.default.createDirectory(
            atPath: folder.path("Classes/TodoList+CoreDataProperties.swift/x"), withIntermediateDirectories: true)
        try graft("generate", model, "--output", "Classes", "--entity", "TodoList", in: folder).failed(
            saying: "Classes/TodoList+CoreDataProperties.swift: the file can't be written")
        #expect(try folder.names == ["Classes", "file"])
    }

    @Test(arguments: ["a/b", "../../Thing", "My Class", "1st"])
    func `a class whose name can't be one is an error that names its entity`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let model = try folder.model(#"<entity name="Thing" representedClassName="\#(name)"/>"#)
        try graft("generate", model, "--output", "Classes", in: folder).failed(saying: "Thing", "class", "in the model")
        #expect(!FileManager.default.fileExists(atPath: folder.path("Classes")))
    }

    @Test func `all files are written where what is said of them can't be`() throws {
        let folder = try TemporaryFolder()
        let run = try shell("exec \"$GRAFT\" generate '\(model)' --output Classes >/dev/full", in: folder)
        #expect(run.status == 1 && run.diagnostics.contains("the classes are written"), "\(run.diagnostics)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("Classes"))
        #expect(files.contains("TodoList+CoreDataClass.swift") && files.count % 2 == 0 && files.count > 2)
    }

    /// The plugin's tool reads a model's source, this command what the runtime has read of it.
    @Test func `a model's source and the model say the same of its classes`() throws {
        let folders = ["Examples", "../shared/data"].map { Project.root.appending(path: $0) }
        let files = folders.flatMap { folder in
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
                .compactMap { $0 as? URL }.filter { $0.lastPathComponent == "contents" }
        }
        #expect(files.count >= 3)
        for file in files where file.deletingLastPathComponent().pathExtension == "xcdatamodel" {
            let root = try XMLElementNode.root(of: Data(contentsOf: file))
            guard let model = NSManagedObjectModel(contentsOf: file) else { continue }
            let read = model.entities.map(EntityOutline.init)
            #expect(read.map(Self.sorted) == ModelOutline(root).entities.map(Self.sorted), "\(file.path)")
        }
    }

    private static func sorted(_ entity: EntityOutline) -> EntityOutline {
        var entity = entity
        entity.properties.sort { $0.name < $1.name }
        return entity
    }
}
