// Where properties stand in JSON: paths that lead nowhere, and those that get in each other's way.

import CoreData
import Foundation

extension ModelLint {
    /// The key paths of a property, as they are tried; none where it takes no part.
    static func keyPaths(
        of property: NSPropertyDescription, _ entity: NSEntityDescription, _ rules: MappingRules
    ) -> [String] {
        let said = rules.property(property, of: entity).said
        if said.direction == .neither { return [] }
        return rules.keyPaths(of: property, said, in: entity, rules.entity(entity).namingRule)
    }

    /// Where a property, or an element of a composite attribute, is written, and read first.
    private struct Place {
        var keys: [String]
        var part: PropertyPart
        var direction: MappingOptions.Direction
        var isOwn: Bool
    }

    mutating func checkPaths(of entity: NSEntityDescription, _ rules: MappingRules) {
        for property in entity.sortedDeclaredProperties {
            for path in Self.keyPaths(of: property, entity, rules) {
                if SourcePath(path) == nil {
                    addInvalid(path, property, entity)
                } else {
                    checkOperators(path, property, entity)
                }
            }
        }
        let places = Self.places(of: entity, rules)
        for (index, place) in places.enumerated() {
            for other in places[(index + 1)...] where place.isOwn || other.isOwn { compare(place, other, entity) }
        }
    }

    /// Paths that lead nowhere are none.
    private static func places(of entity: NSEntityDescription, _ rules: MappingRules) -> [Place] {
        let own = Set(entity.declaredProperties.map(\.name))
        let compiler = PropertyCompiler(
            entity: entity, rules: rules, namingRule: rules.entity(entity).namingRule, isDocument: false)
        return entity.partsByName.values.sorted { $0.name < $1.name }.compactMap { part in
            let whole = rules.property(part.whole, of: entity).said
            let direction = rules.part(part, of: whole, in: entity).direction ?? .both
            let sources = try? compiler.sources(of: part, whole)
            guard direction != .neither, let written = sources?.first(where: { $0.origin == .object }) else {
                return nil
            }
            return Place(
                keys: written.keys, part: part, direction: direction, isOwn: own.contains(part.whole.name))
        }
    }

    private mutating func addInvalid(
        _ path: String, _ property: NSPropertyDescription, _ entity: NSEntityDescription
    ) {
        add(
            .error, .invalidPath, entity.name, property.name,
            "the key path '\(path)' has an empty key, or ends where it has to go on",
            "Name a key for each step, or take the annotation away to leave the property out.")
    }

    /// What key-value coding would compute of what it comes to, where a path is made of keys alone.
    private static let operators: Set = [
        "@avg", "@count", "@distinctUnionOfArrays", "@distinctUnionOfObjects", "@distinctUnionOfSets", "@max", "@min",
        "@sum", "@unionOfArrays", "@unionOfObjects", "@unionOfSets",
    ]

    private mutating func checkOperators(
        _ path: String, _ property: NSPropertyDescription, _ entity: NSEntityDescription
    ) {
        guard let key = Annotation.keys(ofPath: path).first(where: Self.operators.contains) else { return }
        add(
            .warning, .invalidPath, entity.name, property.name,
            "'\(key)' in the key path '\(path)' is looked for as a key of the JSON: nothing is computed",
            "Name a key, and a transformer that computes the value; '\\\(key)' says that it is a key."
        )
    }

    private mutating func compare(_ one: Place, _ other: Place, _ entity: NSEntityDescription) {
        let (short, long) = one.keys.count <= other.keys.count ? (one, other) : (other, one)
        guard long.keys.starts(with: short.keys) else { return }
        let path = short.keys.joined(separator: ".")
        let areWritten = short.direction.isExported && long.direction.isExported
        let areRead = short.direction.isImported && long.direction.isImported
        if long.keys.count == short.keys.count {
            guard areWritten else { return }
            add(
                .warning, .collidingPaths, entity.name, long.part.name,
                "'\(short.part.name)' stands at '\(path)', too, so one value is read into both and one of them is written",
                "Give each a key path of its own, or let one of them only be read: \(Annotation.direction).")
        } else if short.part.property is NSAttributeDescription, areWritten || areRead {
            add(
                .error, .collidingPaths, entity.name, long.part.name,
                "'\(short.part.name)' stands at '\(path)', which is on the way to it",
                "Give one of them another key path.")
        }
    }
}
