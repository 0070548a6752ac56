// The names of symbols, against those that the compiler gives the same declarations.

import Foundation
import ManagedObjectGenerator
import Testing

@Suite struct SymbolTests {
    private static let source = """
        import Foundation
        public struct Money { public enum Kind: Int32 { case a } }
        public typealias Tags = [String]
        public class TodoItem: NSManagedObject {
          public final class Inner: NSManagedObject {}
          @NSManaged public var name: String
          @NSManaged public var todoItem: TodoItem?
          @NSManaged public var TodoItem: Int
          @NSManaged public var completions: Set<TodoCompletion>
          @NSManaged public var count16: Int16
          @NSManaged public var done: Bool
          @NSManaged public var date: Date?
          @NSManaged public var nsset: NSSet?
          @NSManaged public var tags: Tags?
          @NSManaged public var dict: [String: [String]]
          @NSManaged public var dict2: [String: Int]?
          @NSManaged public var intArrays: [[Int]]
          @NSManaged public var kind: Money.Kind
          @NSManaged public var money: Money?
          @NSManaged public var inner: Inner?
          @NSManaged public var uuid: UUID
          @NSManaged public var any: Any?
          @NSManaged public var a_b_c2: Double
          @NSManaged public var number: NSNumber?
          @NSManaged public var url: URL?
          @NSManaged public var i64: Int64
          @NSManaged public var Int64s: [Int64]
          @NSManaged public func addToCompletions(_ value: TodoCompletion)
          @NSManaged public func addToCompletions(_ values: NSSet)
          @NSManaged public func insertIntoItems(_ value: TodoItem, at idx: Int)
          @NSManaged public func insertIntoItems(_ values: [TodoItem], at indexes: NSIndexSet)
          @NSManaged public func removeFromItems(at idx: Int)
          @NSManaged public func replaceItems(at idx: Int, with value: TodoItem)
          @NSManaged public func replaceItems(at indexes: NSIndexSet, with values: [TodoItem])
        }
        public class TodoCompletion: NSManagedObject { @NSManaged public var item: TodoItem? }
        """

