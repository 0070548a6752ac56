// Both stores take `entity` as the key of a sort descriptor. SQLite sorts by the entities' numbers; in memory all entities are alike, and
// so they are as soon as an unsaved object is put among those of a SQLite store.

import CoreData
import Foundation
import Testing

@Suite struct EntityOrderTests {
    /// Novels and books in turn, each saved by itself.
    private func filled(_ kind: StoreKind) throws -> Library {
        let library = try Library(kind)
        for (title, entity) in [("a", "Novel"), ("b", "Book"), ("c", "Novel"), ("d", "Book")] {
            _ = library.insert(entity, ["title": title])
            try library.context.save()
        }
        return library
    }

    /// Nil where the store refuses such a descriptor, which is an answer, too.
    private func titles(_ library: Library) -> [String?]? {
        try? library.fetch("Book", sortedBy: "entity").map { $0.text("title") }
    }

    @Test func `objects sorted by their entity are in the same order in each store`() throws {
        #expect(try titles(filled(.sqlite)) == titles(filled(.inMemory)))
    }

    @Test(arguments: StoreKind.matching)
    func `an unsaved object has its place among the others`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        _ = library.insert("Book", ["title": "e"])
        let before = titles(library)
        try library.context.save()
        #expect(before == titles(library))
    }
}
