// Restoring into an empty store without objects: each record becomes a row, and references become IDs. Where somebody may have to
// see the objects, as the code of a class or a rule that is to be checked, ArchiveRestorer makes them. The store is the same either way.

import CoreData
import Foundation

#if !canImport(Darwin) && !GRAFT_PORTABLE
    /// Makes a store's rows from an archive.
    final class RowRestorer {
        private let context: NSManagedObjectContext
        private let match: ArchiveModelMatch
        private let known: ContextObjects
        /// What becomes what the store keeps of it.
        private let rounding: Rounding
        private let keepsRows: Bool
        private let batchSize: Int

        /// By number of the archive.
        private var ids = ValuesByNumber<NSManagedObjectID>()
        /// By number of the archive: the entity of the schema.
        private var kinds = ValuesByNumber<Int>()
        /// By number of the archive: which of all rows it is.
        private var places = ValuesByNumber<Int>()
        /// The rows that aren't written yet, which are the last ones.
        private var rows: [RowChange] = []
        private var writtenCount = 0
        /// The relationships that wait for an object.
        private var pending = PendingLinks()
        /// What is to change in rows that are written.
        private var late: [Late] = []
        /// Of rows that were changed after they had been written.
        private var versions: [Int: Int64] = [:]
        /// By entity of the schema.
        private(set) var counts: [ImportReport.Counts]

        private struct Late {
            var number: Int
            var slot: Int
            var ends: [NSManagedObjectID]
        }

        private var schema: GraphSchema { match.schema }
        var fetchCount: Int { known.fetchCount }

        /// - Returns: Nil where the store has objects, or somebody may have to see the new ones.
        init?(
            _ match: ArchiveModelMatch, _ model: NSManagedObjectModel, _ context: NSManagedObjectContext,
            _ options: GraphArchive.RestoringOptions, keepsRows: Bool
        ) throws {
            let known = try ContextObjects(context, match.schema, model)
            guard options.fit == .exact, !options.isDryRun, !options.validates, context.soleStore != nil,
                known.entities.allSatisfy({ $0.isAbstract || $0.layout.isWithoutClass }),
                try known.entities.indices.allSatisfy({ try known.isEmpty($0) })
            else { return nil }
            self.context = context
            self.match = match
            self.known = known
            self.keepsRows = keepsRows
            batchSize = max(1, options.batchSize)
            rounding = match.rounding(in: context)
            counts = match.schema.entities.map { _ in ImportReport.Counts() }
        }

        // MARK: Rows

        /// Takes over a batch of records.
        func restore(_ records: [ArchiveRecord]) throws {
            try giveIDs(to: records)
            for record in records { try append(record.kept(rounding)) }
            for record in records { try link(record) }
        }

        private func entity(of record: ArchiveRecord) throws -> ArchiveModelMatch.Entity {
            guard let entity = match.entities[record.entity] else {
                throw GraftError(.damagedArchive(found: "an object of an abstract entity", expected: "none"))
            }
            return entity
        }

        private func giveIDs(to records: [ArchiveRecord]) throws {
            let byEntity = Dictionary(grouping: records.indices) { records[$0].entity }
            for (archived, indices) in byEntity.sorted(by: { $0.key < $1.key }) {
                let column = keepsRows ? match.archived[archived].rowColumn : nil
                let wishes = indices.map { index -> Int64? in
                    guard let column, case .integer(let number) = records[index].values[column] else { return nil }
                    return number
                }
                let kind = try entity(of: records[indices[0]]).number
                for (index, id) in zip(indices, try context.newRowIDs(of: known.entities[kind], wishes: wishes)) {
                    ids[records[index].number] = id
                    kinds[records[index].number] = kind
                }
            }
        }

        private func append(_ record: ArchiveRecord) throws {
            guard let id = ids[record.number] else { return }
            let entity = try entity(of: record)
            let layout = id.entity.layout
            var values = layout.defaults
            for (column, value) in record.values.enumerated() {
                guard let number = entity.attributes[column] else { continue }
                values[number] = try ManagedValue(value, layout, number)
            }
            places[record.number] = writtenCount + rows.count
            rows.append(RowChange(objectID: id, version: 0, values: values, changed: layout.persistentSlots))
            counts[entity.number].inserted += 1
        }

        /// Changes a slot of a row, now or, where it is written already, with the next save.
        private func set(
            _ slot: Int, of number: Int, to value: ManagedValue, _ ends: @autoclosure () -> [NSManagedObjectID]
        ) {
            guard let place = places[number], place >= writtenCount else {
                return late.append(Late(number: number, slot: slot, ends: ends()))
            }
            rows[place - writtenCount].values[slot] = value
        }

        // MARK: Relationships

        private func link(_ record: ArchiveRecord) throws {
            let entity = try entity(of: record)
            for (column, destination) in record.destinations.enumerated() where destination != ArchiveRecord.none {
                guard let number = entity.toOnes[column] else { continue }
                if ids[destination] == nil {
                    pending.append(record.number, number, [destination])
                } else {
                    try link(record.number, entity.number, number, to: destination)
                }
            }
            for (column, members) in record.members.enumerated() where !members.isEmpty {
                guard let number = entity.toManys[column] else { continue }
                if members.contains(where: { ids[$0] == nil }) {
                    pending.append(record.number, number, members)
                } else {
                    try link(record.number, entity.number, number, to: members)
                }
            }
        }

        private func link(_ owner: Int, _ entity: Int, _ number: Int, to members: [Int]) throws {
            for member in members { try requireFit(member, entity, number) }
            var seen: Set<Int> = []
            let ends = members.compactMap { seen.insert($0).inserted ? ids[$0] : nil }
            set(number, of: owner, to: .memberIDs(ends), ends)
        }

        private func link(_ owner: Int, _ entity: Int, _ number: Int, to destination: Int) throws {
            guard let id = ids[owner], let end = ids[destination] else { return }
            try requireFit(destination, entity, number)
            set(number, of: owner, to: .objectID(end), [end])
            let property = schema.entities[entity].properties[number]
            guard let inverse = property.inverse, schema.isOneToOne(property), !match.saysBothEnds(of: property) else {
                return
            }
            // An archive says one end of a pair: the other one follows.
            set(inverse, of: destination, to: .objectID(id), [id])
        }

        private func requireFit(_ member: Int, _ entity: Int, _ number: Int) throws {
            guard let kind = kinds[member], let destination = schema.entities[entity].properties[number].destination,
                schema.isEntity(kind, kindOf: destination)
            else {
                let property = schema.entities[entity].properties[number]
                let found = known.entities[kinds[member] ?? entity]
                throw GraftError.misledReference(to: found, property, schema, from: known.entities[entity])
            }
        }

        // MARK: Writing

        /// Writes the rows that there are.
        func save() throws {
            do {
                try context.save(inserted: rows, updated: updates())
            } catch let conflict as StoreUniquenessConflict {
                throw try duplicate(conflict)
            }
            writtenCount += rows.count
            rows.removeAll(keepingCapacity: true)
        }

        /// The error of rows that share what a uniqueness constraint gives to one.
        private func duplicate(_ conflict: StoreUniquenessConflict) throws -> GraftError {
            let row = rows.first { conflict.inserted.contains($0.objectID) }
            let values = try conflict.constraint.map { name -> String in
                guard let row, let slot = row.objectID.entity.layout.slot(named: name) else { return name }
                return try GraphValue(row.values[slot], nil).description
            }
            return GraftError(
                .duplicateIdentity(values.joined(separator: ", ")),
                at: .init(entity: conflict.entity.name, property: conflict.constraint.joined(separator: ", ")))
        }

        /// Links what had to wait: all objects have come.
        ///
        /// - Parameter didLink: Is called after each batch.
        func finish(_ didLink: () throws -> Void) throws {
            for link in pending.links {
                if late.count >= batchSize {
                    try didLink()
                    try save()
                }
                let (owner, number) = (Int(link.owner), Int(link.property))
                let members = pending.members(of: link)
                guard let entity = kinds[owner], members.allSatisfy({ ids[$0] != nil }) else {
                    throw GraftError.missingReference
                }
                if schema.entities[entity].properties[number].isToMany {
                    try self.link(owner, entity, number, to: members)
                } else {
                    try self.link(owner, entity, number, to: members[0])
                }
            }
            try didLink()
            try save()
        }

        /// The changes of rows that were written before, one for each row.
        private func updates() -> [RowChange] {
            let changed = Dictionary(grouping: late) { $0.number }.sorted { $0.key < $1.key }
            late.removeAll()
            return changed.compactMap { number, changes in
                guard let id = ids[number] else { return nil }
                let version = versions[number] ?? 1
                versions[number] = version + 1
                var row = RowChange(
                    objectID: id, version: version, values: id.entity.layout.defaults, changed: SlotSet())
                for change in changes {
                    row.changed.insert(change.slot)
                    let slot = id.entity.layout.slots[change.slot]
                    switch slot.kind {
                    case .toMany(let isOrdered):
                        // From many to many, the other side may have made the pair already: the order makes those that aren't there.
                        let isMade = isOrdered && slot.relationship?.inverseRelationship?.isToMany ?? false
                        row.relations.append(
                            RelationChange(
                                slot: change.slot, added: isMade ? [] : change.ends, removed: [],
                                order: isOrdered ? change.ends : nil))
                    default: row.values[change.slot] = change.ends.first.map(ManagedValue.objectID) ?? .null
                    }
                }
                return row
            }
        }
    }
#endif
