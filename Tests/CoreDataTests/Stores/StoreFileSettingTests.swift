// What a coordinator does with a store's file besides reading and writing objects.

import CoreData
import Foundation
import Testing

@Suite struct StoreFileSettingTests {
    private static let type = NSSQLiteStoreType

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("setting-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func makeStore(_ url: URL, titles: [String]) throws {
        let library = try Library(at: url, model: LibraryModel.make())
        for title in titles { _ = library.insert("Book", ["title": title]) }
        try library.context.save()
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
    }

    @Test func `metadata are set for a file that isn't open, and what describes the file stays`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try makeStore(url, titles: ["a"])
            let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: url)
            try NSPersistentStoreCoordinator.setMetadata(
                ["colour": "red"], forPersistentStoreOfType: Self.type, at: url)
            let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: Self.type, at: url)
            #expect(after["colour"] as? String == "red")
            #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
            #expect(
                after[NSStoreModelVersionHashesKey] as? [String: Data]
                    == before[NSStoreModelVersionHashesKey] as? [String: Data])
            let library = try Library(at: url, model: LibraryModel.make())
            #expect(try library.fetch("Book").count == 1)
            #expect(throws: CocoaError.self) {
                try NSPersistentStoreCoordinator.setMetadata(
                    [:], type: .sqlite, at: folder.appendingPathComponent("none.sqlite"))
            }
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("none.sqlite").path))
        }
    }

    @Test func `a store reads and writes another file once its URL is set, and stays where there is none`() throws {
        try withFolder { folder in
            let first = folder.appendingPathComponent("1.sqlite"), second = folder.appendingPathComponent("2.sqlite")
            try makeStore(first, titles: ["a"])
            try makeStore(second, titles: ["b", "c"])
            let library = try Library(at: first, model: LibraryModel.make())
            let store = library.coordinator.persistentStores[0]
            #expect(!library.coordinator.setURL(folder.appendingPathComponent("3.sqlite"), for: store))
            #expect(library.coordinator.url(for: store) == first)
            #expect(try library.fetch("Book").map { $0.text("title") } == ["a"])
            library.context.reset()
            #expect(library.coordinator.setURL(second, for: store))
            #expect(try library.fetch("Book", sortedBy: "title").map { $0.text("title") } == ["b", "c"])
            _ = library.insert("Book", ["title": "d"])
            try library.context.save()
            let check = try Library(at: second, model: LibraryModel.make())
            #expect(try check.fetch("Book").count == 3)
        }
    }

    @Test func `the space of deleted rows goes back to the file system on opening where that is asked for`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            try makeStore(url, titles: (0..<2000).map { "\($0)" + String(repeating: "x", count: 500) })
            func size() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
            }
            do {
                let library = try Library(at: url, model: LibraryModel.make())
                for book in try library.fetch("Book") { library.context.delete(book) }
                try library.context.save()
                for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
            }
            let full = try size()
            do {
                let options: [String: Any] = [
                    NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true,
                    NSSQLitePragmasOption: ["journal_mode": "DELETE"],
                ]
                let library = try Library(at: url, model: LibraryModel.make(), options: options)
                #expect(try library.fetch("Book").isEmpty)
            }
            #expect(try size() * 2 < full)
        }
    }
}
