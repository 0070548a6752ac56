// To-many relationships of every kind: what a save writes for them, how their members are read, and what a deletion
// takes along. Rows and relation changes are given as a context gives them, one side or both.

import Foundation
import Testing

@testable import CoreData

@Suite struct SQLiteStoreRelationshipTests {
    // MARK: One-to-many and one-to-one

    @Test func `members of a one-to-many are the rows that point at the owner, in key order`() throws {
        let store = try TestStore(TestModel.heroes())
        let mentor = try store.insert("Hero"), loner = try store.insert("Hero")
        let pupils = try store.insert("Sidekick", [["mentor": .objectID(mentor)], ["mentor": .objectID(mentor)]])
        #expect(try store.members(mentor, "pupils") == pupils)
        #expect(try store.members(loner, "pupils") == [])
        #expect(try store.members(mentor, "pupils").map(\.entity.name) == ["Sidekick", "Sidekick"])
        try store.update(pupils[0], ["mentor": .null])
        #expect(try store.members(mentor, "pupils") == [pupils[1]])
    }

    @Test func `a to-one keeps the entity of its destination where there are several`() throws {
        let store = try TestStore(TestModel.heroes())
        let sidekick = try store.insert("Sidekick")
        let power = try store.insert("Power", ["hero": .objectID(sidekick)])
        #expect(try store.rows("SELECT ZHERO, Z1_HERO FROM ZPOWER") == ["1|2"])
        #expect(try store.value(power, "hero").shown == "Sidekick 1")
        try store.update(power, ["hero": .null])
        #expect(try store.rows("SELECT ZHERO, Z1_HERO FROM ZPOWER") == ["NULL|NULL"])
    }

    @Test func `a one-to-one has a column on both sides`() throws {
        let person = TestModel.entity("Person"), passport = TestModel.entity("Passport")
        TestModel.connect(person, "passport", .one, passport, "owner", .one)
        let store = try TestStore(TestModel.model([person, passport]))
        let owner = try #require(try store.backend.permanentIDs(for: person, count: 1).first)
        let document = try #require(try store.backend.permanentIDs(for: passport, count: 1).first)
        try store.backend.save(
            StoreChanges(inserted: [
                try store.change(owner, ["passport": .objectID(document)]),
                try store.change(document, ["owner": .objectID(owner)]),
            ]))
        #expect(try store.value(owner, "passport").shown == "Passport 1")
        #expect(try store.value(document, "owner").shown == "Person 1")
    }

    // MARK: Ordered one-to-many

    private func orderedPowers(_ store: TestStore, _ count: Int) throws -> (NSManagedObjectID, [NSManagedObjectID]) {
        let hero = try store.insert("Hero")
        let powers = try store.insert("Power", (0..<count).map { _ in ["hero": .objectID(hero)] })
        try store.relate(hero, version: 1, "powers", add: powers, order: powers)
        return (hero, powers)
    }

    @Test func `an ordered one-to-many is read in the order of its keys`() throws {
        let store = try TestStore(TestModel.heroes())
        let (hero, powers) = try orderedPowers(store, 3)
        #expect(try store.rows("SELECT Z_FOK_HERO FROM ZPOWER ORDER BY Z_PK") == ["2048", "3072", "4096"])
        let turned = [powers[2], powers[0], powers[1]]
        try store.relate(hero, version: 2, "powers", order: turned)
        #expect(try store.members(hero, "powers") == turned)
        #expect(try store.rows("SELECT Z_FOK_HERO FROM ZPOWER ORDER BY Z_PK") == ["2048", "3072", "1024"])
    }

    @Test func `moving one member of many rewrites one row, and not its version`() throws {
        let store = try TestStore(TestModel.heroes())
        let (hero, powers) = try orderedPowers(store, 20)
        let moved = [powers[19]] + powers.dropLast()
        let statements = try store.statements { try store.relate(hero, version: 2, "powers", order: moved) }
        #expect(statements.filter { $0.hasPrefix("UPDATE ZPOWER") }.count == 1)
        #expect(try store.members(hero, "powers") == moved)
        #expect(try store.rows("SELECT DISTINCT Z_OPT FROM ZPOWER") == ["1"])
    }

    @Test func `a member that comes from another owner gets a new key there`() throws {
        let store = try TestStore(TestModel.heroes())
        let (first, powers) = try orderedPowers(store, 2)
        let (second, others) = try orderedPowers(store, 2)
        var change = try store.change(second, version: 2, [:])
        let slot = try #require(second.entity.layout.slot(named: "powers"))
        let order = [others[0], powers[0], others[1]]
        change.relations = [RelationChange(slot: slot, added: [powers[0]], removed: [], order: order)]
        var left = try store.change(first, version: 2, [:])
        left.relations = [RelationChange(slot: slot, added: [], removed: [powers[0]], order: [powers[1]])]
        let moved = try store.change(powers[0], version: 1, ["hero": .objectID(second)])
        try store.backend.save(StoreChanges(updated: [change, left, moved]))
        #expect(try store.members(second, "powers") == order)
        #expect(try store.members(first, "powers") == [powers[1]])
    }

