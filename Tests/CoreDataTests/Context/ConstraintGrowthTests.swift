// What is downloaded names one author again and again, each time as a new object with one book. The merge policy lets them all give way to
// the stored one.

import CoreData
import TestSupport
import Testing

@Suite struct ConstraintGrowthTests {
    /// A stored author, and some new ones of her name, each with a book; nothing of these is saved.
    private func doubled(_ count: Int) throws -> Library {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.uniquenessConstraints = [["name"]]
        let library = try Library(.inMemory, model: model)
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        for index in 0..<count {
            let author = library.insert("Author", ["name": "Ada"])
            _ = library.insert("Book", ["title": "\(index)", "author": author])
        }
        return library
    }

    @Test func `four times as many new objects that give way to one take about four times as long`() throws {
        let count = 600
        var (small, large) = ([Library](), [Library]())
        for _ in 0..<3 {
            try small.append(doubled(count))
            try large.append(doubled(count * 4))
        }
        func save(_ library: Library, _ count: Int) throws {
            try library.context.save()
            #expect(try library.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
            let author = try library.fetch("Author")[0]
            #expect(author.many("books").count == count)
        }
        let ratio = try Growth.ratio {
            try save(small.removeLast(), count)
        } large: {
            try save(large.removeLast(), count * 4)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
