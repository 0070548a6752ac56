// Names, numbers and statements for what the real stores don't show. The expected texts follow the rules of Core Data's
// layout; each test names the rule.

import Foundation
import Testing

@testable import CoreData

@Suite struct SQLSchemaTests {
    private func schema(_ entities: [NSEntityDescription]) throws -> (SQLSchema, NSManagedObjectModel) {
        let model = TestModel.model(entities)
        return (try SQLSchema(model: model), model)
    }

    private func statements(_ entities: [NSEntityDescription]) throws -> [String] {
        let model = TestModel.model(entities)
        return try withExtendedLifetime(model) { try SQLSchema(model: model).createStatements() }
    }

    // MARK: Numbers

    @Test func `entities are numbered depth first, by name without regard to case`() throws {
        let animal = TestModel.entity("animal")
        let cat = TestModel.entity("Cat"), dog = TestModel.entity("aDog")
        animal.subentities = [cat, dog]
        let zebra = TestModel.entity("Zebra"), box = TestModel.entity("Box")
        let (schema, model) = try schema([zebra, cat, animal, box, dog])
        withExtendedLifetime(model) {
            #expect(schema.entities.map(\.name) == ["animal", "aDog", "Cat", "Box", "Zebra"])
            #expect(schema.entities.map(\.number) == [1, 2, 3, 4, 5])
            #expect(schema.entities.map(\.superNumber) == [0, 1, 1, 0, 0])
            #expect(schema.entity(named: "animal")?.hierarchyNumbers == [1, 2, 3])
            #expect(schema.entity(named: "Cat")?.table == "ZANIMAL")
        }
    }

    @Test func `a fetch of a sub-entity is restricted to its numbers, one of a whole table isn't`() throws {
        let (schema, model) = try schema(
            {
                let root = TestModel.entity("Root"), middle = TestModel.entity("Middle"),
                    leaf = TestModel.entity("Leaf")
                root.subentities = [middle]
                middle.subentities = [leaf]
                return [root, middle, leaf, TestModel.entity("Alone")]
            }())
        withExtendedLifetime(model) {
            func condition(_ name: String, _ includingSubentities: Bool) -> String? {
                schema.entity(named: name)?.rowCondition(includingSubentities: includingSubentities)
            }
            #expect(condition("Root", true) == nil)
            #expect(condition("Root", false) == "Z_ENT = 2")
            #expect(condition("Middle", true) == "Z_ENT IN (3, 4)")
            #expect(condition("Middle", false) == "Z_ENT = 3")
            #expect(condition("Leaf", true) == "Z_ENT = 4")
            #expect(condition("Alone", false) == nil)
        }
    }

    // MARK: Columns

