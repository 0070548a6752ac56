// From managed objects to a snapshot. First the objects that belong to the graph are found: those asked for, and what
// they lead to by relationships that own or include. Then each becomes a row; other objects that these lead to get a row
// with nothing but their identity.

import CoreData

/// Makes a snapshot of managed objects. Runs on their context's queue.
struct ObjectSnapshotReader {
    private let scope: DiffScope
    private let values: GraphSnapshot.ObjectValues
    private let numbers: EntityNumbers
    private(set) var snapshot: GraphSnapshot
    /// In the order of their rows' making, whole ones first.
    private(set) var objects: [NSManagedObject] = []
    private var references: [RowReference] = []
    private var rows: [ObjectIdentifier: RowReference] = [:]
    private let presence = PresenceCheck()
    private var damage: GraphDamage?
    /// Whether two objects with one identity and links to objects and files that are gone are no errors: for who
    /// only looks for changes.
    var ignoresDamage = false
    /// The objects that are about to be deleted: what they own, and what forbids that, is read of them also where it is excluded.
    var going: Set<ObjectIdentifier> = []
    /// Who is told how many whole objects have been read, and may call it off.
    var progress: ObjectProgress?
    /// How rows are told apart that share a number; nil where none do.
    private var identification = GraphDiff.Identification()

    init(_ model: NSManagedObjectModel, _ options: DiffOptions, _ values: GraphSnapshot.ObjectValues) throws {
        let schema = try GraphSchema(model)
        self.init(try DiffScope(schema, options), model, values)
    }

    init(_ scope: DiffScope, _ model: NSManagedObjectModel, _ values: GraphSnapshot.ObjectValues) {
        self.scope = scope
        self.values = values
        snapshot = GraphSnapshot(scope.schema)
        numbers = EntityNumbers(model, scope.schema)
    }

    /// Lets rows have the numbers that they have in the context's store.
    ///
    /// - Parameter identification: How those are told apart that share a number.
    mutating func takeRows(
        of context: NSManagedObjectContext?, _ identification: GraphDiff.Identification = .init()
    ) throws {
        snapshot.lineage = try context?.lineage()
        self.identification = identification
    }

    /// Makes rows of objects and of what belongs to them, and of what these refer to.
    ///
    /// - Parameters:
    ///   - roots: The objects.
    ///   - members: Objects that belong to them, whatever leads there.
    ///   - others: Objects that get a row with their identity in any case.
    ///   - isFollowing: Whether relationships that own or include are followed.
    /// - Throws: ``GraftError`` with `duplicateIdentity` where two objects have one identity, with `missingObject` for one
    ///   that is gone.
    mutating func read(
        _ roots: [NSManagedObject], members: [NSManagedObject] = [], references others: [NSManagedObject] = [],
        isFollowing: Bool = true
    ) throws {
        guard let first = roots.first ?? members.first ?? others.first else { return }
        snapshot.rounding = first.managedObjectContext?.rounding ?? []
        try first.withFaultsAsErrors {
            try readAll(roots, members, others, isFollowing: isFollowing)
        }
    }

    private mutating func readAll(
        _ roots: [NSManagedObject], _ members: [NSManagedObject], _ others: [NSManagedObject], isFollowing: Bool
    ) throws {
        if !ignoresDamage { damage = roots.first?.managedObjectContext.map { GraphDamage($0) } }
        for root in roots where try exists(root) {
            let reference = try enter(root)
            snapshot.roots.append(reference)
            snapshot.tables[reference.entity].flags[reference.row].insert(.root)
        }
        for member in members where try exists(member) { _ = try enter(member) }
        if isFollowing { try follow() }
        let wholeCount = objects.count
        for index in 0..<wholeCount {
            if index.isMultiple(of: 1000) { try progress?.checkCancellation() }
            try fill(references[index], objects[index])
            progress?.advance(by: 1)
        }
        for other in others where try exists(other) { _ = try enter(other) }
        // What identifies a reference may be another one, which follows.
        var reference = wholeCount
        while reference < objects.count {
            try fillIdentity(references[reference], objects[reference])
            reference += 1
        }
        if ignoresDamage { return }
        for reference in references { try snapshot.enterDistinctIdentity(of: reference) }
        // For who looks them up, an import, and so that they are told apart.
        if scope.schema.hasRelatedIdentities { try snapshot.settleDistinctRelatedRows() }
    }

