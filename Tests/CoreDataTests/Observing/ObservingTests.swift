// Observing managed objects by key and by key path.

import CoreData
import Testing

/// An author whose accessors are written out, as the generator writes them.
final class ObservedAuthor: NSManagedObject {
    var name: String? {
        get { modelledValue(forKey: "name") }
        set { setModelledValue(newValue, forKey: "name") }
    }
    var rating: Double {
        get { modelledValue(forKey: "rating") }
        set { setModelledValue(newValue, forKey: "rating") }
    }
    /// Computed: there is nothing to observe but what it is made of.
    var title: String { "\(name ?? "nobody") (\(rating))" }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "title": ["name", "rating"]
        // Around a circle, as objects may lead to each other.
        case "fame": ["rating", "passport.owner.fame"]
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }
}

/// A book with the accessor of its relationship written out.
final class ObservedBook: NSManagedObject {
    var author: ObservedAuthor? {
        get { modelledValue(forKey: "author") }
        set { setModelledValue(newValue, forKey: "author") }
    }
    /// Computed, of another object's.
    var byline: String { "by \(author?.title ?? "nobody")" }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "byline" ? ["title", "author.title"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

/// Notes what it is told.
private final class Watcher: NSKeyValueObserver {
    struct Note: Equatable {
        var path: String?
        var old: String?
        var new: String?
        var isPrior = false
    }

    var notes: [Note] = []
    var kinds: [UInt] = []
    var addresses: [UInt] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        func text(_ key: NSKeyValueChangeKey) -> String? { change?[key].map { "\($0 is NSNull ? "nil" : $0)" } }
        notes.append(
            Note(
                path: keyPath, old: text(.oldKey), new: text(.newKey),
                isPrior: change?[.notificationIsPriorKey] as? Bool ?? false))
        kinds.append(change?[.kindKey] as? UInt ?? 0)
        addresses.append(UInt(bitPattern: context))
    }
}

extension NSManagedObject {
    fileprivate func tell(
        _ watcher: Watcher, of keyPath: String, _ options: NSKeyValueObservingOptions = [], mark: Int = 0
    ) {
        unsafe addObserver(
            watcher, forKeyPath: keyPath, options: options, context: UnsafeMutableRawPointer(bitPattern: mark))
    }
}

@Suite struct ObservingTests {
    private func library() throws -> Library {
        KeyPathNames.register([
            \ObservedAuthor.name: "name", \ObservedAuthor.rating: "rating", \ObservedAuthor.title: "title",
        ])
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(ObservedAuthor.self)
        return try Library(.inMemory, model: model)
    }

    private func author(_ library: Library) throws -> ObservedAuthor {
        try #require(library.insert("Author", ["name": "Ada", "rating": 1.0]) as? ObservedAuthor)
    }

    @Test func `[P] a closure is told of every set, also unsaved ones, with the values that it asked for`() throws {
        let library = try library(), author = try author(library)
        var told: [String] = []
        let observation = author.observe(\.name, options: [.old, .new]) { object, change in
            #expect(object === author && change.kind == .setting && !change.isPrior)
            told.append("\((change.oldValue ?? nil) ?? "nil") -> \((change.newValue ?? nil) ?? "nil")")
        }
        author.name = "Bea"
        author.setValue("Cora", forKey: "name")
        author.setValue("Cora", forKey: "name")
        author.rating = 2
        author.name = nil
        #expect(told == ["Ada -> Bea", "Bea -> Cora", "Cora -> Cora", "Cora -> nil"])
        observation.invalidate()
        author.name = "Dora"
        #expect(told.count == 4)
    }

    @Test func `an observation ends with its token`() throws {
        let library = try library(), author = try author(library)
        var count = 0
        var observation: NSKeyValueObservation? = author.observe(\.rating) { _, change in
            #expect(change.newValue == nil && change.oldValue == nil)
            count += 1
        }
        author.rating = 2
        #expect(observation != nil && count == 1)
        observation = nil
        author.rating = 3
        #expect(count == 1)
    }

