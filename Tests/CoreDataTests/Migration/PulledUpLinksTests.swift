// Two sub-entities give a relationship of the same name to their parent, and with it both of its inverses become one. Where the column of
// a to-one relationship is copied, the links of both come along. Where links are gathered (join tables, a list that becomes ordered),
// only those of the side that tells are: the inverse was the other end of one of the two, and the links of the other one are gone.

import CoreData
import Foundation
import Testing

@Suite struct PulledUpLinksTests {
    private func model(
        isPulledUp: Bool, authors: TestModel.Count, works: TestModel.Count
    ) -> NSManagedObjectModel {
        let author = TestModel.entity("Author", [TestModel.attribute("name", .stringAttributeType)])
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

    private func expectAllLinks(authors: TestModel.Count, works: TestModel.Count) throws {
        let store = try MigratingStore(model(isPulledUp: false, authors: authors, works: works)) { context in
            let ada = context.insert("Author", ["name": "Ada"])
            for (entity, name) in [("Novel", "long"), ("Poem", "short")] {
                let value: Any = authors == .one ? ada : NSSet(object: ada)
                context.insert(entity, ["name": name, "authors": value])
            }
        }
        let context = try store.open(model(isPulledUp: true, authors: authors, works: works))
        #expect(try context.members("Novel", "authors") == [["Ada"]])
        #expect(try context.members("Poem", "authors") == [["Ada"]])
        #expect(try context.members("Author", "works").map { $0.sorted() } == [["long", "short"]])
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
