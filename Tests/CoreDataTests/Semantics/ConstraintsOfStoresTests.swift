// A uniqueness constraint is an index of one store's table: under the error policy, two stores may each have a row with the same
// unique values. Under the other policies a new object of one store must not give way to an object of another one.

import CoreData
import Testing

@Suite struct ConstraintsOfStoresTests {
    static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ]

    private func twoStores(_ kind: StoreKind) throws -> (library: Library, second: NSPersistentStore) {
        let library = try Library(kind)
        let (type, url) = try kind.newStore()
        let second = try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        return (library, second)
    }

    @Test(arguments: StoreKind.allCases, policies)
    func `a new object of one store stays beside the object of another one with its unique values`(
        _ kind: StoreKind, _ policy: NSMergePolicy
    ) throws {
        let (library, second) = try twoStores(kind)
        _ = library.insert("Book", ["isbn": "1", "title": "here"])
        try library.context.save()
        library.context.mergePolicy = policy
        let there = library.insert("Book", ["isbn": "1", "title": "there"])
        library.context.assign(there, to: second)
        try library.context.save()
        let books = try library.fetch("Book", sortedBy: "title", in: library.newContext())
        #expect(books.map { $0.text("title") } == ["here", "there"])
        #expect(books.map { $0.objectID.persistentStore === second } == [false, true])
    }

    @Test(arguments: StoreKind.allCases, policies)
    func `two new objects with the same unique values go to two stores`(
        _ kind: StoreKind, _ policy: NSMergePolicy
    ) throws {
        let (library, second) = try twoStores(kind)
        library.context.mergePolicy = policy
        _ = library.insert("Book", ["isbn": "1", "title": "here"])
        let there = library.insert("Book", ["isbn": "1", "title": "there"])
        library.context.assign(there, to: second)
        try library.context.save()
        let books = try library.fetch("Book", sortedBy: "title", in: library.newContext())
        #expect(books.map { $0.text("title") } == ["here", "there"])
    }
}
