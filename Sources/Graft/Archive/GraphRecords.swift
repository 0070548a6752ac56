// A context's graph as records, in a defined order: what archives are written from, and the JSON of whole stores.

import CoreData
import Foundation

/// The records of a graph. Runs on the context's queue.
struct GraphRecords {
    private(set) var contents: ArchivedObjects
    /// Whether transformable values are the bytes that a store keeps, and not trees where they are such.
    private let isExact: Bool
    private let damage: GraphDamage

    /// - Parameters:
    ///   - contents: The objects, numbered.
    ///   - isExact: Whether transformable values are the bytes that a store keeps, and not trees where they are such.
    init(_ contents: ArchivedObjects, isExact: Bool, _ damage: GraphDamage) throws {
        self.contents = contents
        self.isExact = isExact
        self.damage = damage
        try self.contents.writeBothEnds(damage)
    }

    /// Calls the closure with the record of each object, in their order.
    ///
    /// - Parameter isWanted: Whether an entity's objects are.
    /// - Throws: ``GraftError``: `cancelled`, what is damaged, unless somebody wants to be told; what the closure throws.
    func forEach(
        _ progress: ObjectProgress, of isWanted: (ArchivePlan.Entity) -> Bool = { _ in true },
        _ body: (ArchiveRecord) throws -> Void
    ) throws {
        var number = 0
        for (index, entity) in contents.plan.entities.enumerated() {
            guard isWanted(entity) else {
                number += contents.ids[index].count
                continue
            }
            // One for all objects: to make its lists costs as much as to fill them.
            var record = ArchiveRecord(entity.archived, index, number: number)
            try contents.forEachBatch(of: index) { batch in
                try progress.checkCancellation()
                switch batch {
                case .objects(let objects): try write(objects, entity, &record, body)
                case .rows(let rows): try write(rows, entity, &record, body)
                }
                progress.advance(by: batch.count)
            }
            number = record.number
        }
    }

    private func write(
        _ objects: [some RecordedObject], _ entity: ArchivePlan.Entity, _ record: inout ArchiveRecord,
        _ body: (ArchiveRecord) throws -> Void
    ) throws {
        for object in objects {
            try read(object, entity, into: &record)
            try body(record)
            record.number += 1
        }
    }

    private func read(
        _ object: some RecordedObject, _ entity: ArchivePlan.Entity, into record: inout ArchiveRecord
    ) throws {
        let properties = contents.plan.schema.entities[entity.number].properties
        for (item, number) in zip(entity.archived.items, entity.properties) {
            do {
                try read(item, number, properties[number], of: object, into: &record)
            } catch {
                throw CoreDataErrors.graftError(error).located(
                    in: .init(entity: entity.archived.name, property: item.name))
            }
        }
        if let column = entity.archived.rowColumn {
            record.values[column] = object.objectID.row.map { .integer($0) } ?? .null
        }
    }

    @inline(__always)
    private func read(
        _ item: ArchiveEntity.Item, _ number: Int, _ property: GraphSchema.Property, of object: some RecordedObject,
        into record: inout ArchiveRecord
    ) throws {
        switch item.form {
        case .attribute:
            let value = try isExact ? object.archivedValue(number, property) : object.graphValue(number, property)
            if value.isNull {
                try damage.requireFile(of: object, item.name)
            } else if case .integer(let integer) = value, let kind = property.attributeKind,
                !kind.integers.contains(integer)
            {
                try damage.noteUnfit(value, kind, of: item.name, from: object)
                record.values[item.column] = .null
                return
            } else if !isExact, !value.hasJSONForm {
                try damage.noteFormless(value.description, of: item.name, from: object)
                record.values[item.column] = .null
                return
            }
            record.values[item.column] = value
        case .toOne:
            record.destinations[item.column] = ArchiveRecord.none
            guard let id = object.destinationID(number, property) else { return }
            guard let destination = try end(id, item, property, of: object) else { return }
            record.destinations[item.column] = destination
        case .toMany(let isOrdered):
            record.members[item.column].removeAll(keepingCapacity: true)
            for id in object.memberIDs(number, property) {
                guard let member = try end(id, item, property, of: object) else { continue }
                record.members[item.column].append(member)
            }
            // An unordered relationship has the order of the archive, which is the same every time.
            if !isOrdered { record.members[item.column].sort() }
        }
    }

    /// The number of an object that a relationship leads to; nil for one that isn't there, or that it can't lead to.
    @inline(__always)
    private func end(
        _ id: NSManagedObjectID, _ item: ArchiveEntity.Item, _ property: GraphSchema.Property,
        of object: some RecordedObject
    ) throws -> Int? {
        guard let number = contents.number(id) else {
            try damage.noteMissing(id, of: item.name, from: object)
            return nil
        }
        guard let destination = property.destination,
            let wrong = contents.wrongEntity(ofNumber: number, destination: destination)
        else { return number }
        let name = contents.plan.schema.entities[wrong].name
        try damage.noteWrongEnd(id, name, of: item.name, from: object)
        return nil
    }
}
