// Two stores, side by side: a merge join over identities for each entity.
//
// A relationship between objects is in both their entries, but it is looked at from one side: where the inverse of an
// unordered to-many relationship tells all, its members are never read. A publisher's thousand heroes are known from
// the heroes.

import CoreData

/// A comparison in progress.
struct StoreComparison {
    private var old: StoreSide
    private var new: StoreSide
    private let scope: DiffScope
    private let entities: [Int]
    private let differences: StoreDifferences?
    private let reading: RelationshipReading
    private var diff = GraphDiff()
    private var members = DerivedMembers()
    private var evidence = RowEvidence()

    /// - Parameter differences: Nil where all objects are read.
    init(
        _ old: StoreSide, _ new: StoreSide, _ scope: DiffScope, entities: [Int], _ differences: StoreDifferences?
    ) throws {
        self.old = old
        self.new = new
        self.scope = scope
        self.entities = entities
        self.differences = differences
        let rounding = old.rounding.union(new.rounding)
        (self.old.rounding, self.new.rounding) = (rounding, rounding)
        let counts = try scope.schema.entities.map { entity in
            try old.context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name))
        }
        reading = RelationshipReading(scope, entities: Set(entities), counts: counts)
    }

    /// Compares everything.
    mutating func diff(_ progress: ObjectProgress, hasBase: Bool) throws -> GraphDiff {
        for side in [old, new] { try side.checkRows(of: entities) }
        let differing = try differences?.objects(
            scope, reading, entities, old.identification, step: progress.checkCancellation)
        for entity in entities { try compare(entity, differing?[entity], progress) }
        progress.finish()
        try evidence.check(scope.schema, hasBase: hasBase)
        return GraphDiff(
            deleted: diff.deleted, inserted: diff.inserted, changed: members.merged(into: diff, compared: names),
            identification: old.identification)
    }

    private var names: Set<String> { Set(entities.map { scope.schema.entities[$0].name }) }

    private mutating func compare(
        _ entity: Int, _ differing: DifferingObjects?, _ progress: ObjectProgress
    ) throws {
        let relationships = reading.names(of: entity)
        var before = try IdentityStream(old, entity: entity, ids: differing?.old, relationships: relationships)
        var after = try IdentityStream(new, entity: entity, ids: differing?.new, relationships: relationships)
        if let differing {
            progress.advance(by: differing.sameCount)
            if scope.schema.entities[entity].isByRow == true {
                evidence.note(scope.schema.root(of: entity), values: differing.sameValueCount, differences: 0)
            }
        }
        var told = 0
        while before.current != nil || after.current != nil {
            if before.count - told >= 1000 {
                try progress.checkCancellation()
                progress.advance(by: before.count - told)
                told = before.count
            }
            switch (before.current, after.current) {
            case (let object?, let other?):
                switch before.identity.precedes(after.identity) {
                case true?:
                    try delete(object, entity)
                    try before.advance()
                case false?:
                    try insert(other, entity)
                    try after.advance()
                case nil:
                    try compare(object, other, entity)
                    try before.advance()
                    try after.advance()
                }
            case (let object?, nil):
                try delete(object, entity)
                try before.advance()
            case (nil, let other?):
                try insert(other, entity)
                try after.advance()
            case (nil, nil): break
            }
        }
        progress.advance(by: before.count - told)
    }

    // MARK: On one side only

    private mutating func delete(_ object: NSManagedObject, _ entity: Int) throws {
        let contents = try contents(object, entity, old)
        diff.deleted.append(contents)
        try forEachDestination(of: object, entity, old) { members.remove(contents.key, from: $0, $1) }
    }

    private mutating func insert(_ object: NSManagedObject, _ entity: Int) throws {
        let contents = try contents(object, entity, new)
        diff.inserted.append(contents)
        try forEachDestination(of: object, entity, new) { members.add(contents.key, to: $0, $1) }
    }

    /// Everything of one object, its to-many relationships included.
    private func contents(_ object: NSManagedObject, _ entity: Int, _ side: StoreSide) throws -> ObjectContents {
        let properties = scope.schema.entities[entity].properties
        return try ObjectContents(side.key(of: object), properties, scope.entities[entity]) { number in
            try side.value(of: object, number, properties[number])
        } ends: { number in
            try object.relatedObjects(number, properties[number]).map {
                try side.key(of: $0, in: properties[number], of: object)
            }
        }
    }

    /// Calls the closure for each object whose to-many relationship is known from this one, with the relationship's
    /// name.
    private func forEachDestination(
        of object: NSManagedObject, _ entity: Int, _ side: StoreSide, _ body: (ObjectKey, String) -> Void
    ) throws {
        let properties = scope.schema.entities[entity].properties
        for (number, inverse) in reading.telling[entity] {
            for end in object.relatedObjects(number, properties[number]) {
                body(try side.key(of: end, in: properties[number], of: object), inverse)
            }
        }
    }

    // MARK: On both sides

    private mutating func compare(
        _ object: NSManagedObject, _ other: NSManagedObject, _ entity: Int
    ) throws {
        let properties = scope.schema.entities[entity].properties
        let entityScope = scope.entities[entity]
        var changes: [PropertyChange] = []
        var valueCount = 0
        for member in entityScope.attributes {
            let property = properties[member.number]
            let value = try old.plainValue(of: object, member.number, property)
            let otherValue = try new.plainValue(of: other, member.number, property)
            if !value.isNull || !otherValue.isNull { valueCount += 1 }
            if value.isSameValue(as: otherValue) {
                if value.isNull { try requireNull(member.number, property, object, other) }
                continue
            }
            changes.append(
                .init(
                    property.name,
                    .attribute(
                        old: try old.value(of: object, member.number, property),
                        new: try new.value(of: other, member.number, property))))
        }
        if scope.schema.entities[entity].isByRow == true {
            evidence.note(scope.schema.root(of: entity), values: valueCount, differences: changes.count)
        }
        for member in entityScope.toOnes {
            let property = properties[member.number]
            let ends = (object.destination(member.number, property), other.destination(member.number, property))
            if try isSame(ends.0, ends.1) { continue }
            let keys = (
                try ends.0.map { try old.key(of: $0, in: property, of: object) },
                try ends.1.map { try new.key(of: $0, in: property, of: other) }
            )
            changes.append(.init(property.name, .toOne(old: keys.0, new: keys.1)))
        }
        for member in entityScope.toManys where !reading.isDerived[entity][member.number] {
            let property = properties[member.number]
            let change = try change(property, object, other, member.number, isOrdered: member.isOrdered)
            if !change.isEmpty { changes.append(.init(property.name, .toMany(change))) }
        }
        guard !changes.isEmpty else { return }
        let change = ObjectChange(try old.key(of: object), changes)
        diff.changed.append(change)
        for (number, inverse) in reading.telling[entity] {
            guard let kind = change[properties[number].name] else { continue }
            members.follow(kind, of: change.key, inverse)
        }
    }

    /// A value whose file is missing on both sides is no difference; one whose file is missing on one side isn't null.
    private func requireNull(
        _ number: Int, _ property: GraphSchema.Property, _ object: NSManagedObject, _ other: NSManagedObject
    ) throws {
        guard property.attributeKind == .binary || property.attributeKind == .transformable else { return }
        let values = [
            Result { try old.value(of: object, number, property) },
            Result { try new.value(of: other, number, property) },
        ]
        let isThere = values.map { if case .success = $0 { true } else { false } }
        if isThere[0] != isThere[1] { for value in values { _ = try value.get() } }
    }

    private func isSame(_ end: NSManagedObject?, _ other: NSManagedObject?) throws -> Bool {
        guard let end, let other else { return end == nil && other == nil }
        let number = try old.number(of: end)
        guard try new.number(of: other) == number else { return false }
        let entity = scope.schema.entities[number]
        if !entity.relatedIdentity.isEmpty || entity.isByRow == true {
            return try old.key(of: end) == new.key(of: other)
        }
        for number in entity.identity {
            let property = entity.properties[number]
            let value = try old.plainValue(of: end, number, property)
            let otherValue = try new.plainValue(of: other, number, property)
            guard !value.isNull, value.isSameValue(as: otherValue) else { return false }
        }
        return !entity.identity.isEmpty
    }

    private func change(
        _ property: GraphSchema.Property, _ object: NSManagedObject, _ other: NSManagedObject, _ number: Int,
        isOrdered: Bool
    ) throws -> MembersChange {
        let (before, after) = (object.members(number, property), other.members(number, property))
        if before.isEmpty, after.isEmpty { return MembersChange() }
        if before.count == after.count, try zip(before, after).allSatisfy({ try isSame($0, $1) }) {
            return MembersChange()
        }
        return MembersChange(
            from: try before.map { try old.key(of: $0, in: property, of: object) },
            to: try after.map { try new.key(of: $0, in: property, of: other) }, isOrdered: isOrdered)
    }
}
