// What is at the other end of a relationship. Where an export can come round to an object again, members are looked at by their IDs:
// most of them have been written before and are met again, as identifiers only.

import CoreData

extension ObjectWriter {
    func ends(
        _ number: Int, _ form: ExportOptions.RelationshipForm, _ pass: ExportPass<Object>
    ) throws -> ExportedEnds<NSManagedObject> {
        let (object, property) = (pass.object, pass.plan.properties[number])
        // Whoever leads back may be of another entity, and seem to be known.
        if !property.isToMany, let damage, damage.isTold(property.name, of: object) { return .objects([]) }
        guard form == .nested, changes == nil, let destination = property.destination, isCyclic[destination],
            let context = object.managedObjectContext
        else {
            return .objects(try ordered(present(object.relatedObjects(number, property), pass, property), property))
        }
        // By their IDs, and not as members: members would keep each other alive, until the whole graph is in memory.
        let ids = object.relatedIDs(number, property)
        var known: [(plan: ExportPlan, identifier: GraphValue)] = []
        known.reserveCapacity(ids.count)
        var isMissing = false
        for id in ids {
            let key = id.lookupKey
            if let identifier = expanded[key] {
                if let object = knownObject(id, identifier) { known.append(object) }
            } else if !isMissing, !readAhead.contains(key) {
                isMissing = context.registeredObject(for: id)?.isFault ?? true
            }
        }
        if known.count == ids.count { return .known(ordered(known, property)) }
        if isMissing {
            try readAhead.read(from: object, remaining: options.nestingLimit - nesting, cameFrom: pass.inverse) {
                expanded[$0] != nil
            }
        }
        return .objects(try ordered(present(context.read(ids), pass, property), property))
    }

    /// The objects that are there.
    ///
    /// - Throws: ``GraftError`` with `missingObject` for a link to an object that is gone, unless what has no form is null.
    private func present(
        _ objects: [NSManagedObject], _ pass: ExportPass<Object>, _ property: GraphSchema.Property
    ) throws -> [NSManagedObject] {
        let remaining = presence.remaining(objects)
        if options.leavesOutWhatIsGone { return remaining.filter { !presence.isGone($0) } }
        return try remaining.filter { object in
            do {
                try presence.require(object, from: (pass.plan.name, property.name))
                return true
            } catch let error as GraftError {
                guard let damage else { throw error }
                try damage.report(error)
                return false
            }
        }
    }

    private func knownObject(
        _ id: NSManagedObjectID, _ identifier: GraphValue?
    ) -> (plan: ExportPlan, identifier: GraphValue)? {
        guard options.stableIdentifierKey == nil, let identifier, let plan = numbers[id.entity]
        else { return nil }
        return (plans[plan], identifier)
    }

    private func ordered(
        _ members: [(plan: ExportPlan, identifier: GraphValue)], _ property: GraphSchema.Property
    ) -> [(plan: ExportPlan, identifier: GraphValue)] {
        guard isSorted(property), members.count > 1 else { return members }
        return members.indices.sorted { one, other in
            members[one].identifier.precedes(members[other].identifier) ?? (one < other)
        }.map { members[$0] }
    }
}
