// The comic-book example of Groot's documentation, and the tests of its repository, through its own functions.

import Groot
import Testing

@Suite struct ComicBookTests {
    private let batman: JSONDictionary = [
        "name": "Batman",
        "real_name": "Bruce Wayne",
        "id": "1699",
        "powers": [
            ["id": "4", "name": "Agility"], NSNull(), ["id": "9", "name": "Insanely Rich"],
        ],
        "publisher": ["id": "10", "name": "DC Comics"],
    ]

    private let batmanText = """
        {
            "id": "1699",
            "name": "Batman",
            "real_name": "Bruce Wayne",
            "powers": [
                {
                    "id": "4",
                    "name": "Agility"
                },
                {
                    "id": "9",
                    "name": "Insanely Rich"
                }
            ],
            "publisher": {
                "id": "10",
                "name": "DC Comics"
            }
        }
        """

    private func expectBatman(_ batman: Character) {
        #expect(batman.identifier == 1699)
        #expect(batman.name == "Batman")
        #expect(batman.realName == "Bruce Wayne")
        #expect(batman.powers.map(\.identifier) == [4, 9])
        #expect(batman.powers.map(\.name) == ["Agility", "Insanely Rich"])
        #expect(batman.publisher?.identifier == 10)
        #expect(batman.publisher?.name == "DC Comics")
    }

    private func characters(_ context: NSManagedObjectContext) throws -> [Character] {
        let request = NSFetchRequest<Character>(entityName: "Character")
        request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
        return try context.fetch(request)
    }

