import CoreData
import Testing

@Suite struct SavingTests {
    @Test(arguments: StoreKind.allCases)
    func `a save makes IDs permanent and flags clear`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let temporary = author.objectID
        try library.context.save()
        #expect(!author.objectID.isTemporaryID && author.objectID != temporary)
        #expect(!author.hasChanges && !library.context.hasChanges)
        #expect(library.context.registeredObject(for: author.objectID) === author)
        library.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases)
    func `a failed save leaves everything as it was and a corrected one succeeds`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author")
        let book = library.insert("Book", ["author": author])
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .validationMissingMandatoryProperty)
        #expect((error as NSError?)?.userInfo[NSValidationKeyErrorKey] as? String == "name")
        #expect(author.objectID.isTemporaryID && author.isInserted && book.isInserted)
        author.setValue("Ada", forKey: "name")
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext())[0].one("author")?.text("name") == "Ada")
    }

    @Test func `several failures are reported together`() throws {
        let library = try Library(.inMemory)
        _ = library.insert("Author")
        _ = library.insert("Author")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .validationMultipleErrors)
        #expect(((error as NSError?)?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a row changed by another context is a conflict and stays as it is`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let mine = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let other = library.newContext()
        let theirs = try library.fetch("Author", in: other)[0]
        theirs.setValue("Bea", forKey: "name")
        try other.save()
        mine.setValue("Cora", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectMerge)
        let conflicts = (error as NSError?)?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        #expect(conflicts?.first?.sourceObject === mine)
        #expect(conflicts?.first?.cachedSnapshot?["name"] as? String == "Bea")
        #expect(conflicts?.first?.persistedSnapshot == nil)
        #expect(conflicts?.first?.objectSnapshot?["name"] as? String == "Ada")
        #expect(mine.text("name") == "Cora" && mine.isUpdated)
        #expect(try library.fetch("Author", in: library.newContext())[0].text("name") == "Bea")
    }

    struct Policy: CustomTestStringConvertible {
        let policy: NSMergePolicyType, name: String, rating: Double
        var testDescription: String { "\(policy)" }
    }

    // Ada (rating 1) is read by both. They rename her Bea and save; we rename her Cora and rate 5.
    @Test(arguments: [
        Policy(policy: .mergeByPropertyObjectTrumpMergePolicyType, name: "Cora", rating: 5),
        Policy(policy: .mergeByPropertyStoreTrumpMergePolicyType, name: "Bea", rating: 5),
        Policy(policy: .overwriteMergePolicyType, name: "Cora", rating: 5),
        Policy(policy: .rollbackMergePolicyType, name: "Bea", rating: 1),
    ])
    func `a merge policy settles a conflict`(_ expected: Policy) throws {
        let library = try Library(.inMemory)
        let mine = library.insert("Author", ["name": "Ada", "rating": 1.0])
        try library.context.save()
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValue("Bea", forKey: "name")
        try other.save()
        mine.setValue("Cora", forKey: "name")
        mine.setValue(5.0, forKey: "rating")
        library.context.mergePolicy = NSMergePolicy(merge: expected.policy)
        try library.context.save()
        let stored = try library.fetch("Author", in: library.newContext())[0]
        #expect(stored.text("name") == expected.name)
        #expect(stored.value(forKey: "rating") as? Double == expected.rating)
        #expect(mine.text("name") == expected.name)
    }

    @Test(arguments: StoreKind.allCases)
    func `a uniqueness constraint stops a save that would violate it`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        _ = library.insert("Book", ["isbn": "1"])
        try library.context.save()
        let second = library.insert("Novel", ["isbn": "1"])
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectConstraintMerge)
        second.setValue("2", forKey: "isbn")
        _ = library.insert("Book")
        _ = library.insert("Book")
        try library.context.save()
        #expect(try library.fetch("Book").count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `deleting follows cascade and nullify`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), tag = library.insert("Tag", ["label": "t"])
        let book = library.insert("Book", ["author": author])
        book.mutableSetValue(forKey: "tags").add(tag)
        try library.context.save()
        library.context.reset()
        library.context.delete(try library.fetch("Author")[0])
        try library.context.save()
        #expect(try library.fetch("Book").isEmpty)
        #expect(try library.fetch("Tag")[0].many("books").isEmpty)
        library.context.checkInvariants()
    }

    @Test func `deny stops the save unless the destination is deleted too`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), prize = library.insert("Prize", ["winner": author])
        try library.context.save()
        library.context.delete(author)
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .validationRelationshipDeniedDelete)
        library.context.delete(prize)
        try library.context.save()
        #expect(try library.fetch("Author").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `deny lets a deletion pass whose destination was unlinked, also after a refresh`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), prize = library.insert("Prize", ["winner": author])
        try library.context.save()
        prize.setValue(nil, forKey: "winner")
        library.context.delete(author)
        library.context.refresh(author, mergeChanges: true)
        try library.context.save()
        #expect(try library.fetch("Author").isEmpty)
        #expect(try library.fetch("Prize", in: library.newContext()).map { $0.one("winner") } == [nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `rollback undoes inserts, changes and deletions`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": author])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        let new = library.insert("Book", ["author": author])
        library.context.delete(book)
        library.context.rollback()
        #expect(author.text("name") == "Ada")
        #expect(author.many("books") == [book])
        #expect(!book.isDeleted && new.managedObjectContext == nil && !library.context.hasChanges)
        library.context.checkInvariants()
    }

    @Test func `an object deleted before its first save is forgotten`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": author])
        library.context.delete(book)
        library.context.processPendingChanges()
        #expect(author.many("books").isEmpty)
        try library.context.save()
        #expect(try library.fetch("Book").isEmpty)
        #expect(book.managedObjectContext == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a value that wasn't really changed isn't written`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let mine = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValue("Ada", forKey: "name")
        try other.save()
        mine.setValue("Bea", forKey: "name")
        try library.context.save()  // would be a conflict if the other save had written
        #expect(try library.fetch("Author", in: library.newContext())[0].text("name") == "Bea")
    }

    @Test func `saves are announced with what they did`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let log = NotificationLog(library.context)
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        try library.context.save()
        #expect(
            log.entries == [
                "changed inserted 1", "will", "did deleted 0 inserted 1 updated 0", "changed updated 1", "will",
                "did deleted 0 inserted 0 updated 1",
            ])
    }
}

/// What a context posts, in short.
final class NotificationLog: @unchecked Sendable {
    // Touched on the test's thread only, where the context posts.
    private(set) var entries: [String] = []
    private var tokens: [any NSObjectProtocol] = []
    /// Kept: a context is told by its address, which another one could get.
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) {
        self.context = context
        let names: [(Notification.Name, String)] = [
            (.NSManagedObjectContextWillSave, "will"), (.NSManagedObjectContextDidSave, "did"),
            (.NSManagedObjectContextObjectsDidChange, "changed"),
        ]
        for (name, label) in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [unowned self] in
                    let counts = ($0.userInfo ?? [:]).compactMap { key, value in
                        (value as? Set<NSManagedObject>).map { "\(key) \($0.count)" }
                    }
                    entries.append(([label] + counts.sorted()).joined(separator: " "))
                })
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
}
