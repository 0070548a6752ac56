// An import into an empty store without objects: what the data is about is rows in memory, until one save writes all of them. As soon as
// the data has something of which only objects know what becomes of it, the import begins anew with these:
//
//     values     that a rule of the model may refuse, or that a store computes
//     links      at both ends of a relationship, again and otherwise, or to an object that somebody has already
//     objects    without an identity below one that the data has had before; of entities that inherit; that are gone
//
// The store is the same either way.

import CoreData

/// The data can't be taken as rows alone.
struct NeedsObjects: Error {}

#if canImport(Darwin) || GRAFT_PORTABLE
    /// Rows without objects, which Apple's Core Data doesn't have.
    final class NewRows {
        init?(_ importer: BatchImporter) throws { return nil }

        func take(_ snapshot: borrowing GraphSnapshot) throws {}

        func save(_ counts: inout [ImportReport.Counts]) throws {}
    }
#else
    /// The rows of an import into an empty store.
    final class NewRows {
        private let context: NSManagedObjectContext
        private let schema: GraphSchema
        private let plans: [ImportPlan]
        /// By entity.
        private let layouts: [EntityLayout]

        private var rows: [Row] = []
        /// Where the to-one relationships of the rows lead, by row and column: the number of a row, or -1.
        private var toOnes: [Int32] = []
        private var lists: [ListKey: [Int32]] = [:]
        /// By identity space: the numbers of rows.
        private var identities: [HashIndex<Int32>]
        /// By entity: whether a row says all of its objects.
        private let isPlain: [Bool]
        /// By entity and property: whether the data has said something of a relationship.
        private var isSaid: [[Bool]]

        private struct Row {
            var entity: Int
            /// Whether the data has said nothing of it but its identity.
            var isStub: Bool
            /// Where its to-one relationships begin.
            var toOnes: Int
            var values: SlotValues
        }

        private struct ListKey: Hashable {
            var row: Int32
            var property: Int
        }

        /// - Returns: Nil where the store has objects, or somebody may have to see the new ones: a class of contexts, or a parent.
        init?(_ importer: BatchImporter) throws {
            let known = importer.matcher.known
            guard importer.settles, type(of: importer.context) == NSManagedObjectContext.self,
                importer.context.parent == nil, importer.context.soleStore != nil,
                try known.entities.indices.allSatisfy({ try known.isEmpty($0) })
            else { return nil }
            context = importer.context
            schema = importer.schema
            plans = importer.plans
            layouts = known.entities.map(\.layout)
            identities = schema.entities.map { _ in HashIndex() }
            isPlain = zip(plans, layouts).map(Self.isPlain)
            isSaid = schema.entities.map { $0.properties.map { _ in false } }
        }

        // MARK: Batches

        /// Takes over a batch.
        ///
        /// - Throws: ``NeedsObjects``.
        func take(_ snapshot: borrowing GraphSnapshot) throws {
            guard snapshot.isPlain else { throw NeedsObjects() }
            let before = rows.count
            var numbers = snapshot.tables.map { [Int32](repeating: -1, count: $0.count) }
            // In the order in which objects would be made, for that is how the store numbers them.
            for root in snapshot.roots { try enter(snapshot.resolved(root), &numbers, snapshot) }
            for entity in plans.indices {
                for row in 0..<snapshot.tables[entity].count {
                    try enter(RowReference(entity: entity, row: row), &numbers, snapshot)
                }
            }
            for entity in plans.indices {
                for (row, number) in numbers[entity].enumerated() where number >= 0 {
                    let reference = RowReference(entity: entity, row: row)
                    try fill(number, isNew: number >= before, reference, numbers, snapshot)
                }
            }
        }

        /// Gives a row of the batch the number of its object's.
        private func enter(
            _ row: RowReference, _ numbers: inout [[Int32]], _ snapshot: borrowing GraphSnapshot
        ) throws {
            let flags = snapshot.tables[row.entity].flags[row.row]
            if numbers[row.entity][row.row] >= 0 || flags.contains(.dead) { return }
            guard isPlain[row.entity], !flags.contains(.gone) else { throw NeedsObjects() }
            let plan = plans[row.entity]
            let isStub = plan.isReference(row.row, snapshot)
            var hash: UInt64?
            if !plan.identity.isEmpty {
                hash = snapshot.identityHash(entity: row.entity, row: row.row, columns: plan.identityColumns)
                guard let hash else { throw NeedsObjects() }
                if let known = try number(of: row, hash, plan, snapshot) {
                    numbers[row.entity][row.row] = known
                    if !isStub { rows[Int(known)].isStub = false }
                    return
                }
            }
            let number = Int32(rows.count)
            rows.append(
                Row(entity: row.entity, isStub: isStub, toOnes: toOnes.count, values: layouts[row.entity].defaults))
            for _ in 0..<snapshot.tables[row.entity].toOneCount { toOnes.append(-1) }
            if let hash { identities[plan.space].insert(number, hash: hash) }
            numbers[row.entity][row.row] = number
        }

        private func number(
            of row: RowReference, _ hash: UInt64, _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
        ) throws -> Int32? {
            let table = row.entity
            let values = plan.identityColumns.map { snapshot.tables[table].value($0, row: row.row) }
            return try identities[plan.space].first(hash) { number in
                try zip(plan.identity, values).allSatisfy { part, value in
                    try rows[Int(number)].values[part].holds(value, plan.properties[part].attributeKind)
                }
            }
        }

        // MARK: Values and links

        private func fill(
            _ number: Int32, isNew: Bool, _ row: RowReference, _ numbers: [[Int32]],
            _ snapshot: borrowing GraphSnapshot
        ) throws {
            let words = snapshot.tables[row.entity].wordCount
            for word in 0..<words {
                var bits = snapshot.tables[row.entity].presence[row.row &* words &+ word]
                while bits != 0 {
                    let property = word &* 64 &+ bits.trailingZeroBitCount
                    bits &= bits &- 1
                    let described = plans[row.entity].properties[property]
                    if described.isAttribute {
                        try set(property, of: Int(number), isNew: isNew, row, snapshot)
                        continue
                    }
                    try noteSaid(property, described, row.entity)
                    if described.isToMany {
                        try link(number, property, described, isNew: isNew, row, numbers, snapshot)
                    } else {
                        try link(number, described, row, numbers, snapshot)
                    }
                }
            }
        }

        private func set(
            _ property: Int, of number: Int, isNew: Bool, _ row: RowReference, _ snapshot: borrowing GraphSnapshot
        ) throws {
            let described = plans[row.entity].properties[property]
            if described.isTransient || described.isDerived { throw NeedsObjects() }
            let value = snapshot.tables[row.entity].value(described.column, row: row.row)
            let old = rows[number].values[property]
            // Of equal values, the first one stays: a tree's 1 and 1.0.
            if !isNew, try old.holds(value, described.attributeKind) { return }
            rows[number].values[property] = try ManagedValue(value, layouts[row.entity], property, in: old)
        }

        /// - Throws: ``NeedsObjects`` where the data speaks of the other end as well, or the other end has an order.
        private func noteSaid(_ property: Int, _ described: GraphSchema.Property, _ entity: Int) throws {
            if isSaid[entity][property] { return }
            isSaid[entity][property] = true
            guard let inverse = described.inverse, let destination = described.destination else { return }
            let back = plans[destination].properties[inverse]
            guard !isSaid[destination][inverse], !back.isOrdered, !described.isTransient else { throw NeedsObjects() }
        }

        private func link(
            _ number: Int32, _ described: GraphSchema.Property, _ row: RowReference, _ numbers: [[Int32]],
            _ snapshot: borrowing GraphSnapshot
        ) throws {
            let end = snapshot.tables[row.entity].toOne(described.column, row: row.row)
            guard !end.isNone else {
                if toOnes[rows[Int(number)].toOnes + described.column] >= 0 { throw NeedsObjects() }
                return
            }
            let destination = try self.number(of: end, numbers, snapshot)
            try lead(number, by: described, to: destination)
            try leadBack(destination, by: described, to: number)
        }

        private func number(
            of end: RowReference, _ numbers: [[Int32]], _ snapshot: borrowing GraphSnapshot
        ) throws -> Int32 {
            let row = snapshot.resolved(end)
            let number = numbers[row.entity][row.row]
            if number < 0 { throw NeedsObjects() }
            return number
        }

        /// Lets a row lead to another one, unless it leads elsewhere.
        private func lead(_ number: Int32, by described: GraphSchema.Property, to end: Int32) throws {
            let place = rows[Int(number)].toOnes + described.column
            guard toOnes[place] < 0 || toOnes[place] == end else { throw NeedsObjects() }
            toOnes[place] = end
        }

        /// Lets an object that only one other can have by a relationship lead back to that one.
        private func leadBack(_ end: Int32, by described: GraphSchema.Property, to owner: Int32) throws {
            guard schema.isExclusive(described), let back = schema.inverse(of: described) else { return }
            try lead(end, by: back, to: owner)
        }

        private func link(
            _ number: Int32, _ property: Int, _ described: GraphSchema.Property, isNew: Bool, _ row: RowReference,
            _ numbers: [[Int32]], _ snapshot: borrowing GraphSnapshot
        ) throws {
            guard plans[row.entity].membersPolicies[property] == .replace || snapshot.hasWholeLists else {
                throw NeedsObjects()
            }
            var members: [Int32] = []
            var seen: Set<Int32> = []
            for index in snapshot.tables[row.entity].toMany(described.column, row: row.row).indices {
                let member = try self.number(of: snapshot.members[index], numbers, snapshot)
                if seen.insert(member).inserted { members.append(member) }
            }
            let key = ListKey(row: number, property: property)
            if !isNew {
                guard members.allSatisfy({ !plans[rows[Int($0)].entity].identity.isEmpty }),
                    lists[key].map({ $0 == members }) ?? true
                else { throw NeedsObjects() }
            }
            for member in members { try leadBack(member, by: described, to: number) }
            if !members.isEmpty { lists[key] = members }
        }

        // MARK: Rules

        /// Whether a row says all of an entity's objects: no class of its own, nothing inherited, and no rule but that something is there.
        private static func isPlain(_ plan: ImportPlan, _ layout: EntityLayout) -> Bool {
            plan.isComparable && !plan.isAbstract && layout.isWithoutClass
                && !plan.identityColumns.contains(where: { $0 < 0 })
                && layout.slots.allSatisfy { slot in
                    // An element that is mandatory in an optional composite attribute depends on the other ones.
                    guard slot.property.validationPredicates.isEmpty, !slot.isTransient,
                        slot.property.isOptional || !slot.isOptional
                    else { return false }
                    guard slot.isToMany, let relationship = slot.relationship else { return true }
                    return slot.isOptional && relationship.minCount == 0 && relationship.maxCount == 0
                }
        }

        /// - Throws: ``NeedsObjects`` where something is missing that has to be there: an object says so in words.
        private func requireMandatory() throws {
            let mandatory = layouts.map { layout in layout.slots.indices.filter { !layout.slots[$0].isOptional } }
            for row in rows {
                for slot in mandatory[row.entity] {
                    let property = plans[row.entity].properties[slot]
                    let isMissing =
                        property.isAttribute ? row.values[slot].isNull : toOnes[row.toOnes + property.column] < 0
                    if isMissing { throw NeedsObjects() }
                }
            }
        }

        // MARK: Writing

        /// Writes all rows, and counts them.
        ///
        /// - Throws: ``NeedsObjects`` where a rule refuses some; what a save throws.
        func save(_ counts: inout [ImportReport.Counts]) throws {
            try requireMandatory()
            var ids = [NSManagedObjectID?](repeating: nil, count: rows.count)
            let byEntity = Dictionary(grouping: rows.indices) { rows[$0].entity }
            for (entity, numbers) in byEntity.sorted(by: { $0.key < $1.key }) {
                let wishes = [Int64?](repeating: nil, count: numbers.count)
                let new = try context.newRowIDs(of: layouts[entity].entity, wishes: wishes)
                for (number, id) in zip(numbers, new) { ids[number] = id }
            }
            let changes = rows.indices.compactMap { number in ids[number].map { change(number, $0, ids) } }
            do {
                try context.save(inserted: changes, updated: [])
            } catch is StoreUniquenessConflict {
                throw NeedsObjects()
            }
            for row in rows {
                if row.isStub { counts[row.entity].stubs += 1 } else { counts[row.entity].inserted += 1 }
            }
        }

        private func change(_ number: Int, _ id: NSManagedObjectID, _ ids: [NSManagedObjectID?]) -> RowChange {
            let row = rows[number]
            var values = row.values
            for property in plans[row.entity].relationships {
                let described = plans[row.entity].properties[property]
                if described.isToMany {
                    guard let members = lists[ListKey(row: Int32(number), property: property)] else { continue }
                    values[property] = .memberIDs(members.compactMap { ids[Int($0)] })
                } else if case let end = toOnes[row.toOnes + described.column], end >= 0, let id = ids[Int(end)] {
                    values[property] = .objectID(id)
                }
            }
            return RowChange(objectID: id, version: 0, values: values, changed: layouts[row.entity].persistentSlots)
        }
    }

    extension GraphSnapshot {
        /// Whether its rows say each thing once, and nothing of what is to go.
        fileprivate var isPlain: Bool {
            earlier.isEmpty && times.isEmpty && removals.isEmpty && removedRows.isEmpty && skippedCounts.isEmpty
                && relatedRows.isEmpty
                && addingLists.isEmpty && claims.isEmpty && !namesClaimed && !hasSiblings && !hasOutdatedRows
                && versionMixCount == 0 && !keepsRepeatedRows
        }
    }
#endif
