// The code that entities get, and compiled models.

import CoreData
import Foundation
import ManagedObjectGenerator
import Testing

@Suite struct GeneratedClassTests {
    private static func source() throws -> ModelSource {
        try ModelSource(
            readingContentsOf: URL(fileURLWithPath: "Examples/Todo/Sources/Todo/Todo.xcdatamodeld"))
    }

    @Test func `an entity with class generation gets its class, properties and methods`() throws {
        let model = try #require(try Self.source().current)
        let output = ManagedObjectGenerator(TargetDeclarations(module: "Todo")).output(models: [model])
        #expect(output.problems == [])
        for line in [
            "public class TodoList: NSManagedObject {}",
            "    public class func fetchRequest() -> NSFetchRequest<TodoList> {",
            "    public var title: String? {",
            "        get { modelledValue(forKey: \"title\") }",
            "    public var items: NSOrderedSet? {",
            "    public func insertIntoItems(_ value: TodoItem, at idx: Int) {",
            "    public func replaceItems(at indexes: NSIndexSet, with values: [TodoItem]) {",
            "extension TodoList: Identifiable {}",
        ] { #expect(output.code.contains(line), "\(line)") }
        // "Category/Extension" makes no class, "Manual/None" nothing.
        #expect(output.code.contains("extension TodoCompletion {"))
        #expect(!output.code.contains("class TodoCompletion"))
        #expect(!output.code.contains("extension TodoItem {"))
    }

    @Test func `a class that is there twice is a problem`() throws {
        let model = try #require(try Self.source().current)
        var declarations = TargetDeclarations(module: "Todo")
        declarations.types.declare([.init(name: "TodoList", kind: .class)])
        let output = ManagedObjectGenerator(declarations).output(models: [model])
        #expect(output.problems.count == 1)
        #expect(output.problems.first?.message.contains("TodoList") == true)
    }

    @Test func `scalars are numbers, and other attributes optional, as Xcode has them`() {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "All"
        entity.managedObjectClassName = "All"
        let types: [(String, NSAttributeType, Bool)] = [
            ("a", .integer16AttributeType, true), ("b", .integer64AttributeType, false),
            ("c", .booleanAttributeType, true),
            ("d", .decimalAttributeType, false), ("e", .UUIDAttributeType, false),
            ("f", .transformableAttributeType, false),
        ]
        entity.properties = types.map { name, type, isScalar in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.usesScalarValueType = isScalar
            return attribute
        }
        model.entities = [entity]
        let text = ClassFiles.files(of: model.entities).map(\.text).joined()
        for line in [
            "@NSManaged public var a: Int16\n", "@NSManaged public var b: NSNumber?\n",
            "@NSManaged public var c: Bool\n",
            "@NSManaged public var d: NSDecimalNumber?\n", "@NSManaged public var e: UUID?\n",
            "@NSManaged public var f: NSObject?\n", "    public var a: Int16 {\n",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func `a compiled model is the model, with its classes in the target's module`() throws {
        let source = try Self.source()
        let model = try #require(source.current)
        let hashes = model.entityVersionHashesByName
        var declarations = TargetDeclarations(module: "Todo")
        declarations.types.declare([.init(name: "TodoItem", kind: .class)])
        ManagedObjectGenerator(declarations).nameClasses(of: model)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent(source.compiledName)
        try source.compile(to: url)
        let read = try #require(NSManagedObjectModel(contentsOf: url))
        #expect(read.entityVersionHashesByName == hashes)
        let names = ["TodoCompletion", "TodoItem", "TodoList"]
        #expect(names.map { read.entitiesByName[$0]?.managedObjectClassName } == names.map { "Todo.\($0)" })
    }
}
