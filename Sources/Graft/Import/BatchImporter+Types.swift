// Objects that aren't of the entity that their data says. Core Data's objects can't change their entity, so one stays what it is, or a
// new one takes its place:
//
//     a stub, or what this import has made     becomes what the data says, where that is a sub-entity: until then, nobody
//                                              has said what it is
//     any other                                stays, is replaced, or is an error, by the policy: an employee has become a manager

import CoreData
import Foundation

/// An object and the one of another entity that takes its place.
struct Replacement {
    var old: NSManagedObject
    var oldEntity: Int
    var new: NSManagedObject
    var entity: Int
}

extension [Replacement] {
    /// The objects by those whose place they have taken.
    var successors: [ObjectIdentifier: NSManagedObject] {
        Dictionary(map { (ObjectIdentifier($0.old), $0.new) }) { first, _ in first }
    }
}

extension BatchImporter {
    /// Does with each object that isn't of its row's entity what the rule or the policy says.
    func changeEntities(_ snapshot: borrowing GraphSnapshot) throws {
        var replaced: [Replacement] = []
        var seen: Set<ObjectIdentifier> = []
        for (entity, plan) in plans.enumerated() where plan.mayFindOthers {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = matcher.objects[entity][row], let number = number(of: object),
                    !schema.isEntity(number, kindOf: entity), object !== given
                else { continue }
                if seen.contains(ObjectIdentifier(object)) { continue }
                let isBecoming = try schema.isEntity(entity, kindOf: number) && !plan.isAbstract && isUndecided(object)
                if !isBecoming {
                    if plan.entityChangePolicy == .keep || plan.isReference(row, snapshot) { continue }
                    if try isOutdated(row, object, plan, snapshot) { continue }
                    try requireReplacing(object, row, plan, snapshot)
                }
                let new = matcher.known.make(entity)
                editor.made(new)
                // What the old one had counts as its own, so that it is updated and not filled from nothing.
                states[entity][row].insert(.changed)
                try move(from: object, to: new, schema.commonPropertyCount(number, entity), plan)
                seen.insert(ObjectIdentifier(object))
                replaced.append(Replacement(old: object, oldEntity: number, new: new, entity: entity))
                if isBecoming { deletions.succeeded.append(object) } else { deletions.doomed.append(object) }
            }
        }
        if !replaced.isEmpty { try finishReplacing(replaced, snapshot) }
        try noteStubs(snapshot)
    }

    /// Notes the stubs that this batch fills: a later one may still say what they are.
    private func noteStubs(_ snapshot: borrowing GraphSnapshot) throws {
        for (entity, plan) in plans.enumerated() where plan.mayFindOthers || schema.entities[entity].end > entity + 1 {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = matcher.objects[entity][row], !plan.isReference(row, snapshot),
                    let number = number(of: object), schema.entities[number].end > number + 1,
                    try isUndecided(object)
                else { continue }
                tally.noteFoundStub(object)
            }
        }
    }

    private func requireReplacing(
        _ object: NSManagedObject, _ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws {
        if plan.entityChangePolicy == .replace, !plan.isAbstract { return }
        throw GraftError(
            .other(
                finding: "the object is stored as a \(object.entity.name ?? ""), and the data says "
                    + "that it is a \(plan.name)",
                remedy: "Delete the stored object, or set JSONEntityChange to keep or replace."),
            at: .init(byteOffset: snapshot.tables[plan.number].knownOffset(row), entity: plan.name))
    }

    /// Whether nobody has said yet what an object is: it is a stub, or this import has made it.
    private func isUndecided(_ object: NSManagedObject) throws -> Bool {
        if tally.hasMade(object) { return true }
        guard let number = number(of: object), !plans[number].identity.isEmpty else { return false }
        let plan = plans[number]
        let initial = initialValues(number)
        for (number, property) in plan.properties.enumerated() where property.isAttribute {
            if property.isTransient || property.isDerived || plan.identity.contains(number) { continue }
            if try !object.holds(initial[number], number, property) { return false }
        }
        return true
    }

    /// What the properties of a new object of an entity have; null for relationships.
    private func initialValues(_ entity: Int) -> [GraphValue] {
        if let known = initialValues[entity] { return known }
        let attributes = matcher.known.entities[entity].attributePartsByName
        let values = plans[entity].properties.map { property in
            property.attributeKind.flatMap {
                GraphValue(object: attributes[property.name]?.defaultValue, kind: $0)
            } ?? .null
        }
        initialValues[entity] = values
        return values
    }

    /// Moves what two entities have in common from one object to another one.
    private func move(
        from old: NSManagedObject, to new: NSManagedObject, _ count: Int, _ plan: ImportPlan
    ) throws {
        for (number, property) in plan.properties.prefix(count).enumerated() where !property.isDerived {
            switch property.kind {
            case .attribute:
                try new.assign(try old.graphValue(number, property), number, property)
            case .toOne(let destination):
                guard let end = old.destination(number, property) else { continue }
                if let back = property.inverse, schema.entities[destination].properties[back].isOrdered {
                    try give(new, placeOf: old, schema.entities[destination].properties[back], back, of: end)
                } else {
                    try editor.connect(number, property, of: old, to: nil)
                    try editor.connect(number, property, of: new, to: end, isNew: true)
                }
            case .toMany(let destination, _):
                let members = old.members(number, property)
                if let back = property.inverse, schema.entities[destination].properties[back].isOrdered {
                    for end in members {
                        try give(new, placeOf: old, schema.entities[destination].properties[back], back, of: end)
                    }
                } else {
                    try editor.connect(number, property, of: old, to: [])
                }
                try editor.connect(number, property, of: new, to: members, isNew: true)
            }
        }
    }

    /// Lets an object stand in a list where another one stands.
    private func give(
        _ new: NSManagedObject, placeOf old: NSManagedObject, _ property: GraphSchema.Property, _ number: Int,
        of owner: NSManagedObject
    ) throws {
        let members = owner.members(number, property).map { $0 === old ? new : $0 }
        try editor.connect(number, property, of: owner, to: members)
    }

    /// Lets everything that knows objects know those that have taken their place.
    private func finishReplacing(_ replaced: [Replacement], _ snapshot: borrowing GraphSnapshot) throws {
        let successors = replaced.successors
        // What is noted of them is noted by their IDs.
        if !matcher.keepsObjects { try context.obtainPermanentIDs(for: replaced.map(\.new)) }
        matcher.take(successors)
        deletions.take(successors)
        tally.take(replaced)
        listOwners.take(replaced)
        for replacement in replaced {
            pending.replace(replacement.old, by: replacement.new, plans[replacement.entity].properties.count)
        }
        takeSuccessors(snapshot)
        try moveOneSidedLinks(replaced, successors)
    }

    /// Gives rows the objects that have taken the place of theirs. A row of an entity that the new one can't be is of another object.
    func takeSuccessors(_ snapshot: borrowing GraphSnapshot) {
        if matcher.memory.successors.isEmpty { return }
        for entity in plans.indices {
            for (row, object) in matcher.objects[entity].enumerated() {
                guard let object, let new = matcher.memory.successors[ObjectIdentifier(object)] else { continue }
                let isSame = number(of: new).map { matcher.mapping.canBeSame($0, entity) } ?? false
                matcher.objects[entity][row] = isSame ? new : nil
            }
        }
    }

    /// Lets relationships without inverse that lead to objects lead to those that have taken their place.
    private func moveOneSidedLinks(
        _ replaced: [Replacement], _ successors: [ObjectIdentifier: NSManagedObject]
    ) throws {
        let entities = Set(replaced.map(\.oldEntity))
        for plan in plans {
            for number in plan.relationships where schema.declaringEntity(of: number, plan.number) == plan.number {
                let property = plan.properties[number]
                guard property.inverse == nil, !property.isTransient, let destination = property.destination,
                    entities.contains(where: { schema.isEntity($0, relatedTo: destination) })
                else { continue }
                let isOne = NSPredicate(
                    format: property.isToMany ? "ANY %K IN %@" : "%K IN %@",
                    argumentArray: [property.name, NSArray(array: replaced.map(\.old))])
                for owner in try matcher.known.fetch(
                    matcher.known.request(plan.number, where: [isOne], includesUnsaved: true))
                {
                    if property.isToMany {
                        let members = owner.members(number, property)
                        let new = members.map { successors[ObjectIdentifier($0)] ?? $0 }
                        try editor.connect(number, property, of: owner, to: new)
                        listOwners.note(owner, of: new, number, plan.number)
                    } else if let new = owner.destination(number, property).flatMap({ successors[ObjectIdentifier($0)] }
                    ) {
                        try editor.connect(number, property, of: owner, to: new)
                    }
                }
            }
        }
    }

    /// Gives the first record to an object, whatever its identity.
    ///
    /// - Throws: ``GraftError`` where the object can't be what the data is about.
    func take(_ target: NSManagedObject, _ snapshot: borrowing GraphSnapshot) throws {
        guard snapshot.roots.count == 1 else {
            throw GraftError(
                .other(
                    finding: "the data has \(snapshot.roots.count) objects, and one is to be filled",
                    remedy: "Give the data of one object."),
                at: .init(entity: target.entity.name))
        }
        let root = snapshot.resolved(snapshot.roots[0])
        guard let number = number(of: target), matcher.mapping.canBeSame(number, root.entity) else {
            throw GraftError(
                .wrongType(
                    found: "an object of the entity '\(target.entity.name ?? "")' to be filled",
                    expected: "\(plans[root.entity].name)"),
                at: .init(entity: plans[root.entity].name))
        }
        matcher.objects[root.entity][root.row] = target
        (given, self.target) = (target, nil)
        try refuseDouble(of: target, root, snapshot)
    }

    /// Makes sure that no other object has the identity that an object is about to get.
    private func refuseDouble(
        of target: NSManagedObject, _ root: RowReference, _ snapshot: borrowing GraphSnapshot
    ) throws {
        let plan = plans[root.entity]
        guard !plan.identity.isEmpty, matcher.isIdentified(root.entity, root.row, snapshot) else { return }
        let identity = snapshot.identity(of: root)
        let other = try matcher.find([
            ImportReport.UnresolvedReference.Object(entity: schema.entities[plan.space].name, identity: identity)
        ])[0]
        guard let other, other !== target else { return }
        throw GraftError(
            .duplicateIdentity(identity.map(\.description).joined(separator: ", ")),
            at: .init(byteOffset: snapshot.tables[root.entity].knownOffset(root.row), entity: plan.name))
    }
}
