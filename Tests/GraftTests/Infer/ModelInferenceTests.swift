// What is concluded from data: types, optionality, relationships, identities, references, names.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ModelInferenceTests {
    private func infer(_ name: String, _ text: String) throws -> InferredData { try InferredData([(name, text)]) }

    @Test func `values have the type that all of them have`() throws {
        let data = try infer(
            "heroes.json",
            """
            [{"a": 1, "b": 1.5, "c": true, "d": "2020-01-02", "e": "2020-01-02T03:04:05Z",
              "f": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "g": "https://example.com/a", "h": "x", "price": 12.5, "i": 1.0},
             {"a": -70000000000, "b": 2, "c": false, "d": "1999-12-31", "e": "2020-01-02T03:04:05.25Z",
              "f": "E621E1F8-C36C-495A-93FC-0C247A3E6E50", "g": "https://example.com/b", "h": "2020-01-02", "price": 3, "i": 2.0}]
            """)
        let types: [(String, NSAttributeType)] = [
            ("a", .integer64AttributeType), ("b", .doubleAttributeType), ("c", .booleanAttributeType),
            ("d", .dateAttributeType), ("e", .dateAttributeType), ("f", .UUIDAttributeType), ("g", .URIAttributeType),
            ("h", .stringAttributeType), ("price", .decimalAttributeType), ("i", .doubleAttributeType),
        ]
        for (name, type) in types {
            let attribute = try data.attribute("Hero", name)
            #expect(attribute.attributeType == type, "\(name)")
            #expect(!attribute.isOptional, "\(name)")
        }
        #expect(try data.attribute("Hero", "d").userInfo?["JSONDateFormat"] as? String == "yyyy-MM-dd")
        #expect(try data.guess("Hero", "a").evidence == "2 integers")
        data.expectEqual()
    }

    @Test func `what has no common type, or no exact one, is a tree`() throws {
        let data = try infer(
            "things.json",
            """
            {"a": 1, "b": [1, "x"], "c": 18446744073709551615, "d": 0.12345678901234567890123, "e": null, "f": [], "g": {}}
            {"a": "one", "b": [], "c": 1, "d": 2, "e": null, "f": [], "g": {}}
            """)
        for name in ["a", "b", "c", "d", "e", "f", "g"] {
            let attribute = try data.attribute("Thing", name)
            #expect(attribute.attributeType == .transformableAttributeType, "\(name)")
            #expect(attribute.isOptional)
        }
        data.expectEqual()
    }

    @Test(arguments: [
        #"[1, 1234567890123456789012345678901234567890123]"#,
        #"{"1": {"b": [[1.234567890123456789012345678901234567890123]]}}"#,
        #"[[{"x": 1234567890123456789012345678901234567890123}]]"#,
    ])
    func `a number beyond 38 digits in a tree is refused, because an import would`(_ value: String) throws {
        let error = graftError { _ = try infer("things.json", #"[{"a": \#(value), "b": [1]}, {"a": "x", "b": [2]}]"#) }
        guard case .outOfRange? = error?.problem else {
            Issue.record("\(error?.description ?? "no error")")
            return
        }
        #expect(error?.place == GraftError.Place(entity: "Thing", property: "a"))
    }

    @Test func `a number beyond 38 digits among texts is kept as one, and the report says so`() throws {
        let long = "1234567890123456789012345678901234567890123"
        let data = try infer("things.json", #"[{"a": \#(long), "b": [1]}, {"a": "x", "b": [2]}, {"a": true}]"#)
        #expect(try data.attribute("Thing", "a").attributeType == .stringAttributeType)
        #expect(try data.guess("Thing", "a").difference == "numbers and booleans are written as texts")
        #expect(Set(data.exported[0].compactMap { $0["a"] }) == [.string(long), "x", "true"])
        #expect(try data.guess("Thing", "b").difference?.contains("digits") != true)
    }

    @Test func `names that objects and classes have already are avoided`() throws {
        let properties = [
            "hashValue", "deleted", "inserted", "updated", "fault", "className", "mutableCopy", "dealloc",
            "autorelease",
            "willSave", "didSave", "changedValues", "fetchRequest", "load", "hash", "description", "isDeleted",
            "objectWillChange",
        ]
        let data = try infer(
            "things.json", "{\(properties.map { #""\#($0)": 1"# }.joined(separator: ", "))}")
        let names = try #require(data.inference.model.entitiesByName["Thing"]).attributesByName.keys
        #expect(Set(names) == Set(properties.map { "thing" + $0.prefix(1).uppercased() + $0.dropFirst() }))
        data.expectEqual()
        let nested = try infer(
            "things.json", #"[{"fault": {"part": {"x": 1}}, "hash": {"y": {"z": 1}}}, {"entity": 1}]"#)
        for entity in nested.inference.model.entities {
            #expect(Set(entity.propertiesByName.keys).isDisjoint(with: ["fault", "hash", "entity"]), "\(entity)")
        }
        nested.expectEqual()
        for type in ["int64", "codable", "identifiable", "foundation", "core_data", "swift", "string", "set"] {
            let data = try infer("\(type).json", #"{"a": 1}"#)
            #expect(data.inference.entities[0].hasSuffix("Record"), "\(data.inference.entities)")
        }
    }

    @Test func `keys in two normal forms are two properties`() throws {
        let data = try infer("things.json", #"[{"\#u{E9}": 1, "e\#u{301}": 2}, {"\#u{E9}": 3, "e\#u{301}": 4}]"#)
        #expect(data.inference.model.entitiesByName["Thing"]?.attributesByName.count == 2)
        data.expectEqual()
    }

    @Test func `a date with a zone stays a text, and one that is written otherwise is named`() throws {
        let data = try infer(
            "logs.json",
            """
            [{"nano": "2026-05-04T22:46:52.633241041Z", "local": "2020-01-02T03:04:05+02:00", "utc": "2020-01-02T03:04:05.100Z", "id": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"},
             {"nano": "2026-05-04T22:46:52Z", "local": "2020-01-02T03:04:05Z", "utc": "2020-01-02T03:04:05Z", "id": "e621e1f8-c36c-495a-93fc-0c247a3e6e50"}]
            """)
        #expect(try data.attribute("Log", "local").attributeType == .stringAttributeType)
        #expect(try data.attribute("Log", "nano").attributeType == .stringAttributeType)
        #expect(try data.attribute("Log", "utc").attributeType == .dateAttributeType)
        #expect(
            try data.guess("Log", "utc").difference == "dates are written with as many fraction digits as they need")
        #expect(try data.guess("Log", "id").difference == "UUIDs are written in upper case")
    }

    @Test func `a text that a date isn't written as stays a text`() throws {
        for text in ["2016-12-31T23:59:60Z", "2020-01-01T24:00:00Z", "2020-01-01 10:00:00Z", "2020-01-01T10:00Z"] {
            let data = try infer("logs.json", #"[{"d": "\#(text)"}, {"d": "2016-12-31T23:59:59.50Z"}]"#)
            #expect(try data.attribute("Log", "d").attributeType == .stringAttributeType, "\(text)")
            data.expectEqual()
        }
    }

    @Test func `UUIDs that differ in the case of their letters are one identity`() throws {
        let small = "a0b1c2d3-0000-4000-8000-000000000000"
        let data = try infer(
            "things.json", #"[{"uuid": "\#(small)", "x": 1}, {"uuid": "\#(small.uppercased())", "x": 2}]"#)
        #expect(data.inference.model.entitiesByName["Thing"]?.uniquenessConstraints.isEmpty == true)
        #expect(data.report.entities.first?.counts.inserted == 2)
        #expect(data.exported[0].count == 2)
    }

    @Test func `the records of an entity in several files are one entity's`() throws {
        let sizes = (0..<8).map { #""size\#($0)": {"w": \#($0), "h": 2}"# }.joined(separator: ", ")
        let texts = (1...3).map {
            #"{"id": \#($0), "name": "a\#($0)", "c": {"v": \#($0)}, "sizes": {\#(sizes)}}"#
        }
        let one = try ModelInference(of: [.data(Data(texts.joined(separator: "\n").utf8), entity: "Thing")])
        let several = try ModelInference(of: texts.map { .data(Data($0.utf8), entity: "Thing") })
        #expect(several.guesses == one.guesses)
        #expect(several.guesses.allSatisfy { $0.difference == nil })
    }

    @Test func `keys that are missing or null are optional, and come out as they were`() throws {
        let data = try infer("rows.json", #"[{"a": 1, "b": 2, "c": 3}, {"a": null, "c": null}, {"a": 5, "b": 1}]"#)
        #expect(try data.attribute("Row", "a").isOptional && data.attribute("Row", "b").isOptional)
        #expect(try data.attribute("Row", "b").userInfo?["JSONExportNull"] as? String == "NO")
        #expect(try data.guess("Row", "c").difference == "a missing key is written as null")
        #expect(try data.guess("Row", "c").evidence == "1 integer; missing in 1 of 3, null in 1")
        #expect(data.exported[0].contains(["a": 5, "b": 1, "c": .null]))
    }

    @Test func `nested objects are owned where each is in one place, and shared where equal ones are in several`()
        throws
    {
        let data = try infer(
            "heroes.json",
            """
            [{"id": 1, "address": {"street": "A"}, "powers": [{"id": 1, "name": "Fly"}, {"id": 2, "name": "Hit"}],
              "pets": [{"name": "Rex"}, {"name": "Rex"}]},
             {"id": 2, "address": {"street": "A"}, "powers": [{"id": 1, "name": "Fly"}], "pets": []}]
            """)
        let address = try data.relationship("Hero", "address")
        #expect(!address.isToMany && address.deleteRule == .cascadeDeleteRule)
        #expect(address.inverseRelationship?.name == "hero" && address.inverseRelationship?.isToMany == false)
        let powers = try data.relationship("Hero", "powers")
        #expect(powers.isToMany && powers.isOrdered && powers.deleteRule == .nullifyDeleteRule)
        #expect(powers.inverseRelationship?.name == "heroes" && powers.inverseRelationship?.isToMany == true)
        #expect(data.inference.model.entitiesByName["Power"]?.userInfo?["identityAttributes"] as? String == "id")
        #expect(data.inference.model.entitiesByName["Power"]?.uniquenessConstraints as? [[String]] == [["id"]])
        #expect(data.inference.model.entitiesByName["Pet"]?.uniquenessConstraints.isEmpty == true)
        #expect(data.report.entities.first { $0.name == "Power" }?.counts.inserted == 2)
        #expect(data.report.entities.first { $0.name == "Pet" }?.counts.inserted == 2)
        data.expectEqual()
    }

    @Test func `an object with an identity is shared, unless each of many owners has others`() throws {
        func order(_ number: Int) -> String {
            #"{"id": \#(number), "customer": {"id": \#(number), "name": "n"}, "items": [{"id": \#(number)}]}"#
        }
        for (count, rule) in [(9, NSDeleteRule.nullifyDeleteRule), (10, .cascadeDeleteRule)] {
            let orders = (1...count).map(order).joined(separator: ",")
            let data = try infer("orders.json", "[\(orders)]")
            for name in ["customer", "items"] {
                let relationship = try data.relationship("Order", name)
                #expect(relationship.deleteRule == rule)
                #expect(relationship.inverseRelationship?.isToMany == (count < 10))
            }
            data.expectEqual()
        }
        // What another text says of it takes it from nobody.
        let data = try infer("orders.json", "[\(order(1))]")
        #expect(try data.guess("Order", "customer").evidence == "1 nested object, with an identity, below few others")
    }

    @Test func `a value is an identity only where it is named so, in all objects, and never of two different ones`()
        throws
    {
        let data = try infer(
            "rows.json",
            #"[{"id": 1, "uuid": "a", "n": 1}, {"id": 2, "uuid": "b", "n": 2}, {"id": 2, "uuid": "c", "n": 3}]"#)
        #expect(data.inference.model.entitiesByName["Row"]?.userInfo?["identityAttributes"] as? String == "uuid")
        #expect(
            try data.guess("Row", nil).evidence == "3 objects at Row; uuid is in each and in no two the same")
        let other = try infer("rows.json", #"[{"id": 1, "a": 1}, {"id": 1, "a": 2}]"#)
        #expect(other.inference.model.entitiesByName["Row"]?.uniquenessConstraints.isEmpty == true)
        #expect(
            try other.guess("Row", nil).evidence
                == "2 objects at Row; id is no identity: different objects have the same value")
        data.expectEqual()
        other.expectEqual()
    }

    @Test(arguments: [
        (#"[{"id": 1}, {"id": "x"}]"#, "no type holds all of 1 integer, 1 text"),
        (#"[{"id": 1.5}, {"id": 2}]"#, "it is a Double"),
        (#"[{"id": ""}, {"id": "x"}]"#, "it is an empty text somewhere"),
        (#"[{"id": 1}, {}]"#, "it isn't in all objects"),
        (#"[{"id": 1}, {"id": 1}]"#, "equal records have the same value"),
        (#"[{"code": 1}, {"code": 2}]"#, "there are fewer than 10 objects to tell"),
    ])
    func `what is called like an identity and is none has its reason`(_ json: String, _ reason: String) throws {
        let data = try infer("rows.json", json)
        let name = json.contains("code") ? "code" : "id"
        #expect(try data.guess("Row", nil).evidence == "2 objects at Row; \(name) is no identity: \(reason)")
    }

    @Test func `a list in a file's one object may be its records, and it is said how to take them`() throws {
        let data = try infer("page.json", #"{"total": 2, "items": [{"id": 1}, {"id": 2}]}"#)
        #expect(try data.guess("Page", nil).evidence.hasSuffix("give their entity JSONRootKeyPath = items"))
        let two = try infer("page.json", #"{"rows": [{"id": 1}], "items": [{"id": 1}, {"id": 2}]}"#)
        #expect(try two.guess("Page", nil).evidence == "1 object at Page")
    }

    @Test(arguments: [
        ("2024-01-01T10:00:00+02:00", "2 texts; dates with zones, which a Date doesn't keep"),
        ("2024-01-01", "2 texts; dates in several forms, and none writes all of them as they were"),
        ("a text as long", "2 texts"),
    ])
    func `dates that stay texts have a reason`(_ other: String, _ evidence: String) throws {
        let data = try infer("logs.json", #"[{"id": 1, "at": "2024-01-01T10:00:00Z"}, {"id": 2, "at": "\#(other)"}]"#)
        #expect(try data.guess("Log", "at").evidence == evidence)
    }

    @Test func `bare identifiers refer to the objects of another file, in any order`() throws {
        let data = try InferredData([
            (
                "heroes.json",
                #"[{"id": 1, "publisher_id": 7, "tags": [2, 1]}, {"id": 2, "publisher_id": null, "tags": []}]"#
            ),
            (
                "publishers.json",
                #"[{"id": 7, "name": "DC", "parent_id": null}, {"id": 8, "name": "WB", "parent_id": 7}]"#
            ),
            ("tags.json", #"[{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]"#),
        ])
        let publisher = try data.relationship("Hero", "publisher")
        #expect(!publisher.isToMany && publisher.destinationEntity?.name == "Publisher")
        #expect(publisher.inverseRelationship?.name == "heroes" && publisher.inverseRelationship?.isToMany == true)
        #expect(try data.guess("Hero", "publisher").evidence.hasPrefix("1 value, each the id of a Publisher"))
        #expect(try data.relationship("Hero", "tags").isToMany)
        #expect(try data.relationship("Publisher", "parent").destinationEntity?.name == "Publisher")
        // A reference may arrive before what it refers to.
        #expect(try data.attribute("Publisher", "name").isOptional)
        #expect(data.report.total.stubs == 0)
        data.expectEqual()
    }

    @Test func `numbers that happen to be identifiers refer to nothing`() throws {
        let data = try InferredData([
            ("heroes.json", #"[{"id": 1, "rank_id": 1, "scores": [1, 2]}, {"id": 2, "rank_id": 2, "scores": [1]}]"#)
        ])
        #expect(try data.attribute("Hero", "rankId").attributeType == .integer64AttributeType)
        #expect(try data.attribute("Hero", "scores").attributeType == .transformableAttributeType)
        data.expectEqual()
    }

    @Test func `an entity in several places is one, where its objects are the same`() throws {
        let data = try infer(
            "matches.json",
            """
            [{"home_team": {"id": 1, "name": "A"}, "away_team": {"id": 2, "name": "B"}, "venue": {"address": {"zip": 1}},
              "club": {"address": {"zip": "x"}}}]
            """)
        #expect(try data.relationship("Match", "homeTeam").destinationEntity?.name == "HomeTeam")
        let names = data.inference.model.entities.compactMap(\.name).sorted()
        #expect(names == ["Address", "AwayTeam", "Club", "ClubAddress", "HomeTeam", "Match", "Venue"])
        data.expectEqual()
    }

    @Test func `places under several keys are one entity where they have an equal object with an identity`() throws {
        let data = try infer(
            "issues.json",
            """
            [{"id": 1, "user": {"id": 7, "login": "ann"}, "assignees": [{"id": 8, "login": "bob"}], "team": {"id": 7, "login": "x"}},
             {"id": 2, "user": {"id": 8, "login": "bob"}, "assignees": [], "team": {"id": 9, "login": "y"}}]
            """)
        #expect(data.inference.model.entities.compactMap(\.name).sorted() == ["Issue", "Team", "User"])
        #expect(try data.relationship("Issue", "assignees").destinationEntity?.name == "User")
        data.expectEqual()
    }

    @Test func `what is nested in places that became one entity is one, too, where its objects are the same`() throws {
        let shared = try infer(
            "recs.json",
            """
            [{"home": {"address": {"city": {"id": 1}}}, "work": {"boss": {"home": {"address": {"city": {"id": 1}}}}}}]
            """)
        let city = try shared.relationship("Address", "city")
        #expect(city.inverseRelationship?.isToMany == true && city.deleteRule == .nullifyDeleteRule)
        shared.expectEqual()

        let different = try infer(
            "recs.json",
            """
            [{"home": {"address": {"city": {"id": 1, "n": "a"}}},
              "work": {"boss": {"home": {"address": {"city": {"id": 1, "n": "b"}}}}}}]
            """)
        #expect(different.inference.model.entities.count { $0.name?.hasSuffix("City") == true } == 2)
        different.expectEqual()
    }

    @Test func `objects that an export wouldn't nest any more are a tree`() throws {
        let text = (0..<40).reduce("1") { text, _ in "{\"a\": \(text)}" }
        try infer("recs.json", "[\(text)]").expectEqual()
        let mixed = (0..<40).reduce("1") { text, number in "{\"a\(number)\": \(text)}" }
        try infer("recs.json", "[\(mixed)]").expectEqual()
    }

    @Test func `money that a decimal doesn't hold is a double`() throws {
        for number in ["1e166", "1.7976931348623157e308"] {
            let data = try infer("recs.json", "[{\"price\": \(number)}, {\"price\": 1.5}]")
            #expect(try data.attribute("Rec", "price").attributeType == .doubleAttributeType)
            data.expectEqual()
        }
    }

    @Test func `objects of a repeated key are a tree, of which the last counts`() throws {
        let text = #"[{"id": 1, "a": {"b": 1}, "a": {"b": 2}}, {"id": 2, "a": {"b": 1, "b": 3}}]"#
        let data = try infer("recs.json", text)
        #expect(try data.attribute("Rec", "a").attributeType == .transformableAttributeType)
        data.expectEqual(\.withoutRepeatedKeys)
    }

    @Test func `objects that nest their own kind are one entity`() throws {
        let data = try infer(
            "tree.json",
            """
            {"name": "a", "children": [{"name": "b", "children": [{"name": "c", "children": [{"name": "d", "children": []}]},
             {"name": "e", "children": []}]}]}
            """)
        #expect(try data.relationship("Child", "children").destinationEntity?.name == "Child")
        #expect(data.inference.model.entities.count == 2)
        data.expectEqual()
    }

    @Test func `names are in the style of Core Data, and never those that managed objects have`() throws {
        let data = try infer(
            "comic_books.json",
            #"""
            [{"first-seen": 1, "description": "a", "Name": 2, "1st": 3, "a.b": 4, "@id": 5, "NAME": 6, "größe": 7,
              "ключ": 8, "+1": 9, "-1": 10, "line 1": 11, "line1": 12}]
            """#)
        let names = data.inference.model.entitiesByName["ComicBook"]?.attributesByName.keys.sorted()
        #expect(
            names == [
                "aB", "comicBookDescription", "firstSeen", "grosse", "id", "kluc", "line1", "line1_2", "minus1", "name",
                "name2", "plus1", "value1st",
            ])
        data.expectEqual()
    }

    @Test func `keys that are values make a dictionary, not an entity`() throws {
        let data = try infer(
            "words.json", #"[{"translations": {"de": "a", "pt-BR": "b", "fr": "c"}, "days": {"2020-01-01": 1}}]"#)
        #expect(try data.attribute("Word", "translations").attributeType == .transformableAttributeType)
        #expect(try data.attribute("Word", "days").attributeType == .transformableAttributeType)
        data.expectEqual()
    }

    @Test func `what no model can hold is an error with its place`() throws {
        for (text, words) in [
            (#"[{"": 1}]"#, "can't be named by a key path"), ("[1]", "entities are made from objects"),
            (#"[{"a": 1e400}]"#, "1e400"), ("[]", "no objects with keys"), (#"{"a": 1"#, "the end of the text"),
        ] {
            let error = graftError { _ = try ModelInference(of: [.data(Data(text.utf8), name: "rows.json")]) }
            #expect(error?.description.contains(words) == true, "\(text): \(error?.description ?? "no error")")
            #expect(error?.description.contains("rows.json") == true)
        }
    }

    @Test func `the singular of a name is its plural's`() throws {
        for (plural, singular) in [
            ("heroes", "hero"), ("powers", "power"), ("companies", "company"), ("addresses", "address"),
            ("boxes", "box"),
            ("people", "person"), ("children", "child"), ("status", "status"), ("series", "series"),
            ("movies", "movie"),
            ("branches", "branch"),
        ] {
            let data = try infer("\(plural).json", #"[{"a": {"b": 1}}]"#)
            #expect(data.inference.entities == [singular.prefix(1).uppercased() + singular.dropFirst()])
            let inverse = try data.relationship("A", singular)
            #expect(inverse.destinationEntity?.name == data.inference.entities[0])
        }
    }

    @Test(arguments: ["1234-56-7890", "2024-01-01 – 2024-02-01", "2020-02-30", "2020-02-30T00:00:00"])
    func `a text that only looks like a date stays a text`(_ text: String) throws {
        let data = try infer("heroes.json", #"[{"id": 1, "d": "\#(text)"}, {"id": 2, "d": "\#(text)"}]"#)
        #expect(try data.attribute("Hero", "d").attributeType == .stringAttributeType)
        data.expectEqual()
    }

    // The runtime's check of models has a rule of its own, which isn't there on Apple's platforms.
    @Test(arguments: [
        "Hero", "_x", "x1", "Größe", "n\u{308}", "Ⅳ", "日本", "", "1x", "X Y", "a-b", "a.b", "$x", "😀", " x",
    ])
    func `an entity can be called what a model takes`(_ name: String) {
        let entity = NSEntityDescription()
        entity.name = name
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let isTaken: Bool
        do {
            try model.validated()
            isTaken = true
        } catch {
            isTaken = false
        }
        #expect(ModelInference.isName(name) == isTaken)
    }
}
