// An archive as a snapshot: the same rows as those of a store with the archive's objects, so that it can be compared, merged and
// imported like one. An archive says each link once; here both ends have it.

import CoreData
import Foundation

/// Reads archives into snapshots.
struct ArchiveSnapshot {
    private let match: ArchiveModelMatch
    private let schema: GraphSchema
    /// The names of the transformers of transformable attributes, by entity and property.
    private let transformerNames: [[String?]]
    private var snapshot: GraphSnapshot
    /// By number of the archive.
    private var rows: [RowReference] = []
    /// The members of to-many relationships that the archive doesn't say itself.
    private var derived: [GraphSnapshot.Cell: [RowReference]] = [:]

    /// Reads an archive.
    ///
    /// - Parameters:
    ///   - schema: That of the mapping in use.
    ///   - entity: The entity whose objects are wanted, with those of its sub-entities and what they own; nil for all.
    /// - Throws: ``GraftError``: `damagedArchive` with the place, `otherModel` with the differences.
    static func read(
        _ archive: GraphArchive, _ model: NSManagedObjectModel, _ schema: GraphSchema, entity: String? = nil
    ) throws -> GraphSnapshot {
        let decoder = try archive.decoder()
        do {
            var reading = ArchiveSnapshot(
                try ArchiveModelMatch(decoder.header, schema, model, fit: .exact), model)
            reading.snapshot.lineage = decoder.header.lineage
            // References may lead to records that come later, so all of them are read first.
            var records: [ArchiveRecord] = []
            while let record = try decoder.next() {
                try reading.addRow(record)
                records.append(record)
            }
            for record in records { try reading.fill(record) }
            reading.addDerivedMembers()
            if let entity {
                reading.snapshot.restrict(to: [try schema.requiredNumber(ofEntity: entity)], try DiffScope(schema))
            }
            try reading.enterIdentities()
            try reading.snapshot.settleDistinctRelatedRows()
            return reading.snapshot
        } catch let error as GraftError {
            throw error.located(in: .init(source: archive.source.name))
        }
    }

    private init(_ match: ArchiveModelMatch, _ model: NSManagedObjectModel) {
        self.match = match
        schema = match.schema
        snapshot = GraphSnapshot(match.schema)
        snapshot.absence = .null
        let descriptions = model.entitiesByName
        transformerNames = match.schema.entities.map { entity in
            let attributes = descriptions[entity.name]?.attributePartsByName ?? [:]
            return entity.properties.map { attributes[$0.name]?.valueTransformerName }
        }
    }

    private mutating func enterIdentities() throws {
        for row in rows where !row.isNone && !snapshot.tables[row.entity].flags[row.row].contains(.dead) {
            try snapshot.enterDistinctIdentity(of: row)
        }
    }

    private mutating func addRow(_ record: ArchiveRecord) throws {
        guard let entity = match.entities[record.entity]?.number else { return }
        guard snapshot.tables[entity].count < RowReference.maximumRow else {
            throw GraftError(.tooLarge(what: "the number of objects", limit: RowReference.maximumRow))
        }
        while rows.count <= record.number { rows.append(.none) }
        let row = RowReference(entity: entity, row: snapshot.tables[entity].appendRow(offset: -1))
        rows[record.number] = row
        snapshot.tables[entity].flags[row.row].formUnion([.root, .whole])
        snapshot.roots.append(row)
        // What an archive doesn't say is null, and no member.
        for (number, property) in schema.entities[entity].properties.enumerated()
        where !property.isTransient && !property.isDerived {
            snapshot.tables[entity].markPresent(number, row: row.row)
        }
    }

    private mutating func fill(_ record: ArchiveRecord) throws {
        guard let entity = match.entities[record.entity] else { return }
        let row = rows[record.number]
        let properties = schema.entities[entity.number].properties
        for (column, number) in entity.attributes.enumerated() {
            guard let number else { continue }
            var value = record.values[column].tree(transformerNames[row.entity][number])
            // An archive has the number as the store has it.
            if properties[number].attributeKind == .float, case .double(let exact) = value {
                value = .double(exact.keptByFloat)
            }
            snapshot.tables[row.entity].setValue(value, properties[number].column, row: row.row)
        }
        if let column = match.archived[record.entity].rowColumn, case .integer(let number) = record.values[column] {
            snapshot.tables[row.entity].setRowName(GraphSnapshot.RowName.name(number), row: row.row)
        }
        for (column, number) in entity.toOnes.enumerated() {
            guard let number, record.destinations[column] != ArchiveRecord.none else { continue }
            let end = try self.row(record.destinations[column], properties[number], of: row.entity)
            snapshot.tables[row.entity].setToOne(end, properties[number].column, row: row.row)
            derive(properties[number], from: row, to: end)
        }
        for (column, number) in entity.toManys.enumerated() {
            guard let number else { continue }
            let ends = try record.members[column].map { try self.row($0, properties[number], of: row.entity) }
            set(ends, properties[number], of: row)
            for end in ends { derive(properties[number], from: row, to: end) }
        }
    }

    /// The row of an object that a relationship leads to.
    private func row(_ number: Int, _ property: GraphSchema.Property, of entity: Int) throws -> RowReference {
        let row = number < rows.count ? rows[number] : .none
        if !row.isNone, let destination = property.destination, schema.isEntity(row.entity, kindOf: destination) {
            return row
        }
        let found = row.isNone ? "isn't there" : "is one of '\(schema.entities[row.entity].name)'"
        throw GraftError(
            .damagedArchive(
                found: "a reference to an object that \(found)",
                expected: "one of '\(property.destination.map { schema.entities[$0].name } ?? "")'"),
            at: .init(entity: schema.entities[entity].name, property: property.name))
    }

    private mutating func set(_ ends: [RowReference], _ property: GraphSchema.Property, of row: RowReference) {
        let start = snapshot.members.count
        snapshot.members += ends
        let range = MemberRange(
            start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: ends.count))
        snapshot.tables[row.entity].setToMany(range, property.column, row: row.row)
    }

    /// Notes the other end of a link, unless the archive says it itself.
    private mutating func derive(_ property: GraphSchema.Property, from row: RowReference, to end: RowReference) {
        guard !end.isNone, let number = property.inverse else { return }
        let inverse = schema.entities[end.entity].properties[number]
        if match.says(number, of: end.entity) { return }
        if inverse.isToMany {
            derived[GraphSnapshot.Cell(row: end, property: number), default: []].append(row)
        } else {
            snapshot.tables[end.entity].setToOne(row, inverse.column, row: end.row)
        }
    }

    private mutating func addDerivedMembers() {
        for (cell, ends) in derived.sorted(by: { $0.key < $1.key }) {
            set(ends, schema.entities[cell.row.entity].properties[cell.property], of: cell.row)
        }
    }
}
