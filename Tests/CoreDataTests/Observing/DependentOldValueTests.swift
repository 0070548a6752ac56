// A key that depends on several others is told of the change of each of them. All those changes have an old value, also where one of
// them begins before the other one has ended.

import CoreData
import Testing

@Suite struct DependentOldValueTests {
    private func author() throws -> (library: Library, author: ObservedAuthor) {
        KeyPathNames.register([
            \ObservedAuthor.name: "name", \ObservedAuthor.rating: "rating", \ObservedAuthor.title: "title",
        ])
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(ObservedAuthor.self)
        let library = try Library(.inMemory, model: model)
        let author = try #require(library.insert("Author", ["name": "Ada", "rating": 1.0]) as? ObservedAuthor)
        try library.context.save()
        return (library, author)
    }

    @Test func `changes of two keys that lie in each other both tell the value of before`() throws {
        let (library, author) = try author()
        var told: [String] = []
        let observation = author.observe(\.title, options: [.old, .new]) { _, change in
            told.append("\(change.oldValue ?? "nothing") -> \(change.newValue ?? "nothing")")
        }
        author.willChangeValue(forKey: "name")
        author.willChangeValue(forKey: "rating")
        author.setPrimitiveValue("Bea", forKey: "name")
        author.setPrimitiveValue(2.0, forKey: "rating")
        author.didChangeValue(forKey: "rating")
        author.didChangeValue(forKey: "name")
        #expect(Set(told) == ["Ada (1.0) -> Bea (2.0)"])
        observation.invalidate()
        withExtendedLifetime(library) {}
    }

    @Test func `a refresh tells the value of before`() throws {
        let (library, author) = try author()
        #expect(author.title == "Ada (1.0)")
        var told: [String] = []
        let observation = author.observe(\.title, options: [.old, .new]) { _, change in
            told.append("\(change.oldValue ?? "nothing") -> \(change.newValue ?? "nothing")")
        }
        library.context.refresh(author, mergeChanges: false)
        #expect(Set(told) == ["Ada (1.0) -> Ada (1.0)"])
        observation.invalidate()
    }

    @Test func `an observer that sets the key once more leaves others their old value`() throws {
        let (library, author) = try author()
        var told: [String] = []
        let first = author.observe(\.name, options: [.old]) { author, _ in
            if author.name == "Bea" { author.name = "Cleo" }
        }
        let second = author.observe(\.name, options: [.old]) { _, change in
            told.append((change.oldValue ?? nil) ?? "nothing")
        }
        author.name = "Bea"
        #expect(told == ["Bea", "Ada"])
        for observation in [first, second] { observation.invalidate() }
        withExtendedLifetime(library) {}
    }
}
