// The law of child contexts: whatever is done, in whichever context of a family, and handed up and saved, the store is as if
// it had been done in one context. Random work is done twice, in a family and in one context, and the stores compared.

import CoreData
import Testing

@Suite struct RandomChildContextTests {
    @Test(arguments: StoreKind.allCases, 0..<25)
    func `a family of contexts leaves the same store as one context`(_ kind: StoreKind, _ seed: Int) throws {
        let family = try Library(kind), single = try Library(kind)
        let levels = [family.context, family.newChild(), family.newChild(of: nil)]
        let deepest = family.newChild(of: levels[1])
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<30 {
            let step = RandomStep(using: &random)
            // One at a time: what a context has changed goes up before another one works.
            let context = (levels + [deepest])[Int.random(in: 0..<4, using: &random)]
            try step.run(in: context)
            try step.run(in: single.context)
            var level: NSManagedObjectContext? = context
            while let current = level, current !== family.context {
                try current.save()
                level = current.parent
            }
            for other in levels + [deepest] { other.refreshAllObjects() }
            if Int.random(in: 0..<4, using: &random) == 0 { try family.context.save() }
        }
        try family.context.save()
        try single.context.save()
        for context in levels + [deepest] { context.checkInvariants() }
        let found = try GraphText.text(of: family.newContext()), expected = try GraphText.text(of: single.newContext())
        #expect(found == expected, "seed \(seed)")
        #expect(try GraphText.text(of: deepest) == expected, "seed \(seed), seen from the deepest child")
    }
}

/// One random change, found again by the objects' names.
struct RandomStep {
    let action: Int
    let name: String
    let target: String
    let other: String

    init(using random: inout SeededGenerator) {
        func name(_ random: inout SeededGenerator) -> String { "n\(Int.random(in: 0..<7, using: &random))" }
        action = Int.random(in: 0..<11, using: &random)
        self.name = name(&random)
        target = name(&random)
        other = name(&random)
    }

    func run(in context: NSManagedObjectContext) throws {
        func find(_ entity: String, _ key: String, _ value: String) throws -> NSManagedObject? {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "%K == %@", key, value)
            return try context.fetch(request).first
        }
        func make(_ entity: String, _ key: String, _ value: String) throws -> NSManagedObject {
            try find(entity, key, value) ?? context.insert(entity, [key: value])
        }
        switch action {
        case 0: _ = try make("Author", "name", name)
        case 1: try make("Book", "title", name).setValue(make("Author", "name", target), forKey: "author")
        case 2: try make("Book", "title", name).setValue(find("Author", "name", target), forKey: "author")
        case 3: try make("Chapter", "heading", name).setValue(make("Book", "title", target), forKey: "book")
        case 4: try make("Book", "title", name).mutableSetValue(forKey: "tags").add(make("Tag", "label", target))
        case 5:
            guard let tag = try find("Tag", "label", target) else { return }
            try make("Book", "title", name).mutableSetValue(forKey: "tags").remove(tag)
        case 6: try make("Passport", "number", name).setValue(make("Author", "name", target), forKey: "owner")
        case 7:
            guard let author = try find("Author", "name", name) else { return }
            context.delete(author)
        case 8:
            guard let book = try find("Book", "title", name) else { return }
            context.delete(book)
        case 9:
            let book = try make("Book", "title", name)
            book.setValue(NSOrderedSet(array: book.ordered("chapters").reversed()), forKey: "chapters")
        default: try make("Book", "title", name).setValue(Int(target.dropFirst()), forKey: "pages")
        }
        context.processPendingChanges()
    }
}

/// A whole graph as text, by names.
enum GraphText {
    static func text(of context: NSManagedObjectContext) throws -> [String] {
        func all(_ entity: String) throws -> [NSManagedObject] {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
        }
        func names(_ objects: Set<NSManagedObject>, _ key: String) -> String {
            objects.map { $0.text(key) ?? "" }.sorted().joined(separator: ",")
        }
        var lines: [String] = []
        for author in try all("Author") {
            let passport = author.one("passport")?.text("number") ?? "-"
            lines.append("author \(author.text("name") ?? ""): \(names(author.many("books"), "title")) \(passport)")
        }
        for book in try all("Book") {
            let chapters = book.ordered("chapters").map { $0.text("heading") ?? "" }.joined(separator: ",")
            let tags = names(book.many("tags"), "label"), author = book.one("author")?.text("name") ?? "-"
            lines.append(
                "book \(book.text("title") ?? "") \(book.value(forKey: "pages") ?? "") by \(author): \(chapters) \(tags)"
            )
        }
        for chapter in try all("Chapter") {
            lines.append("chapter \(chapter.text("heading") ?? "") of \(chapter.one("book")?.text("title") ?? "-")")
        }
        for tag in try all("Tag") {
            lines.append("tag \(tag.text("label") ?? ""): \(names(tag.many("books"), "title"))")
        }
        for passport in try all("Passport") {
            lines.append("passport \(passport.text("number") ?? "") of \(passport.one("owner")?.text("name") ?? "-")")
        }
        return lines.sorted()
    }
}
