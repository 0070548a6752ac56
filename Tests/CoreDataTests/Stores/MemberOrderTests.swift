// A save reads and writes the order keys of the part of a list that has changed: that must not put the rest out of order.

import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct MemberOrderTests {
    private func book(of count: Int, _ kind: StoreKind) throws -> (Library, NSManagedObject) {
        let library = try Library(kind)
        let book = library.insert("Book")
        let chapters = (0..<count).map { library.insert("Chapter", ["heading": "\($0)"]) }
        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        try library.context.save()
        return (library, book)
    }

    @Test(arguments: StoreKind.allCases.dropFirst(), 0..<Laws.count(80, otherwise: 20))
    func `a database has the order that memory has, whoever has changed which part of it`(
        _ kind: StoreKind, _ seed: Int
    ) throws {
        let (found, expected) = (try story(kind, seed), try story(.inMemory, seed))
        let first = zip(found, expected).first { $0 != $1 }
        #expect(found == expected, "seed \(seed): \(String(describing: first))")
    }

    /// What is stored after each save.
    private func story(_ kind: StoreKind, _ seed: Int) throws -> [String] {
        let (library, book) = try book(of: 12, kind)
        let other = library.insert("Book")
        try library.context.save()
        let contexts = [library.context, library.newContext()], lists = [book.objectID, other.objectID]
        for context in contexts {
            context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        }
        var random = SeededGenerator(seed: UInt64(seed))
        return try (0..<25).map { step in
            let context = contexts[Int.random(in: 0..<2, using: &random)]
            for change in 0...Int.random(in: 0..<3, using: &random) {
                try edit(lists.map(context.object), "\(step).\(change)", using: &random)
            }
            var result = ""
            do { try context.save() } catch let error as CocoaError {
                result = "\(error.code.rawValue) "
                context.rollback()
            }
            for context in contexts { context.refreshAllObjects() }
            let reader = library.newContext()
            return result
                + lists.map { id in
                    reader.object(with: id).ordered("chapters").map { $0.text("heading") ?? "" }.joined(separator: " ")
                }.joined(separator: " | ")
        }
    }

    private func edit(_ lists: [NSManagedObject], _ name: String, using random: inout SeededGenerator) throws {
        var chapters = lists[0].ordered("chapters")
        let place = chapters.isEmpty ? 0 : Int.random(in: chapters.indices, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            guard let context = lists[0].managedObjectContext else { return }
            let new = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
            new.setValue(name, forKey: "heading")
            chapters.insert(new, at: Bool.random(using: &random) ? place : chapters.count)
        case 2 where !chapters.isEmpty: chapters.insert(chapters.remove(at: place), at: chapters.count / 2)
        case 3 where !chapters.isEmpty: lists[0].managedObjectContext?.delete(chapters.remove(at: place))
        case 4 where !chapters.isEmpty: chapters.remove(at: place).setValue(lists[1], forKey: "book")
        default:
            guard let back = lists[1].ordered("chapters").first else { return }
            chapters.insert(back, at: place)
        }
        lists[0].setValue(NSOrderedSet(array: chapters), forKey: "chapters")
    }

    // The log of a SQLite store goes into its file when the last connection is closed.
    @Test(arguments: ["chapters", "tags"])
    func `a store in which lists have changed is closed with its removal`(_ name: String) throws {
        let model = LibraryModel.make()
        let relationship = try #require(model.entitiesByName["Book"]?.relationshipsByName[name])
        relationship.isOrdered = true
        let folder = try TemporaryFolder()
        let library = try Library(at: folder.url.appending(path: "Library.sqlite"), model: model)
        let members = (0..<4).map { _ in library.insert(relationship.destinationEntity?.name ?? "") }
        let book = library.insert("Book", [name: NSOrderedSet(array: Array(members.prefix(3)))])
        try library.context.save()
        book.setValue(NSOrderedSet(array: [members[2], members[3], members[0]]), forKey: name)
        try library.context.save()
        let coordinator = try #require(library.context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        let path = try #require(store.url).path
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        try coordinator.remove(store)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}