    /// What Swift 6.3.1 for Linux defines for the same properties and methods with bodies, as `nm` lists it.
    private static let compiled = """
        $s5Todos14TodoCompletionC4itemAA0B4ItemCSgvg
        $s5Todos14TodoCompletionC4itemAA0B4ItemCSgvs
        $s5Todos8TodoItemC04todoC0ACSgvg
        $s5Todos8TodoItemC04todoC0ACSgvs
        $s5Todos8TodoItemC11completionsShyAA0B10CompletionCGvg
        $s5Todos8TodoItemC11completionsShyAA0B10CompletionCGvs
        $s5Todos8TodoItemC12replaceItems2at4withy10Foundation10NSIndexSetC_SayACGtF
        $s5Todos8TodoItemC12replaceItems2at4withySi_ACtF
        $s5Todos8TodoItemC15insertIntoItems_2atyAC_SitF
        $s5Todos8TodoItemC15insertIntoItems_2atySayACG_10Foundation10NSIndexSetCtF
        $s5Todos8TodoItemC15removeFromItems2atySi_tF
        $s5Todos8TodoItemC16addToCompletionsyy10Foundation5NSSetCF
        $s5Todos8TodoItemC16addToCompletionsyyAA0B10CompletionCF
        $s5Todos8TodoItemC3anyypSgvg
        $s5Todos8TodoItemC3anyypSgvs
        $s5Todos8TodoItemC3i64s5Int64Vvg
        $s5Todos8TodoItemC3i64s5Int64Vvs
        $s5Todos8TodoItemC3url20FoundationEssentials3URLVSgvg
        $s5Todos8TodoItemC3url20FoundationEssentials3URLVSgvs
        $s5Todos8TodoItemC4date20FoundationEssentials4DateVSgvg
        $s5Todos8TodoItemC4date20FoundationEssentials4DateVSgvs
        $s5Todos8TodoItemC4dictSDySSSaySSGGvg
        $s5Todos8TodoItemC4dictSDySSSaySSGGvs
        $s5Todos8TodoItemC4doneSbvg
        $s5Todos8TodoItemC4doneSbvs
        $s5Todos8TodoItemC4kindAA5MoneyV4KindOvg
        $s5Todos8TodoItemC4kindAA5MoneyV4KindOvs
        $s5Todos8TodoItemC4nameSSvg
        $s5Todos8TodoItemC4nameSSvs
        $s5Todos8TodoItemC4tagsSaySSGSgvg
        $s5Todos8TodoItemC4tagsSaySSGSgvs
        $s5Todos8TodoItemC4uuid20FoundationEssentials4UUIDVvg
        $s5Todos8TodoItemC4uuid20FoundationEssentials4UUIDVvs
        $s5Todos8TodoItemC5dict2SDySSSiGSgvg
        $s5Todos8TodoItemC5dict2SDySSSiGSgvs
        $s5Todos8TodoItemC5innerAC5InnerCSgvg
        $s5Todos8TodoItemC5innerAC5InnerCSgvs
        $s5Todos8TodoItemC5moneyAA5MoneyVSgvg
        $s5Todos8TodoItemC5moneyAA5MoneyVSgvs
        $s5Todos8TodoItemC5nsset10Foundation5NSSetCSgvg
        $s5Todos8TodoItemC5nsset10Foundation5NSSetCSgvs
        $s5Todos8TodoItemC6Int64sSays5Int64VGvg
        $s5Todos8TodoItemC6Int64sSays5Int64VGvs
        $s5Todos8TodoItemC6a_b_c2Sdvg
        $s5Todos8TodoItemC6a_b_c2Sdvs
        $s5Todos8TodoItemC6number10Foundation8NSNumberCSgvg
        $s5Todos8TodoItemC6number10Foundation8NSNumberCSgvs
        $s5Todos8TodoItemC7count16s5Int16Vvg
        $s5Todos8TodoItemC7count16s5Int16Vvs
        $s5Todos8TodoItemC9intArraysSaySaySiGGvg
        $s5Todos8TodoItemC9intArraysSaySaySiGGvs
        $s5Todos8TodoItemCABSivg
        $s5Todos8TodoItemCABSivs
        """

    @Test func `accessors have the names that the compiler leaves undefined`() {
        let output = Self.output(Self.source, module: "Todos")
        #expect(output.problems == [])
        let made = output.code.split(separator: "\"").filter { $0.hasPrefix("$s") }.map(String.init)
        let expected = Self.compiled.split(separator: "\n").map(String.init)
        #expect(made.sorted() == expected.sorted())
    }

    private static let privateSource = """
        class Item: NSManagedObject {
          @NSManaged private var secret: String?
          @NSManaged fileprivate var primitiveName: String
          @NSManaged private func addItemsObject(_ value: Item)
          @NSManaged private func replaceItems(at index: Int, with value: Item)
        }
        private extension Item { @NSManaged var z: Int16 }
        """

    /// What Swift 6.3.1 for Linux leaves undefined for them in the file `Foo.swift` of the module `Todos`.
    private static let compiledPrivate = """
        $s5Todos4ItemC12replaceItems33_CAFE6049B9C2D12526727364F99AD6E1LL2at4withySi_ACtF
        $s5Todos4ItemC13primitiveName33_CAFE6049B9C2D12526727364F99AD6E1LLSSvg
        $s5Todos4ItemC13primitiveName33_CAFE6049B9C2D12526727364F99AD6E1LLSSvs
        $s5Todos4ItemC14addItemsObject33_CAFE6049B9C2D12526727364F99AD6E1LLyyACF
        $s5Todos4ItemC1z33_CAFE6049B9C2D12526727364F99AD6E1LLs5Int16Vvg
        $s5Todos4ItemC1z33_CAFE6049B9C2D12526727364F99AD6E1LLs5Int16Vvs
        $s5Todos4ItemC6secret33_CAFE6049B9C2D12526727364F99AD6E1LLSSSgvg
        $s5Todos4ItemC6secret33_CAFE6049B9C2D12526727364F99AD6E1LLSSSgvs
        """