    @Test func `initial and prior notifications come when they are asked for`() throws {
        let library = try library(), author = try author(library)
        var told: [String] = []
        let observation = author.observe(\.rating, options: [.initial, .prior, .old, .new]) { _, change in
            told.append("\(change.isPrior) \(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        author.rating = 2
        #expect(told == ["false -1.0 1.0", "true 1.0 -1.0", "false 1.0 2.0"])
        observation.invalidate()
    }

    @Test func `a computed property is told of when what it is made of changes`() throws {
        let library = try library(), author = try author(library)
        var told: [String] = []
        let observation = author.observe(\.title, options: [.old, .new]) { _, change in
            told.append("\(change.oldValue ?? "") -> \(change.newValue ?? "")")
        }
        author.name = "Bea"
        author.rating = 2
        #expect(told == ["Ada (1.0) -> Bea (1.0)", "Bea (1.0) -> Bea (2.0)"])
        observation.invalidate()
    }

    // Key-Value Observing Programming Guide, "Registering Dependent Keys": the keys may be paths through to-one relationships.
    @Test func `a property that depends on another object's is told of when that changes`() throws {
        let model = LibraryModel.make(), watcher = Watcher()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(ObservedAuthor.self)
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(ObservedBook.self)
        let library = try Library(.inMemory, model: model)
        let author = try author(library), other = try self.author(library)
        let book = library.insert("Book", ["title": "a", "author": author])
        book.tell(watcher, of: "byline")
        author.name = "Bea"
        author.rating = 4
        #expect(watcher.notes.count == 2)
        book.setValue(other, forKey: "author")
        author.name = "Cora"
        #expect(watcher.notes.count == 3)
        other.name = "Dora"
        book.setValue("b", forKey: "title")
        #expect(watcher.notes.map(\.path) == Array(repeating: "byline", count: 5))
        book.removeObserver(watcher, forKeyPath: "byline")
        other.name = "Eva"
        #expect(watcher.notes.count == 5)
    }

    @Test func `a property that depends on itself, around a circle of objects, is told of once`() throws {
        let library = try library(), author = try author(library), watcher = Watcher()
        author.setValue(library.insert("Passport", ["number": "1"]), forKey: "passport")
        author.tell(watcher, of: "fame")
        author.rating = 3
        #expect(watcher.notes.map(\.path) == ["fame"])
    }

    @Test func `an observer by key is told until it is removed`() throws {
        let library = try library(), author = try author(library), watcher = Watcher()
        author.tell(watcher, of: "name", [.old, .new], mark: 42)
        author.tell(watcher, of: "rating")
        author.setValue("Bea", forKey: "name")
        author.setValue(nil, forKey: "name")
        author.setValue(5.0, forKey: "rating")
        #expect(
            watcher.notes == [
                .init(path: "name", old: "Ada", new: "Bea"), .init(path: "name", old: "Bea", new: "nil"),
                .init(path: "rating", old: nil, new: nil),
            ])
        #expect(watcher.addresses == [42, 42, 0] && watcher.kinds == [1, 1, 1])
        unsafe author.removeObserver(watcher, forKeyPath: "name", context: UnsafeMutableRawPointer(bitPattern: 42))
        author.removeObserver(watcher, forKeyPath: "rating")
        author.name = "Cora"
        author.rating = 6
        #expect(watcher.notes.count == 3)
    }

    @Test func `both sides of a relationship tell`() throws {
        let library = try Library(.inMemory), watcher = Watcher()
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "b"])
        author.tell(watcher, of: "books")
        book.tell(watcher, of: "author")
        book.setValue(author, forKey: "author")
        #expect(watcher.notes.map(\.path).sorted { ($0 ?? "") < ($1 ?? "") } == ["author", "books"])
        watcher.notes = []
        watcher.kinds = []
        author.mutableSetValue(forKey: "books").remove(book)
        #expect(Set(watcher.notes.map(\.path)) == ["author", "books"] && watcher.notes.count == 2)
        #expect(Set(watcher.kinds) == [NSKeyValueChange.removal.rawValue, NSKeyValueChange.setting.rawValue])
    }

    @Test func `a path is followed to whatever object it leads to`() throws {
        let library = try Library(.inMemory), watcher = Watcher()
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        let book = library.insert("Book", ["author": ada])
        book.tell(watcher, of: "author.name", [.new])
        ada.setValue("Zoe", forKey: "name")
        book.setValue(bea, forKey: "author")
        ada.setValue("Ada", forKey: "name")
        bea.setValue("Mia", forKey: "name")
        #expect(watcher.notes.map(\.new) == ["Zoe", "Bea", "Mia"])
        book.removeObserver(watcher, forKeyPath: "author.name")
        bea.setValue("Eve", forKey: "name")
        #expect(watcher.notes.count == 3)
    }