    @Test func `a new owner's members keep the order in which it has them`() throws {
        let store = try TestStore(TestModel.heroes())
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let powers = try store.insert("Power", [[:], [:], [:]])
        let objects = try powers.map { id in
            let object = NSManagedObject(entity: try store.entity("Power"), insertInto: nil)
            object.id = id
            return object
        }
        let hero = try #require(try store.backend.permanentIDs(for: store.entity("Hero"), count: 1).first)
        let order = [objects[1], objects[2], objects[0]]
        var changes = StoreChanges(inserted: [
            try store.change(hero, ["powers": .objects(ToManyMembers(unique: order))])
        ])
        changes.updated = try powers.map { try store.change($0, version: 1, ["hero": .objectID(hero)]) }
        try store.backend.save(changes)
        #expect(try store.members(hero, "powers") == [powers[1], powers[2], powers[0]])
        withExtendedLifetime(context) {}
    }

    // MARK: Many-to-many

    @Test func `a pair is one join row although both sides report it`() throws {
        let store = try TestStore(TestModel.heroes())
        let hero = try store.insert("Hero"), team = try store.insert("Team")
        var first = try store.change(hero, version: 1, [:]), second = try store.change(team, version: 1, [:])
        let teams = try #require(hero.entity.layout.slot(named: "teams"))
        let members = try #require(team.entity.layout.slot(named: "members"))
        first.relations = [RelationChange(slot: teams, added: [team], removed: [], order: nil)]
        second.relations = [RelationChange(slot: members, added: [hero], removed: [], order: nil)]
        let statements = try store.statements {
            try store.backend.save(StoreChanges(updated: [first, second]))
        }
        #expect(statements.filter { $0.contains("INTO Z_1TEAMS") }.count == 1)
        #expect(try store.rows("SELECT Z_1MEMBERS, Z_4TEAMS FROM Z_1TEAMS") == ["1|1"])
        #expect(try store.members(hero, "teams") == [team])
        #expect(try store.members(team, "members") == [hero])
    }

    @Test func `many pairs are inserted several by one statement`() throws {
        let store = try TestStore(TestModel.heroes())
        let heroes = try store.insert("Hero", [[String: ManagedValue]](repeating: [:], count: 19))
        let team = try store.insert("Team")
        let statements = try store.statements { try store.relate(team, version: 1, "members", add: heroes) }
        #expect(statements.filter { $0.contains("INTO Z_1TEAMS") }.count == 2 + 3)
        #expect(try store.members(team, "members") == heroes)
    }

    @Test func `one side's report is enough, and a pair that is there already does no harm`() throws {
        let store = try TestStore(TestModel.heroes())
        let heroes = try store.insert("Sidekick", [[:], [:]]), team = try store.insert("Team")
        try store.relate(team, version: 1, "members", add: heroes)
        try store.relate(team, version: 2, "members", add: [heroes[0]])
        #expect(try store.members(team, "members") == heroes)
        try store.relate(heroes[0], version: 1, "teams", remove: [team])
        #expect(try store.members(team, "members") == [heroes[1]])
    }

    @Test func `deleting an object deletes its join rows and no others`() throws {
        let store = try TestStore(TestModel.heroes())
        let heroes = try store.insert("Hero", [[:], [:]]), teams = try store.insert("Team", [[:], [:]])
        for (version, team) in teams.enumerated() {
            _ = version
            try store.relate(team, version: 1, "members", add: heroes)
        }
        try store.delete(heroes[0])
        #expect(try store.rows("SELECT Z_1MEMBERS, Z_4TEAMS FROM Z_1TEAMS ORDER BY 1, 2") == ["2|1", "2|2"])
        try store.delete(teams[0], version: 2)
        #expect(try store.rows("SELECT Z_1MEMBERS, Z_4TEAMS FROM Z_1TEAMS ORDER BY 1, 2") == ["2|2"])
    }

    private func orderedBothWays() -> NSManagedObjectModel {
        let author = TestModel.entity("Author"), post = TestModel.entity("Post")
        TestModel.connect(author, "posts", .ordered, post, "authors", .ordered)
        return TestModel.model([author, post])
    }