    @Test func `accessors of private members have the names that the compiler gives them in their file`() {
        let output = Self.output(Self.privateSource, module: "Todos", file: "Sources/Foo.swift")
        #expect(output.problems == [])
        let made = output.code.split(separator: "\"").filter { $0.hasPrefix("$s") }.map(String.init)
        #expect(made.sorted() == Self.compiledPrivate.split(separator: "\n").map(String.init))
    }

    @Test func `members of an actor's extension aren't private, and a type in a private extension is`() {
        let output = Self.output(
            """
            class Item: NSManagedObject {}
            @MainActor extension Item { @NSManaged var title: String }
            private extension Item { class Inner: NSManagedObject { @NSManaged var name: String } }
            """)
        #expect(output.code.contains("\"$s1M4ItemC5titleSSvg\""))
        #expect(output.problems.map { $0.place?.line } == [3])
        #expect(output.problems.first?.message.contains("is in a private type") == true)
    }

    // Core Data Programming Guide, "Managed Object Accessor Methods": add<Key>Object:, remove<Key>Object:, add<Key>:,
    // remove<Key>:.
    @Test func `methods of to-many relationships have Xcode's names or those of key-value coding`() {
        let output = Self.output(
            """
            class Item: NSManagedObject {
                @NSManaged func addItemsObject(_ value: Item)
                @NSManaged func removeItemsObject(_ value: Item)
                @NSManaged func addItems(_ values: NSSet)
                @NSManaged func removeItems(_ values: Set<Item>)
                @NSManaged func addTomatoes(_ values: NSSet)
                @NSManaged func addToItems(_ value: Item)
                @NSManaged func addItem(_ value: Item)
            }
            """)
        #expect(output.problems.map { $0.place?.line } == [8])
        for call in [
            "addModelled([first], forKey: \"items\")", "removeModelled([first], forKey: \"items\")",
            "addModelled(first.allObjects.compactMap { $0 as? NSManagedObject }, forKey: \"items\")",
            "removeModelled(Array(first), forKey: \"items\")",
            "addModelled(first.allObjects.compactMap { $0 as? NSManagedObject }, forKey: \"tomatoes\")",
        ] { #expect(output.code.contains(call), "\(call)") }
    }

    @Test func `what can't be made is a problem with its place`() {
        let output = Self.output(
            """
            class Item: NSManagedObject {
                @NSManaged private var secret: Secret
                @NSManaged var place: CLLocation?
                @NSManaged var untyped
                @NSManaged func shuffle(_ value: Item)
                private enum Secret: Int16 { case none }
            }
            """)
        #expect(output.problems.map { $0.place?.line } == [2, 3, 4, 5])
        let messages = output.problems.map(\.description)
        #expect(messages[0].hasPrefix("Item.swift:2:28: error: @NSManaged 'secret' has the type 'M.Item.Secret'"))
        #expect(messages[1].contains("'CLLocation?'") || messages[1].contains("'CLLocation'"))
        #expect(messages[2].contains("has no type"))
        #expect(messages[3].contains("addTo<Key>(_:)"))
    }

    @Test func `only what is compiled on Linux counts`() {
        let output = Self.output(
            """
            class Item: NSManagedObject {
                #if canImport(UIKit)
                @NSManaged var image: UIImage?
                #elseif os(Linux) && !os(macOS)
                @NSManaged var image: Data?
                #else
                @NSManaged var image: Any
                #endif
            }
            """)
        #expect(output.problems == [])
        #expect(output.code.contains("__get_image() -> Data?"))
        #expect(!output.code.contains("UIImage"))
    }

    @Test func `a clause that only the compiler can judge is left to it`() {
        let output = Self.output(
            """
            class Item: NSManagedObject {
                #if DEBUG && os(Linux) // While it is written.
                @NSManaged var a: Int
                var notes: String { "" }
                #elseif !SHOP
                @NSManaged var a: String
                #else
                @NSManaged var b: Int
                #if swift(>=5.9)
                func validateB(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
                #endif
                #endif
                #if canImport(CoreData) || SHOP
                @NSManaged var c: Int
                #else
                @NSManaged var d: Int
                #endif
            }
            """)
        #expect(output.problems == [])
        let lines = output.code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        var conditions: [String: String] = [:]
        var condition = "always"
        for line in lines.drop(while: { !$0.hasPrefix("#if ") }) {
            if line.hasPrefix("#if ") { condition = String(line.dropFirst(4)) }
            if line == "#endif" { condition = "always" }
            for start in ["final func __get_", "modelled(", "property(", "unsafe validation("]
            where line.hasPrefix(start) {
                conditions[String(line.prefix { !")>{".contains($0) })] = condition
            }
        }
        let (debug, shop) = ("(DEBUG && os(Linux))", "!(DEBUG && os(Linux)) && !(!SHOP)")
        #expect(
            conditions == [
                "final func __get_a(": "!(DEBUG && os(Linux)) && (!SHOP)", "final func __get_b(": shop,
                "final func __get_c(": "always", "modelled(\"a\", \\Item.a": "!(DEBUG && os(Linux)) && (!SHOP)",
                "modelled(\"b\", \\Item.b": shop, "modelled(\"c\", \\Item.c": "always",
                "property(\"notes\", \\Item.notes": debug,
                "unsafe validation(\"B\", of: Item.self": "\(shop) && (swift(>=5.9))",
            ])
        #expect(output.code.contains("#if \(debug)\nextension Item {\n    @_silgen_name(\"$s1M4ItemC1aSivg\")"))
    }

