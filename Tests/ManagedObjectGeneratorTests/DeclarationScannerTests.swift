// What Swift's lexical grammar hides, and what a scanner must find in spite of it. SourceComparison/ holds the scanner against
// SwiftSyntax on thousands of files.

import Foundation
import ManagedObjectGenerator
import Testing

@Suite struct DeclarationScannerTests {
    private static func scan(_ source: String) -> SourceDeclarations {
        SourceDeclarations(scanning: source, file: "Item.swift")
    }

    private static func types(_ source: String) -> [String] {
        scan(source).nominals.map { $0.map { "\($0.kind.rawValue)\($0.name)" }.joined(separator: ".") }
    }

    /// The names of members with @NSManaged, with their types.
    private static func members(_ source: String) -> [String] {
        scan(source).members.map { member in
            switch member.kind {
            case .property(let type): "\(member.name): \(type?.text ?? "-")"
            case .method(let parameters):
                "\(member.name)(\(parameters.map { "\($0.label ?? "_"): \($0.type.text)" }.joined(separator: ", ")))"
            }
        }
    }

    @Test func `declarations in comments and literals are none`() {
        let source = ##"""
            #!/usr/bin/swift
            /* class A {} /* class B {} */ class C {} */
            // class D {}
            let a = "class E {} \("class F { \(x.map { "}" }) }") }"
            let b = #"class G { " \( } \#("}")"#
            let c = """
                class H { " "" \""" }
                """
            let d = #""""#, e = #"""
                """ class I {
                """#
            let f = /class J { " [/]/, g = #/ } " /#, h = #/
                class K { "
                /#
            let i = 4 / 2 + 6 / 3, j = x /y
            let k = !/["'{]/.isEmpty, l = foo(!/"}/), m = 4 - -x!/y/z
            class `class` { let k = /["']/ }
            struct End {}
            """##
        #expect(Self.types(source) == ["Cclass", "VEnd"])
    }

    @Test func `types are found where they are nested, extended and conditional`() {
        let source = """
            public final class A<T: Collection>: B<[T]>, @unchecked Sendable where T.Element == Int {
                enum E: Int { case a = 1, b; indirect case c(E), d }
                struct S { actor P {} }
                class func make() -> A { class Local {} }
                subscript(i: Int) -> Int { struct Local {} }
                init?() { struct Local {} }
            }
            extension A.S { class D {} }
            extension [Int] { enum F {} }
            #if os(macOS) && !targetEnvironment(simulator) || canImport(UIKit)
            class Apple {}
            #elseif FLAG
            class Linux {}
            #else
            class Other {}
            #endif
            protocol Q { associatedtype class1 }
            """
        #expect(
            Self.types(source) == ["CA", "CA.OE", "CA.VS", "CA.VS.CP", "CA.CS.CD", "CArray.OF", "CLinux", "COther"])
        let found = Self.scan(source)
        #expect(found.inherited["A"]?.map(\.text) == ["B<Array<T>>", "Sendable"])
        #expect(found.hidden["A"] == .generic)
        #expect(found.hidden["A.S.P"] == .actor)
    }

    @Test func `the types of members are read in all their forms`() {
        let source = """
            class A {
                @NSManaged var a: Int?, b: [String: [Set<Int>]]!, c: (Double)
                @NSManaged public internal(set) var d: Swift.Optional<Int>
                @NSManaged var e, f: Outer.Inner?
                @NSManaged var g: any Hashable & Sendable
                @NSManaged var h: (Int, String) async throws -> Void
                @NSManaged var i = x.map { $0 < 3 } ?? [1, 2] { didSet {} }
                @NSManaged var `default`: Int?=nil
                @NSManaged func f(_ a: inout Int, at index: [Int]..., `in` c: @escaping () -> Void = { }, d: B<C>)
                #if canImport(ObjectiveC)
                @objc
                #endif
                @NSManaged var j: Int
                @NSManaged func k(_ pairs: [(of: Int, key: Int?)], to n: [3 of Int])
            }
            """
        #expect(
            Self.members(source) == [
                "a: Optional<Int>".replacingOccurrences(of: "Optional<Int>", with: "Int?"),
                "b: Dictionary<String, Array<Set<Int>>>?", "c: Double", "d: Swift.Optional<Int>", "e: Outer.Inner?",
                "f: Outer.Inner?", "g: any Hashable & Sendable", "h: (Int, String) async throws -> Void", "i: -",
                "default: Int?", "f(_: Int, at: Array<Int>, in: () -> Void, d: B<C>)", "j: Int",
                "k(_: Array<(of: Int, key: Int?)>, to: [3 of Int])",
            ])
    }

    @Test func `places count lines and bytes from 1`() {
        let found = Self.scan("class Ä {\r\n\t/* ä\n */ @NSManaged var é: Int\r}")
        #expect(found.members.map(\.place) == [SourcePlace(file: "Item.swift", line: 3, column: 20)])
    }

    /// Prefixes of a source, sources with some bytes changed, and deep nesting are read to their ends.
    @Test func `no text stops the scanner`() throws {
        let text = try String(contentsOfFile: "Examples/Todo/Sources/Todo/TodoItem.swift", encoding: .utf8)
        let odd = ##"let a = #"\#(x["\("/[(/")"])"#; @NSManaged #if ( `x < (a: [b: c<d>]) -> /* """ \(""##
        let bytes = Array((text.prefix(900) + odd).utf8)
        for end in stride(from: 0, to: bytes.count, by: 13) {
            _ = Self.scan(String(decoding: bytes[..<end], as: UTF8.self))
        }
        var generator = SystemRandomNumberGenerator()
        let signs = Array(#"{}()[]<>"#.utf8) + Array(##""\#@`/.,:;=!?&-#"##.utf8) + [0, 0x0A, 0xC3, 0xFF]
        for _ in 0..<60 {
            var changed = bytes
            for _ in 0..<5 {
                changed[Int.random(in: changed.indices, using: &generator)] =
                    signs.randomElement(using: &generator) ?? 0
            }
            _ = Self.scan(String(decoding: changed, as: UTF8.self))
        }
        for deep in [
            "(", "[", "{", "<", "\"\\(", "class A {", "var a: [", "x as [", "-", "a<", "#if a\n", "/*", "if ", "@",
            "a?",
        ] {
            _ = Self.scan("var a = " + String(repeating: deep, count: 1_000))
            _ = Self.scan("class B { @NSManaged var a: " + String(repeating: deep, count: 1_000))
        }
    }
}
