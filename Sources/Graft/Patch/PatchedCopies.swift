// The export of an entity has an object wherever others lead to it. A patch changes one of these copies, and the rest says what it
// said before: of several copies, those count that say something else than the text before the patch.

import CoreData

extension GraphSnapshot {
    /// Takes over what a patch has changed in some copies of an object, where others came later and say what was there before.
    ///
    /// - Parameters:
    ///   - patched: The text that this snapshot is of.
    ///   - old: The graph before the patch.
    /// - Throws: ``GraftError`` for copies that were changed in different ways, and for a relationship that was changed in one alone.
    mutating func takeChangedCopies(
        in patched: ImportSource, since old: GraphSnapshot, entity: String?, _ model: NSManagedObjectModel
    ) throws {
        let options = ImportOptions()
        var reader = try JSONSnapshotReader(
            patched, model, GraphMapping(model, options.mapping), entityName: entity, options)
        reader.snapshot.keepsRepeatedRows = true
        while try reader.readBatch(rowLimit: .max) {}
        let copies = reader.snapshot
        for (number, entity) in schema.entities.enumerated() where !entity.identity.isEmpty {
            var rows: [ObjectKey: [RowReference]] = [:]
            for row in copies.liveRows(of: number) {
                let row = RowReference(entity: number, row: row)
                if copies.saysMoreThanIdentity(row), let key = copies.identityKey(of: row) {
                    rows[key, default: []].append(row)
                }
            }
            for (key, rows) in rows.sorted(by: { $0.key < $1.key }) where rows.count > 1 {
                guard let before = old.row(of: key), before.entity == number, let now = row(of: key),
                    now.entity == number
                else { continue }
                // Lists needn't have who led to their object, so that copies have different ones.
                for (index, property) in entity.properties.enumerated()
                where !property.isToMany && tables[number].hasValue(index, row: now.row) {
                    try takeChanged(index, of: now, key, copies, rows, old.content(index, of: before))
                }
            }
        }
    }

    private mutating func takeChanged(
        _ number: Int, of row: RowReference, _ key: ObjectKey, _ copies: GraphSnapshot, _ rows: [RowReference],
        _ before: PropertyValue?
    ) throws {
        guard let before else { return }
        let property = schema.entities[row.entity].properties[number]
        var changed: PropertyValue?
        for copy in rows {
            // Of what a copy doesn't say, the others do.
            guard copies.tables[copy.entity].hasValue(number, row: copy.row),
                let value = copies.content(number, of: copy), value != before
            else { continue }
            guard changed ?? value == value else { throw Self.contradiction(key, property, "in different ways") }
            changed = value
        }
        guard let changed, let now = content(number, of: row), now == before else { return }
        guard case .attribute(let value) = changed else {
            throw Self.contradiction(key, property, "in one of them alone")
        }
        tables[row.entity].setValue(value, property.column, row: row.row)
    }

    /// What a row has in an attribute or a to-one relationship; nil where this leads to an object without identity.
    private func content(_ number: Int, of row: RowReference) -> PropertyValue? {
        let property = schema.entities[row.entity].properties[number]
        if property.isAttribute { return .attribute(value(property, of: row)) }
        let ends = destinations(of: row, property)
        let keys = ends.compactMap { identityKey(of: $0) }
        return keys.count == ends.count ? .toOne(keys.first) : nil
    }

    private static func contradiction(
        _ key: ObjectKey, _ property: GraphSchema.Property, _ way: String
    ) -> GraftError {
        GraftError(
            .other(
                finding: "the text has several copies of \(key), and the patch changes its '\(property.name)' \(way)",
                remedy:
                    "Change all copies alike, or patch the objects of the entity \(key.entity) (--entity \(key.entity))."
            ),
            at: .init(entity: key.entity, property: property.name))
    }
}
