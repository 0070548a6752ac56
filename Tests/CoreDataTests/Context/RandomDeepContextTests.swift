// The law of contexts within contexts: each shows what its parent shows, with its own unsaved changes on top. The same is done to a model
// of plain values: what the store has, and what each level has changed of that.

import CoreData
import TestSupport
import Testing

@Suite struct RandomDeepContextTests {
    @Test(arguments: StoreKind.allCases, 0..<Laws.count(60, otherwise: 12))
    func `four generations of contexts each show what is above them and what they have changed`(
        _ kind: StoreKind, _ seed: Int
    ) throws {
        let family = try DeepFamily(kind)
        var random = SeededGenerator(seed: UInt64(seed))
        for step in 0..<60 {
            let action = try family.act(using: &random)
            for level in family.contexts.indices {
                let expected = family.books(at: level)
                #expect(
                    try family.shown(at: level) == expected, "seed \(seed), step \(step): \(action), level \(level)")
                family.contexts[level].checkInvariants()
            }
        }
    }
}

private final class DeepFamily {
    struct Book: Equatable {
        var pages = 7
        var author: String?
    }

    private let library: Library
    let contexts: [NSManagedObjectContext]
    private let outsider: NSManagedObjectContext
    private var stored: [String: Book] = [:]
    /// What each level has changed; nil is deleted.
    private var changes: [[String: Book?]]
    private var count = 0

    init(_ kind: StoreKind) throws {
        library = try Library(kind)
        for name in ["Ada", "Bea"] { _ = library.insert("Author", ["name": name]) }
        try library.context.save()
        var contexts = [library.context]
        for _ in 0..<3 { contexts.append(library.newChild(of: contexts.last)) }
        for context in contexts {
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
        }
        self.contexts = contexts
        changes = contexts.map { _ in [:] }
        outsider = library.newContext()
    }

    // MARK: What is expected

    func books(at level: Int) -> [String: Book] {
        changes[...level].reduce(into: stored) { books, changes in
            for (name, book) in changes { books[name] = book }
        }
    }

    // MARK: What there is

    func shown(at level: Int) throws -> [String: Book] {
        var books: [String: Book] = [:], members: [String: String] = [:]
        for author in try library.fetch("Author", in: contexts[level]) {
            for book in author.many("books") { members[book.text("title") ?? ""] = author.text("name") }
        }
        for book in try library.fetch("Book", in: contexts[level]) {
            let title = book.text("title") ?? "", author = book.one("author")?.text("name")
            books[title] = Book(pages: book.value(forKey: "pages") as? Int ?? -1, author: author)
            #expect(members.removeValue(forKey: title) == author)
        }
        #expect(members.isEmpty)
        return books
    }

    // MARK: What is done

    func act(using random: inout SeededGenerator) throws -> String {
        let level = Int.random(in: contexts.indices, using: &random), context = contexts[level]
        defer { for deeper in contexts[(level + 1)...] { deeper.refreshAllObjects() } }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            try context.save()
            let saved = changes[level]
            changes[level] = [:]
            if level > 0 {
                changes[level - 1].merge(saved) { _, new in new }
            } else {
                for (name, book) in saved { stored[name] = book }
            }
            // What came and went within the contexts was never there.
            for above in 0..<level {
                for (name, book) in changes[above] where book == nil && books(at: above)[name] == nil {
                    let before = above == 0 ? stored : books(at: above - 1)
                    if before[name] == nil { changes[above][name] = nil }
                }
            }
            return "save \(level)"
        case 2:
            guard changes[(level + 1)...].allSatisfy({ Set($0.keys).isDisjoint(with: changes[level].keys) }) else {
                return "no rollback \(level)"
            }
            context.rollback()
            changes[level] = [:]
            return "rollback \(level)"
        case 3:
            outsider.refreshAllObjects()
            let isFree = { (name: String) in self.changes.allSatisfy { $0[name] == nil } }
            let name = try change(
                in: outsider, of: stored, isFree: isFree, note: { self.stored[$0] = $1 }, using: &random)
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: outsider, queue: nil
            ) { [contexts] in contexts[0].mergeChanges(fromContextDidSave: $0) }
            defer { NotificationCenter.default.removeObserver(observer) }
            try outsider.save()
            for context in contexts.dropFirst() { context.refreshAllObjects() }
            return "outside \(name)"
        default:
            let before = changes[level], deeper = changes[(level + 1)...]
            context.undoManager?.beginUndoGrouping()
            let shown = books(at: level), isFree = { (name: String) in deeper.allSatisfy { $0[name] == nil } }
            let name = try change(
                in: context, of: shown, isFree: isFree,
                note: { self.changes[level].updateValue($1, forKey: $0) }, using: &random)
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            // An empty group isn't undone.
            guard shown != books(at: level), Int.random(in: 0..<3, using: &random) == 0 else {
                return "change \(level) \(name)"
            }
            let after = changes[level]
            context.undo()
            changes[level] = before
            guard Bool.random(using: &random) else { return "undo \(level) \(name)" }
            context.redo()
            changes[level] = after
            return "redo \(level) \(name)"
        }
    }

    /// Changes one book that nobody below has changed.
    private func change(
        in context: NSManagedObjectContext, of books: [String: Book], isFree: (String) -> Bool,
        note: (String, Book?) -> Void, using random: inout SeededGenerator
    ) throws -> String {
        let free = books.keys.filter(isFree).sorted()
        let action = free.isEmpty ? 0 : Int.random(in: 0..<6, using: &random)
        if action < 2 {
            count += 1
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue("b\(count)", forKey: "title")
            note("b\(count)", Book())
            return "insert b\(count)"
        }
        let name = free[Int.random(in: free.indices, using: &random)]
        let book = try library.fetch("Book", where: NSPredicate(format: "title == %@", name), in: context)[0]
        var value = books[name] ?? Book()
        switch action {
        case 2:
            context.delete(book)
            note(name, nil)
            return "delete \(name)"
        case 3:
            value.pages = Int.random(in: 8..<100, using: &random)
            book.setValue(value.pages, forKey: "pages")
        default:
            value.author = [nil, "Ada", "Bea"][Int.random(in: 0..<3, using: &random)]
            let authors = try library.fetch("Author", in: context)
            if action == 4 {
                book.setValue(authors.first { $0.text("name") == value.author }, forKey: "author")
            } else {
                for author in authors {
                    let books = author.mutableSetValue(forKey: "books")
                    if author.text("name") == value.author { books.add(book) } else { books.remove(book) }
                }
            }
        }
        note(name, value)
        return "set \(name)"
    }
}
