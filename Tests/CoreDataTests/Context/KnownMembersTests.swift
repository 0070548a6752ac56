// Comparing members that are known by their IDs alone, without making objects of them.

import Foundation
import Testing

@testable import CoreData

@Suite struct KnownMembersTests {
    @Test(arguments: StoreKind.allCases)
    func `members are compared by their IDs, unless the other side says otherwise`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "b"])
        let tags = ["s", "t"].map { library.insert("Tag", ["label": $0]) }
        book.mutableSetValue(forKey: "tags").add(tags[0])
        try library.context.save()
        let context = library.newContext()
        func theirs(_ object: NSManagedObject) throws -> NSManagedObject {
            try context.existingObject(with: object.objectID)
        }
        let (own, ends) = (try theirs(book), try tags.map(theirs))
        let slot = try #require(own.layout.slot(named: "tags"))
        #expect(!own.hasMembers(slot, [ends[0]]), "Nothing is read for it.")
        try context.readMemberIDs(of: [own], slot: slot)
        #expect(own.hasMembers(slot, [ends[0]]))
        #expect(own.hasMembers(slot, [ends[0], ends[0]]), "Data may name a member twice.")
        #expect(!own.hasMembers(slot, ends))
        #expect(!own.hasMembers(slot, [ends[1]]))
        #expect(!own.hasMembers(slot, []))
        let inverse = try #require(own.layout.inverses[slot])
        ends[0].setMembers(inverse, to: [])
        context.refresh(own, mergeChanges: false)
        try context.readMemberIDs(of: [own], slot: slot)
        #expect(!own.hasMembers(slot, [ends[0]]))
        #expect((own.value(forKey: "tags") as? NSSet)?.count == 0)
    }
}
