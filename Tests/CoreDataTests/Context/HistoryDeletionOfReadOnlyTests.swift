// A history is deleted in all the stores that a request is for, or in none: that one of them can't be written shows first.

import CoreData
import Testing

@Suite struct HistoryDeletionOfReadOnlyTests {
    private static var tracked: [String: Any] { [NSPersistentHistoryTrackingKey: NSNumber(value: true)] }

    private func filled(_ url: URL) throws -> Library {
        let library = try Library(at: url, model: LibraryModel.make(), options: Self.tracked)
        _ = library.insert("Tag", ["label": "a"])
        try library.context.save()
        return library
    }

    private func count(_ library: Library, in store: NSPersistentStore) throws -> Int? {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .count
        request.affectedStores = [store]
        return (try library.context.execute(request) as? NSPersistentHistoryResult)?.result as? Int
    }

    @Test func `a history that can't be deleted in one store stays in all`() throws {
        let folder = try TemporaryFolder()
        let urls = ["a.sqlite", "b.sqlite"].map { folder.url.appendingPathComponent($0) }
        let before = try filled(urls[1])
        for store in before.coordinator.persistentStores { try before.coordinator.remove(store) }
        let library = try filled(urls[0])
        let first = library.coordinator.persistentStores[0]
        try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: urls[1],
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: nil as NSPersistentHistoryToken?)
        #expect(throws: CocoaError.self) { try library.context.execute(request) }
        #expect(try count(library, in: first) == 1)
    }

    // `isReadOnly`: "Whether saves are refused."
    @Test func `a store that is said to be read-only keeps its history`() throws {
        let folder = try TemporaryFolder()
        let library = try filled(folder.url.appendingPathComponent("a.sqlite"))
        let store = library.coordinator.persistentStores[0]
        store.isReadOnly = true
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: nil as NSPersistentHistoryToken?)
        #expect(throws: CocoaError.self) { try library.context.execute(request) }
        #expect(try count(library, in: store) == 1)
    }
}
