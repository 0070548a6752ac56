// Derived attributes of every kind, on all stores: what an expression gives is what a fetch finds after each save.

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct ComputedAttributeTests {
    private static func derived(_ name: String, _ type: NSAttributeType, _ format: String)
        -> NSDerivedAttributeDescription
    {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: format)
        return attribute
    }

    /// The library's model with derived attributes of authors, books and novels.
    private static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        func add(_ entity: String, _ attributes: [NSDerivedAttributeDescription]) {
            model.entitiesByName[entity]?.properties += attributes as [NSPropertyDescription]
        }
        add(
            "Author",
            [
                derived("folded", .stringAttributeType, "canonical:(name)"),
                derived("loud", .stringAttributeType, "uppercase:(name)"),
                derived("pageSum", .integer64AttributeType, "books.@sum.pages"),
                derived("longest", .integer32AttributeType, "max:(books.pages)"),
                derived("bookCount", .integer64AttributeType, "books.@count"),
                derived("changed", .dateAttributeType, "now()"),
                derived("aHeavy", .integer64AttributeType, "pageSum * 2"),
                derived("double", .doubleAttributeType, "rating * 2 + 0.5"),
            ])
        add(
            "Book",
            [
                derived("tagCount", .integer64AttributeType, "tags.@count"),
                derived("authorName", .stringAttributeType, "author.name"),
                derived("authorFolded", .stringAttributeType, "canonical:(author.name)"),
            ])
        add("Novel", [derived("quietGenre", .stringAttributeType, "lowercase:(genre)")])
        return model
    }

    /// The derived attributes of all objects, read anew.
    private func shown(_ library: Library, _ entity: String, _ keys: String...) throws -> [String] {
        library.context.reset()
        return try library.fetch(entity, sortedBy: entity == "Author" ? "name" : "title").map { object in
            keys.map { object.value(forKey: $0).map { "\($0)" } ?? "nil" }.joined(separator: " ")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `functions of an object's own values follow its inserts and updates`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.model())
        _ = library.insert("Author", ["name": "Émile Zola", "rating": 2.5])
        _ = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Novel", ["title": "N", "genre": "CRIME"])
        _ = library.insert("Book", ["title": "B"])
        try library.context.save()
        #expect(
            try shown(library, "Author", "folded", "loud", "double") == ["ada ADA nil", "emile zola ÉMILE ZOLA 5.5"])
        #expect(try shown(library, "Novel", "quietGenre") == ["crime"])
        let ada = try library.fetch("Author", sortedBy: "name")[0]
        ada.setValue("Bé", forKey: "name")
        ada.setValue(1, forKey: "rating")
        ada.setValue("ignored", forKey: "folded")
        try library.context.save()
        #expect(try shown(library, "Author", "folded", "loud", "double")[0] == "be BÉ 2.5")
        ada.managedObjectContext?.reset()
        let found = try library.fetch("Author", where: NSPredicate(format: "folded == 'be'"))
        #expect(found.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `aggregates of a to-many relationship follow its members`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.model())
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        let one = library.insert("Book", ["title": "1", "pages": 10, "author": ada])
        let two = library.insert("Book", ["title": "2", "pages": 20, "author": ada])
        try library.context.save()
        func sums() throws -> [String] {
            let sums = try shown(library, "Author", "pageSum", "longest", "bookCount")
            #expect(try shown(library, "Author", "aHeavy") == sums.map { "\((Int($0.prefix { $0 != " " }) ?? 0) * 2)" })
            return sums
        }
        func book(_ object: NSManagedObject) throws -> NSManagedObject {
            try library.context.existingObject(with: object.objectID)
        }
        #expect(try sums() == ["30 20 2", "0 nil 0"])
        try book(two).setValue(35, forKey: "pages")
        try library.context.save()
        #expect(try sums() == ["45 35 2", "0 nil 0"])
        try book(two).setValue(try library.context.existingObject(with: bea.objectID), forKey: "author")
        try library.context.save()
        #expect(try sums() == ["10 10 1", "35 35 1"])
        library.context.delete(try book(one))
        try library.context.save()
        #expect(try sums() == ["0 nil 0", "35 35 1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the count of a many-to-many relationship follows both sides`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.model())
        let book = library.insert("Book", ["title": "1"]), tags = (0..<3).map { _ in library.insert("Tag") }
        book.mutableSetValue(forKey: "tags").addObjects(from: tags)
        try library.context.save()
        #expect(try shown(library, "Book", "tagCount") == ["3"])
        let tag = try library.fetch("Tag")[0]
        tag.mutableSetValue(forKey: "books").removeAllObjects()
        try library.context.save()
        #expect(try shown(library, "Book", "tagCount") == ["2"])
        library.context.delete(try #require(try library.fetch("Tag").first { !$0.many("books").isEmpty }))
        try library.context.save()
        #expect(try shown(library, "Book", "tagCount") == ["1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `what is derived from a to-one's destination follows it and its value`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.model())
        let ada = library.insert("Author", ["name": "Ädá"])
        let book = library.insert("Book", ["title": "1", "author": ada])
        try library.context.save()
        func names() throws -> [String] { try shown(library, "Book", "authorName", "authorFolded") }
        #expect(try names() == ["Ädá ada"])
        try library.context.existingObject(with: ada.objectID).setValue("BÉA", forKey: "name")
        try library.context.save()
        #expect(try names() == ["BÉA bea"])
        try library.context.existingObject(with: book.objectID).setValue(nil, forKey: "author")
        try library.context.save()
        #expect(try names() == ["nil nil"])
    }

    @Test(arguments: StoreKind.allCases)
    func `now is the moment of an object's last save, and of no other object's`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.model())
        let before = Date()
        _ = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Author", ["name": "Bea"])
        try library.context.save()
        func moments() throws -> [Date] {
            library.context.reset()
            return try library.fetch("Author", sortedBy: "name").compactMap { $0.value(forKey: "changed") as? Date }
        }
        let first = try moments()
        #expect(first.count == 2 && first.allSatisfy { abs($0.timeIntervalSince(before)) < 60 })
        Thread.sleep(forTimeInterval: 0.02)
        try library.fetch("Author", sortedBy: "name")[0].setValue(3.0, forKey: "rating")
        try library.context.save()
        let second = try moments()
        #expect(second[0] > first[0] && second[1] == first[1])
    }

    @Test func `batches keep them as well`() throws {
        let library = try Library(.database, model: Self.model())
        try library.context.execute(
            NSBatchInsertRequest(entityName: "Author", objects: [["name": "Éva"], ["name": "Ida"]]))
        #expect(Set(try shown(library, "Author", "folded")) == ["eva", "ida"])
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "Ö"]
        try library.context.execute(update)
        #expect(try shown(library, "Author", "folded") == ["o", "o"])
    }

    @Test func `the file has no trigger that another program couldn't run`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let library = try Library(at: url, model: Self.model())
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let queue = try DatabaseQueue(path: url.path)
        let triggers = try queue.read {
            try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        }
        #expect(triggers.allSatisfy { $0.contains("Z_DA_ZBOOK_") || $0.contains("Z_DA_ZAUTHOR_") })
        #expect(!triggers.contains { $0.contains("graft") })
        #expect(try shown(try Library(at: url, model: Self.model()), "Author", "folded") == ["ada"])
    }

    @Test func `adding one to a model computes it for the objects that there are`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        do {
            let old = try Library(at: url, model: LibraryModel.make())
            let ada = old.insert("Author", ["name": "Ädá", "rating": 1.5])
            _ = old.insert("Book", ["title": "1", "pages": 12, "author": ada])
            try old.context.save()
            try old.coordinator.remove(old.coordinator.persistentStores[0])
        }
        let options = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let library = try Library(at: url, model: Self.model(), options: options)
        #expect(try shown(library, "Author", "folded", "double", "pageSum", "aHeavy") == ["ada 3.5 12 24"])
        let moment = try #require(try library.fetch("Author")[0].value(forKey: "changed") as? Date)
        #expect(abs(moment.timeIntervalSinceNow) < 60)
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        // The moment of a save isn't that of another migration.
        let newer = Self.model()
        newer.entitiesByName["Author"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
        let last = try Library(at: url, model: newer, options: options)
        #expect(try last.fetch("Author")[0].value(forKey: "changed") as? Date == moment)
        #expect(try shown(last, "Author", "folded", "double", "pageSum") == ["ada 3.5 12"])
    }

    @Test(arguments: ["chapters.book.title", "subquery(books, $b, $b.pages > 1).@count", "later"])
    func `what no trigger can follow is refused when a store is made, with its name`(_ format: String) throws {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.properties += [Self.derived("odd", .stringAttributeType, format)]
        let error = #expect(throws: (any Error).self) { try Library(.database, model: model) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("Author.odd"))
    }

    /// A tree of numbers with their sums, whose nodes are also friends of each other.
    private static func tree() -> NSManagedObjectModel {
        let node = NSEntityDescription()
        node.name = "Node"
        node.managedObjectClassName = "NSManagedObject"
        node.properties = [
            LibraryModel.attribute("name", .stringAttributeType),
            LibraryModel.attribute("value", .integer64AttributeType),
            derived("total", .integer64AttributeType, "value + children.@sum.total"),
            derived("friendCount", .integer64AttributeType, "friends.@count"),
        ]
        LibraryModel.connect(node, "children", many: true, .nullifyDeleteRule, node, "parent", many: false)
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        (friends.destinationEntity, friends.inverseRelationship, friends.maxCount) = (node, friends, 0)
        friends.isOptional = true
        node.properties += [friends]
        let model = NSManagedObjectModel()
        model.entities = [node]
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func `values that depend on each other go from row to row`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.tree())
        func node(_ name: String, _ value: Int, _ parent: NSManagedObject?) -> NSManagedObject {
            let node = library.insert("Node", ["name": name, "value": value])
            node.setValue(parent, forKey: "parent")
            return node
        }
        func totals() throws -> [String] {
            library.context.reset()
            return try library.fetch("Node", sortedBy: "name").map { "\($0.value(forKey: "total") ?? "nil")" }
        }
        let root = node("a", 1, nil), middle = node("b", 2, root), leaf = node("c", 3, middle)
        _ = node("d", 4, root)
        try library.context.save()
        #expect(try totals() == ["10", "5", "3", "4"])
        try library.context.existingObject(with: leaf.objectID).setValue(30, forKey: "value")
        try library.context.save()
        #expect(try totals() == ["37", "32", "30", "4"])
        library.context.delete(try library.context.existingObject(with: middle.objectID))
        try library.context.save()
        #expect(try totals() == ["5", "30", "4"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a relationship that is its own inverse is counted from both ends`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.tree())
        let nodes = ["a", "b", "c"].map { library.insert("Node", ["name": $0, "value": 0]) }
        nodes[0].setValue(Set([nodes[1], nodes[2]]), forKey: "friends")
        nodes[1].mutableSetValue(forKey: "friends").add(nodes[1])
        try library.context.save()
        func counts() throws -> [String] {
            library.context.reset()
            return try library.fetch("Node", sortedBy: "name").map { "\($0.value(forKey: "friendCount") ?? "nil")" }
        }
        #expect(try counts() == ["2", "2", "1"])
        library.context.delete(try library.context.existingObject(with: nodes[0].objectID))
        try library.context.save()
        #expect(try counts() == ["1", "0"])
    }

    @Test func `values that never come to rest are an error, and nothing is saved`() throws {
        let library = try Library(.database, model: Self.tree())
        let one = library.insert("Node", ["name": "a", "value": 1]),
            other = library.insert("Node", ["name": "b", "value": 1])
        one.setValue(other, forKey: "parent")
        try library.context.save()
        // Each is in the sum of the other now.
        other.setValue(one, forKey: "parent")
        let error = #expect(throws: (any Error).self) { try library.context.save() }
        #expect("\(error.map { "\($0)" } ?? "")".contains("Node.total"))
        #expect(other.isUpdated)
        let rows = try library.fetch("Node", sortedBy: "name", in: library.newContext())
        #expect(rows.map { $0.one("parent")?.text("name") } == ["b", nil])
        #expect(rows.map { $0.value(forKey: "total") as? Int } == [1, 2])
        other.setValue(nil, forKey: "parent")
        other.setValue(5, forKey: "value")
        try library.context.save()
        #expect(
            try library.fetch("Node", sortedBy: "name", in: library.newContext()).last?.value(forKey: "total") as? Int
                == 6)
    }

    @Test func `batch deletions empty an aggregate`() throws {
        let library = try Library(.database, model: Self.model())
        let ada = library.insert("Author", ["name": "Ada"])
        for pages in [1, 2, 3] { _ = library.insert("Book", ["pages": pages, "author": ada]) }
        try library.context.save()
        #expect(try shown(library, "Author", "pageSum", "aHeavy") == ["6 12"])
        try library.context.execute(
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")))
        #expect(try shown(library, "Author", "pageSum", "aHeavy") == ["0 0"])
    }

    @Test func `what the file has a trigger for is left to that, and a store that is only read has none`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let first = try Library(at: url, model: Self.model())
        try first.coordinator.remove(first.coordinator.persistentStores[0])
        try DatabaseQueue(path: url.path).write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER Z_DA_ZAUTHOR_Author_folded_SOURCE_INSERT AFTER INSERT ON ZAUTHOR FOR EACH ROW
                    BEGIN UPDATE ZAUTHOR SET ZFOLDED = 'theirs' WHERE Z_PK = NEW.Z_PK; END
                    """)
        }
        let library = try Library(at: url, model: Self.model())
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        #expect(try shown(library, "Author", "folded", "loud") == ["theirs ADA"])
        let reader = try Library(at: url, model: Self.model(), options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try shown(reader, "Author", "folded", "loud") == ["theirs ADA"])
    }

    @Test func `a trigger for an entity whose name ends in another one's keeps nothing of that one`() throws {
        let owner = TestModel.entity("Big_Item", [Self.derived("key", .integer64AttributeType, "items.@count")])
        let item = TestModel.entity(
            "Item",
            [
                TestModel.attribute("name", .stringAttributeType),
                Self.derived("key", .stringAttributeType, "uppercase:(name)"),
            ])
        TestModel.connect(owner, "items", .many, item, "owner", .one)
        let store = try MigratingStore(TestModel.model([owner, item])) { context in
            let items = ["a", "b"].map { context.insert("Item", ["name": $0]) }
            context.insert("Big_Item", ["items": NSSet(array: items)])
        }
        #expect(try store.sql { try String.fetchAll($0, sql: "SELECT ZKEY FROM ZITEM ORDER BY ZKEY") } == ["A", "B"])
        #expect(try store.sql { try Int.fetchAll($0, sql: "SELECT ZKEY FROM ZBIG_ITEM") } == [2])
    }

    @Test func `a model that can't be kept leaves no file, whatever is said about migration`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.properties += [Self.derived("odd", .stringAttributeType, "books.tags.label")]
        let error = #expect(throws: (any Error).self) {
            try Library(
                at: url, model: model,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("Author.odd"))
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `a repair computes what follows from what it mends`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let library = try Library(at: url, model: Self.model())
        let author = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["title": "t", "author": author])
        try library.context.save()
        #expect(try shown(library, "Book", "authorFolded") == ["ada"])
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        try DatabaseQueue(path: url.path).write { try $0.execute(sql: "DELETE FROM ZAUTHOR") }
        let summary = try StoreCheck(store: url, model: Self.model()).repair(backUp: {}) { _ in }
        #expect(summary.mended == 1)
        #expect(try shown(Library(at: url, model: Self.model()), "Book", "author", "authorFolded") == ["nil nil"])
    }
}
