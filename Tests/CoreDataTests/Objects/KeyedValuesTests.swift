// Keys and key paths of collections of objects, and of fetched properties.

import CoreData
import Foundation
import Testing

@Suite struct KeyedValuesTests {
    @Test func `arrays and sets of objects give the values of their members`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let books = [("a", 1), ("b", 2)].map {
            library.insert("Book", ["title": $0.0, "pages": $0.1, "author": author])
        }
        let list = books as NSArray
        #expect(list.value(forKey: "title") as? [String] == ["a", "b"])
        #expect(list.value(forKeyPath: "author.name") as? [String] == ["Ada", "Ada"])
        #expect((list.value(forKey: "isbn") as? NSArray)?.count == 2)
        #expect(list.value(forKeyPath: "@sum.pages") as? Int == 3)
        #expect(NSSet(array: books).value(forKey: "pages") as? Set<Int> == [1, 2])
        #expect(NSOrderedSet(array: books).value(forKeyPath: "@count") as? Int == 2)
        let dictionary: NSDictionary = ["owner": ["name": "Bo"], "books": books, "author": author]
        #expect(dictionary.value(forKeyPath: "owner.name") as? String == "Bo")
        #expect(dictionary.value(forKeyPath: "author.name") as? String == "Ada")
        #expect(dictionary.value(forKeyPath: "books.@max.pages") as? Int == 2)
        #expect(dictionary.value(forKeyPath: "owner.age") == nil)
    }

    // What MagicalRecord asks lists of objects for, and tests wait for with a predicate.
    @Test func `objects answer to the keys of their class`() throws {
        let library = try Library(.inMemory)
        let ada = library.insert("Author", ["name": "Ada"])
        #expect(ada.value(forKey: "isInserted") as? Bool == true)
        try library.context.save()
        let bea = library.insert("Author", ["name": "Bea"])
        let list = [ada, bea] as NSArray
        #expect(list.value(forKey: "objectID") as? [NSManagedObjectID] == [ada.objectID, bea.objectID])
        #expect(list.value(forKeyPath: "entity.name") as? [String] == ["Author", "Author"])
        #expect(ada.value(forKeyPath: "name.length") as? Int == 3 && ada.value(forKeyPath: "name.nothing") == nil)
        #expect(ada.value(forKey: "managedObjectContext") as? NSManagedObjectContext === library.context)
        for (format, found) in [("isInserted == YES", [bea]), ("hasChanges == NO", [ada]), ("isDeleted == YES", [])] {
            #expect(list.filtered(using: NSPredicate(format: format)) as? [NSManagedObject] == found)
        }
        library.context.delete(ada)
        #expect(ada.value(forKey: "isDeleted") as? Bool == true && ada.value(forKey: "faultingState") as? Int == 0)
        // A property of the entity comes first.
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.properties.append(LibraryModel.attribute("deleted", .stringAttributeType))
        let other = try Library(.inMemory, model: model)
        #expect(other.insert("Tag", ["deleted": "no"]).text("deleted") == "no")
    }

    /// Key-Value Coding Programming Guide, "Accessing Collection Properties": a collection sets the key of each member.
    @Test func `a key of a collection is set on all its members`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let books = (0..<3).map { _ in library.insert("Book", ["author": author]) }
        (author.value(forKey: "books") as? NSSet)?.setValue("t", forKey: "title")
        #expect(books.map { $0.text("title") } == ["t", "t", "t"])
        NSArray(array: books).setValue(5, forKey: "pages")
        NSOrderedSet(array: books).setValue(nil, forKey: "title")
        #expect(books.allSatisfy { $0.value(forKey: "pages") as? Int == 5 && $0.text("title") == nil })
    }

    /// Key-Value Coding Programming Guide, "Accessing Collection Properties": `setValue(_:forKeyPath:)` asks for the first key's value and
    /// sets the rest on that, which is each member of a collection.
    @Test func `a path through a to-many relationship is set on all members`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let books = (0..<3).map { _ in library.insert("Book", ["author": author]) }
        let chapter = library.insert("Chapter", ["book": books[0]])
        author.setValue(5, forKeyPath: "books.pages")
        #expect(books.allSatisfy { $0.value(forKey: "pages") as? Int == 5 })
        author.setValue("h", forKeyPath: "books.chapters.heading")
        #expect(chapter.text("heading") == "h")
        NSArray(array: [chapter]).setValue("Bea", forKeyPath: "book.author.name")
        #expect(author.text("name") == "Bea")
        NSSet(array: books).setValue(nil, forKeyPath: "author.name")
        #expect(author.text("name") == nil)
        NSOrderedSet(array: books).setValue(7, forKeyPath: "author.rating")
        #expect(author.value(forKey: "rating") as? Int == 7)
    }

    /// Key-Value Coding Programming Guide, "Using Collection Operators": what is united from a set is an `NSSet`. What is united from a list,
    /// of sets too, is an array, by tests that were run on iOS (cute/FoundationTests, NSKeyValueCodingTests.m).
    @Test func `operators that unite what is in a set give sets, in a list arrays`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let tags = ["a", "b"].map { library.insert("Tag", ["label": $0]) }
        let books = (0..<3).map { library.insert("Book", ["title": "\($0 / 2)", "author": author]) }
        for book in books { book.mutableSetValue(forKey: "tags").addObjects(from: tags) }
        #expect(author.value(forKeyPath: "books.@distinctUnionOfSets.tags") as? NSSet == NSSet(array: tags))
        #expect(author.value(forKeyPath: "books.@distinctUnionOfObjects.title") as? NSSet == NSSet(array: ["0", "1"]))
        let list = NSArray(array: books)
        let united = try #require(list.value(forKeyPath: "@distinctUnionOfSets.tags") as? [NSManagedObject])
        #expect(united.count == 2 && Set(united) == Set(tags))
        #expect(list.value(forKeyPath: "@distinctUnionOfObjects.title") as? [String] == ["0", "1"])
        #expect(list.value(forKeyPath: "@unionOfObjects.title") as? [String] == ["0", "0", "1"])
    }

    /// Key-Value Coding Programming Guide, "Using Collection Operators": sums and averages of money are decimals.
    @Test func `decimals of objects are united and summed as they are`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        for price in ["0.10", "0.20", "0.1"] {
            _ = library.insert("Book", ["price": NSDecimalNumber(string: price), "author": author])
        }
        #expect((author.value(forKeyPath: "books.price") as? NSSet)?.count == 2)
        #expect((author.value(forKeyPath: "books.@distinctUnionOfObjects.price") as? NSSet)?.count == 2)
        let decimal = { (path: String) in (author.value(forKeyPath: path) as? NSDecimalNumber)?.stringValue }
        #expect(decimal("books.@sum.price") == "0.4" && decimal("books.@max.price") == "0.2")
        #expect(decimal("books.@min.price") == "0.1")
        #expect(decimal("books.@avg.price")?.hasPrefix("0.13333333333333333333333") == true)
    }

    /// Core Data Programming Guide, "Fetched Properties": `$FETCH_SOURCE` is the object that has the property.
    @Test(arguments: StoreKind.allCases)
    func `a fetched property gives what its request finds for the object`(_ kind: StoreKind) throws {
        let model = LibraryModel.make()
        let author = try #require(model.entitiesByName["Author"]), tag = try #require(model.entitiesByName["Tag"])
        let property = NSFetchedPropertyDescription()
        property.name = "namesakes"
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = tag
        request.predicate = NSPredicate(format: "label == $FETCH_SOURCE.name")
        request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
        property.fetchRequest = request
        author.properties += [property]
        let library = try Library(kind, model: model)
        let ada = library.insert("Author", ["name": "Ada"])
        let tags = ["Ada", "Ada", "Bo"].map { library.insert("Tag", ["label": $0]) }
        try library.context.save()
        #expect(Set(ada.value(forKey: "namesakes") as? [NSManagedObject] ?? []) == Set(tags.prefix(2)))
        tags[2].setValue("Ada", forKey: "label")
        #expect((ada.value(forKey: "namesakes") as? [NSManagedObject])?.count == 3)
        #expect(ada.value(forKeyPath: "namesakes.label") as? [String] == ["Ada", "Ada", "Ada"])
    }
}
