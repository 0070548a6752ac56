// Objects that aren't of the entity that their data says. Core Data's objects can't change their entity, so one stays what it is, or a
// new one takes its place:
//
//     a stub, or what this import has made     becomes what the data says, where that is a sub-entity: until then, nobody
//                                              has said what it is
//     any other                                stays, is replaced, or is an error, by the policy: an employee has become a manager

import CoreData
import Foundation

extension BatchImporter {
    private var succession: ObjectSuccession { ObjectSuccession(known: matcher.known, editor: editor) }

    /// Does with each object that isn't of its row's entity what the rule or the policy says.
    func changeEntities(_ snapshot: borrowing GraphSnapshot) throws {
        var replaced: [Replacement] = []
        var seen: Set<ObjectIdentifier> = []
        for reference in misfits(snapshot) {
            let (entity, row) = (reference.entity, reference.row)
            let plan = plans[entity]
            guard let object = object(reference), let number = number(of: object),
                !seen.contains(ObjectIdentifier(object))
            else { continue }
            if try !plan.isReference(row, snapshot) && isOutdated(row, object, plan, snapshot) { continue }
            let isBecoming = try schema.isEntity(entity, kindOf: number) && !plan.isAbstract && isUndecided(object)
            if !isBecoming {
                if plan.entityChangePolicy == .keep || plan.isReference(row, snapshot) { continue }
                if !mayReplace(plan) {
                    try refuse(reference, otherEntity(object, row, plan, snapshot))
                    continue
                }
            }
            replaced.append(try succession.replace(object, number, by: entity))
            // What the old one had counts as its own, so that it is updated and not filled from nothing.
            states[entity][row].insert(.changed)
            seen.insert(ObjectIdentifier(object))
            if isBecoming || tally.hasMade(object) {
                deletions.succeeded.append(object)
            } else {
                deletions.noteDoomed(object, at: (sourceNumber, -1))
            }
        }
        if !replaced.isEmpty { try finishReplacing(replaced, snapshot) }
        try noteStubs(snapshot)
    }

    /// The rows whose objects aren't of their entity; of siblings, those that the text has first.
    private func misfits(_ snapshot: borrowing GraphSnapshot) -> [RowReference] {
        var rows: [RowReference] = []
        for (entity, plan) in plans.enumerated() where plan.mayFindOthers {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = matcher.objects[entity][row], let number = number(of: object),
                    !schema.isEntity(number, kindOf: entity), object !== given
                else { continue }
                rows.append(RowReference(entity: entity, row: row))
            }
        }
        if snapshot.hasSiblings {
            rows.sort { snapshot.tables[$0.entity].ends[$0.row] < snapshot.tables[$1.entity].ends[$1.row] }
        }
        return rows
    }

    /// Gives the rows of sub-entities that stand for one object the same one: what is there, else what the first of them says.
    func shareSiblings(_ snapshot: borrowing GraphSnapshot) throws {
        var seen: Set<RowReference> = []
        for (entity, plan) in plans.enumerated() where plan.mayFindOthers && !plan.identity.isEmpty {
            for row in 0..<snapshot.tables[entity].count {
                let reference = RowReference(entity: entity, row: row)
                if !snapshot.tables[entity].flags[row].isDisjoint(with: [.dead, .gone]) || seen.contains(reference) {
                    continue
                }
                let siblings = snapshot.siblings(of: reference)
                seen.formUnion(siblings)
                if !siblings.isEmpty { try share([reference] + siblings, snapshot) }
            }
        }
    }

    private func share(_ rows: [RowReference], _ snapshot: borrowing GraphSnapshot) throws {
        let making = rows.filter { makesObject($0.row, plans[$0.entity], snapshot) }
        let first = making.min { snapshot.tables[$0.entity].ends[$0.row] < snapshot.tables[$1.entity].ends[$1.row] }
        if let first, rows.allSatisfy({ object($0) == nil }) { try make(first.row, plans[first.entity], snapshot) }
        guard let shared = rows.lazy.compactMap({ self.object($0) }).first else { return }
        for row in rows where object(row) == nil {
            let plan = plans[row.entity]
            if plan.entityChangePolicy == .fail, !plan.isReference(row.row, snapshot) {
                try refuse(row, otherEntity(shared, row.row, plan, snapshot))
            }
            matcher.objects[row.entity][row.row] = shared
        }
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

    /// Whether a new object of an entity may take the place of one of another entity.
    private func mayReplace(_ plan: ImportPlan) -> Bool { plan.entityChangePolicy == .replace && !plan.isAbstract }

    /// What is wrong with a row that says of an object that it is of another entity.
    private func otherEntity(
        _ object: NSManagedObject, _ row: Int, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) -> GraftError {
        GraftError(
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
        return try succession.isStub(object)
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
        try succession.moveOneSidedLinks(replaced, &listOwners)
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
        // A sibling that can't be the same may have it, too.
        let other = try matcher.find([
            ImportReport.UnresolvedReference.Object(entity: plan.name, identity: identity)
        ])[0]
        guard let other, other !== target else { return }
        throw duplicateIdentity(identity.words, root, snapshot)
    }

    /// The same where the identity includes an owner: when the owners have been found.
    func refuseRelatedDouble(of given: NSManagedObject, _ snapshot: borrowing GraphSnapshot) throws {
        guard let first = snapshot.roots.first else { return }
        let root = snapshot.resolved(first)
        guard object(root) === given, snapshot.hasRelatedIdentity(root) else { return }
        matcher.objects[root.entity][root.row] = nil
        var rows = snapshot.relatedRows.filter { $0.reference == root }
        try matcher.resolveRelatedIdentities(&rows, snapshot)
        if let other = object(root), other !== given {
            let identity = snapshot.identityKey(of: root)?.description ?? snapshot.identity(of: root).words
            throw duplicateIdentity(identity, root, snapshot)
        }
        matcher.objects[root.entity][root.row] = given
    }

    private func duplicateIdentity(
        _ identity: String, _ root: RowReference, _ snapshot: borrowing GraphSnapshot
    ) -> GraftError {
        GraftError(
            .duplicateIdentity(identity),
            at: .init(
                byteOffset: snapshot.tables[root.entity].knownOffset(root.row), entity: plans[root.entity].name))
    }
}
