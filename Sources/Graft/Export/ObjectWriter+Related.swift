// What is at the other end of a relationship. Where an export can come round to an object again, members are looked at by their IDs:
// most of them have been written before and are met again, as identifiers only.

import CoreData

extension ObjectWriter {
    func owner(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws -> NSManagedObject? {
        if let damage, damage.isTold(property.name, of: object) { return nil }
        guard let owner = object.destination(number, property) else { return nil }
        do {
            if owner.isFault { _ = try owner.managedObjectContext?.read([owner.objectID]) }
        } catch  where damage?.isLeavingOut(error) ?? false {
            return nil
        }
        return presence.isGone(owner) || owner.isDeleted ? nil : owner
    }

    func ends(
        _ number: Int, _ form: ExportOptions.RelationshipForm, _ pass: ExportPass<Object>
    ) throws -> ExportedEnds<NSManagedObject> {
        let (object, property) = (pass.object, pass.plan.properties[number])
        // Whoever leads back may be of another entity, and seem to be known.
        if !property.isToMany, let damage, damage.isTold(property.name, of: object) { return .objects([]) }
        let comesRound = property.destination.map { isCyclic[$0] } ?? false
        guard damage?.isLeavingOut ?? false || form == .nested && changes == nil && comesRound,
            let context = object.managedObjectContext
        else {
            return .objects(try ordered(present(object.relatedObjects(number, property), pass, property), property))
        }
        // By their IDs, and not as members: members would keep each other alive, until the whole graph is in memory.
        var ids = try relatedIDs(number, object, property, context)
        if form == .nested, changes == nil {
            if let known = try known(ids, pass, property, context) { return .known(ordered(known, property)) }
        }
        if let damage, damage.isLeavingOut {
            ids = try damage.readableEnds(ids, of: property.name, from: object) { _ = try context.read($0) }
        }
        return .objects(try ordered(present(context.read(ids), pass, property), property))
    }

    /// The IDs at the other end of a relationship, none where a damage that is left out keeps them from being read.
    private func relatedIDs(
        _ number: Int, _ object: NSManagedObject, _ property: GraphSchema.Property, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID] {
        if property.isToMany, let damage, damage.isLeavingOut {
            do {
                try context.readMemberIDs(number, property, of: [object])
            } catch {
                try damage.noteDamage(error)
                return []
            }
        }
        return object.relatedIDs(number, property)
    }

    /// The identifiers of objects that have all been nested in full. Otherwise nil, and those that haven't are read, with what they
    /// lead to.
    private func known(
        _ ids: [NSManagedObjectID], _ pass: ExportPass<Object>, _ property: GraphSchema.Property,
        _ context: NSManagedObjectContext
    ) throws -> [(plan: ExportPlan, identifier: GraphValue)]? {
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
        if known.count == ids.count { return known }
        guard isMissing else { return nil }
        do {
            try readAhead.read(from: pass.object, remaining: options.nestingLimit - nesting, cameFrom: pass.inverse) {
                expanded[$0] != nil
            }
        } catch  where damage?.isLeavingOut(error) ?? false {
            // It is met again, and taken note of, where it is to be written.
        }
        return nil
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
