// Which side wins without asking.

/// The policies of a merge, with what they need to know of both sides.
struct MergePolicies: Sendable {
    private let options: GraphMerge.Options
    private let base: GraphSnapshot
    private let related: RelatedIndex
    private let ours: Merger.Side
    private let theirs: Merger.Side

    init(_ options: GraphMerge.Options, _ base: GraphSnapshot, _ ours: GraphDiff, _ theirs: GraphDiff) {
        self.options = options
        self.base = base
        related = RelatedIndex(base)
        self.ours = Merger.Side(ours)
        self.theirs = Merger.Side(theirs)
    }

    /// What a policy says of a conflict; nil where it is left.
    func choice(for conflict: GraphMerge.Conflict) -> GraphMerge.Choice? {
        switch policy(for: conflict) {
        case .leave: nil
        case .ours: .ours
        case .theirs: .theirs
        case .latest(let attribute): latest(attribute, conflict)
        case .custom(let decide): decide(conflict)
        }
    }

    /// The policy of the property in the nearest entity.
    private func policy(for conflict: GraphMerge.Conflict) -> GraphMerge.Policy {
        if let list = listPolicy(for: conflict) { return list }
        var number = base.schema.number(ofEntity: conflict.key.entity)
        while let entity = number.map({ base.schema.entities[$0] }) {
            if let policy = options.policies[.init(entity.name, conflict.property ?? "")] { return policy }
            number = entity.parent
        }
        return options.policy
    }

    /// The policy of a list without inverse, which a conflict names with its entity.
    private func listPolicy(for conflict: GraphMerge.Conflict) -> GraphMerge.Policy? {
        conflict.listPlace(base.schema).flatMap {
            options.policies[.init(base.schema.entities[$0.entity].name, $0.name)]
        }
    }

    private func latest(_ attribute: String, _ conflict: GraphMerge.Conflict) -> GraphMerge.Choice? {
        // Of the attribute itself, the later value is the later one.
        if conflict.property == attribute, case .value(.attribute(let our)) = conflict.ours,
            case .value(.attribute(let their)) = conflict.theirs
        {
            return their.precedes(our).map { $0 ? .ours : .theirs }
        }
        guard conflict.ours != .noObject, conflict.theirs != .noObject,
            let our = value(attribute, conflict.key, ours),
            let their = value(attribute, conflict.other ?? conflict.key, theirs)
        else { return nil }
        return their.precedes(our).map { $0 ? .ours : .theirs }
    }

    /// The value of an attribute on one side.
    private func value(_ attribute: String, _ key: ObjectKey, _ side: Merger.Side) -> GraphValue? {
        if case .attribute(let value)? = side.inserted[key]?[attribute] { return value }
        if case .attribute(_, let new)? = side.changed[key]?[attribute] { return new }
        guard let row = related.row(of: key, in: base) else { return nil }
        let entity = base.schema.entities[row.entity]
        guard let number = entity.number(ofProperty: attribute), entity.properties[number].isAttribute else {
            return nil
        }
        return base.tables[row.entity].value(entity.properties[number].column, row: row.row)
    }
}
