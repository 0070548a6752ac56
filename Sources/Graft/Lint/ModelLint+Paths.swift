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

    private struct Place {
        var keys: [String]
        var property: NSPropertyDescription
        var isOwn: Bool
    }

    mutating func checkPaths(of entity: NSEntityDescription, _ rules: MappingRules) {
        var places: [Place] = []
        let own = Set(entity.sortedDeclaredProperties.map(\.name))
        for property in entity.propertiesByName.values.sorted(by: { $0.name < $1.name }) {
            let isOwn = own.contains(property.name)
            for (rank, path) in Self.keyPaths(of: property, entity, rules).enumerated() {
                guard let source = SourcePath(path) else {
                    if isOwn { addInvalid(path, property, entity) }
                    continue
                }
                if isOwn { checkOperators(path, property, entity) }
                if rank == 0, source.origin == .object {
                    places.append(Place(keys: source.keys, property: property, isOwn: isOwn))
                }
            }
        }
        for (index, place) in places.enumerated() {
            for other in places[(index + 1)...] where place.isOwn || other.isOwn { compare(place, other, entity) }
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
        if long.keys.count == short.keys.count {
            add(
                .warning, .collidingPaths, entity.name, long.property.name,
                "'\(short.property.name)' stands at '\(path)', too, so one value is read into both and one of them is written",
                "Give each a key path of its own, or let one of them only be read: \(Annotation.direction).")
        } else if short.property is NSAttributeDescription {
            add(
                .error, .collidingPaths, entity.name, long.property.name,
                "'\(short.property.name)' stands at '\(path)', which is on the way to it",
                "Give one of them another key path.")
        }
    }
}
