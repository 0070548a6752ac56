import CoreData
import Testing

/// Writes down what it is called.
final class LoggingAuthor: NSManagedObject {
    var log: [String] = []

    override func awakeFromInsert() {
        log.append("awakeFromInsert")
        setValue("unnamed", forKey: "name")
    }

    override func awakeFromFetch() { log.append("awakeFromFetch") }
    override func prepareForDeletion() { log.append("prepareForDeletion \(many("books").count)") }
    override func didSave() { log.append("didSave") }
    override func willTurnIntoFault() { log.append("willTurnIntoFault") }

    override func willSave() {
        log.append("willSave")
        if !isDeleted, text("mood") != "saved" { setValue("saved", forKey: "mood") }
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        if text("name") == "forbidden" { throw CocoaError(.managedObjectValidation) }
    }
}

@Suite struct LifeCycleTests {
    private func library() throws -> Library {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(LoggingAuthor.self)
        return try Library(.inMemory, model: model)
    }

    @Test func `the callbacks come in Core Data's order`() throws {
        let library = try library()
        let author = LoggingAuthor(context: library.context)
        #expect(author.text("name") == "unnamed")
        author.setValue("Ada", forKey: "name")
        try library.context.save()
        // The change made in the first willSave() asks for another round.
        #expect(author.log == ["awakeFromInsert", "willSave", "willSave", "didSave"])
        author.log = []
        library.context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "Ada")
        #expect(author.log == ["willTurnIntoFault", "awakeFromFetch"])
        author.log = []
        _ = library.insert("Book", ["author": author])
        library.context.delete(author)
        try library.context.save()
        #expect(author.log == ["prepareForDeletion 1", "willSave", "didSave"])
    }

    @Test func `fetched objects are of the entity's class and wake once`() throws {
        let library = try library()
        LoggingAuthor(context: library.context).setValue("Ada", forKey: "name")
        try library.context.save()
        let context = library.newContext()
        let author = try #require(try library.fetch("Author", in: context)[0] as? LoggingAuthor)
        #expect(author.log.isEmpty)
        _ = author.text("name")
        _ = author.text("name")
        #expect(author.log == ["awakeFromFetch"])
        #expect(LoggingAuthor.entity().name == "Author")
    }

    @Test func `an overridden validation stops the save`() throws {
        let library = try library()
        let author = LoggingAuthor(context: library.context)
        author.setValue("forbidden", forKey: "name")
        #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(author.isInserted)
    }

    @Test func `an object without a context wakes when it is inserted`() throws {
        let library = try library()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Author", in: library.context))
        let author = LoggingAuthor(entity: entity, insertInto: nil)
        #expect(author.log.isEmpty && author.managedObjectContext == nil)
        library.context.insert(author)
        #expect(author.log == ["awakeFromInsert"])
        #expect(author.isInserted)
    }

    @Test func `an object that a child has inserted wakes in the parent, too, and the child's values stand`() throws {
        let library = try library()
        let child = library.newChild()
        LoggingAuthor(context: child).setValue("Ada", forKey: "name")
        try child.save()
        let mine = try #require(library.context.insertedObjects.first as? LoggingAuthor)
        #expect(mine.log == ["awakeFromInsert"] && mine.text("name") == "Ada")
    }

    @Test func `what awakeFromFetch sets is no change and can't be undone`() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(WakingAuthor.self)
        let library = try Library(.inMemory, model: model)
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let context = library.newContext()
        context.undoManager = UndoManager()
        let author = try library.fetch("Author", in: context)[0]
        #expect(author.text("mood") == "awake" && author.text("name") == "ADA")
        #expect(!author.hasChanges && !context.hasChanges && author.changedValues().isEmpty)
        context.processPendingChanges()
        #expect(context.undoManager?.canUndo == false)
        author.setValue(1.0, forKey: "rating")
        #expect(author.changedValues().keys.sorted() == ["rating"])
    }
}

/// Prepares itself when it is read.
final class WakingAuthor: NSManagedObject {
    override func awakeFromFetch() {
        setValue("awake", forKey: "mood")
        setValue(text("name")?.uppercased(), forKey: "name")
    }
}
