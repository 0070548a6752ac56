// `detectConflicts(for:)` of an object in another store of the coordinator than those to which the save writes.

import CoreData
import Testing

@Suite struct WatchedInOtherStoreTests {
    @Test(arguments: StoreKind.allCases)
    func `a save minds an object of a store that it doesn't write to`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let (type, url) = try kind.newStore()
        let second = try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let book = library.insert("Book", ["title": "one"]), other = library.insert("Book", ["title": "two"])
        library.context.assign(other, to: second)
        try library.context.save()

        library.context.detectConflicts(for: other)
        let elsewhere = library.newContext()
        try elsewhere.existingObject(with: other.objectID).setValue("elsewhere", forKey: "title")
        try elsewhere.save()
        book.setValue("changed", forKey: "title")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectMerge)
        // Nothing has been written to the other store either.
        let titles = try library.fetch("Book", sortedBy: "title", in: library.newContext()).map { $0.text("title") }
        #expect(titles == ["elsewhere", "one"])
        library.context.refresh(other, mergeChanges: false)
        try library.context.save()
    }
}