    @Test
    func `a class that only the compiler knows is extended under its condition, and of two aliases the first counts`() {
        let output = Self.output(
            """
            #if (SHOP ||
                DEBUG)
            class DebugItem: NSManagedObject {
                @NSManaged var a: Int
            }
            #endif
            #if compiler(>=6)
            typealias Money = NSDecimalNumber
            #else
            typealias Money = NSNumber
            #endif
            class Item: NSManagedObject {
                @NSManaged var price: Money
            }
            """)
        #expect(output.problems == [])
        #expect(output.code.contains("#if ((SHOP ||\n    DEBUG))\nextension DebugItem {"))
        #expect(output.code.contains("15NSDecimalNumber") && !output.code.contains("8NSNumber"))
    }

    @Test func `types of extensions, aliases and names with backticks are found`() {
        let output = Self.output(
            """
            typealias Amount = Decimal
            struct Bank { class Account: NSManagedObject {} }
            extension Bank.Account {
                enum Kind: Int16 { case open, closed }
                @NSManaged var `default`: Kind
                @NSManaged var a, b: Amount
            }
            """)
        #expect(output.problems == [])
        #expect(output.code.contains("$s1M4BankV7AccountC7defaultAE4KindOvg"))
        #expect(output.code.contains("__get_a() -> Amount"))
        #expect(output.code.contains("__get_b() -> Amount"))
    }

