// What a keyed archive consists of, apart from the order of its objects: class chains, and for each class which keys its
// objects have and with which values.

@testable import CoreData
import Foundation

/// The objects of the model in one archive.
struct ArchiveShape {
    /// Entity or `Entity.property` -> key -> value as text.
    private var objects: [String: [String: String]] = [:]
    private var chains: [String: [String]] = [:]
    private let all: [PropertyListValue]

    init(_ data: Data) throws {
        let list = try BinaryPropertyListReader.value(of: data)
        guard case .array(let all)? = list["$objects"] else { throw PropertyListError(description: "no $objects") }
        self.all = all
        for object in all {
            if case .string(let name)? = object["$classname"], case .array(let chain)? = object["$classes"] {
                chains[name] = chain.map(Self.text)
            }
            guard case .dictionary(let entries) = object, let key = name(of: object) else { continue }
            objects[key] = Dictionary(
                uniqueKeysWithValues: entries.filter { $0.key != "$class" }.map { ($0.key, text($0.value)) })
        }
    }

    /// One line for each thing that one archive has and the other lacks. Keys that only Apple's compiler writes, and
    /// class names that it wrote with a dot in front, don't count.
    func differences(from other: ArchiveShape) -> [String] {
        var lines: [String] = []
        for (name, chain) in chains.sorted(by: { $0.key < $1.key }) {
            if let expected = other.chains[name], expected != chain {
                lines.append("\(name): \(chain), not \(expected)")
            }
        }
        for name in Set(objects.keys).symmetricDifference(other.objects.keys).sorted() {
            lines.append("only one has \(name)")
        }
        for (name, fields) in objects.sorted(by: { $0.key < $1.key }) {
            guard let expected = other.objects[name] else { continue }
            for key in Set(fields.keys).union(expected.keys).sorted() where fields[key] != expected[key] {
                lines.append("\(name).\(key): \(fields[key] ?? "absent"), not \(expected[key] ?? "absent")")
            }
        }
        return lines
    }

    /// `Entity` or `Entity.property`, nil for other objects.
    private func name(of object: PropertyListValue) -> String? {
        if let name = resolved(object["NSEntityName"]) { return Self.text(name) }
        if object["NSAscending"] != nil || object["NSIndexedProperty"] != nil { return nil }
        guard let name = resolved(object["NSPropertyName"]), let entity = resolved(object["NSEntity"]) else {
            return nil
        }
        return resolved(entity["NSEntityName"]).map { "\(Self.text($0)).\(Self.text(name))" }
    }

    private func resolved(_ field: PropertyListValue?) -> PropertyListValue? {
        guard case .uid(let uid)? = field else { return field }
        return all[uid]
    }

    /// A field: what it refers to by name, collections by what they contain, in order of names.
    private func text(_ field: PropertyListValue) -> String {
        guard let value = resolved(field) else { return "" }
        if let name = name(of: value) { return "-> \(name)" }
        if case .string(let text)? = value["NS.string"] { return text }
        if case .array(let members)? = value["NS.objects"] {
            if case .array(let keys)? = value["NS.keys"] {
                return "{\(zip(keys, members).map { "\(text($0)): \(text($1))" }.sorted().joined(separator: ", "))}"
            }
            return "[\(members.map(text).joined(separator: ", "))]"
        }
        if value["NSIndexName"] != nil, case .dictionary(let entries) = value {
            let parts = entries.filter { !["$class", "NSEntity"].contains($0.key) }
            return "index {\(parts.map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: ", "))}"
        }
        if value["NSFetchIndexDescription"] != nil, case .dictionary(let entries) = value {
            let parts = entries.filter { !["$class", "NSFetchIndexDescription"].contains($0.key) }
            return "element {\(parts.map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: ", "))}"
        }
        if value["NSEntities"] != nil { return "-> model" }
        return Self.text(value)
    }

    private static func text(_ value: PropertyListValue) -> String {
        switch value {
        // Compilers drop the dot where they know no module.
        case .string(let text): text.hasPrefix(".") ? String(text.dropFirst()) : text
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): "\(value)"
        case .real(let value): value == value.rounded() ? "\(Int64(value))" : "\(value)"
        default: "\(value)"
        }
    }
}
