// Two sub-entities give a relationship of the same name to their parent, and with it both of its inverses become one. Where the column of
// a to-one relationship is copied, the links of both come along. Where links are gathered (join tables, a list that becomes ordered),
// only those of the side that tells are: the inverse was the other end of one of the two, and the links of the other one are gone.

import CoreData
import Foundation
import Testing

@Suite struct PulledUpLinksTests {
    private func model(
        isPulledUp: Bool, owner: String, authors: TestModel.Count, works: TestModel.Count
    ) -> NSManagedObjectModel {
        let author = TestModel.entity(owner, [TestModel.attribute("name", .stringAttributeType)])
        let item = TestModel.entity("Item", [TestModel.attribute("name", .stringAttributeType)])
        let novel = TestModel.entity("Novel"), poem = TestModel.entity("Poem")
        item.subentities = [novel, poem]
        if isPulledUp {
            TestModel.connect(author, "works", works, item, "authors", authors)
            author.relationshipsByName["works"]?.renamingIdentifier = "novels"
        } else {
            TestModel.connect(author, "novels", .many, novel, "authors", authors)
            TestModel.connect(author, "poems", .many, poem, "authors", authors)
        }
        return TestModel.model([author, item, novel, poem])
    }

    /// How a store is migrated: which side's mapping comes first matters where objects are.
    private static let ways: [(movesRows: Bool, owner: String)] = [
        (true, "Author"), (false, "Author"), (false, "Writer"),
    ]

    private func expectAllLinks(authors: TestModel.Count, works: TestModel.Count) throws {
        for (movesRows, owner) in Self.ways {
            let older = model(isPulledUp: false, owner: owner, authors: authors, works: works)
            let newer = model(isPulledUp: true, owner: owner, authors: authors, works: works)
            let store = try MigratingStore(older) { context in
                let ada = context.insert(owner, ["name": "Ada"])
                for (entity, name) in [("Novel", "long"), ("Poem", "short")] {
                    let value: Any = authors == .one ? ada : NSSet(object: ada)
                    context.insert(entity, ["name": name, "authors": value])
                }
            }
            let result = try store.migrated(from: older, to: newer, movesRows: movesRows)
            let context = try result.open(newer, nil)
            let way = "\(owner), by \(movesRows ? "rows" : "objects")"
            #expect(try context.members("Novel", "authors") == [["Ada"]], "\(way)")
            #expect(try context.members("Poem", "authors") == [["Ada"]], "\(way)")
            #expect(try context.members(owner, "works").map { $0.sorted() } == [["long", "short"]], "\(way)")
        }
    }

    @Test func `references of two sub-entities become those of their parent`() throws {
        try expectAllLinks(authors: .one, works: .many)
    }

    @Test func `pairs of two sub-entities become those of their parent`() throws {
        try expectAllLinks(authors: .many, works: .many)
    }

    @Test func `references of two sub-entities become those of their parent, whose inverse is ordered`() throws {
        try expectAllLinks(authors: .one, works: .ordered)
    }
}
