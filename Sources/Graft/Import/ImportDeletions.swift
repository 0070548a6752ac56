// Deleting: what owners gave up, what a policy replaces, what the data says is gone or doesn't mention. It is the last step of
// an import, because it isn't undone; and what the data mentions anywhere isn't deleted (ImportReferences.swift).

import CoreData
import Foundation

/// Decides what an import deletes.
struct ImportDeletions {
    /// An object that an owner gave up, with the relationship by which it had it.
    struct GivenUp {
        var object: NSManagedObject
        /// The number of the relationship back to the owner, where the object is to go because the relationship says so;
        /// nil where it goes because nobody could find it again.
        var inverse: Int?
        /// The relationship that had it, where nothing leads back: somebody else may have it there.
        var way: GraphSnapshot.Column?
        var isReplaced = false
        /// Whether the object stays if it has an identity by the end: a new one may be given up before it has been filled.
        var staysWithIdentity = false
    }

    /// A place in the data: that of another text is before or behind all of this one's.
    typealias Place = (source: Int, offset: Int)

    private unowned let context: NSManagedObjectContext
    private let known: ContextObjects
    private let plans: [ImportPlan]
    /// A limit for every entity.
    private let ceiling: MappingOptions.DeletionLimit?
    /// Whether objects may be deleted because the data doesn't mention them.
    let needsMentions: Bool
    /// Objects that their owners gave up.
    var orphans: [GivenUp] = []
    /// What else the data leads to.
    var references: ImportReferences
    /// What a policy has replaced, and what was given up and is elsewhere in the data, in the batch that is saved, and in those before:
    /// whether it goes shows when all has been read.
    private var held: [GivenUp] = []
    private var heldBefore: [(id: NSManagedObjectID, inverse: Int?, way: GraphSnapshot.Column?, isReplaced: Bool)] = []
    /// Objects to delete in any case: the data says that they are gone, or a new one of another entity has taken their place.
    private var doomed: [NSManagedObject] = []
    /// Where the data says so, by object.
    private(set) var ends: [ObjectIdentifier: Place] = [:]
    /// Objects that have become objects of another entity: they go without being counted.
    var succeeded: [NSManagedObject] = []
    /// How many of the store's objects have been deleted, by entity: those that nobody has saved count for no limit.
    private var deletedFromStore: [Int]
    /// In a dry run of batches: the objects that earlier ones would have saved, which count as the store's, and by how many there would be
    /// more than the store has, by entity.
    private var tried: Set<ObjectIDKey> = []
    private var triedCounts: [Int]
    /// The objects that the data mentions, as far as it matters.
    private var mentioned: Set<ObjectIDKey> = []
    /// By entity: whether the data had an object of it, not only references.
    private var hasData: [Bool]
    /// Whether everything that was to be imported has been: otherwise nothing is deleted because it isn't mentioned.
    var isInputComplete = true
    /// What a dry run would delete beyond the limits.
    private(set) var exceededLimits: [ExceededDeletionLimit] = []

    init(_ matcher: ObjectMatcher, ceiling: MappingOptions.DeletionLimit?) {
        self.ceiling = ceiling
        context = matcher.context
        known = matcher.known
        references = ImportReferences(known)
        plans = matcher.plans
        needsMentions = plans.contains(where: \.deletes)
        hasData = plans.map { _ in false }
        deletedFromStore = plans.map { _ in 0 }
        triedCounts = deletedFromStore
    }

    // MARK: Noting

    /// Remembers an object that a batch mentions.
    mutating func noteMentioned(_ object: NSManagedObject, _ entity: Int, isReference: Bool) {
        if !isReference { hasData[entity] = true }
        mentioned.insert(object.objectID.lookupKey)
    }

    /// Remembers an object to delete in any case, and where the data says so.
    mutating func noteDoomed(_ object: NSManagedObject, at place: Place) {
        guard ends[ObjectIdentifier(object)] == nil else { return }
        doomed.append(object)
        ends[ObjectIdentifier(object)] = place
    }

    /// Remembers an object that the save of a dry run's batch would have put into the store, unless it is there.
    mutating func noteTried(_ object: NSManagedObject) {
        guard let number = known.number(of: object), object.objectID.isTemporaryID,
            tried.insert(object.objectID.lookupKey).inserted
        else { return }
        triedCounts[number] += 1
    }