    /// The objects that belong to others in one state or another: what either leads to.
    static func members(
        of roots: [NSManagedObject], _ scope: DiffScope, _ model: NSManagedObjectModel,
        _ states: [GraphSnapshot.ObjectValues]
    ) throws -> [NSManagedObject] {
        var readers = states.map { ObjectSnapshotReader(scope, model, $0) }
        var members = roots
        var seen = Set(roots.map { ObjectIdentifier($0) })
        var next = 0
        while next < members.count {
            let member = members[next]
            next += 1
            for index in readers.indices where try readers[index].exists(member) {
                let reference = try readers[index].enter(member)
                let known = readers[index].objects.count
                try readers[index].follow(member, reference)
                members += readers[index].objects[known...].filter { seen.insert(ObjectIdentifier($0)).inserted }
            }
        }
        return members
    }

    /// The row of an object; nil where it has none.
    func row(of object: NSManagedObject) -> RowReference? { rows[ObjectIdentifier(object)] }

    /// The object of each row.
    var objectsByRow: [RowReference: NSManagedObject] {
        Dictionary(zip(references, objects)) { first, _ in first }
    }

    /// Whether an object is there in the state that is asked for.
    private func exists(_ object: NSManagedObject) throws -> Bool {
        try presence.require(object)
        return values == .current ? !object.isDeleted : !object.isInserted
    }

    private mutating func enter(_ object: NSManagedObject) throws -> RowReference {
        if let reference = rows[ObjectIdentifier(object)] { return reference }
        let entity = try numbers.number(of: object.entity)
        let reference = RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: -1))
        if object.objectID.isTemporaryID {
            snapshot.unsavedRows.insert(reference)
        } else if snapshot.lineage != nil, let number = object.rowNumber {
            let name = try identification.rowName(number, of: object, scope.schema.entities[entity])
            snapshot.tables[entity].setRowName(name, row: reference.row)
        }
        rows[ObjectIdentifier(object)] = reference
        objects.append(object)
        references.append(reference)
        return reference
    }

    /// Enters what the objects lead to by relationships that own or include.
    private mutating func follow() throws {
        var next = 0
        while next < objects.count {
            try follow(objects[next], references[next])
            next += 1
        }
    }

    private mutating func follow(_ object: NSManagedObject, _ reference: RowReference) throws {
        let properties = scope.schema.entities[reference.entity].properties
        var committed: [String: Any]?
        for number in properties.indices where scope.entities[reference.entity].follows[number] {
            for end in try ends(of: object, number, properties[number], &committed) { _ = try enter(end) }
        }
    }

    // MARK: Values

    private mutating func fill(_ reference: RowReference, _ object: NSManagedObject) throws {
        let (entity, row) = (reference.entity, reference.row)
        snapshot.tables[entity].flags[row].insert(.whole)
        let properties = scope.schema.entities[entity].properties
        var committed: [String: Any]?
        try fillIdentity(reference, object)
        let isGoing = going.contains(ObjectIdentifier(object))
        for (number, property) in properties.enumerated()
        where scope.entities[entity].contains[number] || isGoing && (property.isOwning || property.isDenying) {
            snapshot.tables[entity].markPresent(number, row: row)
            switch property.kind {
            case .attribute:
                let value = try value(of: object, number, property, &committed)
                snapshot.tables[entity].setValue(value, property.column, row: row)
            case .toOne:
                guard let end = try ends(of: object, number, property, &committed).first else { continue }
                snapshot.tables[entity].setToOne(try enter(end), property.column, row: row)
            case .toMany:
                let start = snapshot.members.count
                for end in try ends(of: object, number, property, &committed) {
                    snapshot.members.append(try enter(end))
                }
                let range = try snapshot.range(from: start)
                snapshot.tables[entity].setToMany(range, property.column, row: row)
            }
        }
    }

    private mutating func fillIdentity(_ reference: RowReference, _ object: NSManagedObject) throws {
        let entity = scope.schema.entities[reference.entity]
        var committed: [String: Any]?
        for number in entity.identityRelationships {
            let property = entity.properties[number]
            guard let end = try ends(of: object, number, property, &committed).first else { continue }
            snapshot.tables[reference.entity].setToOne(try enter(end), property.column, row: reference.row)
        }
        for number in entity.identityAttributes {
            let value = try value(of: object, number, entity.properties[number], &committed)
            snapshot.tables[reference.entity].setValue(value, entity.properties[number].column, row: reference.row)
            snapshot.tables[reference.entity].markPresent(number, row: reference.row)
        }
    }

    private func value(
        of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property, _ committed: inout [String: Any]?
    ) throws -> GraphValue {
        // What was set has all its digits until it is fetched again.
        try exactValue(of: object, number, property, &committed).kept(snapshot.rounding)
    }

    private func exactValue(
        of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property, _ committed: inout [String: Any]?
    ) throws -> GraphValue {
        if values == .current {
            return try damage?.value(of: object, number, property) ?? object.graphValue(number, property)
        }
        // An element of a composite attribute is in the dictionary of that.
        let path = property.name.split(separator: ".").map(String.init)
        let whole = committedValues(of: object, &committed)[path[0]]
        let boxed = path.dropFirst().reduce(whole) { ($0 as? [String: Any])?[$1] }
        let kind = property.attributeKind ?? .transformable
        if let value = GraphValue(held: boxed, kind: kind) { return value }
        // What no value stands for is a transformable's object. One that hasn't changed is the current one.
        if kind == .transformable, object.changedValues()[path[0]] == nil {
            return try object.graphValue(number, property)
        }
        throw GraftError(
            .wrongType(found: "\(type(of: boxed))", expected: kind.description),
            at: .init(entity: object.entity.name, property: property.name))
    }

    private func ends(
        of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property, _ committed: inout [String: Any]?
    ) throws -> [NSManagedObject] {
        if values == .current {
            let ends =
                property.isToMany
                ? object.members(number, property) : object.destination(number, property).map { [$0] } ?? []
            let remaining = presence.remaining(ends)
            if ignoresDamage { return remaining.filter { !presence.isGone($0) } }
            for end in remaining { try presence.require(end, from: (object.entity.name ?? "", property.name)) }
            return remaining
        }
        switch committedValues(of: object, &committed)[property.name] {
        case let end as NSManagedObject: return [end]
        case let set as NSOrderedSet: return set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: return set.allObjects.compactMap { $0 as? NSManagedObject }
        default: return []
        }
    }

    /// The committed values of an object, asked for once.
    private func committedValues(of object: NSManagedObject, _ known: inout [String: Any]?) -> [String: Any] {
        if let known { return known }
        let values = object.committedValues(forKeys: nil)
        known = values
        return values
    }
}

