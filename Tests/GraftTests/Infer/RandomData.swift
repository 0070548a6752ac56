// Random records with the irregularities of real data: keys that are missing or null, numbers that are sometimes texts, empty
// arrays, objects that are repeated, identifiers that lead to another file.

import Foundation
import Graft

struct RandomData {
    /// In which ways a key may have nothing.
    enum Gaps: CaseIterable { case none, null, missing }

    private indirect enum Field {
        case integer, long, double, decimal, boolean, text, day, instant, uuid, link, mixed, texts, deep, alwaysNull,
            alwaysEmpty
        case owned([Member])
        case manyOwned([Member])
        case shared, manyShared, reference, references, tree
    }

    private struct Member {
        var key: String
        var field: Field
        var gaps: [Gaps]
    }

    private var generator: SeededGenerator
    private let mixesGaps: Bool
    /// The objects that several records have, and the records of the other file.
    private var pool: [JSONValue] = []
    private var identifiers: [JSONValue] = []

    init(seed: Int, mixesGaps: Bool) {
        generator = SeededGenerator(seed: seed)
        self.mixesGaps = mixesGaps
    }

    /// Two files: records, and those that some of their keys refer to.
    mutating func texts() -> [(name: String, text: String)] {
        let usesTexts = generator.chance(50)
        identifiers = (1...6).map { usesTexts ? .string("k-\($0)") : .number(JSONValue.Number($0)) }
        let brands = identifiers.map { JSONValue.object(JSONValue.Object([("id", $0), ("name", .string(word()))])) }
        pool = (1...5).map {
            .object(JSONValue.Object([("id", .number(JSONValue.Number($0))), ("title", .string(word()))]))
        }
        let members = members(depth: 0, count: 4 + generator.below(8))
        let hasIdentity = generator.chance(60)
        let records = (0..<(3 + generator.below(25))).map { number in
            var record = object(members)
            if hasIdentity { record.append(.init(key: "id", value: .number(JSONValue.Number(number * 7)))) }
            return JSONValue.object(JSONValue.Object(members: record))
        }
        let separator = generator.chance(50) ? "\n" : nil
        let text =
            separator.map { records.map(\.description).joined(separator: $0) } ?? JSONValue.array(records).description
        return [("items.json", text), ("brands.json", JSONValue.array(brands).description)]
    }

    // MARK: What the records are like

    private static let keys = [
        "name", "first_seen", "homeTown", "Größe", "a.b", "@type", "x y", "description", "hash", "kebab-case", "self",
        "ID2",
        "created_at", "price", "data", "1st", "items", "status", "type", "class", "NAME", "_links", "ünï", "value",
    ]

    private mutating func members(depth: Int, count: Int) -> [Member] {
        var keys = Self.keys.shuffled(using: &generator).prefix(count)
        var members: [Member] = []
        while members.count < count, var key = keys.popFirst() {
            let field = field(depth)
            switch field {
            case .reference: key = "brand_id"
            case .references: key = "brands"
            default: break
            }
            var gaps: [Gaps] = [Gaps.allCases[generator.below(3)]]
            if mixesGaps { gaps.append(Gaps.allCases[generator.below(3)]) }
            // What is always null isn't missing as well, unless all are mixed.
            if !mixesGaps, case .alwaysNull = field { gaps = [.none] }
            if !members.contains(where: { $0.key == key }) {
                members.append(Member(key: key, field: field, gaps: gaps))
            }
        }
        return members
    }

    private mutating func field(_ depth: Int) -> Field {
        let plain: [Field] = [
            .integer, .long, .double, .decimal, .boolean, .text, .day, .instant, .uuid, .link, .mixed, .texts, .deep,
            .alwaysNull, .alwaysEmpty,
        ]
        if generator.chance(60) { return plain[generator.below(plain.count)] }
        if depth > 2 { return .text }
        switch generator.below(7) {
        case 0, 1: return .owned(members(depth: depth + 1, count: 1 + generator.below(3)))
        case 2: return .manyOwned(members(depth: depth + 1, count: 1 + generator.below(3)))
        case 3: return .shared
        case 4: return .manyShared
        case 5: return depth == 0 ? .reference : .tree
        default: return depth == 0 ? .references : .tree
        }
    }

    // MARK: Values

    private mutating func object(_ members: [Member]) -> [JSONValue.Object.Member] {
        members.compactMap { (member: Member) -> JSONValue.Object.Member? in
            let gap = member.gaps[generator.below(member.gaps.count)]
            if gap != .none, generator.chance(30) {
                // Of an array only one kind of nothing, unless all are mixed.
                if gap == .missing { return nil }
                if mixesGaps || !isList(member.field) { return .init(key: member.key, value: .null) }
            }
            var value = value(member.field)
            if !mixesGaps, isList(member.field), value == .array([]) {
                if gap == .missing { return nil }
                value = .array([])
            }
            return .init(key: member.key, value: value)
        }
    }

    private func isList(_ field: Field) -> Bool {
        switch field {
        case .manyOwned, .manyShared, .references: true
        default: false
        }
    }

    private mutating func value(_ field: Field) -> JSONValue {
        switch field {
        case .integer: return .number(JSONValue.Number(generator.below(5000) - 1000))
        case .long: return .number(JSONValue.Number(UInt64.max - UInt64(generator.below(1000))))
        case .double: return .number(JSONValue.Number(Double(generator.below(100_000)) / 128) ?? 0)
        case .decimal:
            return .number(
                JSONValue.Number(text: "\(generator.below(100)).12345678901234567890\(1 + generator.below(9))") ?? 0)
        case .boolean: return .bool(generator.chance(50))
        case .text: return .string(word())
        case .day: return .string("20\(10 + generator.below(80))-0\(1 + generator.below(9))-1\(generator.below(9))")
        case .instant:
            return .string("20\(10 + generator.below(80))-03-0\(1 + generator.below(9))T12:34:0\(generator.below(9))Z")
        case .uuid:
            return .string(
                UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(generator.below(255)))).uuidString)
        case .link: return .string("https://example.com/\(generator.below(99))?q=a%20b")
        case .mixed:
            return generator.chance(50)
                ? .string("\(generator.below(9))") : .number(JSONValue.Number(generator.below(9)))
        case .texts: return .array((0..<generator.below(4)).map { _ in .string(word()) })
        case .deep: return [[1, .null, ["a": [true, [:]]]], .array([]), .string(word())]
        case .alwaysNull: return .null
        case .alwaysEmpty: return .array([])
        case .owned(let members): return .object(JSONValue.Object(members: object(members)))
        case .manyOwned(let members):
            return .array((0..<generator.below(4)).map { _ in .object(JSONValue.Object(members: object(members))) })
        case .shared: return pool[generator.below(pool.count)]
        case .manyShared: return .array(Array(pool.shuffled(using: &generator).prefix(generator.below(4))))
        case .reference: return identifiers[generator.below(identifiers.count)]
        case .references: return .array(Array(identifiers.shuffled(using: &generator).prefix(generator.below(4))))
        case .tree: return generator.chance(50) ? ["a": 1, "b": ["c": .null]] : [1, "2", [:]]
        }
    }

    private mutating func word() -> String {
        ["", "Å", "12", "true", "2020-13-45", "Los\nAngeles", "\"", "🦊", "null", "héros"][generator.below(10)]
            + String(generator.below(1000))
    }
}
