// The code that entities get, and compiled models.

import CoreData
import Foundation
import ManagedObjectGenerator
import ModelDocuments
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
            "nonisolated public class TodoList: NSManagedObject {}",
            "    public class func fetchRequest() -> NSFetchRequest<TodoList> {",
            "    public var title: String? {",
            "        get { modelledValue(forKey: \"title\") }",
            "    public var items: NSOrderedSet? {",
            "    public func insertIntoItems(_ value: TodoItem, at idx: Int) {",
            "    public func replaceItems(at indexes: NSIndexSet, with values: [TodoItem]) {",
            "nonisolated extension TodoList {", "nonisolated extension TodoList: Identifiable {}",
        ] { #expect(output.code.contains(line), "\(line)") }
        // "Category/Extension" makes no class, "Manual/None" nothing.
        #expect(output.code.contains("extension TodoCompletion {"))
        #expect(!output.code.contains("class TodoCompletion"))
        #expect(!output.code.contains("extension TodoItem {"))
    }

    @Test func `a class that is there twice is a problem`() throws {
        let model = try #require(try Self.source().current)
        var declarations = TargetDeclarations(module: "Todo")
        declarations.add(SourceDeclarations(scanning: "class TodoList {}", file: "TodoList.swift"))
        let output = ManagedObjectGenerator(declarations).output(models: [model])
        #expect(output.problems.count == 1)
        #expect(output.problems.first?.message.contains("TodoList") == true)
    }

    @Test(arguments: [
        (CodeGeneration.category, CodeGeneration.category), (.class, .class),
        (.class, .category), (.category, .class),
    ])
    func `entities for which code is made can't share a class`(
        _ first: CodeGeneration, _ second: CodeGeneration
    ) {
        func output(_ second: CodeGeneration) -> ManagedObjectGenerator.Output {
            let model = ModelOutline([
                EntityOutline(name: "A", className: "Shared", codeGeneration: first),
                EntityOutline(name: "B", className: "Shared", codeGeneration: second),
            ])
            return ManagedObjectGenerator(TargetDeclarations(module: "M")).output(models: [model])
        }
        let problems = output(second).problems.map(\.message)
        #expect(problems.count == 1 && problems[0].hasPrefix("The entities 'A' and 'B' have one class, Shared,"))
        #expect(output(.manual).problems.isEmpty)
    }

    @Test func `models of one name are a problem, whatever folder they are in`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let models = try ["One/Shop.xcdatamodel", "Two/Shop.xcdatamodel", "Two/Other.xcdatamodel"].map { name in
            let url = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try Data("<model/>".utf8).write(to: url.appendingPathComponent("contents"))
            return try ModelSource(readingContentsOf: url)
        }
        let problems = ModelSource.problems(ofNamesIn: models).map(\.message)
        #expect(problems.count == 1 && problems[0].contains("Two/Shop.xcdatamodel"), "\(problems)")
        #expect(ModelSource.problems(ofNamesIn: Array(models.dropFirst())).isEmpty)
    }

    @Test func `scalars are numbers, and other attributes optional, as Xcode has them`() {
        let types: [(String, AttributeTypeName, Bool)] = [
            ("a", .integer16, true), ("b", .integer64, false), ("c", .boolean, true), ("d", .decimal, false),
            ("e", .uuid, false), ("f", .transformable, false),
        ]
        let properties = types.map { name, type, isScalar in
            PropertyOutline(name: name, form: .attribute(type, isScalar: isScalar, valueClass: nil))
        }
        let entity = EntityOutline(name: "All", className: "All", properties: properties)
        let text = ClassFiles.files(of: [entity], in: ModelOutline([entity])).map(\.text).joined()
        for line in [
            "@NSManaged public var a: Int16\n", "@NSManaged public var b: NSNumber?\n",
            "@NSManaged public var c: Bool\n",
            "@NSManaged public var d: NSDecimalNumber?\n", "@NSManaged public var e: UUID?\n",
            "@NSManaged public var f: NSObject?\n", "    public var a: Int16 {\n",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func `a compiled model is the model, with its classes in the target's module`() throws {
        let source = try Self.source()
        let original = try NSManagedObjectModel(readingContentsOf: source.url)
        var declarations = TargetDeclarations(module: "Todo")
        declarations.add(SourceDeclarations(scanning: "class TodoItem {}", file: "TodoItem.swift"))
        let generator = ManagedObjectGenerator(declarations)
        try Self.compiling(source, with: generator) { url in
            let read = try NSManagedObjectModel(readingContentsOf: url)
            #expect(read.entityVersionHashesByName == original.entityVersionHashesByName)
            let names = ["TodoCompletion", "TodoItem", "TodoList"]
            #expect(names.map { read.entitiesByName[$0]?.managedObjectClassName } == names.map { "Todo.\($0)" })
            // But for the classes it is the same model in all respects.
            for entity in read.entities {
                entity.managedObjectClassName = original.entitiesByName[entity.name ?? ""]?.managedObjectClassName
            }
            #expect(try read.archived() == original.archived())
        }
    }

    @Test func `of several versions the compiled model has all, and opens the current one`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
        for (version, attributes) in [("One", ["name"]), ("Two", ["name", "a<b>&\"'\n\tä"])] {
            let url = bundle.appendingPathComponent("\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let elements = attributes.map {
                "<attribute name=\"\(version)\($0 == "name" ? "" : "2")\" attributeType=\"String\" defaultValueString=\"\(Self.escaped($0))\"/>"
            }
            let text =
                "<model><entity name=\"Item\" representedClassName=\".Item\">\(elements.joined())</entity></model>"
            try Data(text.utf8).write(to: url.appendingPathComponent("contents"))
        }
        let pointer = ["_XCCurrentVersionName": "Two.xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: pointer, format: .xml, options: 0)
            .write(to: bundle.appendingPathComponent(".xccurrentversion"))
        let source = try ModelSource(readingContentsOf: bundle)
        try Self.compiling(source, with: ManagedObjectGenerator(TargetDeclarations(module: "Shop"))) { url in
            let current = try NSManagedObjectModel(readingContentsOf: url)
            let item = try #require(current.entitiesByName["Item"])
            #expect(item.managedObjectClassName == "Shop.Item")
            #expect(item.attributesByName["Two2"]?.defaultValue as? String == "a<b>&\"'\n\tä")
            let first = try NSManagedObjectModel(readingContentsOf: url.appendingPathComponent("One.mom"))
            #expect(first.entitiesByName["Item"]?.attributesByName.keys.sorted() == ["One"])
            // Divergence 64.
            let info = try PropertyListDecoder().decode(
                [String: String].self, from: Data(contentsOf: url.appendingPathComponent("VersionInfo.plist")))
            #expect(info == ["NSManagedObjectModel_CurrentVersionName": "Two"])
        }
    }

    @Test func `what a model lacks is a problem with its line`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = """
            <model>
                <entity name="A" parentEntity="B">
                    <relationship name="c" destinationEntity="C"/>
                    <attribute name="d" attributeType="Number"/>
                </entity>
            </model>
            """
        try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
        let problems = try ModelSource(readingContentsOf: folder).problems
        #expect(problems.map { $0.place?.line } == [2, 3, 4])
        try Data("<model>\n<entity></model>".utf8).write(to: folder.appendingPathComponent("contents"))
        let problem = #expect(throws: GeneratorProblem.self) { try ModelSource(readingContentsOf: folder) }
        #expect(problem?.place?.line == 2)
    }

    // What NSManagedObjectModel(contentsOf:) would return nil for; ModelCheckTests has the same of models in code.
    @Test func `relationships that aren't each other's inverse are problems with their places`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = """
            <model>
                <entity name="Base">
                    <relationship name="owner" destinationEntity="Hero" inverseName="things" inverseEntity="Hero"/>
                    <relationship name="plain" destinationEntity="Hero"/>
                </entity>
                <entity name="Thing" parentEntity="Base">
                    <relationship name="a" destinationEntity="Hero" inverseName="absent" inverseEntity="Hero"/>
                    <relationship name="b" destinationEntity="Hero" inverseName="c" inverseEntity="Hero"/>
                    <relationship name="d" destinationEntity="Thing" inverseName="e" inverseEntity="Hero"/>
                </entity>
                <entity name="Hero">
                    <relationship name="things" destinationEntity="Thing" inverseName="owner" inverseEntity="Thing"/>
                    <relationship name="c" destinationEntity="Thing"/>
                    <relationship name="e" destinationEntity="Thing" inverseName="d" inverseEntity="Thing"/>
                </entity>
            </model>
            """
        try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
        let problems = try ModelSource(readingContentsOf: folder).problems
        #expect(problems.map { $0.place?.line } == [7, 8, 9])
        let messages = problems.map(\.message)
        #expect(messages[0].hasPrefix("Thing.a: 'Hero' has no relationship 'absent'"))
        #expect(messages[1].hasPrefix("Thing.b: the inverse is 'Hero.c', and its inverse is not set."))
        #expect(messages[2].hasPrefix("Thing.d: the inverse 'Hero.e' isn't a relationship of the destination 'Thing'."))
    }

    private static func escaped(_ text: String) -> String {
        let forms: [Character: String] = [
            "<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;", "\n": "&#10;", "\t": "&#9;",
        ]
        return text.map { forms[$0] ?? String($0) }.joined()
    }

    private static func compiling(
        _ source: ModelSource, with generator: ManagedObjectGenerator, _ body: (URL) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent(source.compiledName)
        try source.compile(to: url, className: generator.className)
        try body(url)
    }
}