extension GraphDiff.Identification {
    /// What the row of an object is called.
    func rowName(_ number: Int64, of object: NSManagedObject, _ entity: GraphSchema.Entity) throws -> GraphValue {
        guard let limit = markedLimit(of: entity.name), number > limit else {
            return GraphSnapshot.RowName.name(number)
        }
        let mark = try entity.mark { try object.graphValue($0, entity.properties[$0]) }
        return GraphSnapshot.RowName.name(number, mark: mark)
    }
}

extension GraphSnapshot {
    /// The range of the members from a place to the end.
    ///
    /// - Throws: ``GraftError`` with `tooLarge` for more members than a snapshot has numbers for.
    func range(from start: Int) throws -> MemberRange {
        guard let end = UInt32(exactly: members.count) else {
            throw GraftError(.tooLarge(what: "the number of links in a snapshot", limit: Int(UInt32.max)))
        }
        return MemberRange(start: UInt32(start), count: end - UInt32(start))
    }

    /// Makes a row known by its identity.
    ///
    /// - Throws: ``GraftError`` with `duplicateIdentity` where another row has it already.
    mutating func enterDistinctIdentity(of reference: RowReference) throws {
        guard let other = enterIdentity(of: reference) else { return }
        throw GraftError(
            .duplicateIdentity(identity(of: other).words), at: .init(entity: schema.entities[other.entity].name))
    }

    /// Makes a row known by its identity; returns the row that has it already.
    mutating func enterIdentity(of reference: RowReference) -> RowReference? {
        let columns = schema.entities[reference.entity].identityColumns
        guard let hash = identityHash(entity: reference.entity, row: reference.row, columns: columns) else {
            return nil
        }
        let space = schema.entities[reference.entity].identitySpace
        let other = indexes[space].first(hash) { candidate in
            candidate.entity == reference.entity && hasSameIdentity(candidate, reference, columns: columns)
        }
        if other == nil { indexes[space].insert(reference, hash: hash) }
        return other
    }
}
