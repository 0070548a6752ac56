// A relationship that is (or becomes) its own inverse and has room for one object now: a chain Ada - Bob - Cyd has two pairs, (1, 2) and
// (2, 3). Bob is once the owner and once the member, so that neither side has several of him, and one of his links is overwritten.

import CoreData
import Foundation
import Testing

@Suite struct SelfInverseNarrowingTests {
    private func model(_ count: TestModel.Count, isOwnInverse: Bool) -> NSManagedObjectModel {
        let person = TestModel.entity("Person", [TestModel.attribute("name", .stringAttributeType)])
        let friends = TestModel.relate(person, "friends", count, person)
        if isOwnInverse { friends.inverseRelationship = friends }
        return TestModel.model([person])
    }

    /// Ada, Bob and Cyd, with the keys 1, 2 and 3.
    private func people(in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        var people: [NSManagedObject] = []
        for name in ["Ada", "Bob", "Cyd"] {
            people.append(context.insert("Person", ["name": name]))
            try context.save()
        }
        return people
    }

    @Test func `a list that is its own inverse becomes one object only where nobody has several`() throws {
        let older = model(.many, isOwnInverse: true)
        let store = try MigratingStore(older) { context in
            let people = try people(in: context)
            people[1].setValue(NSSet(array: [people[0], people[2]]), forKey: "friends")
        }
        let newer = try older.next { try $0.entity("Person").relationship("friends").maxCount = 1 }
        // Which of Bob's two is to stay can't be told.
        let error = try store.refusal(newer)
        #expect(error.code.rawValue == NSMigrationError)
        #expect(error.localizedDescription.contains("Person.friends"))
        let context = try store.open(older, nil)
        #expect(try context.members("Person", "friends") == [["Bob"], ["Ada", "Cyd"], ["Bob"]])
    }

    @Test func `a reference becomes its own inverse only where nobody has several`() throws {
        let older = model(.one, isOwnInverse: false)
        let store = try MigratingStore(older) { context in
            let people = try people(in: context)
            people[0].setValue(people[1], forKey: "friends")
            people[1].setValue(people[2], forKey: "friends")
        }
        let newer = try withOwnInverse(older)
        let error = try store.refusal(newer)
        #expect(error.code.rawValue == NSMigrationError)
        let other = #expect(throws: CocoaError.self) {
            try store.migrated(from: older, to: newer, movesRows: false)
        }
        #expect(other?.localizedDescription.contains("Person.friends leads to one object") == true)
        let context = try store.open(older, nil)
        #expect(try context.members("Person", "friends") == [["Bob"], ["Cyd"], []])
    }

    /// The next version, which version hashes alone wouldn't tell from the older one.
    private func withOwnInverse(_ older: NSManagedObjectModel) throws -> NSManagedObjectModel {
        try older.next { model in
            let person = try model.entity("Person"), friends = try person.relationship("friends")
            friends.inverseRelationship = friends
            person.versionHashModifier = "2"
        }
    }

    @Test(arguments: [true, false])
    func `a reference that becomes its own inverse leads back, whichever way a mapping is run`(
        movesRows: Bool
    ) throws {
        let older = model(.one, isOwnInverse: false)
        let store = try MigratingStore(older) { context in
            let people = try people(in: context)
            people[0].setValue(people[1], forKey: "friends")
        }
        let newer = try withOwnInverse(older)
        let result = try store.migrated(from: older, to: newer, movesRows: movesRows)
        #expect(try result.open(newer, nil).members("Person", "friends") == [["Bob"], ["Ada"], []])
    }

    @Test func `pairs come along`() throws {
        let older = model(.many, isOwnInverse: true)
        let store = try MigratingStore(older) { context in
            let people = try people(in: context)
            people[2].setValue(NSSet(object: people[0]), forKey: "friends")
        }
        let newer = try older.next { try $0.entity("Person").relationship("friends").maxCount = 1 }
        #expect(try store.open(newer).members("Person", "friends") == [["Cyd"], [], ["Ada"]])
    }
}
