import CoreData
import Testing

@Suite struct ManagedObjectTests {
    @Test func `a new object has the model's defaults and a temporary ID`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book")
        #expect(book.value(forKey: "pages") as? Int == 7)
        #expect(book.value(forKey: "isLent") as? Bool == false)
        #expect(book.value(forKey: "title") == nil)
        #expect(book.objectID.isTemporaryID)
        #expect(book.isInserted && !book.isUpdated && book.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func `every attribute type survives a save`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let uuid = UUID(), url = try #require(URL(string: "https://example.com/a?b=c"))
        let values: [String: Any] = [
            "title": "Grüße 🦊", "pages": 2_000_000_000, "price": Decimal(string: "12.25") ?? 0, "isLent": true,
            "cover": Data([0, 1, 255]), "uuid": uuid, "link": url, "notes": ["a": 1, "b": ["x", "y"]] as NSDictionary,
        ]
        _ = library.insert("Book", values)
        let author = library.insert(
            "Author", ["name": "A", "rating": 0.1, "born": Date(timeIntervalSinceReferenceDate: -1.5)])
        try library.context.save()
        library.context.reset()
        let book = try library.fetch("Book")[0]
        #expect(book.text("title") == "Grüße 🦊")
        #expect(book.value(forKey: "pages") as? Int == 2_000_000_000)
        #expect((book.value(forKey: "price") as? NSDecimalNumber)?.decimalValue == Decimal(string: "12.25"))
        #expect(book.value(forKey: "isLent") as? Bool == true)
        #expect(book.value(forKey: "cover") as? Data == Data([0, 1, 255]))
        #expect(book.value(forKey: "uuid") as? UUID == uuid)
        #expect(book.value(forKey: "link") as? URL == url)
        #expect(book.value(forKey: "notes") as? NSDictionary == ["a": 1, "b": ["x", "y"]])
        let stored = try library.fetch("Author")[0]
        #expect(stored.value(forKey: "rating") as? Double == 0.1)
        #expect(stored.value(forKey: "born") as? Date == Date(timeIntervalSinceReferenceDate: -1.5))
        #expect(author.managedObjectContext == nil)
    }

    @Test func `changed values are those that differ from the saved ones`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "a", "pages": 1])
        try library.context.save()
        book.setValue("a", forKey: "title")
        #expect(book.hasChanges && !book.hasPersistentChangedValues)
        #expect(book.changedValues().isEmpty)
        book.setValue("b", forKey: "title")
        book.setValue(nil, forKey: "pages")
        #expect(book.changedValues()["title"] as? String == "b")
        #expect(book.changedValues()["pages"] is NSNull)
        #expect(book.committedValues(forKeys: ["title", "cover"])["title"] as? String == "a")
        #expect(book.committedValues(forKeys: ["title", "cover"])["cover"] is NSNull)
    }

    @Test func `primitive values change nothing but the value`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "a"])
        try library.context.save()
        book.setPrimitiveValue("b", forKey: "title")
        #expect(!book.hasChanges)
        #expect(book.primitiveValue(forKey: "title") as? String == "b")
        book.willChangeValue(forKey: "title")
        book.didChangeValue(forKey: "title")
        #expect(book.isUpdated)
    }

    @Test(arguments: [StoreKind.inMemory, .sqlite])
    func `a transient value survives a refresh that merges, and a merge`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "a"])
        author.setValue("glad", forKey: "mood")
        try library.context.save()
        func mood() -> String? { author.value(forKey: "mood") as? String }
        library.context.refresh(author, mergeChanges: true)
        #expect(author.isFault && mood() == "glad" && !library.context.hasChanges)
        author.setValue("b", forKey: "name")
        library.context.refresh(author, mergeChanges: true)
        #expect(mood() == "glad" && author.text("name") == "b")
        try library.context.save()
        let other = library.newContext()
        let copy = try #require(try other.existingObject(with: author.objectID) as NSManagedObject?)
        copy.setValue("c", forKey: "name")
        try other.save()
        let changes = [NSUpdatedObjectIDsKey: [author.objectID]]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [library.context])
        #expect(mood() == "glad" && author.text("name") == "c")
        library.context.refresh(author, mergeChanges: false)
        #expect(mood() == nil)
    }

    @Test func `a transient value is kept by the object and not by the store`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada", "mood": "fine"])
        try library.context.save()
        #expect(author.text("mood") == "fine")
        #expect(try library.fetch("Author", in: library.newContext())[0].value(forKey: "mood") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `an ID survives as a URI`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let novel = library.insert("Novel", ["title": "n"])
        try library.context.save()
        let uri = novel.objectID.uriRepresentation()
        #expect(uri.absoluteString.hasPrefix("x-coredata://"))
        #expect(uri.absoluteString.hasSuffix("/Novel/p1"))
        let id = try #require(library.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(id == novel.objectID)
        #expect(try library.newContext().existingObject(with: id).text("title") == "n")
    }

    @Test func `key paths walk through relationships`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let books = ["a", "b"].map { library.insert("Book", ["title": $0, "author": author]) }
        #expect(books[0].value(forKeyPath: "author.name") as? String == "Ada")
        #expect((author.value(forKeyPath: "books.title") as? NSSet) == NSSet(array: ["a", "b"]))
        #expect(author.value(forKeyPath: "books.@count") as? Int == 2)
        books[1].setValue("Bea", forKeyPath: "author.name")
        #expect(author.text("name") == "Bea")
    }

    @Test func `a URI of an entity that the store doesn't keep leads to nothing`() throws {
        let model = NSManagedObjectModel()
        model.entities = ["Tag", "Prize"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = [LibraryModel.attribute("title", .stringAttributeType)]
            return entity
        }
        for entity in model.entities { model.setEntities([entity], forConfigurationName: "\(entity.name ?? "")s") }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for (configuration, type) in [("Tags", NSSQLiteStoreType), ("Prizes", NSInMemoryStoreType)] {
            let store = try coordinator.addPersistentStore(
                ofType: type, configurationName: configuration, at: URL(fileURLWithPath: "/dev/null"))
            let identifier = try #require(store.identifier)
            for entity in ["Tag", "Prize", "Author"] {
                let url = try #require(URL(string: "x-coredata://\(identifier)/\(entity)/p1"))
                let isKept = configuration.hasPrefix(entity)
                #expect((coordinator.managedObjectID(forURIRepresentation: url) != nil) == isKept, "\(entity)")
            }
        }
    }

    // Core Data complains, and goes on. Assumed: what such an object knows.
    @Test func `an object of no entity at all can be made, and is in no context`() throws {
        final class Stranger: NSManagedObject {}
        let stranger = Stranger(), another = Stranger()
        #expect(stranger.managedObjectContext == nil && !stranger.hasChanges && stranger != another)
        #expect(stranger.entity === another.entity && stranger.entity.properties.isEmpty)
        let library = try Library(.inMemory)
        #expect(NSManagedObject().managedObjectContext == nil)
        #expect(try library.fetch("Author").isEmpty)
    }

    // Divergence 1: Core Data raises.
    @Test func `an unknown key and a missing entity stop the program with a sentence`() async throws {
        let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library(.inMemory).insert("Author").value(forKey: "nmae")
        }
        let entity = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library(.inMemory).insert("Auhtor")
        }
        let messages = [key, entity].map { String(decoding: $0?.standardErrorContent ?? [], as: UTF8.self) }
        #expect(messages[0].contains("nmae") && messages[1].contains("The model has no entity 'Auhtor'"))
    }

    @Test(arguments: StoreKind.allCases)
    func `a decimal that is set as another number has its digits, before a save and after it`(_ kind: StoreKind) throws
    {
        let library = try Library(kind)
        let prices: [(Any, String)] = [
            (19.99, "19.99"), (NSNumber(value: -123_456_789.123), "-123456789.123"), (5e-10, "0.0000000005"),
            (NSNumber(value: Int64.max), "9223372036854775807"), (Int16(3), "3"), (NSNumber(value: 2.0), "2"),
        ]
        for (price, text) in prices {
            let book = library.insert("Book", ["price": price])
            let set = { (book.value(forKey: "price") as? NSDecimalNumber)?.stringValue }
            #expect(set() == text)
            try library.context.save()
            library.context.refresh(book, mergeChanges: false)
            #expect(set() == text)
        }
        for infinity in [Double.infinity, -Double.infinity] {
            let none = library.insert("Book", ["price": infinity]).value(forKey: "price") as? NSDecimalNumber
            #expect(none?.decimalValue.isNaN == true)
        }
    }

    @Test func `setting what is no number or no date once more changes nothing`() throws {
        let library = try Library(.inMemory)
        let none: [String: Any] = ["rating": Double.nan, "born": Date(timeIntervalSinceReferenceDate: .nan)]
        let author = library.insert("Author", none.merging(["name": "Ada"]) { $1 })
        try library.context.save()
        author.setValuesForKeys(none)
        #expect(author.changedValues().isEmpty)
    }
}
