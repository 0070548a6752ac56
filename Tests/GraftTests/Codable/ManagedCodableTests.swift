// Decoding by the entity's description: values, relationships, identity, policies, errors.

import CoreData
import Foundation
import Graft
import Testing
import Yams

@Suite struct ManagedCodableTests {
    private func perform(
        _ model: NSManagedObjectModel = CodedModel.make(), _ kind: StoreKind = .inMemory,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let stack = try TestStack(model, kind)
        try stack.perform(body)
    }

    @Test func `a hero is decoded with all that is nested in it, and encodes to the same`() throws {
        try perform { context throws in
            let hero = try context.decodeHero(CodedModel.batman)
            #expect(hero.number("heroID") == 1)
            #expect(hero.text("realName") == "Bruce Wayne")
            #expect(hero.texts("powers", "name") == ["Agility", "Rich"])
            #expect(hero.texts("titles", "text") == ["Dark Knight", "Detective"])
            #expect(hero.object("lair")?.object("owner") === hero)
            #expect(
                try sortedJSON(hero)
                    == #"{"friendOf":[],"friends":[],"heroID":1,"lair":{"place":"Cave"},"#
                    + #""powers":[{"name":"Agility"},{"name":"Rich"}],"realName":"Bruce Wayne","#
                    + #""titles":[{"text":"Dark Knight"},{"text":"Detective"}]}"#)
            context.checkInvariants()
        }
    }

    @Test func `without a context the error says what to do`() throws {
        let error = graftError {
            _ = try JSONDecoder().decode([CodedHero].self, from: Data("[\(CodedModel.batman)]".utf8))
        }
        #expect(error?.description.contains("Set decoder.managedObjectContext") == true)
        #expect(error?.place.path == [.index(0)])
    }