    /// Remembers what a relationship had and has no more: what nobody could find again, and what its policy deletes.
    mutating func noteGivenUp(_ objects: [NSManagedObject], _ number: Int, of owner: NSManagedObject) throws {
        guard !objects.isEmpty, let entity = known.number(of: owner) else { return }
        let property = plans[entity].properties[number]
        if property.isOwning {
            orphans += try objects.filter(known.hasNoIdentity).map { GivenUp(object: $0, staysWithIdentity: true) }
        }
        if plans[entity].membersPolicies[number] == .replaceAndDelete {
            let declaring = known.schema.declaringEntity(of: number, entity)
            let way = property.inverse == nil ? GraphSnapshot.Column(entity: declaring, property: number) : nil
            orphans += objects.map { GivenUp(object: $0, inverse: property.inverse, way: way, isReplaced: true) }
        }
    }

    /// Lets objects have what others were noted for, whose place they have taken.
    mutating func take(_ successors: [ObjectIdentifier: NSManagedObject]) {
        for index in orphans.indices {
            if let new = successors[ObjectIdentifier(orphans[index].object)] { orphans[index].object = new }
        }
    }

    /// Keeps what a policy has replaced for the end: a later batch may give it to another owner, or mention it.
    mutating func holdReplaced() {
        held += orphans.filter(\.isReplaced)
        orphans.removeAll(where: \.isReplaced)
    }

    /// Lets go of the objects of a batch that has been saved.
    mutating func batchWasSaved() {
        heldBefore += held.map { ($0.object.objectID, $0.inverse, $0.way, $0.isReplaced) }
        held.removeAll()
        references.batchWasSaved()
    }

    /// Takes back what has been held in saved batches and the store still has, and in batches that aren't saved.
    mutating func takeHeld() throws {
        let groups = Dictionary(grouping: heldBefore) { known.number(of: $0.id) ?? -1 }
        for (number, group) in groups.sorted(by: { $0.key < $1.key }) where number >= 0 {
            let objects = try context.readStored(group.map(\.id), plans[number].name, prefetching: [])
            let byID = Dictionary(objects.map { ($0.objectID.lookupKey, $0) }) { first, _ in first }
            for (id, inverse, way, isReplaced) in group {
                guard let object = byID[id.lookupKey] else { continue }
                orphans.append(
                    GivenUp(
                        object: object, inverse: inverse, way: way, isReplaced: isReplaced,
                        staysWithIdentity: !isReplaced))
            }
        }
        heldBefore.removeAll()
        orphans += held
        held.removeAll()
    }

    /// Forgets what has been given up and referred to: whoever said it has ended.
    mutating func forget() {
        orphans.removeAll()
        held.removeAll()
        references.removeAll()
    }

    // MARK: Deciding

    /// Decides which objects go, with what they own, and counts them.
    ///
    /// - Parameters:
    ///   - objects: Objects to delete besides those that their owners gave up.
    ///   - isDryRun: Whether limits are noted in ``exceededLimits`` only.
    /// - Returns: The objects to delete; the rest goes by the delete rules.
    /// - Throws: ``GraftError`` where they are more than the limit of an entity; nothing is deleted then.
    mutating func decide(
        _ objects: [NSManagedObject] = [], isDryRun: Bool = false, _ counts: inout [ImportReport.Counts]
    ) throws -> [NSManagedObject] {
        let (chosen, kept) = try choose(besides: objects)
        held += kept
        var seen = Set(chosen.map(ObjectIdentifier.init))
        let others = succeeded
        orphans.removeAll()
        doomed.removeAll()
        ends.removeAll()
        succeeded.removeAll()
        var pending = chosen
        let before = deletedFromStore
        while let object = pending.popLast() {
            guard let number = known.number(of: object) else { continue }
            if isStored(object) { deletedFromStore[number] += 1 }
            counts[number].deleted += 1
            for part in plans[number].relationships where plans[number].properties[part].isOwning {
                pending += object.relatedObjects(part, plans[number].properties[part]).filter {
                    !$0.isDeleted && seen.insert(ObjectIdentifier($0)).inserted
                }
            }
        }
        if deletedFromStore != before { try checkLimits(before, isDryRun: isDryRun) }
        // Their successors take their place among the store's objects.
        for object in others where isDryRun && isStored(object) {
            if let number = known.number(of: object) { triedCounts[number] -= 1 }
        }
        return chosen + others
    }

    /// Whether the store has an object, or would have it by now.
    private func isStored(_ object: NSManagedObject) -> Bool {
        !object.objectID.isTemporaryID || tried.contains(object.objectID.lookupKey)
    }

    /// The objects that are going to be deleted, with what they own: no rule of the model is asked about them.
    func going() throws -> Set<ObjectIdentifier> {
        if orphans.isEmpty, doomed.isEmpty { return [] }
        return Set(known.withOwned(try choose(besides: []).going).map(ObjectIdentifier.init))
    }

