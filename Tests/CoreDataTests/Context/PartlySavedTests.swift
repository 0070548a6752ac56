// Saves over several stores of which a later one refuses: each store's part is a transaction of its own.

import CoreData
import Foundation
import Testing

@Suite struct PartlySavedTests {
    /// Two stores with one model; what nobody assigns is in the first.
    private final class TwoStores {
        let library: Library
        let second: NSPersistentStore
        let book: NSManagedObject
        let other: NSManagedObject

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            let (type, url) = try kind.newStore()
            second = try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
            book = library.insert("Book", ["title": "one"])
            other = library.insert("Book", ["title": "two"])
            library.context.assign(other, to: second)
            try library.context.save()
        }

        /// What makes the second store refuse the next change of its book.
        func changeElsewhere() throws {
            let context = library.newContext()
            try context.existingObject(with: other.objectID).setValue("elsewhere", forKey: "title")
            try context.save()
        }

        func titles() throws -> [String?] {
            try library.fetch("Book", sortedBy: "title", in: library.newContext()).map { $0.text("title") }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the save after one that a later store has refused is about the rest`(_ kind: StoreKind) throws {
        let stores = try TwoStores(kind)
        let (library, book, other) = (stores.library, stores.book, stores.other)
        let gone = library.insert("Book", ["title": "gone"])
        try library.context.save()
        try stores.changeElsewhere()
        book.setValue("changed", forKey: "title")
        other.setValue("refused", forKey: "title")
        library.context.delete(gone)
        let (new, waiting) = (library.insert("Book", ["title": "new"]), library.insert("Book", ["title": "waiting"]))
        library.context.assign(waiting, to: stores.second)
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: library.context)
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectMerge)
        #expect(try stores.titles() == ["changed", "elsewhere", "new"])
        // What is written is no change any more, and others have heard of it.
        #expect(library.context.insertedObjects == [waiting] && library.context.updatedObjects == [other])
        #expect(library.context.deletedObjects.isEmpty && gone.managedObjectContext == nil)
        #expect(!new.objectID.isTemporaryID && waiting.objectID.isTemporaryID)
        #expect(library.context.registeredObject(for: new.objectID) === new)
        let info = try #require(saves.notifications.first?.userInfo)
        #expect(saves.count == 1)
        #expect(info[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
        #expect(info[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [book])
        #expect(info[NSDeletedObjectsKey] as? Set<NSManagedObject> == [gone])

        library.context.refresh(other, mergeChanges: true)
        try library.context.save()
        #expect(try stores.titles() == ["changed", "new", "refused", "waiting"])
        #expect(waiting.objectID.persistentStore === stores.second && !library.context.hasChanges)
        for object in [book, new] { object.setValue("again", forKey: "title") }
        try library.context.save()
        #expect(try stores.titles() == ["again", "again", "refused", "waiting"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a save that a merge policy tries again writes each store's changes once`(_ kind: StoreKind) throws {
        let stores = try TwoStores(kind)
        let (library, book, other) = (stores.library, stores.book, stores.other)
        try stores.changeElsewhere()
        book.setValue("changed", forKey: "title")
        other.setValue("mine", forKey: "title")
        let new = library.insert("Book", ["title": "new"])
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: library.context)
        try library.context.save()
        #expect(try stores.titles() == ["changed", "mine", "new"])
        #expect(saves.count == 1)
        #expect(saves.notifications.first?.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [book, other])
        #expect(!new.objectID.isTemporaryID && !library.context.hasChanges)
        library.context.mergePolicy = NSMergePolicy.error
        book.setValue("again", forKey: "title")
        try library.context.save()
        #expect(try stores.titles() == ["again", "mine", "new"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a link into another store is refused before any store is written`(_ kind: StoreKind) throws {
        for key in ["author", "tags"] {
            let stores = try TwoStores(kind)
            let (library, book, other) = (stores.library, stores.book, stores.other)
            book.setValue("changed", forKey: "title")
            let here = library.insert(key == "author" ? "Author" : "Tag")
            if key == "author" {
                here.setValue("Ada", forKey: "name")
                other.setValue(here, forKey: key)
            } else {
                other.setValue(NSSet(array: [here]), forKey: key)
            }
            let error = try #require(throws: CocoaError.self) { try library.context.save() }
            #expect(error.code == .managedObjectExternalRelationship)
            #expect(error.localizedDescription.contains("Book.author'") == (key == "author"))
            #expect(try stores.titles() == ["one", "two"])
            library.context.assign(here, to: stores.second)
            try library.context.save()
            #expect(try stores.titles() == ["changed", "two"])
        }
    }
}
