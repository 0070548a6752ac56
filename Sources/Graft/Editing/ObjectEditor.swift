// Changing managed objects where they differ from what they are to be, and taking that back. Import, populate, decoding,
// restoring and patches all change objects here, so that they agree on what a difference is and on what an undo puts back.
//
//     set, connect    change a property, unless it is as wanted already
//     made            an object that was made; its own properties go with it
//     undo            everything back, the last change first; or a rollback, where the context had no changes before

import CoreData

extension NSManagedObjectContext {
    /// - Throws: What couldn't be read in work with faults as errors so far.
    func requireReadable() throws {
        if let unreadableFault { throw unreadableFault }
    }
}

/// Changes objects of a context, and takes the changes back. Use it on the context's queue.
final class ObjectEditor {
    // Nearly all steps are objects that were made: the other ones don't make the list longer than it is for those.
    private enum Step {
        /// With what its class gave it at once, by the numbers of the relationships.
        case made(NSManagedObject, [Int: [NSManagedObject]])
        indirect case attribute(NSManagedObject, Int, GraphSchema.Property, GraphValue)
        indirect case toOne(NSManagedObject, Int, GraphSchema.Property, NSManagedObject?)
        indirect case toMany(NSManagedObject, Int, GraphSchema.Property, [NSManagedObject])
    }

    // Decoding keeps an editor with its context, which mustn't own itself.
    private unowned let context: NSManagedObjectContext
    private let schema: GraphSchema
    /// Whether steps have to be kept. Otherwise a rollback does it all.
    let isRecording: Bool
    private var steps: [Step] = []
    /// The objects that had changes before; nil where each one that had none is noted when it is changed.
    private let changedBefore: Set<NSManagedObject>?
    private var clean: [NSManagedObject] = []

    /// An entity whose objects a relationship to another one may lead to.
    private struct Fit: Hashable {
        var entity: ObjectIdentifier
        var destination: Int
    }

    private var fits: Set<Fit> = []
    /// The objects of which the data say all, where classes may make others.
    private var whole: Set<ObjectIdentifier> = []
    private lazy var hasClasses =
        context.graftModel?.entities.contains { ![nil, "", "NSManagedObject"].contains($0.managedObjectClassName) }
        ?? true

