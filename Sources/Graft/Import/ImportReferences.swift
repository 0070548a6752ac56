// What the data leads to by relationships that don't own it. An object without identity that its owner gives up is deleted, but not
// where the data has it elsewhere, too, as long as it isn't only among what is deleted with it:
//
//     {"id": 1, "notes": [{"$id": 1}]}, {"id": 1, "notes": []}, {"id": 2, "pinned": {"$ref": 1}}      the note stays
//     {"Owner": [{"id": 1, "notes": []}], "Note": [{"text": "a"}]}                  so does one that is a record itself

import CoreData

/// Remembers which objects the data leads to besides from their owners.
struct ImportReferences {
    private typealias Columns = Set<GraphSnapshot.Column>

    /// Stands among the columns of an object that is a record of the data.
    private static let record = GraphSnapshot.Column(entity: -1, property: -1)

    private let known: ContextObjects
    /// Whether objects with an identity count: they are deleted only where a policy says so.
    var includesIdentified = false
    /// The relationships that lead to an object: unsaved, or of the batch that is saved; and of those before.
    private var latest: [ObjectIdentifier: (object: NSManagedObject, columns: Columns)] = [:]
    private var saved: [ObjectIDKey: Int32] = [:]
    /// What the numbers in ``saved`` stand for: there are few combinations.
    private var combinations: [Columns] = []
    private var numbers: [Columns: Int32] = [:]

    init(_ known: ContextObjects) { self.known = known }

    // MARK: Noting

    /// Notes that data says of an object that a relationship of it leads to others.
    @inline(__always)
    mutating func note(
        _ ends: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws {
        if known.schema.mayLeadToOwned(property) { try add(ends, number, property, of: object) }
    }

    /// Notes that the data has a record about an object that others may own.
    mutating func noteRecord(_ object: NSManagedObject) throws {
        if try known.hasNoIdentity(object) {
            latest[ObjectIdentifier(object), default: (object, [])].columns.insert(Self.record)
        }
    }

    private mutating func add(
        _ ends: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) throws {
        // The way back to the owner keeps nobody.
        if let inverse = property.inverse, let destination = property.destination,
            known.schema.entities[destination].properties[inverse].isOwning
        {
            return
        }
        guard let entity = known.number(of: object) else { return }
        let column = GraphSnapshot.Column(
            entity: known.schema.declaringEntity(of: number, entity), property: number)
        for end in ends where try includesIdentified || known.hasNoIdentity(end) {
            latest[ObjectIdentifier(end), default: (end, [])].columns.insert(column)
        }
    }

    /// Lets go of the objects of a batch that has been saved.
    mutating func batchWasSaved() {
        for (object, columns) in latest.values {
            let key = object.objectID.lookupKey
            saved[key] = number(of: columns.union(savedColumns(key)))
        }
        latest.removeAll()
    }

    private func savedColumns(_ key: ObjectIDKey) -> Columns { saved[key].map { combinations[Int($0)] } ?? [] }

    private mutating func number(of columns: Columns) -> Int32 {
        if let number = numbers[columns] { return number }
        let number = Int32(combinations.count)
        combinations.append(columns)
        numbers[columns] = number
        return number
    }

    /// Forgets everything.
    mutating func removeAll() {
        latest.removeAll()
        saved.removeAll()
    }

    // MARK: Asking

    /// Those of some objects that are to go to which something leads, as the data says, that doesn't go.
    ///
    /// - Parameter others: What goes besides.
    /// - Complexity: O(*n*) in the objects, what they own, and what leads to them.
    func kept(
        among objects: [NSManagedObject], besides others: [NSManagedObject]
    ) throws -> Set<ObjectIdentifier> {
        if latest.isEmpty, saved.isEmpty { return [] }
        let noted = objects.map { (object: $0, columns: columns(of: $0)) }
        let referrers = try referrers(of: noted)
        var pending = noted.filter { $0.columns.contains(Self.record) }.map { ObjectIdentifier($0.object) }
        if referrers.isEmpty, pending.isEmpty { return [] }
        // What goes with each object, itself included.
        var going: [ObjectIdentifier: Int] = [:]
        var parts: [[ObjectIdentifier]] = []
        for object in objects {
            let fresh = known.withOwned([object]).map { ObjectIdentifier($0) }.filter { going[$0] == nil }
            for part in fresh { going[part] = parts.count }
            parts.append(fresh)
        }
        let gone = Set(known.withOwned(others).map(ObjectIdentifier.init))
        var ends: [ObjectIdentifier: [ObjectIdentifier]] = [:]
        var kept: Set<ObjectIdentifier> = []
        for (referrer, end) in referrers where !gone.contains(ObjectIdentifier(referrer)) {
            ends[ObjectIdentifier(referrer), default: []].append(end)
            if going[ObjectIdentifier(referrer)] == nil { pending.append(end) }
        }
        while let end = pending.popLast() {
            guard kept.insert(end).inserted, let number = going[end] else { continue }
            for part in parts[number] { pending += ends[part] ?? [] }
        }
        return kept
    }

    private func columns(of object: NSManagedObject) -> Columns {
        (latest[ObjectIdentifier(object)]?.columns ?? []).union(savedColumns(object.objectID.lookupKey))
    }

    /// Who leads to some objects by the relationships that were noted.
    private func referrers(
        of noted: [(object: NSManagedObject, columns: Columns)]
    ) throws -> [(referrer: NSManagedObject, end: ObjectIdentifier)] {
        var found: [(referrer: NSManagedObject, end: ObjectIdentifier)] = []
        var oneSided: [GraphSnapshot.Column: [NSManagedObject]] = [:]
        for (object, columns) in noted {
            for column in columns where column != Self.record {
                let property = known.schema.entities[column.entity].properties[column.property]
                guard let inverse = property.inverse, let destination = property.destination else {
                    oneSided[column, default: []].append(object)
                    continue
                }
                let back = known.schema.entities[destination].properties[inverse]
                found += object.relatedObjects(inverse, back).filter { !$0.isDeleted }
                    .map { ($0, ObjectIdentifier(object)) }
            }
        }
        for (column, objects) in oneSided {
            found += try known.referrers(of: objects, column.entity, column.property)
                .map { ($0, ObjectIdentifier($1)) }
        }
        return found
    }
}
