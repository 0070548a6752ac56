// What the plugin finds in sources that key-value coding would find on Apple's platforms.

import Foundation
import ManagedObjectGenerator
import TestSupport
import Testing

@Suite struct WrittenMemberTests {
    /// The lines that name properties and methods.
    private static func named(_ source: String) -> [String] {
        let output = SymbolTests.output(source)
        #expect(output.problems == [])
        return output.code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix("property(") || $0.hasPrefix("unsafe validation(") }
    }

    @Test func `computed and stored properties and validations of managed objects are named`() {
        let lines = Self.named(
            """
            class Person: NSManagedObject {
                @NSManaged var name: String
                var fullName: String { name }
                var nickname: String?
                let limit = 3
                lazy var cache = [String]()
                private(set) var count = 0
                var label: String { get { "" } set {} }
                var watched = 1 { didSet {} }
                var `default`: Int { 1 }
                @Wrapped var wrapped: Int
                func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
                func validateCount(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>!) throws {}
            }
            extension Person { var initial: String { "" } }
            """)
        #expect(
            lines == [
                "property(\"fullName\", \\Person.fullName)",
                "property(\"nickname\", \\Person.nickname) { $0.nickname = $1 }",
                "property(\"limit\", \\Person.limit)",
                "property(\"cache\", \\Person.cache) { $0.cache = $1 }",
                "property(\"count\", \\Person.count)",
                "property(\"label\", \\Person.label) { $0.label = $1 }",
                "property(\"watched\", \\Person.watched) { $0.watched = $1 }",
                "property(\"default\", \\Person.`default`)",
                "property(\"wrapped\", \\Person.wrapped)",
                "unsafe validation(\"Name\", of: Person.self) { try unsafe $0.validateName($1) }",
                "unsafe validation(\"Count\", of: Person.self) { try unsafe $0.validateCount($1) }",
                "property(\"initial\", \\Person.initial)",
            ])
    }

    @Test func `what no name leads to, or other files can't name, is left out`() {
        let lines = Self.named(
            """
            class Person: NSManagedObject {
                static var shared: Int { 1 }
                class var kind: Int { 1 }
                private var secret: Int { 1 }
                fileprivate var hidden: Int { 1 }
                @nonobjc var swift: Int { 1 }
                @MainActor var screen: Int { 1 }
                @available(*, deprecated) var old: Int { 1 }
                var later: Int { get async { 1 } }
                var failing: Int { get throws { 1 } }
                func validate(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
                func validateName(_ name: String) throws {}
                func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) {}
                func validateMood(value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
                func compute() { var local: Int { 1 } }
            }
            private extension Person { var inside: Int { 1 } }
            fileprivate class Ghost: NSManagedObject { var shape: Int { 1 } }
            class Box<T>: NSManagedObject { var content: Int { 1 } }
            protocol Named { var label: String { get } }
            """)
        #expect(lines == [])
    }

    @Test func `an accessor that asks for its own key, or one that isn't written out, isn't called by key`() {
        let lines = Self.named(
            """
            class Person: NSManagedObject {
                var name: String { get { value(forKey: "name") as! String } set { setValue(newValue, forKey: "name") } }
                var mood: String { self.value(forKey: #function) as! String }
                var both: String { value(forKey: "name") as! String }
            }
            """)
        #expect(lines == ["property(\"both\", \\Person.both)"])
    }

    @Test func `only classes that are managed objects for certain count`() {
        let lines = Self.named(
            """
            class View { var frame: Int { 1 } }
            struct Value { var number: Int { 1 } }
            class Unknown: SomethingElsewhere { var size: Int { 1 } }
            class Base: NSManagedObject {}
            enum Scope { class Inner: Base, Sendable { var depth: Int { 1 } } }
            class Managed: SomethingElsewhere { @NSManaged var name: String; var first: Int { 1 } }
            class Derived: Managed { var second: Int { 1 } }
            """)
        #expect(
            lines == [
                "property(\"depth\", \\Scope.Inner.depth)", "property(\"first\", \\Managed.first)",
                "property(\"second\", \\Derived.second)",
            ])
    }

    @Test func `the class of an entity is a managed object whatever it inherits`() throws {
        let source = try ModelSource(
            readingContentsOf: URL(fileURLWithPath: "Examples/Todo/Sources/Todo/Todo.xcdatamodeld"))
        var declarations = TargetDeclarations(module: "Todo")
        let text = "class TodoItem: Elsewhere { var urgency: Int { 1 } }"
        declarations.add(SourceDeclarations(scanning: text, file: "TodoItem.swift"))
        let output = ManagedObjectGenerator(declarations).output(models: [try #require(source.current)])
        #expect(output.code.contains("property(\"urgency\", \\TodoItem.urgency)"))
        #expect(output.code.contains("public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {"))
    }

    @Test func `modelled properties are named where other files can name them`() {
        let output = SymbolTests.output(
            """
            class Person: NSManagedObject {
                @NSManaged var name: String
                @NSManaged var `default`: Bool
                @MainActor @NSManaged var screen: Int
                @available(*, deprecated) @NSManaged var old: Int
                @NSManaged func addToFriends(_ value: Person)
            }
            @MainActor class Shown: NSManagedObject { @NSManaged var name: String }
            """)
        #expect(output.problems == [])
        let lines = output.code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            lines.filter { $0.hasPrefix("modelled(") } == [
                "modelled(\"name\", \\Person.name)", "modelled(\"default\", \\Person.`default`)",
            ])
    }

    @Test func `members of a private extension have accessors, and other files don't name them`() {
        let output = SymbolTests.output(
            "class Item: NSManagedObject {}\nprivate extension Item { @NSManaged var secret: String }")
        #expect(output.problems == [])
        #expect(output.code.contains("{ modelledValue(forKey: \"secret\") }"))
        #expect(!output.code.contains("modelled(\"secret\""))
    }

    @Test func `a target's files take time in proportion to their number`() {
        func target(files: Int) -> ManagedObjectGenerator {
            var declarations = TargetDeclarations(module: "M")
            for number in 0..<files {
                let written = (0..<8).map { "var written\($0): Int { \($0) }" }.joined(separator: "\n")
                let source = "class Item\(number): Base { @NSManaged var name: String\n\(written) }"
                declarations.add(SourceDeclarations(scanning: source, file: "Item\(number).swift"))
            }
            declarations.add(SourceDeclarations(scanning: "class Base: NSManagedObject {}", file: "Base.swift"))
            return ManagedObjectGenerator(declarations)
        }
        let small = target(files: 100), large = target(files: 400)
        let ratio = Growth.ratio(small: { _ = small.output(models: []) }, large: { _ = large.output(models: []) })
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
