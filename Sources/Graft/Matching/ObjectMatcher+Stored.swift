// The identities of all stored objects of an entity, read once. Without an index in the store, each fetch by identity looks at
// every row: as many times as there are batches. So where many are expected, or there have been some, the identities are read into
// columns here, about 30 bytes an object, and from then on objects are fetched by their IDs. Beyond some number they go to temporary
// files. The store's file never gets an index for it.

import CoreData
import Foundation

/// From the hashes of identities to stored objects.
struct StoredIdentities {
    private var hashes: [UInt64] = []
    private var ids = ObjectIDList()
    private var slots = HashSlots()
    /// Those that weren't kept in memory.
    private var runs: [IdentityRun] = []
    private let limit: Int

    /// How many are kept in memory.
    static let limit = 1 << 20

    /// - Parameter limit: How many are kept in memory; the others go to temporary files, where IDs can be packed.
    init(limit: Int) { self.limit = limit }

    /// - Throws: ``GraftError`` with `unwritableFile`.
    mutating func insert(_ id: NSManagedObjectID, hash: UInt64) throws {
        if ObjectIDList.isPacked, hashes.count >= limit {
            runs.append(try IdentityRun(hashes) { ids.packed($0) })
            hashes.removeAll(keepingCapacity: true)
            ids.removeAll()
            slots.removeAll()
        }
        hashes.append(hash)
        ids.append(id)
        slots.append(hashes.count &- 1) { hashes[$0] }
    }

    /// Calls the closure with the ID of each object whose identity has a hash: one as a rule.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`.
    func forEach(_ hash: UInt64, _ body: (NSManagedObjectID) -> Void) throws {
        for run in runs { try run.forEach(hash) { body(ids.unpacked($0.number, $0.kind)) } }
        _ = slots.first(hash) { number in
            if hashes[number] == hash { body(ids[number]) }
            return false
        }
    }
}

extension ObjectMatcher {
    /// So many fetches take about as long as reading all identities.
    private static let fetchesBeforeReading = 4
    private static let chunkSize = 50_000

    /// Whether the objects of an identity space are to be looked up here; reads their identities when it has become worth it.
    func readStoredIdentities(_ plan: ImportPlan) throws -> Bool {
        if stored[plan.space] != nil { return true }
        let names = plan.identity.map { plan.properties[$0].name }
        guard !names.isEmpty, !asksTable.contains(plan.space), !known.entities[plan.number].isSearchable(byOneOf: names)
        else { return false }
        identityFetches[plan.space] += 1
        guard
            identityFetches[plan.space] == (expectedBatches < Self.fetchesBeforeReading ? Self.fetchesBeforeReading : 1)
        else { return false }
        let count = try context.count(for: known.request(plan.number))
        guard count > Self.chunkSize / 10 else { return false }
        var identities = StoredIdentities(limit: keptIdentities)
        for start in stride(from: 0, to: count, by: Self.chunkSize) {
            let ids = try context.rowIDs(
                of: plan.name, includingSubentities: true, includingPendingChanges: false, offset: start,
                limit: Self.chunkSize)
            for (entity, group) in Dictionary(grouping: ids, by: { known.number(of: $0) ?? -1 })
            where entity >= 0 {
                for (id, values) in try context.readValues(plan.identity, schema.entities[entity], of: group) {
                    if values.contains(where: \.isNull) { continue }
                    var hash = IdentityHash()
                    for value in values { hash.combine(value) }
                    do {
                        try identities.insert(id, hash: hash.value)
                    } catch {
                        asksTable.insert(plan.space)
                        return false
                    }
                }
            }
        }
        known.fetchCount += 1
        stored[plan.space] = identities
        return true
    }

    /// What the store has of some rows by the identities that were read of it.
    func fetchStored(
        _ wanted: [RowReference], _ plan: ImportPlan, _ snapshot: borrowing GraphSnapshot
    ) throws -> [StoredRow] {
        guard let identities = stored[plan.space] else { return [] }
        var ids: [NSManagedObjectID] = []
        for reference in wanted {
            let columns = plans[reference.entity].identityColumns
            guard let hash = snapshot.identityHash(entity: reference.entity, row: reference.row, columns: columns)
            else { continue }
            try identities.forEach(hash) { ids.append($0) }
        }
        if ids.isEmpty { return [] }
        known.fetchCount += 1
        return try context.storedRows(ids, plan.name)
    }
}
