// `graft generate`.

import Foundation
import Testing

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
}
