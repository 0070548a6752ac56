// The results of a controller, without its generic parameter: fetched once, then brought up to date by what the context's
// notifications say.

import Foundation

/// What a controller shows.
final class FetchedResults {
    /// What was fetched: a change of the controller's request counts from the next fetch on.
    private var request = FetchRequestState()
    /// The stores that were asked; nil for all.
    private var affectedStores: [NSPersistentStore]?
    private let sectionKeyPath: KeyPathSteps?
    /// The title for the index, by a section's name.
    var indexTitle: (String) -> String? = { _ in nil }
    /// Nil before the first fetch.
    private(set) var current: FetchedSections?
    /// The IDs of what there was when the context was reset, until the next fetch: of their leaving nobody has been told.
    private(set) var lost: [NSManagedObjectID]?
    /// Whether the delegate takes all changes as one difference; nil while that isn't known.
    var delegateTakesDifference: Bool?

    init(sectionNameKeyPath: String?) {
        sectionKeyPath = sectionNameKeyPath.map { KeyPathSteps($0) }
    }

    /// Takes what was fetched, the request for it, and the stores that it names.
    ///
    /// - Throws: `CocoaError` (`.coreData`) where the first sort descriptor doesn't order the sections.
    func arrange(
        _ objects: [AnyObject], of request: FetchRequestState, in affectedStores: [NSPersistentStore]?
    ) throws {
        current = try sections(of: objects) { position, name in
            throw CoreDataError.make(
                .coreData,
                "The object at index \(position) belongs to the section '\(name)', which others have followed already. Sort "
                    + "by '\(self.sectionKeyPath?.text ?? "")' first, or by what orders the sections.")
        }
        self.request = request
        self.affectedStores = affectedStores
        lost = nil
    }

    func show(_ sections: FetchedSections) { current = sections }

    private func sections(
        of objects: [AnyObject], stray: (Int, String) throws -> Void
    ) rethrows -> FetchedSections {
        guard let sectionKeyPath else { return FetchedSections(objects: objects) }
        return try FetchedSections(
            objects: objects, name: { Self.name(of: $0, sectionKeyPath) }, indexTitle: indexTitle, stray: stray)
    }

    /// A section's name is its value's description, on Apple's platforms: 3, not 3.0. Nothing has an empty one.
    private static func name(of object: AnyObject, _ path: KeyPathSteps) -> String {
        let value = KeyPathEvaluator.value(at: path, of: Operand(object))
        if case .real(let number) = value, let whole = Int64(exactly: number) { return "\(whole)" }
        return value.boxed.map { "\($0)" } ?? ""
    }

    // MARK: Following

    /// The results after what a notification says, and what has to be told; nil where nothing of it concerns them.
    func following(
        _ notification: Notification, in context: NSManagedObjectContext
    ) -> (sections: FetchedSections, changes: FetchedResultsChanges)? {
        guard let current, request.resultType == .managedObjectResultType else { return nil }
        let info = notification.userInfo ?? [:]
        if info[NSInvalidatedAllObjectsKey] != nil {
            // After a reset the objects are nobody's; the next fetch starts anew.
            lost = lost ?? current.objects.compactMap { ($0 as? NSManagedObject)?.objectID }
            return (FetchedSections(objects: []), FetchedResultsChanges(from: current, to: current, changed: []))
        }
        let members = Set(current.objects.map(ObjectIdentifier.init))
        let chosen = chosenAnew(in: context)
        var gone: Set<ObjectIdentifier> = []
        var changed: Set<ObjectIdentifier> = []
        var new: [NSManagedObject] = []
        for object in Self.objects(info, NSDeletedObjectsKey) where members.contains(ObjectIdentifier(object)) {
            gone.insert(ObjectIdentifier(object))
        }
        for object in Self.objects(
            info, NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey, NSInvalidatedObjectsKey,
            ChangeDigest.unseenKey)
        {
            let id = ObjectIdentifier(object)
            if gone.contains(id) { continue }
            switch (members.contains(id), chosen?.contains(object) ?? matches(object, in: context)) {
            case (true, true): changed.insert(id)
            case (true, false): gone.insert(id)
            case (false, true): new.append(object)
            case (false, false): break
            }
        }
        if let chosen {
            gone.formUnion(members.subtracting(chosen.map(ObjectIdentifier.init)))
            let known = members.union(new.map(ObjectIdentifier.init))
            new += Self.ordered(chosen.filter { !known.contains(ObjectIdentifier($0)) })
        }
        if gone.isEmpty, changed.isEmpty, new.isEmpty { return nil }
        let left = gone.isEmpty ? current.objects : current.objects.filter { !gone.contains(ObjectIdentifier($0)) }
        let objects = SortOrder(request.sortDescriptors ?? []).sorted(left + new) { $0 }
        let next = sections(of: objects) { _, _ in }
        return (next, FetchedResultsChanges(from: current, to: next, changed: changed))
    }

    /// The objects of a predicate that is about all rows: they come and go without having changed themselves. Nil for all others.
    private func chosenAnew(in context: NSManagedObjectContext) -> Set<NSManagedObject>? {
        // Nobody can be told here; the next fetch is told.
        guard let predicate = request.predicate, let entity = try? context.entity(of: request),
            !predicate.rowAggregates(of: entity).isEmpty
        else { return nil }
        let stores = context.requiredCoordinator.stores(for: entity, among: affectedStores)
        return (try? context.fetchObjects(request, entity, stores)).map(Set.init)
    }

    /// The objects of some keys, each once, in a defined order.
    private static func objects(_ info: [AnyHashable: Any], _ keys: String...) -> [NSManagedObject] {
        var all: Set<NSManagedObject> = []
        for key in keys { all.formUnion(info[key] as? Set<NSManagedObject> ?? []) }
        return ordered(all)
    }

    private static func ordered(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
        objects.sorted { ($0.entity.name ?? "", $0.objectID.number) < ($1.entity.name ?? "", $1.objectID.number) }
    }

    private func matches(_ object: NSManagedObject, in context: NSManagedObjectContext) -> Bool {
        guard !object.isDeleted, object.managedObjectContext != nil, let name = request.entityName,
            affectedStores.map({ context.isKept(object, in: $0) }) ?? true
        else { return false }
        var entity: NSEntityDescription? = object.entity
        while let current = entity, current.name != name {
            guard request.includesSubentities else { return false }
            entity = current.superentity
        }
        guard entity != nil, let predicate = request.predicate else { return entity != nil }
        // Nobody can be told here; the next fetch is told.
        do { return try PredicateEvaluator.finds(object, predicate) } catch { return false }
    }
}