    /// What goes of what has been given up, besides other objects, and what of it stays because the data has it elsewhere, too.
    private func choose(besides objects: [NSManagedObject]) throws -> (going: [NSManagedObject], kept: [GivenUp]) {
        let owned = try known.owned(among: orphans.map(\.object))
        let had = try stillHad(orphans)
        let left = try orphans.filter {
            try !owned.contains(ObjectIdentifier($0.object))
                && !($0.way != nil && had.contains(ObjectIdentifier($0.object))) && isToGo($0)
        }
        let kept = try references.kept(among: left.map(\.object), besides: doomed + objects)
        let gone = left.map(\.object).filter { !kept.contains(ObjectIdentifier($0)) }
        var seen: Set<ObjectIdentifier> = []
        let going = (doomed + gone + objects).filter { object in
            !object.isDeleted && object.managedObjectContext != nil && known.number(of: object) != nil
                && seen.insert(ObjectIdentifier(object)).inserted
        }
        return (going, left.filter { kept.contains(ObjectIdentifier($0.object)) })
    }

    /// - Parameter before: How many are gone already, with the batches before this one. By entity.
    private mutating func checkLimits(_ before: [Int], isDryRun: Bool) throws {
        for plan in plans {
            let limits = [plan.deletionLimit, ceiling].compactMap(\.self)
            if limits.isEmpty { continue }
            let kinds = plan.number..<known.schema.entities[plan.number].end
            let (deleted, gone) = (deletedFromStore[kinds].reduce(0, +), before[kinds].reduce(0, +))
            guard deleted > gone else { continue }
            // A dry run leaves in the store what it deletes, and puts nothing there.
            let total =
                try context.count(for: known.request(plan.number))
                + (isDryRun ? triedCounts[kinds].reduce(0, +) : gone)
            let exceeded = ExceededDeletionLimit(
                entity: plan.name, deleted: deleted, total: total, allowed: limits.allowed(of: total))
            if deleted <= exceeded.allowed { continue }
            guard isDryRun else { throw exceeded.error }
            exceededLimits.removeAll { $0.entity == plan.name }
            exceededLimits.append(exceeded)
        }
    }

    /// What somebody else has in a relationship without inverse that gave it up.
    private func stillHad(_ given: [GivenUp]) throws -> Set<ObjectIdentifier> {
        var ends: [GraphSnapshot.Column: [NSManagedObject]] = [:]
        for one in given where isInputComplete && one.object.managedObjectContext != nil {
            if let way = one.way { ends[way, default: []].append(one.object) }
        }
        var found: Set<ObjectIdentifier> = []
        for (way, objects) in ends {
            let pairs = try known.referrers(of: objects, way.entity, way.property)
            found.formUnion(pairs.map { ObjectIdentifier($0.end) })
        }
        return found
    }

    private func isToGo(_ given: GivenUp) throws -> Bool {
        guard let number = known.number(of: given.object), given.object.managedObjectContext != nil,
            try !given.staysWithIdentity || known.hasNoIdentity(given.object)
        else { return false }
        if given.isReplaced {
            if !isInputComplete || mentioned.contains(given.object.objectID.lookupKey) { return false }
            if let inverse = given.inverse, hasOwner(given.object, inverse, plans[number]) { return false }
        }
        return isOrphaned(given.object, plans[number])
    }

    private func hasOwner(_ object: NSManagedObject, _ number: Int, _ plan: ImportPlan) -> Bool {
        !object.relatedObjects(number, plan.properties[number]).isEmpty
    }

    /// Whether no relationship with an inverse that owns objects of this kind leads to an object.
    private func isOrphaned(_ object: NSManagedObject, _ plan: ImportPlan) -> Bool {
        !plan.relationships.contains { number in
            let property = plan.properties[number]
            return known.schema.inverse(of: property)?.isOwning ?? false && hasOwner(object, number, plan)
        }
    }

    // MARK: Orphans

    /// Finds the stored objects that the data doesn't mention, of the entities whose policy is to delete them.
    ///
    /// - Parameter allowsEmptyInput: Whether data without a single object of an entity makes orphans of all.
    func orphansOfData(allowsEmptyInput: Bool) throws -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        let others = Set(succeeded.map(ObjectIdentifier.init))
        for plan in plans where isInputComplete {
            guard let rule = plan.orphans else { continue }
            let hasObjects = (plan.number..<known.schema.entities[plan.number].end).contains { hasData[$0] }
            guard hasObjects || allowsEmptyInput else { continue }
            let entity = NSEntityDescription.entity(forEntityName: plan.name, in: context)
            let possible = try entity.flatMap(rule.predicate).map { [$0] } ?? []
            found += try known.fetch(known.request(plan.number, where: possible)).filter {
                !mentioned.contains($0.objectID.lookupKey) && !others.contains(ObjectIdentifier($0))
            }
        }
        return found
    }
}