    @Test func `a many-to-many can be ordered on both sides`() throws {
        let store = try TestStore(orderedBothWays())
        let authors = try store.insert("Author", [[:], [:]]), posts = try store.insert("Post", [[:], [:], [:]])
        try store.relate(authors[0], version: 1, "posts", add: posts, order: [posts[2], posts[0], posts[1]])
        try store.relate(posts[0], version: 1, "authors", add: [authors[1]], order: [authors[1], authors[0]])
        #expect(try store.members(authors[0], "posts") == [posts[2], posts[0], posts[1]])
        #expect(try store.members(posts[0], "authors") == [authors[1], authors[0]])
        try store.relate(authors[0], version: 2, "posts", remove: [posts[2]], order: [posts[1], posts[0]])
        #expect(try store.members(authors[0], "posts") == [posts[1], posts[0]])
        #expect(try store.members(posts[0], "authors") == [authors[1], authors[0]])
        #expect(try store.members(posts[2], "authors") == [])
    }

    @Test func `both sides of an ordered pair that come in one save keep their own order`() throws {
        let store = try TestStore(orderedBothWays())
        let authors = try store.insert("Author", [[:], [:]]), post = try store.insert("Post")
        let posts = try #require(authors[0].entity.layout.slot(named: "posts"))
        let authorsSlot = try #require(post.entity.layout.slot(named: "authors"))
        var changes = StoreChanges()
        for author in authors {
            var change = try store.change(author, version: 1, [:])
            change.relations = [RelationChange(slot: posts, added: [post], removed: [], order: [post])]
            changes.updated.append(change)
        }
        var change = try store.change(post, version: 1, [:])
        let order = [authors[1], authors[0]]
        change.relations = [RelationChange(slot: authorsSlot, added: order, removed: [], order: order)]
        changes.updated.append(change)
        try store.backend.save(changes)
        #expect(try store.members(post, "authors") == order)
        #expect(
            try store.rows("SELECT Z_1AUTHORS, Z_FOK_1AUTHORS, Z_FOK_2POSTS FROM Z_1POSTS ORDER BY 1") == [
                "1|3072|2048", "2|2048|2048",
            ])
    }

    // A side that was never read doesn't know that what left and came back was there before.
    @Test func `a side that knows of no order leaves the order of a pair that is there`() throws {
        let store = try TestStore(orderedBothWays())
        let author = try store.insert("Author"), posts = try store.insert("Post", [[:], [:], [:]])
        try store.relate(author, version: 1, "posts", add: posts, order: posts)
        try store.relate(posts[0], version: 1, "authors", add: [author], order: nil)
        #expect(try store.members(author, "posts") == posts)
        let second = try store.insert("Author")
        try store.relate(second, version: 1, "posts", add: [posts[0]], order: [posts[0]])
        try store.relate(posts[0], version: 2, "authors", add: [author], order: nil)
        #expect(try store.members(posts[0], "authors") == [second, author])
        #expect(try store.members(author, "posts") == posts)
    }

    // MARK: Within one entity

    private func friends() -> NSManagedObjectModel {
        let person = TestModel.entity("Person")
        let friends = TestModel.relate(person, "friends", .many, person)
        friends.inverseRelationship = friends
        TestModel.connect(person, "next", .many, person, "previous", .many)
        return TestModel.model([person])
    }

    @Test func `a relationship that is its own inverse has each pair once and is read from both ends`() throws {
        let store = try TestStore(friends())
        let people = try store.insert("Person", [[:], [:], [:]])
        let slot = try #require(people[0].entity.layout.slot(named: "friends"))
        var changes = StoreChanges()
        for (mine, theirs) in [(0, [2, 1]), (1, [0]), (2, [0])] {
            var change = try store.change(people[mine], version: 1, [:])
            change.relations = [RelationChange(slot: slot, added: theirs.map { people[$0] }, removed: [], order: nil)]
            changes.updated.append(change)
        }
        try store.backend.save(changes)
        #expect(try store.rows("SELECT Z_1FRIENDS, REFLEXIVE FROM Z_1FRIENDS ORDER BY 1, 2") == ["1|2", "1|3"])
        #expect(try store.members(people[0], "friends") == [people[1], people[2]])
        #expect(try store.members(people[2], "friends") == [people[0]])
        try store.relate(people[2], version: 2, "friends", remove: [people[0]])
        #expect(try store.members(people[0], "friends") == [people[1]])
        try store.delete(people[1], version: 2)
        #expect(try store.rows("SELECT COUNT(*) FROM Z_1FRIENDS") == ["0"])
    }

    @Test func `a pair that somebody stored the other way round is read and removed all the same`() throws {
        let store = try TestStore(friends())
        let people = try store.insert("Person", [[:], [:]])
        try store.sql { try $0.execute(sql: "INSERT INTO Z_1FRIENDS (Z_1FRIENDS, REFLEXIVE) VALUES (2, 1)") }
        #expect(try store.members(people[0], "friends") == [people[1]])
        #expect(try store.members(people[1], "friends") == [people[0]])
        try store.relate(people[0], version: 1, "friends", remove: [people[1]])
        #expect(try store.rows("SELECT COUNT(*) FROM Z_1FRIENDS") == ["0"])
    }

    @Test func `inverse relationships of one entity lead opposite ways`() throws {
        let store = try TestStore(friends())
        let people = try store.insert("Person", [[:], [:]])
        try store.relate(people[0], version: 1, "next", add: [people[1]])
        #expect(try store.members(people[0], "next") == [people[1]])
        #expect(try store.members(people[1], "previous") == [people[0]])
        #expect(try store.members(people[1], "next") == [])
    }

    // MARK: Without inverse

    @Test func `a to-many without inverse is kept in the members' rows and let go with the owner`() throws {
        let task = TestModel.entity("Task"), note = TestModel.entity("Note")
        TestModel.relate(task, "notes", .many, note)
        TestModel.relate(task, "steps", .ordered, note)
        let store = try TestStore(TestModel.model([task, note]))
        let owner = try store.insert("Task"), notes = try store.insert("Note", [[:], [:], [:]])
        try store.relate(owner, version: 1, "notes", add: [notes[2], notes[0]])
        try store.relate(owner, version: 2, "steps", add: notes, order: notes.reversed())
        #expect(try store.members(owner, "notes") == [notes[0], notes[2]])
        #expect(try store.members(owner, "steps") == notes.reversed())
        try store.relate(owner, version: 3, "notes", remove: [notes[0]])
        #expect(try store.members(owner, "notes") == [notes[2]])
        try store.delete(owner, version: 4)
        #expect(try store.rows("SELECT COUNT(*) FROM ZNOTE WHERE Z2NOTES NOT NULL OR Z2STEPS NOT NULL") == ["0"])
    }

    // MARK: Many owners

    private func relationship(_ name: String, of ids: [NSManagedObjectID]) throws -> NSRelationshipDescription {
        let entity = try #require(ids.first).entity
        return try #require(entity.relationshipsByName[name])
    }

    @Test(arguments: ["teams", "pupils", "powers"])
    func `the members for a thousand owners take one statement`(_ name: String) throws {
        let store = try TestStore(TestModel.heroes())
        let heroes = try store.insert("Hero", [[String: ManagedValue]](repeating: [:], count: 1000))
        let relationship = try relationship(name, of: heroes)
        let statements = try store.statements {
            let members = try store.backend.members(of: relationship, owners: heroes)
            #expect(members.count == 1000)
        }
        #expect(statements.count == 1)
    }

    @Test func `members come in the order of the owners asked for, repeated ones included`() throws {
        let store = try TestStore(TestModel.heroes())
        let mentors = try store.insert("Hero", [[:], [:]])
        let pupils = try store.insert("Hero", mentors.map { ["mentor": .objectID($0)] })
        let relationship = try relationship("pupils", of: mentors)
        let owners = [mentors[1], pupils[0], mentors[0], mentors[1]]
        #expect(
            try store.backend.members(of: relationship, owners: owners)
                == [[pupils[1]], [], [pupils[0]], [pupils[1]]])
    }

    @Test func `rows by ID take one statement for each entity and range of keys, or thousand of others`() throws {
        let store = try TestStore(TestModel.heroes())
        let heroes = try store.insert("Hero", [[String: ManagedValue]](repeating: [:], count: 3000))
        let team = try store.insert("Team")
        let alternate = heroes.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        for (ids, count) in [(heroes.reversed() + [team], 2), (alternate + [team], 3)] {
            let statements = try store.statements {
                let rows = try store.backend.rows(withIDs: ids)
                #expect(Set(rows.map(\.objectID)) == Set(ids))
            }
            #expect(statements.count == count)
        }
    }

    @Test func `a row of which some values are wanted has those, and its columns alone are read`() throws {
        let store = try TestStore(TestModel.heroes())
        let mentor = try store.insert("Hero", ["name": .string("Alfred")])
        let hero = try store.insert(
            "Hero", ["name": .string("Robin"), "age": .integer(17), "mentor": .objectID(mentor)])
        let layout = hero.entity.layout
        let slots = try ["mentor", "name"].map { try #require(layout.slot(named: $0)) }
        let statements = try store.statements {
            let row = try #require(try store.backend.rows(withIDs: [hero], slots: slots).first)
            #expect(row.objectID == hero)
            #expect(row.values[slots[0]].referencedID == mentor)
            #expect(row.values[slots[1]].shown == "string Robin")
        }
        #expect(statements.count == 1)
        #expect(statements.allSatisfy { !$0.contains("ZAGE") && $0.contains("ZMENTOR") })
    }

    @Test func `rows that are gone are left out`() throws {
        let store = try TestStore(TestModel.heroes())
        let ids = try store.insert("Hero", [[:], [:]])
        try store.delete(ids[0])
        #expect(try store.backend.rows(withIDs: ids).map(\.objectID) == [ids[1]])
    }
}
