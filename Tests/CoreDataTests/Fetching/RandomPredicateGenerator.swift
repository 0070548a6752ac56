// Random predicates over the model of RandomPredicateWorld.swift, as formats. Objects are variables, `$thing3`, because the
// two stores have different ones.

import Foundation

@testable import CoreData

/// Writes formats.
struct RandomPredicateGenerator {
    enum Kind: CaseIterable {
        case integer, real, decimal, string, date, uuid, data, link
        var isNumber: Bool { self == .integer || self == .real || self == .decimal }
    }

    struct Attribute {
        let name: String
        let kind: Kind
    }

    private static let attributes: [String: [Attribute]] = [
        "Thing": [
            .init(name: "number", kind: .integer), .init(name: "flag", kind: .integer),
            .init(name: "small", kind: .integer),
            .init(name: "medium", kind: .integer), .init(name: "big", kind: .integer), .init(name: "real", kind: .real),
            .init(name: "single", kind: .real), .init(name: "price", kind: .decimal),
            .init(name: "name", kind: .string),
            .init(name: "note", kind: .string), .init(name: "when", kind: .date), .init(name: "until", kind: .date),
            .init(name: "key", kind: .uuid), .init(name: "blob", kind: .data), .init(name: "link", kind: .link),
        ],
        "Person": [
            .init(name: "number", kind: .integer), .init(name: "name", kind: .string),
            .init(name: "age", kind: .integer),
            .init(name: "born", kind: .date),
        ],
        "Tag": [.init(name: "label", kind: .string), .init(name: "weight", kind: .real)],
        "Part": [
            .init(name: "name", kind: .string), .init(name: "mass", kind: .decimal),
            .init(name: "count", kind: .integer),
        ],
    ]
    private static let toOne: [String: [(String, String)]] = [
        "Thing": [("owner", "Person"), ("parent", "Thing")], "Person": [("boss", "Person")], "Tag": [],
        "Part": [("whole", "Thing"), ("maker", "Person")],
    ]
    private static let toMany: [String: [(String, String)]] = [
        "Thing": [("children", "Thing"), ("tags", "Tag"), ("parts", "Part"), ("friends", "Thing")],
        "Person": [("things", "Thing"), ("reports", "Person"), ("made", "Part")], "Tag": [("things", "Thing")],
        "Part": [],
    ]

    var random: SeededGenerator
    private var variableCount = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    // MARK: Predicates