    /// - Parameter takesStock: Whether to look at all changes of the context first. Then what classes change by themselves is
    ///   taken back, too; but it would cost too much for each decoded object.
    init(_ context: NSManagedObjectContext, _ schema: GraphSchema, takesStock: Bool = true) {
        self.context = context
        self.schema = schema
        isRecording = !takesStock || context.hasChanges
        changedBefore =
            takesStock
            ? context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects) : nil
    }

    // MARK: Changing

    /// Notes an object that was made: undoing deletes it. Its attributes may be set without the editor.
    func made(_ object: NSManagedObject) {
        if isRecording { steps.append(.made(object, links(ofNew: object))) }
    }

    /// What a new object's class has linked with it.
    private func links(ofNew object: NSManagedObject) -> [Int: [NSManagedObject]] {
        // Objects without code of their own have nothing yet.
        type(of: object) == NSManagedObject.self ? [:] : links(of: object)
    }

    /// Notes an object that was made, of which the data say all: what its class's `awakeFromInsert()` has linked with it goes, and what
    /// it has made for that.
    func madeWhole(_ object: NSManagedObject) {
        let links = links(ofNew: object)
        if isRecording { steps.append(.made(object, links)) }
        if hasClasses { whole.insert(ObjectIdentifier(object)) }
        if links.isEmpty { return }
        forEachRelationship(of: object) { number, property in
            if links[number] == nil { return }
            if property.isToMany {
                object.assign([NSManagedObject](), number, property)
            } else {
                object.assign(nil as NSManagedObject?, number, property)
            }
        }
        for end in links.values.joined() where end !== object && end.isInserted && isHere(end) {
            if changedBefore?.contains(end) != true, !whole.contains(ObjectIdentifier(end)) { context.delete(end) }
        }
    }

    /// Forgets which objects were made: they have been saved and are let go.
    func letGoOfMade() { whole.removeAll(keepingCapacity: true) }

    private func links(of object: NSManagedObject) -> [Int: [NSManagedObject]] {
        var links: [Int: [NSManagedObject]] = [:]
        forEachRelationship(of: object) { number, property in
            let members =
                property.isToMany
                ? object.members(number, property) : object.destination(number, property).map { [$0] } ?? []
            if !members.isEmpty { links[number] = members }
        }
        return links
    }

    private func forEachRelationship(of object: NSManagedObject, _ body: (Int, GraphSchema.Property) -> Void) {
        guard let entity = object.entity.name.flatMap(schema.number) else { return }
        for (number, property) in schema.entities[entity].properties.enumerated() {
            if case .attribute = property.kind { continue }
            body(number, property)
        }
    }

    /// Sets an attribute where it differs; returns whether it did.
    @inline(__always)
    func set(
        _ value: GraphValue, _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws -> Bool {
        if try object.holds(value, number, property) { return false }
        try assign(value, number, property, of: object)
        return true
    }

    /// Sets an attribute.
    func assign(
        _ value: GraphValue, _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws {
        if isRecording {
            note(object)
            steps.append(.attribute(object, number, property, try object.graphValue(number, property)))
        }
        try object.assign(value, number, property)
    }

    /// Sets a to-one relationship, with its other side, where it differs.
    ///
    /// - Parameters:
    ///   - isNew: Whether the object was made under this editor.
    ///   - setsBothEnds: Whether the other side follows, as it has to unless it is set by itself.
    /// - Returns: What the relationship led to before; nil where it needn't be changed.
    /// - Throws: ``GraftError`` with `wrongType` for an object of an entity that the relationship can't lead to.
    @discardableResult
    func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to destination: NSManagedObject?,
        isNew: Bool = false, setsBothEnds: Bool = true
    ) throws -> [NSManagedObject]? {
        let old = object.destination(number, property)
        if old === destination { return nil }
        if let destination { try requireFit(destination, property, of: object) }
        if isRecording {
            remember(number, property, of: object, isNew: isNew, destination.map { [$0] } ?? [])
        }
        if setsBothEnds {
            object.assign(destination, number, property)
        } else {
            object.assignOneEnd(destination, number, property)
        }
        return old.map { [$0] } ?? []
    }

    /// Gives a to-many relationship its members, with their other sides, where they differ.
    ///
    /// - Returns: The members before; nil where they needn't be changed.
    /// - Throws: As for a to-one relationship.
    @discardableResult
    func connect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to members: [NSManagedObject],
        isNew: Bool = false
    ) throws -> [NSManagedObject]? {
        if !isNew, object.hasMembers(members, number, property) { return nil }
        // A new object has nothing to lose: at most, objects made a moment ago have put themselves there.
        let old = isNew && !isRecording ? nil : object.members(number, property)
        if let old, Self.areSame(old, members, isOrdered: property.isOrdered) { return nil }
        for member in members { try requireFit(member, property, of: object) }
        if isRecording { remember(number, property, of: object, isNew: isNew, members) }
        object.assign(members, number, property)
        return old ?? []
    }

    /// Whether a relationship can lead to an object. Identities are those of the topmost entity, so what is found by one may be of
    /// an entity that doesn't belong there.
    func canLead(_ property: GraphSchema.Property, to end: NSManagedObject) -> Bool {
        guard let destination = property.destination else { return true }
        let fit = Fit(entity: ObjectIdentifier(end.entity), destination: destination)
        if fits.contains(fit) { return true }
        guard let number = end.entity.name.flatMap(schema.number), schema.isEntity(number, kindOf: destination) else {
            return false
        }
        fits.insert(fit)
        return true
    }

    private func requireFit(
        _ end: NSManagedObject, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws {
        if canLead(property, to: end) { return }
        throw GraftError(
            .wrongType(
                found: "an object of \(end.entity.name ?? "") with this identity",
                expected: "one of \(property.destination.map { schema.entities[$0].name } ?? "")"),
            at: .init(entity: object.entity.name, property: property.name))
    }

    /// Whether members are the same, repetitions aside.
    private static func areSame(_ old: [NSManagedObject], _ new: [NSManagedObject], isOrdered: Bool) -> Bool {
        if old.elementsEqual(new, by: ===) { return true }
        if isOrdered { return new.distinctObjects.elementsEqual(old, by: ===) }
        return MembersComparison.haveSame(old.map(ObjectIdentifier.init), new.map(ObjectIdentifier.init))
    }

    // MARK: Remembering

    private func note(_ object: NSManagedObject) {
        if changedBefore == nil, !object.hasChanges { clean.append(object) }
    }

    /// Remembers a relationship before its change, and those on the other side that the change displaces: the previous
    /// owners of objects that can have only one, and the places in ordered relationships.
    private func remember(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, isNew: Bool,
        _ others: [NSManagedObject]
    ) {
        let old = isNew ? [] : remember(number, property, of: object)
        guard let inverse = property.inverse, let back = schema.inverse(of: property) else { return }
        var owners: Set<ObjectIdentifier> = []
        for other in others {
            note(other)
            guard !back.isToMany, let owner = other.destination(inverse, back), owner !== object,
                owners.insert(ObjectIdentifier(owner)).inserted
            else { continue }
            _ = remember(number, property, of: owner)
        }
        for other in old {
            note(other)
            if back.isOrdered { _ = remember(inverse, back, of: other) }
        }
    }

    private func remember(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) -> [NSManagedObject] {
        note(object)
        if property.isToMany {
            let members = object.members(number, property)
            steps.append(.toMany(object, number, property, members))
            return members
        }
        let destination = object.destination(number, property)
        steps.append(.toOne(object, number, property, destination))
        return destination.map { [$0] } ?? []
    }

    // MARK: Nothing changed

    /// Whether a relationship that was changed here leads again to what it led to. Nothing is known of objects that had been changed
    /// before.
    func isAsBefore(_ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject) -> Bool {
        guard let changedBefore, !object.isInserted, !changedBefore.contains(object) else { return false }
        let before = object.committedValues(forKeys: [property.name])[property.name]
        guard property.isToMany else {
            return before as? NSManagedObject === object.destination(number, property)
        }
        let members = (before as? NSOrderedSet)?.array ?? (before as? NSSet)?.allObjects ?? []
        return Self.areSame(
            members.compactMap { $0 as? NSManagedObject }, object.members(number, property),
            isOrdered: property.isOrdered)
    }

    /// Lets go of objects that have again what they had: nothing of them is to be saved or announced.
    func forgetRestored() {
        guard let changedBefore else { return }
        for object in context.updatedObjects where !changedBefore.contains(object) && !object.hasPersistentChangedValues
        {
            // The store has nothing of what is transient.
            if object.entity.attributesByName.values.contains(where: \.isTransient) { continue }
            context.refresh(object, mergeChanges: false)
        }
    }

    // MARK: Ends

    /// Deletes objects: the last step of a work, because it isn't undone. What couldn't be read until then ends the work instead.
    func delete(_ objects: [NSManagedObject]) throws {
        for object in objects where object.isFault { object.willAccessValue(forKey: nil) }
        try context.requireReadable()
        for object in objects { context.delete(object) }
    }

    /// Runs work that changes objects by this editor: if it fails, or meets what the store can't read, all of it is undone.
    ///
    /// - Throws: What the store can't read; else what the work throws, as it is.
    func atomically<T>(_ work: () throws -> T) throws -> T {
        let result: Result<T, any Error> = try context.withFaultsAsErrors {
            var result = Result { try work() }
            if let error = context.unreadableFault { result = .failure(error) }
            if case .failure = result { try undo() }
            return result
        }
        return try result.get()
    }

    /// Takes the changes for good, or hands them over to an editor of a longer work.
    func end(_ outer: ObjectEditor?) {
        outer?.steps += steps
        outer?.clean += clean
        steps.removeAll(keepingCapacity: steps.count < 1000)
        clean.removeAll(keepingCapacity: clean.count < 1000)
    }

    /// Puts everything back.
    func undo() throws {
        guard isRecording else { return context.rollback() }
        for step in steps.reversed() {
            switch step {
            case .made(let object, let links) where isHere(object): remove(object, links)
            case .attribute(let object, let number, let property, let value) where isHere(object):
                try object.assign(value, number, property)
            case .toOne(let object, let number, let property, let destination) where isHere(object):
                object.assign(destination.flatMap { isHere($0) ? $0 : nil }, number, property)
            case .toMany(let object, let number, let property, let members) where isHere(object):
                object.assign(members.filter(isHere), number, property)
            default: continue
            }
        }
        context.processPendingChanges()
        let changed = changedBefore.map { before in context.updatedObjects.filter { !before.contains($0) } }
        for object in changed.map(Array.init) ?? clean where !object.isInserted && !object.isDeleted {
            context.refresh(object, mergeChanges: false)
        }
        steps.removeAll()
        clean.removeAll()
    }

    /// Whether an object is still one of the context's: whoever calls us may have reset it or rolled it back.
    private func isHere(_ object: NSManagedObject) -> Bool { object.managedObjectContext === context }

    /// Deletes an object that was made, by its delete rules with what its class gave it. What it has been connected with since stays.
    private func remove(_ object: NSManagedObject, _ links: [Int: [NSManagedObject]]) {
        if !object.isDeleted {
            forEachRelationship(of: object) { number, property in
                let members = (links[number] ?? []).filter(isHere)
                if property.isToMany {
                    object.assign(members, number, property)
                } else {
                    object.assign(members.first, number, property)
                }
            }
        }
        context.delete(object)
    }
}

extension Sequence<NSManagedObject> {
    /// The objects without repetitions, each in its first place.
    var distinctObjects: [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
