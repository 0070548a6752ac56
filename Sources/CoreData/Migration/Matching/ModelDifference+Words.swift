// The words for differences between two versions of a model.

import Foundation

extension ModelDifference: CustomStringConvertible {
    /// For instance `Hero.age: type changed from String to Integer 32`, with what to do where no mapping can be
    /// inferred.
    var description: String {
        let place = property.map { "\(entity).\($0)" } ?? "entity '\(entity)'"
        guard let obstacle else { return "\(place): \(change.words)" }
        return "\(place): \(change.words), \(obstacle.words)"
    }
}

extension ModelDifference.Change {
    fileprivate var words: String {
        switch self {
        case .added: "added"
        case .removed: "removed"
        case .renamed(let old): "renamed from '\(old)'"
        case .abstract(let isAbstract): isAbstract ? "became abstract" : "became concrete"
        // A root whose hierarchy others have joined.
        case .superentity(nil, nil): "became the parent of other entities"
        case .superentity(let old, let new): "parent changed from \(Self.quoted(old)) to \(Self.quoted(new))"
        case .uniqueness(let old, let new): "uniqueness changed from \(Self.tuples(old)) to \(Self.tuples(new))"
        case .modifier(let old, let new): "version changed from \(Self.quoted(old)) to \(Self.quoted(new))"
        case .optional(let isOptional): isOptional ? "became optional" : "became mandatory"
        case .type(let old, let new): "type changed from \(Self.name(old)) to \(Self.name(new))"
        case .externalStorage(let allowed): allowed ? "external storage allowed" : "external storage no longer allowed"
        case .keptInHistory(let kept): kept ? "kept in the history" : "no longer kept in the history"
        case .derivation(let old, let new): "derivation changed from \(Self.quoted(old)) to \(Self.quoted(new))"
        case .elementOrder: "elements in another order"
        case .destination(let old, let new): "destination changed from '\(old)' to '\(new)'"
        case .inverse(let old, let new): "inverse changed from \(Self.quoted(old)) to \(Self.quoted(new))"
        case .count(let old, let new): "count changed from \(Self.words(old)) to \(Self.words(new))"
        case .ordered(let isOrdered): isOrdered ? "became ordered" : "became unordered"
        }
    }

    private static func quoted(_ name: String?) -> String { name.map { "'\($0)'" } ?? "none" }

    private static func name(_ type: NSAttributeType) -> String { type.displayName }

    private static func words(_ count: ModelDifference.ClosedCount) -> String {
        if count.maximum == 1 { return count.minimum == 0 ? "to-one" : "to-one (at least \(count.minimum))" }
        let limits = [
            count.minimum > 0 ? "at least \(count.minimum)" : nil, count.maximum > 1 ? "at most \(count.maximum)" : nil,
        ]
        let shown = limits.compactMap { $0 }.joined(separator: ", ")
        return shown.isEmpty ? "to-many" : "to-many (\(shown))"
    }

    private static func tuples(_ names: [[String]]) -> String {
        names.isEmpty ? "none" : names.map { "(\($0.joined(separator: ", ")))" }.joined(separator: " ")
    }
}

extension ModelDifference.Obstacle {
    fileprivate var words: String {
        switch self {
        case .typeChanged: "and values can't be converted. Keep the type, or add an attribute under a new name"
        case .noDefault: "and mandatory without a default value for existing objects. Set one, or make it optional"
        case .nothingToReferTo: "and mandatory, but existing objects have nothing to refer to. Make it optional"
        case .unrelatedDestination:
            "to which none of the objects belong that it refers to. Keep the destination, or add a relationship under "
                + "a new name"
        case .mergedHierarchies(let names):
            "and now ancestor of \(names.map { "'\($0)'" }.joined(separator: " and ")), which had no common ancestor. "
                + "Keep them apart"
        }
    }

    /// What Core Data gives as the reason.
    var reason: String {
        switch self {
        case .typeChanged: "Source and destination attribute types are incompatible"
        case .noDefault: "Validation error missing attribute values on mandatory destination attribute"
        case .nothingToReferTo: "Validation error missing relationship on mandatory destination relationship"
        case .unrelatedDestination: "Source and destination relationships lead to unrelated entities"
        case .mergedHierarchies: "Entities without a common ancestor can't be given one"
        }
    }
}