    @Test func `columns stand by type, then by entity, attributes before relationships, by name`() throws {
        let types: [(String, NSAttributeType)] = [
            ("binary", .binaryDataAttributeType), ("transformable", .transformableAttributeType),
            ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType), ("string", .stringAttributeType),
            ("decimal", .decimalAttributeType), ("float", .floatAttributeType), ("date", .dateAttributeType),
            ("double", .doubleAttributeType), ("small", .integer16AttributeType), ("flag", .booleanAttributeType),
        ]
        let thing = TestModel.entity("Thing", types.map { TestModel.attribute($0.0, $0.1) })
        let part = TestModel.entity("Part", [TestModel.attribute("Big", .integer64AttributeType)])
        thing.subentities = [part]
        let other = TestModel.entity("Other")
        TestModel.relate(thing, "alpha", .one, other)
        #expect(
            try statements([thing, part, other]).first { $0.contains("TABLE ZTHING ") }
                == "CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLAG INTEGER, "
                + "ZSMALL INTEGER, ZALPHA INTEGER, ZBIG INTEGER, ZDATE TIMESTAMP, ZDOUBLE FLOAT, ZFLOAT FLOAT, "
                + "ZDECIMAL DECIMAL, ZSTRING VARCHAR, ZURI VARCHAR, ZUUID BLOB, ZTRANSFORMABLE BLOB, ZBINARY BLOB )")
    }

    @Test func `transient properties and to-many relationships have no column`() throws {
        let owner = TestModel.entity(
            "Owner", [TestModel.attribute("mood", .undefinedAttributeType, transient: true)])
        let item = TestModel.entity("Item")
        TestModel.connect(owner, "items", .many, item, "owner", .one)
        #expect(
            try statements([owner, item]).first
                == "CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER )")
        #expect(
            try statements([owner, item])[1]
                == "CREATE TABLE ZOWNER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )")
    }

    @Test func `a destination with sub-entities gets a second column for the entity number`() throws {
        let place = TestModel.entity("Place"), city = TestModel.entity("City"), visit = TestModel.entity("Visit")
        place.subentities = [city]
        TestModel.relate(visit, "place", .one, place)
        TestModel.relate(visit, "city", .one, city)
        #expect(
            try statements([place, city, visit]).contains(
                "CREATE TABLE ZVISIT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCITY INTEGER, "
                    + "ZPLACE INTEGER, Z1_PLACE INTEGER )"))
    }

    // MARK: Collisions

    @Test func `sub-entities with an attribute of the same name share no column`() throws {
        let message = TestModel.entity("Message")
        let text = TestModel.entity("TextMessage", [TestModel.attribute("text", .stringAttributeType)])
        let system = TestModel.entity("SystemMessage", [TestModel.attribute("text", .stringAttributeType)])
        message.subentities = [text, system]
        let (schema, model) = try schema([message, text, system])
        withExtendedLifetime(model) {
            #expect(schema.entity(named: "SystemMessage")?.column(named: "text") == "ZTEXT")
            #expect(schema.entity(named: "TextMessage")?.column(named: "text") == "ZTEXT1")
        }
    }

    @Test func `who gets which suffix goes by the entities' numbers, not by their names`() throws {
        let root = TestModel.entity("Root"), container = TestModel.entity("NContainer")
        let note = TestModel.entity("N", [TestModel.attribute("title", .stringAttributeType)])
        let folder = TestModel.entity("F", [TestModel.attribute("title", .stringAttributeType)])
        let account = TestModel.entity("Account")
        root.subentities = [note, container]
        container.subentities = [folder]
        for owner in [note, folder] { TestModel.relate(owner, "account", .one, account) }
        let (schema, model) = try schema([root, note, container, folder, account])
        withExtendedLifetime(model) {
            #expect(schema.entities.map(\.name) == ["Account", "Root", "N", "NContainer", "F"])
            #expect(schema.entity(named: "N")?.column(named: "title") == "ZTITLE")
            #expect(schema.entity(named: "F")?.column(named: "title") == "ZTITLE1")
            #expect(schema.entity(named: "N")?.column(named: "account") == "ZACCOUNT")
            #expect(schema.entity(named: "F")?.column(named: "account") == "ZACCOUNT1")
        }
    }

    @Test func `in a file its own numbers decide who gets which suffix`() throws {
        let root = TestModel.entity("Root")
        let names = ["A", "B"]
        let parts = names.map { TestModel.entity($0, [TestModel.attribute("title", .stringAttributeType)]) }
        root.subentities = parts
        let model = TestModel.model([root] + parts)
        let file = SQLFileContents(
            tables: ["ZROOT": ["Z_PK", "Z_ENT", "Z_OPT", "ZTITLE", "ZTITLE1"]],
            entityRows: [
                .init(number: 1, name: "Root", superNumber: 0), .init(number: 5, name: "A", superNumber: 1),
                .init(number: 2, name: "B", superNumber: 1),
            ])
        let schema = try SQLSchema(model: model, configuration: nil, file: file)
        withExtendedLifetime(model) {
            #expect(schema.entity(named: "B")?.column(named: "title") == "ZTITLE")
            #expect(schema.entity(named: "A")?.column(named: "title") == "ZTITLE1")
        }
    }

    @Test func `names that differ in case only, or look like a key column, get a suffix`() throws {
        let thing = TestModel.entity(
            "Thing", ["name", "Name", "_pk"].map { TestModel.attribute($0, .stringAttributeType) })
        let (schema, model) = try schema([thing, TestModel.entity("THING")])
        withExtendedLifetime(model) {
            let entity = schema.entity(named: "Thing")
            #expect(entity?.column(named: "Name") == "ZNAME")
            #expect(entity?.column(named: "name") == "ZNAME1")
            #expect(entity?.column(named: "_pk") == "Z_PK1")
            #expect(schema.tables.map(\.name).sorted() == ["ZTHING", "ZTHING1"])
        }
    }

    // MARK: To-many relationships

    @Test func `an ordered one-to-many has its order key behind the other integers of the members' table`() throws {
        let model = TestModel.heroes()
        let statements = try withExtendedLifetime(model) { try SQLSchema(model: model).createStatements() }
        #expect(
            statements.contains(
                "CREATE TABLE ZPOWER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHERO INTEGER, "
                    + "Z1_HERO INTEGER, Z_FOK_HERO INTEGER, ZNAME VARCHAR )"))
    }

    @Test func `the master of a join table is the first in processing order, not in number`() throws {
        // GenericAlbum is processed early because its sub-entity Album sorts before AlbumList.
        let generic = TestModel.entity("GenericAlbum"), album = TestModel.entity("Album")
        let list = TestModel.entity("AlbumList")
        generic.subentities = [album]
        TestModel.connect(generic, "albumLists", .many, list, "albums", .ordered)
        #expect(
            try statements([generic, album, list]).contains(
                "CREATE TABLE Z_2ALBUMLISTS ( Z_2ALBUMS INTEGER, Z_1ALBUMLISTS INTEGER, Z_FOK_2ALBUMS INTEGER, "
                    + "PRIMARY KEY (Z_2ALBUMS, Z_1ALBUMLISTS) )"))
    }

    @Test func `order keys of both sides stand in the order of the key columns`() throws {
        let author = TestModel.entity("Author"), post = TestModel.entity("Post")
        TestModel.connect(author, "createdEntries", .ordered, post, "authors", .ordered)
        #expect(
            try statements([author, post]).contains(
                "CREATE TABLE Z_1CREATEDENTRIES ( Z_1AUTHORS INTEGER, Z_2CREATEDENTRIES INTEGER, "
                    + "Z_FOK_1AUTHORS INTEGER, Z_FOK_2CREATEDENTRIES INTEGER, "
                    + "PRIMARY KEY (Z_1AUTHORS, Z_2CREATEDENTRIES) )"))
        #expect(
            try statements([author, post]).contains(
                "CREATE INDEX Z_1CREATEDENTRIES_Z_2CREATEDENTRIES_INDEX ON Z_1CREATEDENTRIES "
                    + "(Z_2CREATEDENTRIES, Z_1AUTHORS)"))
    }

    @Test func `a relationship that is its own inverse has the column REFLEXIVE`() throws {
        let person = TestModel.entity("Person")
        let friends = TestModel.relate(person, "friends", .many, person)
        friends.inverseRelationship = friends
        #expect(
            try statements([person]).contains(
                "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )"
            ))
    }

    @Test func `between two relationships of one entity the last name is the master, and the schema says so`() throws {
        let task = TestModel.entity("Task")
        TestModel.connect(task, "next", .many, task, "previous", .many)
        let (schema, model) = try schema([task])
        withExtendedLifetime(model) {
            #expect(schema.joinTables.map(\.name) == ["Z_1PREVIOUS"])
            #expect(schema.joinTables.first?.ownerColumn == "Z_1NEXT")
            #expect(schema.ambiguities.count == 1)
            #expect(schema.ambiguities.first?.contains("'previous'") == true)
        }
    }

    @Test func `a to-many without inverse has a column in the members' table, with an index`() throws {
        let task = TestModel.entity("Task"), message = TestModel.entity("Message")
        TestModel.relate(task, "notes", .many, message)
        let statements = try statements([task, message])
        #expect(
            statements.contains(
                "CREATE TABLE ZMESSAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z2NOTES INTEGER )"))
        #expect(statements.contains("CREATE INDEX ZMESSAGE_Z2NOTES_INDEX ON ZMESSAGE (Z2NOTES)"))
    }

    // MARK: Indexes

    @Test func `an index that the model has twice is made once`() throws {
        let thing = TestModel.entity("Thing", [TestModel.attribute("name", .stringAttributeType, indexed: true)])
        thing.indexes += thing.indexes.map { NSFetchIndexDescription(name: $0.name, elements: $0.elements) }
        #expect(thing.indexes.count == 2)
        #expect(try statements([thing]).filter { $0.contains("Z_Thing_name") }.count == 1)
    }

    @Test func `older lists of indexes may name the object itself and its entity`() throws {
        let thing = TestModel.entity("Thing", [TestModel.attribute("date", .dateAttributeType)])
        thing.compoundIndexes = [["date", "self"], ["entity", "date"]]
        let made = try statements([thing]).filter { $0.contains("INDEX Z_Thing") }
        #expect(
            made == [
                "CREATE INDEX Z_Thing_date_self ON ZTHING (ZDATE COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)",
                "CREATE INDEX Z_Thing_entity_date ON ZTHING (Z_ENT COLLATE BINARY ASC, ZDATE COLLATE BINARY ASC)",
            ])
    }

    @Test func `a spatial index and its triggers are spelled as Core Data's`() throws {
        let coordinates = ["latitude", "longitude"].map { TestModel.attribute($0, .doubleAttributeType) }
        let asset = TestModel.entity("GenericAsset", coordinates)
        let elements = coordinates.map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) }
        asset.indexes = [NSFetchIndexDescription(name: "boundedByRect", elements: elements)]
        let name = "Z_RT_GenericAsset_boundedByRect"
        let columns = "(Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX)"
        let values = "(NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE)"
        #expect(
            try statements([asset]).filter { $0.contains(name) } == [
                "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, "
                    + "ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)",
                "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON ZGENERICASSET FOR EACH ROW BEGIN INSERT OR REPLACE INTO "
                    + "\(name) \(columns) VALUES \(values) ; END",
                "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE ON ZGENERICASSET FOR EACH ROW BEGIN DELETE FROM \(name) "
                    + "WHERE Z_PK = NEW.Z_PK ; INSERT INTO \(name) \(columns) VALUES \(values) ; END",
                "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON ZGENERICASSET FOR EACH ROW BEGIN DELETE FROM \(name) "
                    + "WHERE Z_PK = OLD.Z_PK ; END",
            ])
    }

    @Test func `fetch indexes keep their names and directions`() throws {
        let name = TestModel.attribute("name", .stringAttributeType),
            age = TestModel.attribute("age", .dateAttributeType)
        let hero = TestModel.entity("Hero", [name, age])
        let elements = [name, age].map { NSFetchIndexElementDescription(property: $0, collationType: .binary) }
        elements[1].isAscending = false
        hero.indexes = [NSFetchIndexDescription(name: "byName", elements: elements)]
        #expect(
            try statements([hero]).contains(
                "CREATE INDEX Z_Hero_byName ON ZHERO (ZNAME COLLATE BINARY ASC, ZAGE COLLATE BINARY DESC)"))
    }

    @Test func `a fetch index of a single relationship adds nothing to that relationship's own`() throws {
        let hero = TestModel.entity("Hero"), team = TestModel.entity("Team")
        let relationship = TestModel.relate(hero, "team", .one, team)
        let element = NSFetchIndexElementDescription(property: relationship, collationType: .binary)
        hero.indexes = [NSFetchIndexDescription(name: "byTeam", elements: [element])]
        let indexes = try statements([hero, team]).filter { $0.hasPrefix("CREATE INDEX") }
        #expect(indexes == ["CREATE INDEX ZHERO_ZTEAM_INDEX ON ZHERO (ZTEAM)"])
    }

    @Test func `relationships to many objects have no part in a fetch index, as Wikipedia's model has it`() throws {
        let hero = TestModel.entity("Hero", [TestModel.attribute("name", .stringAttributeType)])
        let team = TestModel.entity("Team")
        TestModel.connect(hero, "teams", .many, team, "heroes", .many)
        let properties = try ["teams", "name"].map { try #require(hero.propertiesByName[$0]) }
        let elements = properties.map { NSFetchIndexElementDescription(property: $0, collationType: .binary) }
        hero.indexes = [
            NSFetchIndexDescription(name: "byBoth", elements: elements),
            NSFetchIndexDescription(name: "byTeams", elements: Array(elements.prefix(1))),
        ]
        let indexes = try statements([hero, team]).filter { $0.hasPrefix("CREATE INDEX Z_Hero") }
        #expect(indexes == ["CREATE INDEX Z_Hero_byBoth ON ZHERO (ZNAME COLLATE BINARY ASC)"])
    }

    @Test(arguments: [
        ("age = 2", "ZAGE = 2"), ("age != 2", "ZAGE <> 2"), ("age > 2", "ZAGE > 2"), ("name = nil", "ZNAME IS NULL"),
        ("name != nil", "ZNAME IS NOT NULL"), ("name = \"O'Neil\"", "ZNAME = 'O''Neil'"),
        ("age = 2 OR age = 4", "(ZAGE = 2 OR ZAGE = 4)"), ("age = 2 AND name = nil", "(ZAGE = 2 AND ZNAME IS NULL)"),
    ])
    func `a partial index has its condition in SQL`(_ predicate: String, _ sql: String) throws {
        let name = TestModel.attribute("name", .stringAttributeType)
        let hero = TestModel.entity("Hero", [name, TestModel.attribute("age", .integer16AttributeType)])
        let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
        let index = NSFetchIndexDescription(name: "some", elements: [element])
        index.partialIndexPredicate = NSPredicate(format: predicate)
        hero.indexes = [index]
        #expect(
            try statements([hero]).contains(
                "CREATE INDEX Z_Hero_some ON ZHERO (ZNAME COLLATE BINARY ASC) WHERE \(sql)"))
    }

    @Test func `a partial index that SQL can't express is an error that names it`() throws {
        let name = TestModel.attribute("name", .stringAttributeType)
        let hero = TestModel.entity("Hero", [name])
        let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
        let index = NSFetchIndexDescription(name: "some", elements: [element])
        index.partialIndexPredicate = NSPredicate(format: "name LIKE 'x*'")
        hero.indexes = [index]
        let error = try #require(throws: SQLSchemaError.self) { try statements([hero]) }
        #expect(error.description.contains("Fetch index 'some' of entity 'Hero'"))
    }

    @Test func `an index of expressions uses the key and entity columns`() throws {
        let hero = TestModel.entity("Hero")
        let itself = NSExpressionDescription(), kind = NSExpressionDescription()
        itself.expression = NSExpression.expressionForEvaluatedObject()
        kind.expression = NSExpression(forKeyPath: "entity")
        let elements = [kind, itself].map { NSFetchIndexElementDescription(property: $0, collationType: .binary) }
        hero.indexes = [NSFetchIndexDescription(name: "kinds", elements: elements)]
        #expect(
            try statements([hero]).contains(
                "CREATE INDEX Z_Hero_kinds ON ZHERO (Z_ENT COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)"))
    }

    @Test func `the index of entity numbers can be switched off`() throws {
        let root = TestModel.entity("Root"), leaf = TestModel.entity("Leaf")
        root.subentities = [leaf]
        let index = "CREATE INDEX ZROOT_Z_ENT_INDEX ON ZROOT (Z_ENT)"
        #expect(try statements([root, leaf]).contains(index))
        root.userInfo = ["_NSEntityOmitSubentityColumnIndex": "YES"]
        #expect(try !statements([root, leaf]).contains(index))
    }

    // MARK: Models that have no tables

    @Test func `an attribute without a type is an error that names it`() throws {
        let thing = TestModel.entity("Thing", [TestModel.attribute("what", .undefinedAttributeType)])
        let error = try #require(throws: SQLSchemaError.self) { try statements([thing]) }
        #expect(error.description.contains("Thing.what"))
    }

    @Test func `a relationship out of the configuration is an error that names both ends`() throws {
        let hero = TestModel.entity("Hero"), team = TestModel.entity("Team")
        TestModel.relate(hero, "team", .one, team)
        let model = TestModel.model([hero, team])
        model.setEntities([hero], forConfigurationName: "Local")
        let error = try #require(throws: SQLSchemaError.self) {
            try SQLSchema(model: model, configuration: "Local")
        }
        #expect(error.description.contains("Hero.team"))
        #expect(error.description.contains("'Team'"))
    }
}
