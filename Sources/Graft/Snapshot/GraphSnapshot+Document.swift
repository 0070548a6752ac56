// The JSON of a snapshot, from its rows: the same that an export of the objects would write.

public import CoreData
import Foundation

extension GraphSnapshot {
    /// Returns all objects as JSON, as an export of a whole store writes them. What a snapshot says nothing of is null.
    ///
    /// - Parameters:
    ///   - model: The snapshot's model.
    ///   - options: The form; of the mapping, only the keys take part.
    /// - Throws: ``GraftError``, for instance with `notRepresentable` for a number that JSON doesn't have.
    /// - Complexity: O(*n* log *n*) in the number of objects and links.
    public func json(model: NSManagedObjectModel, options: ExportOptions = ExportOptions()) throws -> Data {
        let mapping = try GraphMapping(model, options.mapping, isDocument: true)
        guard mapping.schema.hasSameRows(as: schema) else {
            throw GraftError(.otherModel(differences: ["the snapshot is of another model"]))
        }
        var writer = JSONWriter(options: options.writerOptions)
        try SnapshotRecords(try completingInverses(), mapping.schema).write(mapping, options, to: &writer)
        return try writer.finish()
    }
}

extension GraphSchema {
    /// Whether rows of one schema are rows of the other: what identifies objects may differ.
    fileprivate func hasSameRows(as other: GraphSchema) -> Bool {
        entities.count == other.entities.count
            && zip(entities, other.entities).allSatisfy { one, other in
                one.name == other.name
                    && one.properties.elementsEqual(other.properties) { $0.name == $1.name && $0.kind == $1.kind }
            }
    }
}

/// The records of a snapshot.
private struct SnapshotRecords {
    private let snapshot: GraphSnapshot
    private let plan: ArchivePlan
    private var names: DocumentNames
    /// By entity of the plan.
    private var rows: [[RowReference]] = []
    private var numbers: [RowReference: Int] = [:]

    init(_ snapshot: GraphSnapshot, _ schema: GraphSchema) throws {
        self.snapshot = snapshot
        plan = ArchivePlan(schema, also: Self.oneSided(snapshot, ArchivePlan(schema)))
        names = DocumentNames(plan)
        for (index, entity) in plan.entities.enumerated() {
            let columns = schema.entities[entity.number].identityColumns
            let found = snapshot.liveRows(of: entity.number)
            let width = columns.count
            var values: [GraphValue] = []
            for row in found {
                let identity = columns.map { snapshot.tables[entity.number].value($0, row: row) }
                values += identity.contains(where: \.isNull) ? identity.map { _ in .null } : identity
            }
            rows.append(
                values.identityOrder(width: width, count: found.count).map { position in
                    let identity = values[(position * width)..<(position + 1) * width]
                    _ = names.add(index, identity: identity.first?.isNull ?? true ? [] : identity)
                    let reference = RowReference(entity: entity.number, row: found[position])
                    numbers[reference] = numbers.count
                    return reference
                })
        }
    }

    /// The one-to-one relationships that have to be written although their inverses are, because the two don't agree.
    private static func oneSided(_ snapshot: GraphSnapshot, _ plan: ArchivePlan) -> [ArchivePlan.OneToOne] {
        func isOneSided(_ relationship: ArchivePlan.OneToOne, _ back: ArchivePlan.OneToOne) -> Bool {
            let columns = [relationship, back].map { plan.schema.entities[$0.entity].properties[$0.property].column }
            return (relationship.entity..<plan.schema.entities[relationship.entity].end).contains { entity in
                snapshot.liveRows(of: entity).contains { row in
                    let end = snapshot.resolved(snapshot.tables[entity].toOne(columns[0], row: row))
                    guard !end.isNone, snapshot.tables[end.entity].hasValue(back.property, row: end.row) else {
                        return false
                    }
                    let origin = snapshot.tables[end.entity].toOne(columns[1], row: end.row)
                    return snapshot.resolved(origin) != RowReference(entity: entity, row: row)
                }
            }
        }
        return plan.oneToOnes.filter { $0 != $1 && (isOneSided($0, $1) || isOneSided($1, $0)) }.map(\.other)
    }

    func write(_ mapping: GraphMapping, _ options: ExportOptions, to writer: inout JSONWriter) throws {
        let scope = try DiffScope(snapshot.schema, DiffOptions())
        var document = try DocumentWriter(
            mapping, plan, names, sortsKeys: options.sortsKeys, isWritten: plan.entities.map { _ in true })
        try document.begin(&writer)
        for (index, entity) in plan.entities.enumerated() {
            var record = ArchiveRecord(entity.archived, index, number: 0)
            for row in rows[index] where !snapshot.isReference(row.entity, row.row, scope) {
                record.number = numbers[row] ?? 0
                fill(&record, from: row, entity)
                try document.write(record, to: &writer)
            }
        }
        try document.end(&writer)
    }

    private func fill(_ record: inout ArchiveRecord, from row: RowReference, _ entity: ArchivePlan.Entity) {
        let properties = plan.schema.entities[entity.number].properties
        let table = snapshot.tables[row.entity]
        for (item, number) in zip(entity.archived.items, entity.properties) {
            let column = properties[number].column
            switch item.form {
            case .attribute: record.values[item.column] = table.value(column, row: row.row)
            case .toOne:
                let end = table.toOne(column, row: row.row)
                record.destinations[item.column] =
                    end.isNone ? ArchiveRecord.none : numbers[snapshot.resolved(end)] ?? ArchiveRecord.none
            case .toMany(let isOrdered):
                var members = table.toMany(column, row: row.row).indices.compactMap {
                    numbers[snapshot.resolved(snapshot.members[$0])]
                }
                if !isOrdered { members.sort() }
                record.members[item.column] = members
            }
        }
    }
}
