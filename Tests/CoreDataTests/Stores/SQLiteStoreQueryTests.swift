// Fetches through the backend: rows, IDs, counts and dictionaries, their order, and the statements that run for them.
// What predicates mean is tested with them (Tests/CoreDataTests/Fetching).

import Foundation
import Testing

@testable import CoreData

@Suite struct SQLiteStoreQueryTests {
    /// Bruce 40, Diana 30, Barry 40, and Robin, who is a sidekick and has no age.
    private func heroes() throws -> TestStore {
        let store = try TestStore(TestModel.heroes())
        try store.insert(
            "Hero",
            [("Bruce", 40), ("Diana", 30), ("Barry", 40)].map { ["name": .string($0.0), "age": .integer($0.1)] })
        try store.insert("Sidekick", ["name": .string("Robin")])
        return store
    }

    private func query(_ store: TestStore, _ entity: String = "Hero", _ sort: [(String, Bool)] = []) throws
        -> StoreQuery
    {
        StoreQuery(
            entity: try store.entity(entity),
            sortDescriptors: sort.map { NSSortDescriptor(key: $0.0, ascending: $0.1) })
    }

    private func names(_ store: TestStore, _ query: StoreQuery) throws -> [String] {
        try store.backend.rows(matching: query).map { row in
            let slot = try #require(row.objectID.entity.layout.slot(named: "name"))
            return row.values[slot].shown.replacingOccurrences(of: "string ", with: "")
        }
    }

    @Test func `without an order rows come by key, sub-entities among them`() throws {
        let store = try heroes()
        #expect(try names(store, query(store)) == ["Bruce", "Diana", "Barry", "Robin"])
        #expect(try names(store, query(store, "Sidekick")) == ["Robin"])
        var own = try query(store)
        own.includesSubentities = false
        #expect(try names(store, own) == ["Bruce", "Diana", "Barry"])
        #expect(try store.backend.count(matching: own) == 3)
    }

    @Test func `rows are of their exact entity and have its slots`() throws {
        let store = try heroes()
        let row = try #require(try store.backend.rows(matching: query(store)).last)
        #expect(row.objectID.entity.name == "Sidekick")
        #expect(row.values.count == row.objectID.entity.layout.slots.count)
        #expect(row.version == 1)
        let unread = row.objectID.entity.layout.toManySlots.map { row.values[$0].shown }
        #expect(unread == ["unread", "unread", "unread"])
    }

