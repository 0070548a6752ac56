// Automatic lightweight migration through Core Data's public API. The rules are those of Core Data Model Versioning and
// Data Migration, "Lightweight Migration".

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct LightweightMigrationTests {
    /// Three heroes with powers in order and teams; two of them sidekicks' mentors.
    private func heroes() throws -> MigratingStore {
        try MigratingStore(TestModel.heroes()) { context in
            let flying = context.insert("Power", ["name": "flying"])
            let seeing = context.insert("Power", ["name": "seeing"])
            let hearing = context.insert("Power", ["name": "hearing"])
            let first = context.insert("Team", ["name": "first"])
            let second = context.insert("Team", ["name": "second"])
            let ada = context.insert("Hero", ["name": "Ada", "age": 36])
            let bob = context.insert("Hero", ["name": "Bob"])
            let cyd = context.insert("Sidekick", ["name": "Cyd", "nickname": "C", "mentor": ada])
            ada.setValue(NSOrderedSet(array: [hearing, flying]), forKey: "powers")
            bob.setValue(NSOrderedSet(array: [seeing]), forKey: "powers")
            ada.setValue(NSSet(array: [first, second]), forKey: "teams")
            cyd.setValue(NSSet(array: [second]), forKey: "teams")
        }
    }

    /// Migrates, and checks what holds after every migration: the schema is that of a new store, and the store opens
    /// without migrating.
    private func migrate(
        _ store: MigratingStore, to model: NSManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> NSManagedObjectContext {
        try store.open(model)
        #expect(
            try store.statements() == MigratingStore.statements(ofNew: try model.next { _ in }),
            sourceLocation: sourceLocation)
        let check = try store.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        #expect(check == ["ok"], sourceLocation: sourceLocation)
        return try store.open(model, nil)
    }

    // MARK: Allowed, refused

    @Test func `[F] a store of another version throws 134100 unless migration is allowed`() throws {
        let store = try heroes()
        let before = try Data(contentsOf: store.url)
        let model = try TestModel.heroes().next { model in
            try model.entity("Team").properties.append(TestModel.attribute("motto", .stringAttributeType))
        }
        for options in [nil, [NSMigratePersistentStoresAutomaticallyOption: false], [:]] as [[String: Any]?] {
            let error = try store.refusal(model, options)
            #expect(error.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
            #expect(error.localizedDescription.contains("Team.motto: added"))
        }
        #expect(try Data(contentsOf: store.url) == before)
        let context = try store.open(model)
        #expect(try context.values("Team", "motto") == ["nil", "nil"])
    }

    @Test func `a migration without an inferred mapping throws 134140`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { try $0.entity("Team").versionHashModifier = "2" }
        let error = try store.refusal(model, [NSMigratePersistentStoresAutomaticallyOption: true])
        #expect(error.code.rawValue == NSMigrationMissingMappingModelError)
    }

    @Test func `a store without its model's version throws 134130`() throws {
        let store = try heroes()
        try store.close()
        try DatabaseQueue(path: store.url.path).write { try $0.execute(sql: "DELETE FROM Z_MODELCACHE") }
        let model = try TestModel.heroes().next { try $0.entity("Team").versionHashModifier = "2" }
        let error = try store.refusal(model)
        #expect(error.code.rawValue == NSMigrationMissingSourceModelError)
        #expect(error.localizedDescription.contains("the store itself"))
    }

    @Test func `[A] a container's description allows automatic migration unless told otherwise`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { try $0.entity("Team").attribute("name").isOptional = true }
        let description = NSPersistentStoreDescription(url: store.url)
        #expect(description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically)
        try model.entity("Team").properties.append(TestModel.attribute("motto", .stringAttributeType))
        let container = NSPersistentContainer(name: "Heroes", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        #expect(failure == nil)
        #expect(try container.viewContext.values("Team", "name").sorted() == ["first", "second"])
        for open in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(open)
        }
    }

    // MARK: Attributes

    @Test func `[A] attributes are added, removed and renamed`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            let hero = try model.entity("Hero")
            let name = try hero.attribute("name")
            name.renamingIdentifier = "name"
            name.name = "title"
            hero.properties.removeAll { $0.name == "age" }
            let rank = TestModel.attribute("rank", .integer64AttributeType)
            rank.isOptional = false
            rank.defaultValue = 7
            hero.properties += [rank, TestModel.attribute("born", .dateAttributeType)]
        }
        let context = try migrate(store, to: model)
        #expect(try context.values("Hero", "title").sorted() == ["Ada", "Bob", "Cyd"])
        #expect(try context.values("Hero", "rank") == ["7", "7", "7"])
        #expect(try context.values("Hero", "born") == ["nil", "nil", "nil"])
        #expect(try context.values("Sidekick", "nickname") == ["C"])
        #expect(try context.members("Hero", "powers") == [["hearing", "flying"], ["seeing"], []])
    }

    @Test func `[A] an attribute becomes mandatory with a default value, and optional`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            let age = try model.entity("Hero").attribute("age")
            age.isOptional = false
            age.defaultValue = 18
        }
        let context = try migrate(store, to: model)
        #expect(try context.values("Hero", "age").sorted() == ["18", "18", "36"])
        try store.close()
        let back = try migrate(store, to: TestModel.heroes())
        #expect(try back.values("Hero", "age").sorted() == ["18", "18", "36"])
    }

    @Test func `[A] names can be swapped`() throws {
        let store = try MigratingStore(
            TestModel.model([
                TestModel.entity(
                    "Pair",
                    [TestModel.attribute("a", .stringAttributeType), TestModel.attribute("b", .stringAttributeType)])
            ])
        ) { $0.insert("Pair", ["a": "1", "b": "2"]) }
        let a = TestModel.attribute("a", .stringAttributeType), b = TestModel.attribute("b", .stringAttributeType)
        a.renamingIdentifier = "b"
        b.renamingIdentifier = "a"
        // What keeps its name and its identifier is the same; here nothing does.
        b.versionHashModifier = "2"
        let context = try migrate(store, to: TestModel.model([TestModel.entity("Pair", [a, b])]))
        #expect(try context.values("Pair", "a") == ["2"])
        #expect(try context.values("Pair", "b") == ["1"])
    }

    // MARK: Entities

    @Test func `[A] entities are added, removed and renamed`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            let hero = try model.entity("Hero")
            hero.renamingIdentifier = "Hero"
            hero.name = "Champion"
            hero.properties.removeAll { $0.name == "teams" }
            let kept = try ["Champion", "Sidekick", "Power"].map { name in try model.entity(name) }
            model.entities = [TestModel.entity("Actor", [TestModel.attribute("name", .stringAttributeType)])] + kept
        }
        let context = try migrate(store, to: model)
        #expect(try context.all("Actor").isEmpty)
        #expect(try context.values("Champion", "name").sorted() == ["Ada", "Bob", "Cyd"])
        #expect(try context.members("Sidekick", "mentor") == [["Ada"]])
        #expect(try context.members("Power", "hero").joined().sorted() == ["Ada", "Ada", "Bob"])
        let added = context.insert("Actor", ["name": "Dee"])
        try context.save()
        #expect(added.objectID.uriRepresentation().lastPathComponent == "p1")
    }

    @Test func `[A] the objects of a removed sub-entity go, with the references to them`() throws {
        let store = try MigratingStore(TestModel.heroes()) { context in
            let ada = context.insert("Hero", ["name": "Ada"])
            let cyd = context.insert("Sidekick", ["name": "Cyd"])
            ada.setValue(cyd, forKey: "mentor")
            cyd.setValue(NSSet(array: [context.insert("Team", ["name": "first"])]), forKey: "teams")
            context.insert("Power", ["name": "flying", "hero": cyd])
        }
        let model = try TestModel.heroes().next { model in
            try model.entity("Hero").subentities = []
            model.entities.removeAll { $0.name == "Sidekick" }
        }
        let context = try migrate(store, to: model)
        #expect(try context.values("Hero", "name") == ["Ada"])
        #expect(try context.values("Hero", "mentor") == ["nil"])
        #expect(try context.values("Power", "hero") == ["nil"])
        #expect(try context.members("Team", "members") == [[]])
    }

    @Test func `[A] a new parent takes over properties, and entities leave their parent`() throws {
        let store = try heroes()
        let up = try TestModel.heroes().next { model in
            let hero = try model.entity("Hero")
            let name = try hero.attribute("name")
            hero.properties.removeAll { $0 === name }
            let character = TestModel.entity("Character", [name])
            character.isAbstract = true
            model.entities.append(character)
            character.subentities = [hero]
        }
        var context = try migrate(store, to: up)
        #expect(try context.values("Character", "name").sorted() == ["Ada", "Bob", "Cyd"])
        #expect(try context.members("Sidekick", "mentor") == [["Ada"]])
        // A hero's pupils are heroes, and so are a team's members.
        for sidekick in try context.all("Sidekick") {
            sidekick.setValue(nil, forKey: "mentor")
            sidekick.setValue(NSSet(), forKey: "teams")
        }
        try context.save()
        try store.close()
        let apart = try up.next { model in
            let sidekick = try model.entity("Sidekick")
            try model.entity("Hero").subentities = []
            sidekick.properties.append(TestModel.attribute("name", .stringAttributeType))
        }
        context = try migrate(store, to: apart)
        #expect(try context.values("Hero", "name").sorted() == ["Ada", "Bob"])
        #expect(try context.values("Sidekick", "name") == ["Cyd"])
        // The last key of the old table counts for both.
        let added = context.insert("Sidekick")
        try context.save()
        #expect(added.objectID.uriRepresentation().lastPathComponent == "p4")
    }

    @Test func `[A] entities that were apart can't be given a common parent`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            let thing = TestModel.entity("Thing")
            model.entities.append(thing)
            thing.subentities = [try model.entity("Power"), try model.entity("Team")]
        }
        let error = try store.refusal(model)
        #expect(error.code.rawValue == NSMigrationMissingMappingModelError)
        #expect(error.localizedDescription.contains("'Power' and 'Team', which had no common ancestor"))
    }

    @Test(arguments: ["99", "NULL"])
    func `rows of no entity refuse a migration instead of being left behind`(_ number: String) throws {
        let store = try heroes()
        let queue = try DatabaseQueue(path: store.url.path)
        try queue.write { try $0.execute(sql: "UPDATE ZHERO SET Z_ENT = \(number) WHERE Z_PK = 1") }
        try queue.close()
        let model = try TestModel.heroes().next { model in
            try model.entity("Hero").properties.append(TestModel.attribute("fresh", .stringAttributeType))
        }
        let error = try store.refusal(model)
        #expect(error.code.rawValue == NSMigrationError)
        #expect(error.localizedDescription.contains("ZHERO has 1 row(s) whose Z_ENT is no entity of the model"))
        #expect(try store.sql { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM ZHERO WHERE Z_PK = 1") } == 1)
    }

    @Test func `an entity with objects can't become abstract, one without can`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { try $0.entity("Hero").isAbstract = true }
        let error = try store.refusal(model)
        #expect(error.code.rawValue == NSMigrationError)
        #expect(error.localizedDescription.contains("'Hero' becomes abstract, but has 2 object(s)"))
        let context = try store.open(TestModel.heroes(), nil)
        for hero in try context.all("Hero") where hero.entity.name == "Hero" { context.delete(hero) }
        try context.save()
        try store.close()
        #expect(try migrate(store, to: model).values("Hero", "name") == ["Cyd"])
    }

    @Test func `a row of an entity that was abstract before refuses a migration, which says what to do with it`() throws
    {
        let abstract = try TestModel.heroes().next { try $0.entity("Hero").isAbstract = true }
        let store = try MigratingStore(abstract) { context in _ = context.insert("Sidekick", ["name": "Cyd"]) }
        try StoreSQL.run(
            "UPDATE ZHERO SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Hero')", at: store.url)
        let next = try abstract.next { model in
            try model.entity("Team").properties.append(TestModel.attribute("fresh", .stringAttributeType))
        }
        let error = try store.refusal(next)
        #expect(error.localizedDescription.contains("'Hero' is abstract, but has 1 object(s)"))
        #expect(error.localizedDescription.contains("the number of a sub-entity (Z_ENT)"))
    }

    // MARK: Relationships

    @Test func `[A] relationships are added, removed and renamed`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            let hero = try model.entity("Hero"), power = try model.entity("Power"), team = try model.entity("Team")
            for (relationship, name) in [
                (try hero.relationship("powers"), "skills"), (try power.relationship("hero"), "owner"),
                (try hero.relationship("teams"), "groups"), (try team.relationship("members"), "people"),
                (try hero.relationship("mentor"), "teacher"),
            ] {
                relationship.renamingIdentifier = relationship.name
                relationship.name = name
            }
            TestModel.connect(team, "leader", .one, hero, "leads", .many)
        }
        let context = try migrate(store, to: model)
        #expect(try context.members("Hero", "skills") == [["hearing", "flying"], ["seeing"], []])
        #expect(try context.members("Hero", "groups") == [["first", "second"], [], ["second"]])
        #expect(try context.members("Team", "people") == [["Ada"], ["Ada", "Cyd"]])
        #expect(try context.members("Sidekick", "teacher") == [["Ada"]])
        #expect(try context.members("Hero", "leads") == [[], [], []])
    }

    @Test func `[A] a to-one relationship becomes to-many, and to-one again`() throws {
        let store = try heroes()
        let many = try TestModel.heroes().next { model in
            try model.entity("Power").relationship("hero").maxCount = 0
            try model.entity("Hero").relationship("mentor").maxCount = 0
        }
        var context = try migrate(store, to: many)
        #expect(try context.members("Hero", "powers") == [["hearing", "flying"], ["seeing"], []])
        #expect(try context.members("Hero", "mentor") == [[], [], ["Ada"]])
        #expect(try context.members("Hero", "pupils") == [["Cyd"], [], []])
        let bob = try #require(try context.all("Hero").first { $0.value(forKey: "name") as? String == "Bob" })
        let flying = try #require(try context.all("Power").first { $0.value(forKey: "name") as? String == "flying" })
        flying.setValue(NSSet(array: try context.all("Hero")), forKey: "hero")
        bob.setValue(NSSet(array: try context.all("Sidekick")), forKey: "mentor")
        try context.save()
        try store.close()
        // Which of several is to stay can't be told.
        let error = try store.refusal(TestModel.heroes())
        #expect(error.code.rawValue == NSMigrationError)
        #expect(
            error.localizedDescription.contains(
                "Power.hero leads to one object now, but 1 object(s) have several in it"))
        context = try store.open(many, nil)
        try #require(try context.all("Power").first { $0.value(forKey: "name") as? String == "flying" })
            .setValue(NSSet(array: [try context.all("Hero")[0]]), forKey: "hero")
        try context.save()
        try store.close()
        context = try migrate(store, to: TestModel.heroes())
        #expect(try context.members("Power", "hero").joined().sorted() == ["Ada", "Ada", "Bob"])
        #expect(try context.members("Hero", "mentor") == [[], ["Cyd"], ["Ada"]])
    }

    @Test func `[A] a relationship becomes ordered, and unordered`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            try model.entity("Hero").relationship("powers").isOrdered = false
            try model.entity("Hero").relationship("teams").isOrdered = true
            try model.entity("Hero").relationship("pupils").isOrdered = true
        }
        let context = try migrate(store, to: model)
        #expect(try context.members("Hero", "powers") == [["flying", "hearing"], ["seeing"], []])
        #expect(try context.members("Hero", "teams").map { $0.sorted() } == [["first", "second"], [], ["second"]])
        #expect(try context.members("Hero", "pupils") == [["Cyd"], [], []])
        let keys = try store.sql {
            try Int.fetchAll($0, sql: "SELECT Z_FOK_MENTOR FROM ZHERO WHERE ZMENTOR IS NOT NULL")
        }
        #expect(keys == [2048])
    }

    @Test func `a relationship becomes one to one where every object has one at most`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { try $0.entity("Hero").relationship("powers").maxCount = 1 }
        try model.entity("Hero").relationship("powers").isOrdered = false
        // Ada has two.
        let error = try store.refusal(model)
        #expect(
            error.localizedDescription.contains(
                "Hero.powers leads to one object now, but 1 object(s) have several in it, the first of them Hero/p"))
        var context = try store.open(TestModel.heroes(), nil)
        context.delete(try #require(try context.all("Power").first { $0.value(forKey: "name") as? String == "flying" }))
        try context.save()
        try store.close()
        context = try migrate(store, to: model)
        #expect(try context.members("Hero", "powers") == [["hearing"], ["seeing"], []])
        #expect(try context.members("Power", "hero").joined().sorted() == ["Ada", "Bob"])
    }

    @Test func `a relationship whose destination moves down leads there where every object fits`() throws {
        let store = try MigratingStore(TestModel.heroes()) { context in
            let ada = context.insert("Hero", ["name": "Ada"]), cyd = context.insert("Sidekick", ["name": "Cyd"])
            context.insert("Power", ["name": "flying", "hero": ada])
            context.insert("Power", ["name": "seeing", "hero": cyd])
        }
        let model = try TestModel.heroes().next { model in
            let hero = try model.entity("Hero"), sidekick = try model.entity("Sidekick")
            let powers = try hero.relationship("powers")
            hero.properties.removeAll { $0 === powers }
            sidekick.properties.append(powers)
            try model.entity("Power").relationship("hero").destinationEntity = sidekick
        }
        // Who led to a hero that is no sidekick would lead nowhere.
        let error = try store.refusal(model)
        #expect(
            error.localizedDescription.contains(
                "Power.hero leads to 'Sidekick' now, but 1 link(s) lead to objects of other entities"))
        var context = try store.open(TestModel.heroes(), nil)
        try #require(try context.all("Power").first { $0.value(forKey: "name") as? String == "flying" })
            .setValue(nil, forKey: "hero")
        try context.save()
        try store.close()
        context = try migrate(store, to: model)
        #expect(try context.members("Power", "hero").flatMap(\.self) == ["Cyd"])
        #expect(try context.members("Sidekick", "powers") == [["seeing"]])
    }

    @Test func `links to objects whose entity leaves the hierarchy are refused`() throws {
        let store = try MigratingStore(TestModel.heroes()) { context in
            let ada = context.insert("Hero", ["name": "Ada"]), cyd = context.insert("Sidekick", ["name": "Cyd"])
            context.insert("Power", ["name": "flying", "hero": ada])
            context.insert("Power", ["name": "seeing", "hero": cyd])
        }
        let model = try TestModel.heroes().next { try $0.entity("Hero").subentities = [] }
        let error = try store.refusal(model)
        #expect(
            error.localizedDescription.contains(
                "Power.hero leads to 'Hero' now, but 1 link(s) lead to objects of other entities"))
        let context = try store.open(TestModel.heroes(), nil)
        for power in try context.all("Power") { power.setValue(nil, forKey: "hero") }
        try context.save()
        try store.close()
        #expect(try migrate(store, to: model).all("Sidekick").count == 1)
    }

    @Test func `members of a list whose entity leaves the hierarchy are refused`() throws {
        let gifts = try TestModel.heroes().next { model in
            let gift = NSEntityDescription()
            gift.name = "Gift"
            gift.managedObjectClassName = "NSManagedObject"
            model.entities.append(gift)
            try model.entity("Power").subentities = [gift]
        }
        let store = try MigratingStore(gifts) { context in
            let ada = context.insert("Hero", ["name": "Ada"])
            context.insert("Gift", ["name": "flying", "hero": ada])
            context.insert("Power", ["name": "seeing", "hero": ada])
        }
        let model = try gifts.next { try $0.entity("Power").subentities = [] }
        let error = try store.refusal(model)
        #expect(
            error.localizedDescription.contains(
                "Hero.powers leads to 'Power' now, but 1 link(s) lead to objects of other entities"))
        var context = try store.open(gifts, nil)
        for gift in try context.all("Gift") { gift.setValue(nil, forKey: "hero") }
        try context.save()
        try store.close()
        context = try migrate(store, to: model)
        #expect(try context.members("Hero", "powers") == [["seeing"]])
        #expect(try context.all("Gift").count == 1)
    }

    @Test func `what a model says of the files of texts means nothing`() throws {
        func change(_ isExternal: Bool) throws -> NSManagedObjectModel {
            try TestModel.heroes().next { model in
                let name = try model.entity("Power").attribute("name")
                name.allowsExternalBinaryDataStorage = isExternal
            }
        }
        for isExternal in [true, false] {
            let store = try MigratingStore(change(!isExternal)) { $0.insert("Power", ["name": "flying"]) }
            let model = try change(isExternal).next {
                try $0.entity("Power").attribute("name").versionHashModifier = "x"
            }
            let context = try migrate(store, to: model)
            #expect(try context.all("Power").map { $0.value(forKey: "name") as? String } == ["flying"])
        }
    }

    @Test func `a list that loses its inverse keeps its objects where none is in several`() throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { model in
            let hero = try model.entity("Hero"), team = try model.entity("Team")
            let back = try #require(try hero.relationship("teams").inverseRelationship)
            team.properties.removeAll { $0 === back }
            try hero.relationship("teams").inverseRelationship = nil
        }
        let error = try store.refusal(model)
        #expect(error.localizedDescription.contains("Hero.teams has no inverse now"))
        #expect(error.localizedDescription.contains("1 object(s) are in several, the first of them Team/p"))
        var context = try store.open(TestModel.heroes(), nil)
        let cyd = try #require(try context.all("Hero").first { $0.value(forKey: "name") as? String == "Cyd" })
        cyd.setValue(NSSet(), forKey: "teams")
        try context.save()
        try store.close()
        context = try migrate(store, to: model)
        #expect(try context.members("Hero", "teams").map { $0.sorted() } == [["first", "second"], [], []])
    }

    @Test func `a relationship becomes mandatory where every object has one`() throws {
        let store = try heroes()
        let powers = try TestModel.heroes().next { try $0.entity("Power").relationship("hero").isOptional = false }
        #expect(try migrate(store, to: powers).members("Power", "hero").joined().count == 3)
        try store.close()
        let mentors = try TestModel.heroes().next { try $0.entity("Hero").relationship("mentor").isOptional = false }
        let error = try store.refusal(mentors)
        #expect(error.code.rawValue == NSMigrationError)
        #expect(error.localizedDescription.contains("Hero.mentor is mandatory, but 2 object(s) have nothing in it"))
        #expect(try store.open(powers, nil).all("Hero").count == 3)
    }

    // MARK: Uniqueness, identity

    @Test func `a uniqueness constraint is added where it holds, and refused with an example where it doesn't`() throws
    {
        let store = try heroes()
        let names = try TestModel.heroes().next { try $0.entity("Hero").uniquenessConstraints = [["name"]] }
        #expect(try migrate(store, to: names).all("Hero").count == 3)
        let context = try store.open(names)
        for team in try context.all("Team") { team.setValue("same", forKey: "name") }
        try context.save()
        try store.close()
        let teams = try TestModel.heroes().next { try $0.entity("Team").uniquenessConstraints = [["name"]] }
        let error = try store.refusal(teams)
        #expect(error.code.rawValue == NSMigrationConstraintViolationError)
        #expect(error.localizedDescription.contains("Team/p1 and Team/p2"))
        #expect(try store.open(names, nil).values("Team", "name") == ["same", "same"])
    }

    @Test func `object IDs, the store's UUID and the application's metadata stay`() throws {
        let store = try heroes()
        var context = try store.open(TestModel.heroes())
        let ids = try context.all("Hero").map { $0.objectID.uriRepresentation().absoluteString }
        let opened = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        opened.metadata["Mine"] = "kept"
        context.insert("Team")
        try context.save()
        try store.close()
        let model = try TestModel.heroes().next { try $0.entity("Hero").attribute("age").isOptional = false }
        try model.entity("Hero").attribute("age").defaultValue = 1
        context = try migrate(store, to: model)
        #expect(try context.all("Hero").map { $0.objectID.uriRepresentation().absoluteString } == ids)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store.url)
        #expect(metadata["Mine"] as? String == "kept")
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test func `[A] a renaming identifier leads over several versions at once`() throws {
        func model(_ name: String) throws -> NSManagedObjectModel {
            try TestModel.heroes().next { model in
                let attribute = try model.entity("Hero").attribute("name")
                attribute.name = name
                attribute.renamingIdentifier = "name"
            }
        }
        let direct = try heroes(), stepwise = try heroes()
        try stepwise.open(model("title"))
        try stepwise.close()
        for store in [direct, stepwise] {
            let context = try migrate(store, to: model("label"))
            #expect(try context.values("Hero", "label").sorted() == ["Ada", "Bob", "Cyd"])
        }
    }

    @Test(arguments: [NSAttributeType.integer64AttributeType, .doubleAttributeType])
    func `a number's type may become one that has room for each of them`(_ type: NSAttributeType) throws {
        let store = try heroes()
        let model = try TestModel.heroes().next { try $0.entity("Hero").attribute("age").attributeType = type }
        let context = try migrate(store, to: model)
        #expect(try context.values("Hero", "age").contains { Double($0) == 36 })
        #expect(throws: CocoaError.self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: TestModel.heroes())
        }
    }

    @Test func `all that is in the way of a mapping is listed at once, and the store stays`() throws {
        let store = try heroes()
        try store.close()
        let before = try Data(contentsOf: store.url)
        let model = try TestModel.heroes().next { model in
            try model.entity("Hero").attribute("age").attributeType = .stringAttributeType
            let motto = TestModel.attribute("motto", .stringAttributeType)
            motto.isOptional = false
            try model.entity("Team").properties.append(motto)
            let owner = TestModel.relate(try model.entity("Power"), "team", .one, try model.entity("Team"))
            owner.isOptional = false
            try model.entity("Sidekick").attribute("nickname").isOptional = false
        }
        let error = try store.refusal(model)
        let found = try #require(error.info["obstacles"] as? [String])
        #expect(found.count == 4)
        #expect(found[0].hasPrefix("Hero.age: type changed from Integer 32 to String"))
        #expect(found[1].hasPrefix("Power.team: added, and mandatory"))
        #expect(found[2].hasPrefix("Sidekick.nickname: became mandatory, and mandatory without a default"))
        #expect(found[3].hasPrefix("Team.motto: added, and mandatory without a default"))
        let underlying = try #require(error.info[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.code == NSInferredMappingModelError)
        #expect(try Data(contentsOf: store.url) == before)
        let thrown = try #require(throws: CocoaError.self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: TestModel.heroes(), destinationModel: model)
        }
        #expect(thrown.code.rawValue == NSInferredMappingModelError)
    }
}
