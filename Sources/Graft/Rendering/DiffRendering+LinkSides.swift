// A link between two objects stands in a diff twice, once at each end. People read it once: at the end that says more.

public import CoreData

extension DiffRendering {
    /// At which end people are shown the links of each relationship.
    ///
    /// That is the side with an order, else the one that leads to one object, else the one that the model maps to JSON
    /// (`JSONKeyPath`), else the one that owns, else the first one by name. Where both sides have an order, both are shown.
    public struct LinkSides: Sendable {
        /// From the sides that repeat the other one to the name of that.
        private let firstSides: [DiffOptions.Property: String]

        /// Chooses the sides of a model's relationships.
        public init(of model: NSManagedObjectModel) {
            var firstSides: [DiffOptions.Property: String] = [:]
            for entity in model.entities {
                for (name, relationship) in entity.relationshipsByName {
                    guard let inverse = relationship.inverseRelationship, Self.repeats(relationship, inverse) else {
                        continue
                    }
                    firstSides[.init(entity.name ?? "", name)] = inverse.name
                }
            }
            self.firstSides = firstSides
        }

        private static func repeats(_ side: NSRelationshipDescription, _ other: NSRelationshipDescription) -> Bool {
            if side.isOrdered || other.isOrdered { return !side.isOrdered }
            if side.isToMany != other.isToMany { return side.isToMany }
            let (isMapped, isOtherMapped) = (isMapped(side), isMapped(other))
            if isMapped != isOtherMapped { return isOtherMapped }
            let (owns, otherOwns) = (side.deleteRule == .cascadeDeleteRule, other.deleteRule == .cascadeDeleteRule)
            if owns != otherOwns { return otherOwns }
            let names = [side, other].map { [$0.entity.name ?? "", $0.name] }
            return names[1].lexicographicallyPrecedes(names[0]) { $0.precedesInBytes($1) }
        }

        private static func isMapped(_ side: NSRelationshipDescription) -> Bool {
            Annotation.text(Annotation.keyPath, of: side.userInfo) != nil
        }

        /// The name of the side that has the links of this one; nil for a side that is shown itself.
        func firstSide(of name: String, _ entity: String) -> String? { firstSides[.init(entity, name)] }
    }
}

extension [DiffEntry] {
    /// The entries without what another one of them says of the same links, and how many have nothing else to say.
    func showingLinksOnce(_ sides: DiffRendering.LinkSides) -> (entries: [DiffEntry], leftOut: Int) {
        var shown: [ObjectKey: [String: Set<ObjectKey>]] = [:]
        for entry in self {
            for change in entry.details where sides.firstSide(of: change.name, entry.key.entity) == nil {
                shown[entry.key, default: [:]][change.name, default: []].formUnion(change.kind.ends)
            }
        }
        var leftOut = 0
        let entries = compactMap { entry -> DiffEntry? in
            var rest = entry
            rest.details = entry.details.filter { change in
                guard let first = sides.firstSide(of: change.name, entry.key.entity) else { return true }
                return !change.kind.ends.allSatisfy { shown[$0]?[first]?.contains(entry.key) == true }
            }
            if case .changed = entry.kind, rest.details.isEmpty {
                leftOut += 1
                return nil
            }
            return rest
        }
        return (entries, leftOut)
    }
}
