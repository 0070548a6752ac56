// An object that is in no context isn't saved. A to-one relationship that leads to one fails the save, with a sentence; so has a to-many
// relationship to. (Should the object be saved along instead, the test is content, too.)

import CoreData
import Testing

@Suite struct LooseMemberTests {
    @Test(
        arguments: StoreKind.allCases,
        [("Author", "books", "Book"), ("Book", "tags", "Tag"), ("Book", "chapters", "Chapter")])
    func `a member that is in no context isn't dropped without a word, and no store has a link to it`(
        _ kind: StoreKind, _ link: (owner: String, key: String, member: String)
    ) throws {
        let library = try Library(kind)
        let owner = library.insert(link.owner, link.owner == "Author" ? ["name": "Ada"] : [:])
        try library.context.save()
        let entity = try #require(NSEntityDescription.entity(forEntityName: link.member, in: library.context))
        let member = NSManagedObject(entity: entity, insertInto: nil)
        let isOrdered = link.key == "chapters"
        let members: Any = isOrdered ? NSOrderedSet(array: [member]) : NSSet(array: [member])
        owner.setValue(members, forKey: link.key)
        let isSaved = (try? library.context.save()) != nil
        let reader = library.newContext()
        let stored = try library.fetch(link.member, in: reader)
        let theirs = try #require(try library.fetch(link.owner, in: reader).first)
        let shown = isOrdered ? Set(theirs.ordered(link.key)) : theirs.many(link.key)
        #expect(isSaved == (stored.count == 1), "the save says nothing, and the member is lost")
        #expect(shown == Set(stored), "the owner shows a member that no store has")
    }
}