    // Lesson 49 (FFCoreData#18): decoding always inserted, and there was no place to say that it should update.
    @Test(arguments: StoreKind.allCases)
    func `decoding the same object again updates it`(_ kind: StoreKind) throws {
        let stack = try TestStack(CodedModel.make(), kind)
        for round in 0..<3 {
            try stack.perform { context throws in
                let text = CodedModel.batman.replacing("Bruce Wayne", with: "Round \(round)")
                let first = try context.decodeHero(text)
                let second = try context.decodeHero(#"{"heroID": 1, "city": "Gotham"}"#)
                #expect(first === second)
                #expect(first.text("realName") == "Round \(round)")
                #expect(first.text("city") == "Gotham")
                #expect(first.texts("powers", "name") == ["Agility", "Rich"])
                try context.save()
            }
        }
        #expect(try stack.count("Hero") == 1)
        #expect(try stack.count("Power") == 2)
    }

    @Test func `what others changed meanwhile is seen`() throws {
        let stack = try TestStack(CodedModel.make(), .sqlite)
        try stack.perform { context throws in
            let one = try context.decodeHero(#"{"heroID": 1}"#)
            // An object that was made by hand.
            let byHand = ArchiveArticleModel.new("Hero", ["heroID": 2], context)
            #expect(try context.decodeHero(#"{"heroID": 2}"#) === byHand)
            // A new identity of an object, and a deleted object.
            one.setValue(11, forKey: "heroID")
            #expect(try context.decodeHero(#"{"heroID": 1}"#) !== one)
            context.delete(byHand)
            #expect(try context.decodeHero(#"{"heroID": 2}"#) !== byHand)
            // Another context's rows.
            try stack.perform { other throws in
                ArchiveArticleModel.new("Hero", ["heroID": 3, "realName": "Three"], other)
                try other.save()
            }
            #expect(try context.decodeHero(#"{"heroID": 3}"#).text("realName") == "Three")
            try context.save()
            context.reset()
            #expect(try context.decodeHero(#"{"heroID": 3}"#).text("realName") == "Three")
            context.rollback()
            #expect(try context.all("Hero", by: "heroID").map { $0.number("heroID") } == [1, 2, 3, 11])
        }
    }

    @Test func `the policy inserts, updates, or both`() throws {
        try perform { context throws in
            var options = ManagedCodingOptions()
            options.existingObjects = .insert
            let first = try context.decodeHero(CodedModel.batman, options)
            #expect(try context.decodeHero(CodedModel.batman, options) !== first)
            #expect(try context.all("Power").count == 4)
            options.existingObjects = .update
            let text = #"{"heroID": 1, "city": "Gotham"}"#
            #expect(try context.decodeHero(text, options).text("city") == "Gotham")
            let unknown = graftError { _ = try context.decodeHero(#"{"heroID": 7}"#, options) }
            #expect(unknown?.problem == .unresolvedReference(entity: "Hero", identity: "7"))
            let nameless = graftError { _ = try context.decodeHero(#"{"city": "X"}"#, options) }
            #expect(nameless?.problem == .missingIdentity(attributes: ["heroID"]))
            #expect(try context.all("Hero").count == 2)
        }
    }

    @Test func `null clears, an absent key leaves alone, and new objects have their defaults`() throws {
        try perform { context throws in
            #expect(try context.decodeHero(#"{"heroID": 1}"#).text("realName") == "nobody")
            #expect(try context.decodeHero(#"{"heroID": 2, "realName": null}"#).text("realName") == nil)
            let hero = try context.decodeHero(CodedModel.batman)
            _ = try context.decodeHero(#"{"heroID": 1, "realName": null, "lair": null, "powers": null}"#)
            #expect(hero.text("realName") == nil)
            #expect(hero.object("lair") == nil)
            #expect(hero.texts("powers", "name").isEmpty)
            #expect(hero.texts("titles", "text").count == 2)
            let json = try sortedJSON(hero) { $0.managedCodingOptions.includesNulls = true }
            #expect(json.contains(#""realName":null"#) && json.contains(#""lair":null"#))
        }
    }

    @Test func `cycles of any length end`() throws {
        try perform { context throws in
            let heroes = try (1...3).map { try context.decodeHero(#"{"heroID": \#($0)}"#) }
            for (index, hero) in heroes.enumerated() {
                hero.setValue(NSSet(object: heroes[(index + 1) % 3]), forKey: "friends")
            }
            var options = ManagedCodingOptions()
            options.relationships = .only(["friends"])
            let json = try sortedJSON(heroes[0]) { $0.managedCodingOptions = options }
            #expect(
                json == #"{"friends":[{"friends":[{"friends":[{"heroID":1}],"heroID":3,"realName":"nobody"}],"#
                    + #""heroID":2,"realName":"nobody"}],"heroID":1,"realName":"nobody"}"#)
            let stack = try TestStack(CodedModel.make())
            try stack.perform { other throws in
                let copy = try other.decodeHero(json)
                let end = try #require(
                    (copy.value(forKey: "friends") as? Set<CodedHero>)?.first?.value(forKey: "friends")
                        as? Set<CodedHero>)
                #expect((end.first?.value(forKey: "friends") as? Set<CodedHero>)?.first === copy)
                #expect(try other.all("Hero").count == 3)
            }
            // Without identities, an object on the way to itself is left out.
            let lair = ArchiveArticleModel.new("Lair", ["place": "Tower", "guard": heroes[0]], context)
            heroes[0].setValue(lair, forKey: "lair")
            heroes[0].setValue(nil, forKey: "heroID")
            #expect(
                try sortedJSON(heroes[0]) { $0.managedCodingOptions.relationships = .only(["lair", "guard"]) }
                    == #"{"lair":{"place":"Tower"},"realName":"nobody"}"#)
        }
    }

    @Test func `that an object has no value is said where the model has a default`() throws {
        let text = try TestStack(CodedModel.make()).perform { context throws in
            let hero = try context.decodeHero(#"{"heroID": 1, "realName": null}"#)
            #expect(hero.value(forKey: "realName") == nil)
            return try sortedJSON(hero)
        }
        #expect(text.contains(#""realName":null"#) && !text.contains("city"))
        try TestStack(CodedModel.make()).perform { context throws in
            #expect(try context.decodeHero(text).value(forKey: "realName") == nil)
        }
    }

    @Test func `an object that is mentioned within itself leaves nothing behind that nobody owns`() throws {
        let text = """
            {"heroID": 1, "friends": [{"heroID": 2, "friends": [{"heroID": 1, "lair": {"place": "Cave"}, \
            "titles": [{"text": "a"}]}]}], "lair": {"place": "Cave"}, "titles": [{"text": "a"}]}
            """
        try TestStack(CodedModel.make(), .sqlite).perform { context throws in
            for _ in 0..<2 {
                let hero = try context.decodeHero(text)
                try context.save()
                #expect(try context.all("Lair").map { $0.object("owner") } == [hero])
                #expect(try context.all("Title").map { $0.object("hero") } == [hero])
            }
        }
    }

    @Test func `of an object that is mentioned within itself the outer data counts, as in an import`() throws {
        let text = """
            {"heroID": 1, "realName": "outer", "powers": [{"name": "a"}], "friends": [{"heroID": 2, "friends": \
            [{"heroID": 1, "realName": "inner", "rank": 3, "powers": [{"name": "b"}]}]}]}
            """
        func heroes(_ take: (NSManagedObjectContext) throws -> Void) throws -> [String] {
            try TestStack(CodedModel.make()).perform { context throws in
                for _ in 0..<2 { try take(context) }
                return try context.all("Hero").map { hero in
                    let powers = hero.texts("powers", "name"), rank = hero.value(forKey: "rank") ?? "nil"
                    return
                        "\(hero.text("realName") ?? "nil"), \(rank), \(powers), \((hero.value(forKey: "friends") as? NSSet)?.count ?? 0)"
                }.sorted()
            }
        }
        let decoded = try heroes { _ = try $0.decodeHero(text) }
        #expect(decoded == ["nobody, nil, [], 1", "outer, 3, [\"a\"], 1"])
        #expect(try heroes { _ = try $0.importJSON(from: .data(Data(text.utf8)), entity: "Hero") } == decoded)
    }

    @Test func `a chain that is nested too deep is an error and no crash`() throws {
        try perform { context throws in
            var last: NSManagedObject?
            for number in 0..<1000 {
                let hero = ArchiveArticleModel.new("Hero", ["heroID": number], context)
                if let last { hero.setValue(NSSet(object: last), forKey: "friends") }
                last = hero
            }
            let outermost = try #require(last)
            #expect(graftError { _ = try sortedJSON(EncodableGraph(outermost)) }?.problem == .tooDeep(limit: 200))
            let text = String(repeating: #"{"friends": ["#, count: 240) + String(repeating: "]}", count: 240)
            #expect(graftError { _ = try context.decodeHero(text) }?.problem == .tooDeep(limit: 200))
        }
    }

    @Test func `sub-entities name themselves`() throws {
        try perform { context throws in
            let text = #"{"friends": [{"$entity": "Villain", "heroID": 2, "plan": "Flood"}], "heroID": 1}"#
            let hero = try context.decodeHero(text)
            let villain = try #require((hero.value(forKey: "friends") as? Set<CodedHero>)?.first as? CodedVillain)
            #expect(villain.text("plan") == "Flood")
            let json = try sortedJSON(hero) { $0.managedCodingOptions.relationships = .only(["friends"]) }
            #expect(json.contains(#"{"$entity":"Villain","friends":[],"heroID":2,"plan":"Flood","realName":"nobody"}"#))
            #expect(try !sortedJSON(villain).contains("$entity"))
            let wrong = graftError { _ = try context.decodeHero(#"{"friends": [{"$entity": "Power"}]}"#) }
            #expect(wrong?.problem == .wrongType(found: "an object of Power", expected: "one of Hero"))
            #expect(wrong?.place.path == [.key("friends"), .index(0), .key("$entity")])
        }
    }

    @Test func `what an object of the super-entity can't have is an error, and nothing is changed`() throws {
        try perform { context throws in
            let hero = try context.decodeHero(#"{"heroID": 2, "realName": "Edward"}"#)
            let text =
                #"{"heroID": 1, "friends": [{"$entity": "Villain", "heroID": 2, "realName": "E", "plan": "Flood"}]}"#
            let error = graftError { _ = try context.decodeHero(text) }
            #expect(error?.description.contains("stored as Hero, which has no 'plan'") == true)
            #expect(error?.place.path == [.key("friends"), .index(0)] && error?.place.property == "plan")
            #expect(hero.text("realName") == "Edward")
            #expect(context.insertedObjects == [hero])
            // What says nothing that the object can't have says that it is one.
            let friend = text.replacing(#", "plan": "Flood""#, with: #", "plan": null"#)
            #expect(try context.decodeHero(friend).value(forKey: "friends") as? Set<CodedHero> == [hero])
            #expect(hero.text("realName") == "E")
        }
    }

    @Test func `key, date and data strategies of the coder apply`() throws {
        try perform { context throws in
            let hero = try context.decodeHero(#"{"heroID": 5, "realName": "X"}"#)
            hero.setValue(Date(timeIntervalSince1970: 1.5), forKey: "born")
            hero.setValue(Data([1, 2, 3]), forKey: "picture")
            let json = try sortedJSON(hero) {
                $0.managedCodingOptions.relationships = .only([])
                $0.keyEncodingStrategy = .convertToSnakeCase
                $0.dateEncodingStrategy = .millisecondsSince1970
                $0.dataEncodingStrategy = .deferredToData
            }
            #expect(json == #"{"born":1500,"hero_id":5,"picture":[1,2,3],"real_name":"X"}"#)
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let text = #"{"real_name": "Y", "born": "1970-01-01T00:00:02Z", "picture": "AQI="}"#
            let decoded = try decoder.decode(CodedHero.self, from: Data(text.utf8))
            #expect(decoded.text("realName") == "Y")
            #expect(decoded.value(forKey: "born") as? Date == Date(timeIntervalSince1970: 2))
            #expect(decoded.value(forKey: "picture") as? Data == Data([1, 2]))
        }
    }

    @Test func `the mapping's key paths and transformers apply by option`() throws {
        ValueTransformer.setValueTransformer(
            TextToNumber(), forName: NSValueTransformerName("ManagedCodableTextToNumber"))
        let model = CodedModel.make(isAnnotated: true, transformer: "ManagedCodableTextToNumber")
        try perform(model) { context throws in
            var options = ManagedCodingOptions()
            options.keys = .mapping
            let text =
                #"{"id":"7","lair":{"place":"Cave"},"person":{"home":{"city":"Gotham"},"name":"B","#
                + #""powers":[{"name":"Agility"}]}}"#
            let hero = try context.decodeHero(text, options)
            #expect(hero.number("heroID") == 7)
            #expect(hero.text("realName") == "B" && hero.text("city") == "Gotham")
            #expect(hero.texts("powers", "name") == ["Agility"])
            #expect(try sortedJSON(hero) { $0.managedCodingOptions = options } == text)
            #expect(try context.decodeHero(text, options) === hero)
            _ = try context.decodeHero(#"{"id": "7", "person": {}}"#, options)
            #expect(hero.text("city") == "Gotham")
        }
    }

    @Test func `an object that can't be decoded leaves nothing behind, nor does a whole array`() throws {
        try perform(CodedModel.make(), .sqlite) { context throws in
            let hero = try context.decodeHero(CodedModel.batman)
            try context.save()
            let before = try sortedJSON(hero)
            let wrong =
                #"{"heroID": 1, "realName": "X", "powers": [{"name": "New"}], "lair": {"place": "Y"}, "titles": [{"text": 5}]}"#
            #expect(throws: DecodingError.self) { _ = try context.decodeHero(wrong) }
            #expect(try sortedJSON(hero) == before)
            #expect(!context.hasChanges)
            #expect(throws: DecodingError.self) { _ = try context.decodeHero(#"{"rank": 70000}"#) }

            // The first two are fine.
            let array = Data(
                #"[{"heroID": 2, "friends": [{"heroID": 1}]}, {"heroID": 1, "city": "Z"}, \#(wrong)]"#.utf8)
            #expect(throws: DecodingError.self) {
                _ = try context.decode([CodedHero].self, from: array, with: JSONDecoder())
            }
            #expect(try sortedJSON(hero) == before)
            #expect(!context.hasChanges)
            #expect(try context.all("Hero").count == 1)
            context.checkInvariants()
        }
    }

    @Test func `any managed object is encoded as a value`() throws {
        let stack = try TestStack(ArchiveArticleModel.make())
        try stack.perform { context throws in
            let person = ArchiveArticleModel.fill(context)
            let json = try sortedJSON(["person": EncodableGraph(person)]) { $0.dateEncodingStrategy = .iso8601 }
            #expect(json.hasPrefix(#"{"person":{"addresses":[{"city":"Sometown","country":{"code":"DE","#), "\(json)")
        }
    }
}

private final class TextToNumber: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String).flatMap(Int.init) }
    override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? NSNumber)?.stringValue }
}