    @Test func `types that are declared beside the class are named from outside`() {
        let output = Self.output(
            """
            class Outer {
                typealias Amount = Decimal
                class Parent: NSManagedObject {
                    @NSManaged var children: Set<Child>
                    @NSManaged var first: Child?
                    @NSManaged var price: Amount
                    @NSManaged func addToChildren(_ value: Child)
                }
                class Child: NSManagedObject { @NSManaged var parents: [M.Outer.Parent] }
            }
            """)
        #expect(output.problems == [])
        for line in [
            "__get_children() -> Set<Outer.Child> {", "__get_first() -> Outer.Child? {",
            "__get_price() -> Outer.Amount {",
            "__addToChildren(_ first: Outer.Child) {", "__get_parents() -> Array<M.Outer.Parent> {",
            "$s1M5OuterC6ParentC8childrenShyAC5ChildCGvg",
        ] { #expect(output.code.contains(line), "\(line)") }
    }

    @Test func `a class that no other file can name or extend is a problem with its place`() {
        let output = Self.output(
            """
            func make() {
                class Local: NSManagedObject {
                    @NSManaged var name: String
                }
            }
            let closure = { class Inner: NSManagedObject { @NSManaged var name: String } }
            class Holder { init() { class Deep: NSManagedObject { @NSManaged var name: String } } }
            private class Hidden: NSManagedObject { @NSManaged var name: String }
            class Box<T>: NSManagedObject { @NSManaged var name: String }
            """)
        #expect(output.problems.map { $0.place?.line } == [3, 6, 7, 8, 9])
        let messages = output.problems.map(\.description)
        #expect(messages[0].hasPrefix("Item.swift:3:9: error: @NSManaged is in a class within the body of a function"))
        #expect(messages[3].contains("private type"))
        #expect(messages[4].contains("generic type"))
    }

    @Test func `what is declared in an extension of another module's type is a problem with its place`() {
        let output = Self.output(
            """
            extension NSPredicate { class Saved: NSManagedObject { @NSManaged var name: String } }
            extension Kit.Shelf { enum Kind: Int16 { case low, high } }
            extension M.Outer { class Inner: NSManagedObject { @NSManaged var name: String } }
            enum Outer {}
            extension Outer { class Sound: NSManagedObject { @NSManaged var name: String } }
            class Item: NSManagedObject { @NSManaged var kind: Kit.Shelf.Kind }
            """)
        #expect(output.problems.map { $0.place?.line } == [1, 3, 6])
        let messages = output.problems.map(\.message)
        #expect(messages[0].contains("within an extension of 'NSPredicate', which isn't a type of this target"))
        #expect(messages[2].contains("in an extension of 'Kit'"))
        #expect(output.code.contains("$s1M5OuterO5SoundC4nameSSvg"))
    }

    @Test func `Foundation's unavailable types are Core Data's, unless the target says whose they are`() {
        let plain = Self.output("class Item: NSManagedObject {}")
        #expect(plain.code.contains("public typealias NSExpression = CoreData.NSExpression"))
        #expect(plain.code.contains("public typealias NSComparisonPredicate = CoreData.NSComparisonPredicate"))
        let own = Self.output("typealias NSExpression = CoreData.NSExpression")
        #expect(!own.code.contains("typealias NSExpression"))
        #expect(own.code.contains("typealias NSComparisonPredicate"))
    }

    @Test func `compound predicates are Core Data's in a target that names them, unless it has its own`() {
        let alias = "public typealias NSCompoundPredicate = CoreData.CompoundPredicate"
        #expect(!Self.output("class Item: NSManagedObject {}").code.contains("NSCompoundPredicate"))
        #expect(Self.output("let both = NSCompoundPredicate(type: .and, subpredicates: [])").code.contains(alias))
        #expect(!Self.output("typealias NSCompoundPredicate = Foundation.NSCompoundPredicate").code.contains(alias))
    }

    @Test func `a file that names Core Data's types and imports Foundation alone is told so`() {
        let leaked = Self.output("import Foundation\nlet key = NSExpression(forKeyPath: \"name\")")
        #expect(leaked.warnings.map { $0.place?.line } == [2])
        #expect(leaked.warnings.first?.description.contains("write 'import CoreData' here") == true)
        #expect(
            leaked.warnings.first?.description.hasPrefix("Item.swift:2:11: warning: 'NSExpression' is Core Data's")
                == true)
        for source in [
            "import Foundation\nimport CoreData\nlet key = NSExpression(forKeyPath: \"name\")",
            "import Foundation\nimport Model\nlet key = NSExpression(forKeyPath: \"name\")",
            "import Foundation\nlet key = CoreData.NSExpression(forKeyPath: \"name\")",
            "import Foundation\nclass NSExpression {}\nlet key = NSExpression()",
            "import Foundation\n// NSExpression\nlet key = \"NSExpression\"",
        ] { #expect(Self.output(source).warnings == [], "\(source)") }
    }

    static func output(
        _ source: String, module: String = "M", file: String = "Item.swift"
    ) -> ManagedObjectGenerator.Output {
        var declarations = TargetDeclarations(module: module)
        declarations.add(SourceDeclarations(scanning: source, file: file))
        return ManagedObjectGenerator(declarations).output(models: [])
    }
}