    @Test func `rows are ordered by the descriptors, then by key; missing values come first`() throws {
        let store = try heroes()
        #expect(try names(store, query(store, "Hero", [("age", true)])) == ["Robin", "Diana", "Bruce", "Barry"])
        #expect(
            try names(store, query(store, "Hero", [("age", false), ("name", true)])) == [
                "Barry", "Bruce", "Diana", "Robin",
            ])
    }

    @Test func `an order can follow to-one relationships, with one join for several uses`() throws {
        let store = try heroes()
        let ids = try store.backend.objectIDs(matching: query(store))
        try store.update(ids[0], ["mentor": .objectID(ids[1])])
        try store.update(ids[3], ["mentor": .objectID(ids[2])])
        let sorted = try query(store, "Hero", [("mentor.name", false), ("mentor.age", true)])
        #expect(try names(store, sorted) == ["Bruce", "Robin", "Diana", "Barry"])
        let statements = try store.statements { _ = try names(store, sorted) }
        #expect(statements.count == 1)
        #expect(statements[0].components(separatedBy: "JOIN").count == 2)
    }

    @Test func `limit and offset cut the ordered rows, for counts too`() throws {
        let store = try heroes()
        var limited = try query(store, "Hero", [("name", true)])
        limited.limit = 2
        limited.offset = 1
        #expect(try names(store, limited) == ["Bruce", "Diana"])
        #expect(try store.backend.count(matching: limited) == 2)
        limited.limit = nil
        #expect(try names(store, limited) == ["Bruce", "Diana", "Robin"])
        limited.offset = 10
        #expect(try store.backend.count(matching: limited) == 0)
    }

    @Test func `IDs, counts and rows of a predicate agree and take one statement each`() throws {
        let store = try heroes()
        var matching = try query(store)
        matching.predicate = NSPredicate(format: "age = %d", 40)
        let statements = try store.statements {
            let found = try names(store, matching)
            let keys = try store.backend.objectIDs(matching: matching).map(\.number)
            let count = try store.backend.count(matching: matching)
            #expect(found == ["Bruce", "Barry"])
            #expect(keys == [1, 3])
            #expect(count == 2)
        }
        #expect(statements.count == 3)
        #expect(statements.allSatisfy { $0.contains("?") && !$0.contains("40") })
    }

    @Test func `an unknown key is an error that names it`() throws {
        let store = try heroes()
        let error = try #require(throws: CocoaError.self) { try names(store, query(store, "Hero", [("wings", true)])) }
        #expect(error.localizedDescription.contains("wings"))
    }

    // MARK: Dictionaries

    @Test func `dictionaries hold boxed values by key path and leave out what is nil`() throws {
        let store = try heroes()
        let ids = try store.backend.objectIDs(matching: query(store))
        try store.update(ids[3], ["mentor": .objectID(ids[0])])
        let rows = try store.backend.dictionaries(
            matching: query(store, "Hero", [("name", false)]), columns: ["name", "age", "mentor", "mentor.name"],
            distinct: false)
        #expect(rows.map { $0["name"] as? String } == ["Robin", "Diana", "Bruce", "Barry"])
        #expect(rows[0]["mentor"] as? NSManagedObjectID == ids[0])
        #expect(rows[0]["mentor.name"] as? String == "Bruce")
        #expect(rows[0]["age"] == nil)
        #expect(rows[1]["age"] as? Int == 30)
        #expect(rows[1].keys.sorted() == ["age", "name"])
    }

    @Test func `distinct dictionaries are each there once, in a defined order`() throws {
        let store = try heroes()
        let rows = try store.backend.dictionaries(matching: query(store), columns: ["age"], distinct: true)
        #expect(rows.map { $0["age"] as? Int } == [nil, 30, 40])
    }

    @Test func `a to-many relationship has no place in a dictionary`() throws {
        let store = try heroes()
        let error = try #require(throws: CocoaError.self) {
            try store.backend.dictionaries(matching: query(store), columns: ["powers"], distinct: false)
        }
        #expect(error.localizedDescription.contains("powers"))
    }

    // MARK: Identity

    @Test func `an ID made from a key has the row's own entity`() throws {
        let store = try heroes()
        let id = store.backend.objectID(for: try store.entity("Hero"), primaryKey: 4)
        #expect(id.entity.name == "Sidekick")
        #expect(store.backend.objectID(for: try store.entity("Hero"), primaryKey: 99).entity.name == "Hero")
    }

    // MARK: Chunks

    @Test func `keys are taken in lists of few lengths or as ranges, and every key once`() {
        for (count, step) in [0, 1, 2, 8, 9, 64, 65, 1024, 1025, 3000].flatMap({ [($0, 1), ($0, 2)] }) {
            let keys = (0..<count).map { Int64($0 * step) }
            let chunks = Array(KeyChunks(keys))
            #expect(chunks.flatMap { Array($0.keys) } == keys)
            for chunk in chunks {
                if let size = chunk.size {
                    #expect(KeyChunks.sizes.contains(size) && chunk.keys.count <= size)
                } else {
                    #expect(chunk.keys.last == chunk.keys.first.map { $0 + Int64(chunk.keys.count - 1) })
                }
            }
            #expect(step == 1 && count >= 64 ? chunks.count == 1 : chunks.allSatisfy { $0.size != nil })
        }
        let (edge, mixed) = ([Int64.max - 1, .max], [3, 7] + (100..<300).map(Int64.init) + [302, 302])
        #expect(KeyChunks(edge).flatMap { Array($0.keys) } == edge)
        #expect(KeyChunks(mixed).flatMap { Array($0.keys) } == mixed)
    }
}