    /// A predicate over an entity; `prefix` is empty or a variable and a dot.
    mutating func predicate(_ entity: String, prefix: String = "", depth: Int = 0) -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<(depth < 3 ? 22 : 0):
            let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in
                "(\(predicate(entity, prefix: prefix, depth: depth + 1)))"
            }
            return parts.joined(separator: random.chance(50) ? " AND " : " OR ")
        case ..<(depth < 3 ? 30 : 0): return "NOT (\(predicate(entity, prefix: prefix, depth: depth + 1)))"
        case ..<32: return random.chance(50) ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case ..<60: return scalarComparison(entity, prefix)
        case ..<68: return objectComparison(entity, prefix)
        case ..<82: return quantified(entity, prefix)
        case ..<92: return aggregate(entity, prefix)
        default: return depth < 3 ? subquery(entity, prefix, depth) : scalarComparison(entity, prefix)
        }
    }

    private mutating func scalarComparison(_ entity: String, _ prefix: String) -> String {
        let kind = random.pick(Kind.allCases)
        let left = value(entity, prefix, kind)
        if kind == .string || kind == .link, random.chance(50) { return textComparison(left, entity, prefix) }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<20: return "\(left) \(random.pick(["==", "!="])) nil"
        case ..<40: return "\(left) \(random.chance(85) ? "" : "NOT ")IN \(list(kind))".replacing("NOT IN", with: "IN")
        case ..<50: return "\(left) BETWEEN {\(value(entity, prefix, kind)), \(value(entity, prefix, kind))}"
        case ..<58: return "\(left) \(comparator(kind)) \(value(entity, prefix, random.pick(Kind.allCases)))"
        default: return "\(left) \(comparator(kind)) \(value(entity, prefix, kind))"
        }
    }

    private mutating func comparator(_ kind: Kind) -> String {
        let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
        return kind == .string && random.chance(40) ? sign + options() : sign
    }

    private mutating func options() -> String { random.pick(["[c]", "[d]", "[cd]", "[n]"]) }

    private mutating func textComparison(_ left: String, _ entity: String, _ prefix: String) -> String {
        let name = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "IN"])
        let sign = name + (random.chance(50) ? options() : "")
        guard name == "MATCHES" else { return "\(left) \(sign) \(text(entity, prefix))" }
        // Texts of properties are patterns too, and not always valid ones; a literal has to be one.
        if random.chance(20), let path = path(entity, prefix, .string) { return "\(left) \(sign) \(path)" }
        return
            "\(left) \(sign) \(random.pick(["'.*'", "'[a-z]+'", "'\\\\w*'", "'A.*'", "'(é|e)'", "'a|ab'", "'.\\n.'", "''"]))"
    }

    private mutating func objectComparison(_ entity: String, _ prefix: String) -> String {
        let (path, target) = objectPath(entity, prefix, 2)
        let sign = random.pick(["==", "!="])
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "\(path) \(sign) nil"
        case 1: return "\(path) IN {\(object(target)), \(object(target)), nil}"
        case 2: return "\(path) IN \(["Thing": "$things", "Person": "$people", "Tag": "$tags"][target] ?? "{}")"
        case 3:
            let (other, _) = objectPath(entity, prefix, 2)
            return "\(path) \(sign) \(other)"
        case 4 where !path.isEmpty && path != "SELF":
            return
                "\(path).entity.name \(random.pick(["==", "CONTAINS", "!="])) '\(random.pick(["Thing", "Special", "Manager", "Extra"]))'"
        default: return "\(path) \(sign) \(object(random.chance(85) ? target : "Thing"))"
        }
    }

    /// ANY, ALL, NONE over the members of a to-many relationship, or membership in it.
    private mutating func quantified(_ entity: String, _ prefix: String) -> String {
        guard let (path, target) = collectionPath(entity, prefix) else { return scalarComparison(entity, prefix) }
        if random.chance(20) {
            return random.chance(50) ? "\(path) CONTAINS \(object(target))" : "\(object(target)) IN \(path)"
        }
        let quantifier = random.pick(["ANY", "SOME", "ALL", "NONE"])
        if random.chance(15) {
            return "\(quantifier) \(path) \(random.pick(["==", "!="])) \(random.chance(20) ? "nil" : object(target))"
        }
        guard let attribute = Self.attributes[target].map({ random.pick($0) }) else { return "TRUEPREDICATE" }
        let left = "\(path).\(attribute.name)"
        if attribute.kind == .string, random.chance(40) {
            return "\(quantifier) \(textComparison(left, entity, prefix))"
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return "\(quantifier) \(left) IN \(list(attribute.kind))"
        case 1: return "\(quantifier) \(left) \(random.pick(["==", "!="])) nil"
        default: return "\(quantifier) \(left) \(comparator(attribute.kind)) \(value(entity, prefix, attribute.kind))"
        }
    }

    private mutating func aggregate(_ entity: String, _ prefix: String) -> String {
        guard let (path, target) = collectionPath(entity, prefix) else { return scalarComparison(entity, prefix) }
        let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
        if random.chance(40) { return "\(path).@count \(sign) \(Int.random(in: 0...4, using: &random))" }
        guard let attribute = Self.attributes[target].map({ random.pick($0) }) else { return "TRUEPREDICATE" }
        let function =
            attribute.kind.isNumber ? random.pick(["sum", "avg", "min", "max"]) : random.pick(["min", "max"])
        if random.chance(20) {
            let name = ["sum": "sum:", "avg": "average:", "min": "min:", "max": "max:"][function] ?? "count:"
            return "\(name)(\(path).\(attribute.name)) \(sign) \(value(entity, prefix, attribute.kind))"
        }
        if random.chance(10) {
            return
                "count(\(path).@distinctUnionOfObjects.\(attribute.name)) \(sign) \(Int.random(in: 0...4, using: &random))"
        }
        let kind = function == "avg" ? Kind.real : attribute.kind
        return "\(path).@\(function).\(attribute.name) \(sign) \(value(entity, prefix, kind))"
    }

    private mutating func subquery(_ entity: String, _ prefix: String, _ depth: Int) -> String {
        guard let (path, target) = collectionPath(entity, prefix) else { return scalarComparison(entity, prefix) }
        variableCount += 1
        let variable = "$v\(variableCount)"
        let inner = predicate(target, prefix: "\(variable).", depth: depth + 2)
        let query = "SUBQUERY(\(path), \(variable), \(inner))"
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            guard let attribute = Self.attributes[target].map({ random.pick($0) }) else { return "TRUEPREDICATE" }
            return "ANY \(query).\(attribute.name) \(comparator(attribute.kind)) \(literal(attribute.kind))"
        case 1 where target == "Tag": return "\(query).@sum.weight > \(literal(.real))"
        default:
            return "\(query).@count \(random.pick(["==", ">", "<", "!="])) \(Int.random(in: 0...2, using: &random))"
        }
    }

    // MARK: Paths

    /// A path to a to-many relationship from an object or from the members of another.
    private mutating func collectionPath(_ entity: String, _ prefix: String) -> (String, String)? {
        let (start, target) = objectPath(entity, prefix, 1)
        let base = start == "SELF" ? "" : start + "."
        guard let relations = Self.toMany[target], !relations.isEmpty else { return nil }
        let (name, member) = random.pick(relations)
        if random.chance(25), let further = Self.toMany[member], !further.isEmpty {
            let (next, end) = random.pick(further)
            return ("\(base)\(name).\(next)", end)
        }
        if random.chance(20), let further = Self.toOne[member], !further.isEmpty {
            let (next, end) = random.pick(further)
            return ("\(base)\(name).\(next)", end)
        }
        return ("\(base)\(name)", member)
    }

    /// `SELF`, `$v1`, or a path of to-one relationships.
    private mutating func objectPath(_ entity: String, _ prefix: String, _ longest: Int) -> (String, String) {
        var path: [String] = []
        var current = entity
        for _ in 0..<Int.random(in: 0...longest, using: &random) {
            guard let relations = Self.toOne[current], !relations.isEmpty else { break }
            let (name, target) = random.pick(relations)
            path.append(name)
            current = target
        }
        if path.isEmpty { return (prefix.isEmpty ? "SELF" : String(prefix.dropLast()), current) }
        return (prefix + path.joined(separator: "."), current)
    }

    private mutating func object(_ entity: String) -> String {
        let counts = ["Thing": ("thing", 45), "Person": ("person", 12), "Tag": ("tag", 8), "Part": ("part", 40)]
        guard let (name, count) = counts[entity] else { return "nil" }
        return "$\(name)\(Int.random(in: 0..<count, using: &random))"
    }

    // MARK: Values

    /// An expression of a kind: a literal, a path, or something computed.
    private mutating func value(_ entity: String, _ prefix: String, _ kind: Kind, depth: Int = 0) -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<35: return literal(kind)
        case ..<(depth < 2 ? 50 : 35): return computed(entity, prefix, kind, depth + 1)
        default: return path(entity, prefix, kind) ?? literal(kind)
        }
    }

    private mutating func path(_ entity: String, _ prefix: String, _ kind: Kind) -> String? {
        let (object, target) = objectPath(entity, prefix, 2)
        guard let attributes = Self.attributes[target]?.filter({ $0.kind == kind }), !attributes.isEmpty else {
            return nil
        }
        let name = random.pick(attributes).name
        return object == "SELF" ? name : "\(object).\(name)"
    }

    private mutating func computed(_ entity: String, _ prefix: String, _ kind: Kind, _ depth: Int) -> String {
        switch kind {
        case .integer, .real, .decimal:
            let a = value(entity, prefix, random.pick([.integer, .real, .decimal]), depth: depth)
            let b = value(entity, prefix, random.pick([.integer, .real, .decimal]), depth: depth)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return "\(random.pick(["abs", "floor", "ceiling", "trunc", "sqrt"]))(\(a))"
            case 1: return "(\(value(entity, prefix, .string, depth: depth))).length"
            case 2: return "(\(a) \(random.pick(["&", "|", "^"])) \(b))"
            case 3: return "TERNARY(\(a) < \(b), \(a), \(b))"
            default: return "(\(a) \(random.pick(["+", "-", "*", "/"])) \(b))"
            }
        case .string:
            let a = value(entity, prefix, .string, depth: depth)
            return "\(random.pick(["uppercase", "lowercase", "canonical"]))(\(a))"
        case .date: return "(\(value(entity, prefix, .date, depth: depth)) + \(literal(.integer)))"
        default: return literal(kind)
        }
    }

    private mutating func text(_ entity: String, _ prefix: String) -> String {
        if random.chance(25) { return path(entity, prefix, .string) ?? literal(.string) }
        if random.chance(40) {
            return random.pick(["'*'", "'a*'", "'*b'", "'?'", "'a?b'", "'.*'", "'*é*'", "'a\\\\*b'", "'*?*'"])
        }
        return literal(.string)
    }

    private mutating func list(_ kind: Kind) -> String {
        let literals = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            random.chance(10) ? "nil" : literal(random.chance(90) ? kind : random.pick(Kind.allCases))
        }
        return "{\(literals.joined(separator: ", "))}"
    }

    private mutating func literal(_ kind: Kind) -> String {
        switch kind {
        case .integer:
            let value = random.pick(random.chance(80) ? PredicateValues.integers : PredicateValues.bigs)
            return value == .min
                ? "(-9223372036854775807 - 1)" : random.chance(10) ? random.pick(["TRUE", "NO"]) : "\(value)"
        case .real: return "\(random.pick(PredicateValues.reals))"
        case .decimal: return "CAST('\(random.pick(PredicateValues.decimals))', 'NSDecimalNumber')"
        case .string: return PredicatePrinter.text(ofText: random.pick(PredicateValues.strings))
        case .date: return "CAST(\(random.pick(PredicateValues.dates)), 'NSDate')"
        case .uuid: return "CAST('\(random.pick(PredicateValues.uuids))', 'NSUUID')"
        case .data: return "CAST('\(random.pick(PredicateValues.blobs).base64EncodedString())', 'NSData')"
        case .link: return "CAST('\(random.pick(PredicateValues.links))', 'NSURL')"
        }
    }
}

extension PredicatePrinter {
    fileprivate static func text(ofText text: String) -> String { ExpressionPrinter.quoted(text) }
}
