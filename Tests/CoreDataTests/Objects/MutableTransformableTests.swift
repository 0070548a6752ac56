// Transformable values of Foundation's mutable classes: they come back as what they were, and as nobody else's.

import CoreData
import Foundation
import Testing

@Suite struct MutableTransformableTests {
    private func container(_ type: String, in folder: URL) throws -> NSPersistentContainer {
        let attribute = NSAttributeDescription()
        attribute.name = "tree"
        attribute.attributeType = .transformableAttributeType
        attribute.isOptional = true
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        title.isOptional = true
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.managedObjectClassName = NSStringFromClass(NSManagedObject.self)
        entity.properties = [attribute, title]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Notes.sqlite"))
        description.type = type
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    /// Runs a block with a container whose store has one note with a tree.
    private func perform(
        _ type: String, _ tree: Any, _ body: (NSPersistentContainer, NSManagedObjectID) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try container(type, in: folder)
        let context = container.newBackgroundContext()
        let id = try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(tree, forKey: "tree")
            try context.save()
            return note.objectID
        }
        try body(container, id)
    }

    private func note(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try context.existingObject(with: id)
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `a mutable tree comes back as one, and each context has its own`(type: String) throws {
        let tree = NSMutableDictionary(dictionary: ["list": NSMutableArray(array: ["a"]), "fixed": ["x"]])
        try perform(type, tree) { container, id in
            let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
            let mine = try one.performAndWait { () -> NSMutableDictionary in
                let note = try note(id, one)
                let tree = try #require(note.value(forKey: "tree") as? NSMutableDictionary)
                #expect(note.value(forKey: "tree") as? NSMutableDictionary === tree)
                #expect(tree["list"] as? [String] == ["a"] && tree["fixed"] as? [String] == ["x"])
                tree["more"] = 1
                // What is done in place is no change of the object's.
                #expect(!one.hasChanges && (note.value(forKey: "tree") as? [String: Any])?.count == 3)
                return tree
            }
            try other.performAndWait {
                let tree = try #require(try note(id, other).value(forKey: "tree") as? NSMutableDictionary)
                #expect(tree !== mine && tree.count == 2)
            }
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `what was changed in place and is set again is saved`(type: String) throws {
        try perform(type, NSMutableArray(array: ["a"])) { container, id in
            let context = container.newBackgroundContext()
            try context.performAndWait {
                let note = try note(id, context)
                let list = try #require(note.value(forKey: "tree") as? NSMutableArray)
                list.add("b")
                note.setValue(list, forKey: "tree")
                note.setValue("t", forKey: "title")
                try context.save()
                // Once more, when the object that was set has been saved.
                list.add("c")
                note.setValue(list, forKey: "tree")
                #expect(context.hasChanges)
                try context.save()
            }
            let other = container.newBackgroundContext()
            try other.performAndWait {
                let read = try note(id, other).value(forKey: "tree")
                #expect(read as? [String] == ["a", "b", "c"] && read is NSMutableArray)
            }
        }
    }

    @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func `sets, texts and data at the top keep their classes, too`(type: String) throws {
        for value in [
            NSMutableSet(array: ["a"]), NSMutableOrderedSet(array: ["b", "a"]), NSMutableString(string: "t"),
            NSMutableData(data: Data([1, 2])),
        ] as [NSObject] {
            try perform(type, value) { container, id in
                let context = container.newBackgroundContext()
                try context.performAndWait {
                    let read = try #require(try note(id, context).value(forKey: "tree") as? NSObject)
                    #expect(
                        Swift.type(of: read) == Swift.type(of: value) && read.isEqual(value), "\(Swift.type(of: read))")
                }
            }
        }
        // What can't be changed stays so.
        try perform(type, ["a"]) { container, id in
            let context = container.newBackgroundContext()
            try context.performAndWait {
                let read = try note(id, context).value(forKey: "tree")
                #expect(!(read is NSMutableArray))
            }
        }
    }
}