    @Test func `a dictionary becomes an object with everything it leads to`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let character: Character = try object(fromJSONDictionary: batman, inContext: context)
            expectBatman(character)
            let named = try object(
                withEntityName: "Character", fromJSONDictionary: ["id": "1699"], inContext: context)
            #expect(named === character)
        }
    }

    @Test func `data becomes objects, and one object is a list of one`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let characters: [Character] = try objects(fromJSONData: Data(batmanText.utf8), inContext: context)
            #expect(characters.count == 1)
            expectBatman(try #require(characters.first))
            let again = try objects(
                withEntityName: "Character", fromJSONData: Data("[\(batmanText), null, \(batmanText)]".utf8),
                inContext: context)
            #expect(again == [characters[0], characters[0]])
        }
    }

    @Test func `an update by identity changes what it says`() throws {
        let context = try makeContext()
        try context.performAndWait {
            var first = batman
            first["real_name"] = "Guille Gonzalez"
            first["publisher"] = ["id": "10", "name": "DC"]
            let character: Character = try object(fromJSONDictionary: first, inContext: context)
            let update: JSONArray = [
                [
                    "id": "1699", "real_name": "Bruce Wayne",
                    "publisher": ["id": "10", "name": "DC Comics"],
                ],
                [
                    "id": "1455", "name": "Iron Man", "real_name": "Tony Stark",
                    "powers": [["id": "31", "name": "Power Suit"], ["id": "9", "name": "Filthy Rich"]],
                ],
            ]
            let updated: [Character] = try objects(fromJSONArray: update, inContext: context)
            #expect(updated.first === character)
            let all = try characters(context)
            #expect(all.map(\.name) == ["Iron Man", "Batman"])
            #expect(all[1].realName == "Bruce Wayne")
            #expect(all[1].publisher?.name == "DC Comics")
            #expect(all[0].powers.map(\.name) == ["Power Suit", "Filthy Rich"])
            #expect(all[1].powers.map(\.name) == ["Agility", "Filthy Rich"])
            #expect(all[0].powers[1] === all[1].powers[1])
            #expect(try context.count(for: NSFetchRequest<Power>(entityName: "Power")) == 3)
            #expect(try context.count(for: NSFetchRequest<Publisher>(entityName: "Publisher")) == 1)
        }
    }

    @Test func `identifiers first, objects later: both merge`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let character: Character = try object(
                fromJSONDictionary: [
                    "name": "Batman", "real_name": "Bruce Wayne", "id": "1699", "powers": ["4", NSNull(), "9"],
                    "publisher": "10",
                ], inContext: context)
            #expect(character.powers.map(\.name) == [nil, nil])
            let _: [Power] = try objects(
                fromJSONArray: [["id": "4", "name": "Agility"], ["id": "9", "name": "Insanely Rich"]],
                inContext: context)
            let _: Publisher = try object(
                fromJSONDictionary: ["id": "10", "name": "DC Comics"], inContext: context)
            expectBatman(character)
        }
    }

    @Test func `identifiers alone are objects`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let powers: [Power] = try objects(fromJSONArray: ["4", "9"], inContext: context)
            #expect(powers.map(\.identifier) == [4, 9])
            #expect(try objects(withEntityName: "Power", fromJSONArray: [], inContext: context).isEmpty)
        }
    }

    // Groot's serialization makes the object and sets its identity; nobody validates it until the context saves.
    @Test func `an identifier alone is an object that lacks what is mandatory until it is saved`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let made: [Character] = try objects(fromJSONArray: ["1699"], inContext: context)
            let character = try #require(made.first)
            #expect(made.count == 1 && character.identifier == 1699 && character.name == nil && character.isInserted)
            #expect(throws: CocoaError.self) { try context.save() }
            let again: [Character] = try objects(fromJSONData: Data(#"["1699", "1699"]"#.utf8), inContext: context)
            #expect(again == [character, character])
            let _: Character = try object(fromJSONDictionary: batman, inContext: context)
            expectBatman(character)
            try context.save()
            let stored: [Character] = try objects(fromJSONArray: ["1699"], inContext: context)
            #expect(stored == [character] && character.name == "Batman" && !context.hasChanges)
        }
    }

    @Test func `export is the example again, nulls and all`() throws {
        let context = try makeContext()
        try context.performAndWait {
            let character: Character = try object(fromJSONDictionary: batman, inContext: context)
            let dictionary = json(fromObject: character)
            var expected = batman
            expected["powers"] = [["id": "4", "name": "Agility"], ["id": "9", "name": "Insanely Rich"]]
            #expect(dictionary as NSDictionary == expected as NSDictionary)
            let power: Power = try object(fromJSONDictionary: ["id": "5"], inContext: context)
            let list = json(fromObjects: [power, power])
            #expect(list as NSArray == [["id": "5", "name": NSNull()], ["id": "5", "name": NSNull()]] as NSArray)
        }
    }

    @Test func `an object that is gone is an empty dictionary among the others`() throws {
        let (context, other) = (try makeContext(), try makeContext())
        try context.performAndWait {
            let powers: [Power] = try objects(fromJSONArray: [["id": "5"], ["id": "6"]], inContext: context)
            try context.save()
            context.delete(powers[0])
            try context.save()
            let foreign = try other.performAndWait { () throws -> Power in
                try object(fromJSONDictionary: ["id": "7"], inContext: other)
            }
            let list = json(fromObjects: [powers[0], powers[1], foreign, powers[0], powers[1]])
            #expect(list.map { ($0 as? JSONDictionary)?["id"] as? String } == [nil, "6", "7", nil, "6"])
        }
    }

    @Test func `a dictionary transformer comes before everything`() throws {
        var model = GrootModel()
        model.characterInfo["JSONDictionaryTransformerName"] = "GrootTests.DictionaryTransformer"
        let context = try makeContext(model)
        try context.performAndWait {
            let json: JSONDictionary = ["name": "Batman", "real_name": "Bruce Wayne", "legacy_id": "1699"]
            let character: Character = try object(fromJSONDictionary: json, inContext: context)
            #expect(character.identifier == 1699)
            #expect(character.name == "Batman")
            #expect(character.realName == "Bruce Wayne")
            let again: Character = try object(fromJSONDictionary: json, inContext: context)
            #expect(again === character)
        }
    }

    @Test func `a store in a file keeps what is saved`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("groot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        GrootModel.registerTransformers()
        let url = folder.appendingPathComponent("Comics.sqlite")
        for _ in 0..<2 {
            let store = try GRTManagedStore(url: url, model: GrootModel().make())
            #expect(store.url == url)
            #expect(store.managedObjectModel.entitiesByName["Card"] != nil)
            let context = store.context(with: .privateQueueConcurrencyType)
            try context.performAndWait {
                let _: Character = try object(fromJSONDictionary: batman, inContext: context)
                if context.hasChanges { try context.save() }
                #expect(try characters(context).count == 1)
            }
        }
    }

    @Test func `a store that isn't given a model takes those of the program's bundles`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("groot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let merged = try #require(NSManagedObjectModel.mergedModel(from: nil))
        #expect(NSManagedObjectModel.mergedModel(from: [Bundle.main])?.entities.count == merged.entities.count)
        let store = try GRTManagedStore(url: folder.appendingPathComponent("Any.sqlite"))
        #expect(!merged.entities.isEmpty)
        #expect(store.managedObjectModel.entityVersionHashesByName == merged.entityVersionHashesByName)
    }
}
