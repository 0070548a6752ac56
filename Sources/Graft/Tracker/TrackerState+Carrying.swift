// A tracker's state in a later version of the model: what a migration that is inferred does to the objects of a store, done to what the
// server is known to have of them.

import CoreData

extension TrackerState {
    /// The state in the version of the model that a context has.
    ///
    /// - Throws: ``GraftError`` with all that can't be carried over.
    func carried(to schema: GraphSchema, _ context: NSManagedObjectContext, from file: URL) throws -> TrackerState {
        if base.schema == schema { return self }
        let model = try context.requiredModel()
        let match = SchemaMatch(base.schema, identifiers ?? RenamingIdentifiers(), to: schema, of: model)
        if !match.obstacles.isEmpty {
            throw GraftError(
                .other(
                    finding: "the tracker's file was written with another version of the model, in which "
                        + match.obstacles.joined(separator: ", "),
                    remedy: "Send and confirm what is pending before the model changes, then begin a new file "
                        + "(docs/sync.md). Where it is too late, delete the file, and take the server's whole state: "
                        + "what only one side has then comes back, or is sent again."),
                at: .init(source: file.path))
        }
        let objects = try ContextObjects(context, schema, model)
        func carried(_ snapshot: GraphSnapshot) throws -> GraphSnapshot {
            try snapshot.carried(match) { objects.initialValues($0)[$1] }
        }
        var state = self
        state.base = try carried(base)
        state.sent = try sent.map(carried)
        state.incoming = try incoming.map(carried)
        state.conflicts = conflicts.compactMap { $0.carried(match) }.sorted()
        return state
    }
}

extension GraphMerge.Conflict {
    /// The conflict in a later version of the model; nil where its object or its property is gone.
    fileprivate func carried(_ match: SchemaMatch) -> Self? {
        guard match.newName(ofEntity: key.entity) != nil else { return nil }
        var conflict = self
        conflict.key = key.carried(match)
        conflict.other = other?.carried(match)
        if let property {
            let list = listPlace(match.old)
            conflict.property =
                if let list { list.newName(match) } else { match.newName(ofProperty: property, in: key.entity) }
            if conflict.property == nil { return nil }
        }
        (conflict.base, conflict.ours, conflict.theirs) = (
            base.carried(match), ours.carried(match), theirs.carried(match)
        )
        return conflict
    }
}

extension Merger.ListPlace {
    /// What a conflict calls the list in a later version of the model; nil where it is gone, or has an inverse by now.
    fileprivate func newName(_ match: SchemaMatch) -> String? {
        let owner = match.old.entities[entity].name
        guard let newOwner = match.newName(ofEntity: owner), let newName = match.newName(ofProperty: name, in: owner),
            let place = match.new.listPlace(of: member, newOwner, newName)
        else { return nil }
        return "\(match.new.entities[place.entity].name).\(newName)"
    }
}

extension GraphMerge.Conflict.Version {
    fileprivate func carried(_ match: SchemaMatch) -> Self {
        func carried(_ value: PropertyValue) -> PropertyValue { value.mapped({ $0.carried(match) }, { $0 }) }
        switch self {
        case .noObject: return self
        case .value(let value): return .value(carried(value))
        case .object(let contents):
            let properties = contents.properties.compactMap { property in
                match.newName(ofProperty: property.name, in: contents.key.entity)
                    .map { PropertyContents($0, carried(property.value)) }
            }
            return .object(ObjectContents(contents.key.carried(match), properties))
        }
    }
}

extension ObjectKey {
    /// The key in the names of a later version of the model.
    fileprivate func carried(_ match: SchemaMatch) -> ObjectKey {
        var key = self
        key.entity = match.newName(ofEntity: entity) ?? entity
        key.owners = owners.map { $0?.carried(match) }
        guard let position else { return key }
        key.position?.entity = position.entity.map { match.newName(ofEntity: $0) ?? $0 }
        key.position?.owners = position.owners.map { $0?.carried(match) }
        var owner = position.entity
        key.position?.steps = position.steps.map { step in
            var step = step
            let property = owner.flatMap { match.old.number(ofEntity: $0) }
                .flatMap { match.old.entities[$0].property(step.relationship) }
            if let name = owner {
                step.relationship = match.newName(ofProperty: step.relationship, in: name) ?? step.relationship
            }
            owner = property?.destination.map { match.old.entities[$0].name }
            return step
        }
        return key
    }
}