    // Apple: "NSObject.observe(_:options:changeHandler:)" takes whatever key path has a name; one through a relationship has the name
    // `author.name` and is followed as by key.
    @Test func `a Swift key path through a relationship is followed to whatever object it leads to`() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(ObservedAuthor.self)
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(ObservedBook.self)
        let library = try Library(.inMemory, model: model)
        let ada = try author(library), bea = try author(library)
        let book = try #require(library.insert("Book", ["author": ada]) as? ObservedBook)
        var told: [String] = []
        let observation = book.observe(\.author?.name, options: [.old, .new]) { object, change in
            #expect(object === book)
            told.append("\((change.oldValue ?? nil) ?? "nil") -> \((change.newValue ?? nil) ?? "nil")")
        }
        ada.name = "Zoe"
        bea.name = "Bea"
        book.author = bea
        ada.name = "Ada"
        bea.name = "Mia"
        book.author = nil
        #expect(told == ["Ada -> Zoe", "Zoe -> Bea", "Bea -> Mia", "Mia -> nil"])
        observation.invalidate()
        book.author = ada
        ada.name = "Eve"
        #expect(told.count == 4)
    }

    @Test func `refresh, rollback, undo and a child's save tell as well`() throws {
        let library = try library(), author = try author(library)
        try library.context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        var told: [String] = []
        let observation = author.observe(\.name, options: [.new]) { _, change in
            told.append((change.newValue ?? nil) ?? "nil")
        }
        author.name = "Bea"
        library.context.undo()
        author.name = "Cora"
        library.context.rollback()
        author.name = "Dora"
        library.context.refresh(author, mergeChanges: false)
        let child = library.newChild()
        try child.existingObject(with: author.objectID).setValue("Eve", forKey: "name")
        try child.save()
        #expect(told == ["Bea", "Ada", "Cora", "Ada", "Dora", "Ada", "Eve"])
        observation.invalidate()
    }

    @Test func `an accessor of one's own tells through willChangeValue and didChangeValue`() throws {
        let library = try Library(.inMemory), watcher = Watcher()
        let book = library.insert("Book", ["title": "a"])
        book.tell(watcher, of: "title", [.old, .new])
        book.willChangeValue(forKey: "title")
        book.setPrimitiveValue("b", forKey: "title")
        book.didChangeValue(forKey: "title")
        book.setPrimitiveValue("c", forKey: "title")
        #expect(watcher.notes == [.init(path: "title", old: "a", new: "b")])
        let chapters = library.insert("Book")
        chapters.tell(watcher, of: "chapters")
        chapters.willChange(.insertion, valuesAt: [0], forKey: "chapters")
        chapters.didChange(.insertion, valuesAt: [0], forKey: "chapters")
        #expect(watcher.kinds.last == NSKeyValueChange.insertion.rawValue && watcher.notes.count == 2)
    }

    // Foundation's overlay of key-value observing, willChangeValue(for:).
    @Test func `a change is announced by key path as by key`() throws {
        let library = try library(), author = try author(library), watcher = Watcher()
        try library.context.save()
        author.tell(watcher, of: "name", [.old, .new])
        author.willChangeValue(for: \.name)
        author.setPrimitiveValue("Bea", forKey: "name")
        author.didChangeValue(for: \.name)
        #expect(watcher.notes == [.init(path: "name", old: "Ada", new: "Bea")])
        #expect(author.changedValues().keys.sorted() == ["name"])
    }

    @Test func `removing who doesn't observe stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let library = try Library(.inMemory)
            library.insert("Book").removeObserver(Watcher(), forKeyPath: "title")
        }
    }

    // Foundation's token may outlive what it observes.
    @Test func `a token that outlives its object hears nothing of what that led to`() throws {
        KeyPathNames.register([\ObservedAuthor.name: "name", \ObservedBook.byline: "byline"])
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(ObservedAuthor.self)
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(ObservedBook.self)
        let library = try Library(.inMemory, model: model)
        let author = try author(library)
        var told = 0
        var tokens: [NSKeyValueObservation] = []
        weak var gone: ObservedBook?
        do {
            let book = try #require(library.insert("Book", ["author": author]) as? ObservedBook)
            tokens.append(book.observe(\.byline) { _, _ in told += 1 })
            author.name = "Bea"
            gone = book
            try library.context.save()
            library.context.refresh(book, mergeChanges: false)
            library.context.refresh(author, mergeChanges: false)
        }
        #expect(told > 0 && gone == nil)
        told = 0
        author.name = "Cleo"
        #expect(told == 0)
        withExtendedLifetime(tokens) {}
    }
}
