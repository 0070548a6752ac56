// Objects as dictionaries: shapes, options, cycles, values.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ToDictionaryTests {
    typealias Model = ArchiveArticleModel

    @Test func `a person becomes a nested dictionary, and calling again gives the same`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let person = Model.fill(context)
            let first = try person.toDictionary()
            #expect(first["class"] as? String == "Person")
            #expect(first["firstName"] as? String == "Ann")
            #expect(first["age"] as? Int == 30)
            #expect(first["born"] as? Date == Date(timeIntervalSinceReferenceDate: -300_000_000.25))
            #expect(first["passport"] == nil)
            #expect(nested(first, "friends").isEmpty && first["friends"] != nil)
            let addresses = nested(first, "addresses")
            #expect(addresses.compactMap { $0["city"] as? String }.sorted() == ["Another Town", "Sometown"])
            #expect(addresses.allSatisfy { $0["class"] as? String == "Address" })
            // The inverse is on the way.
            #expect(addresses.allSatisfy { $0["person"] == nil })
            let second = try person.toDictionary()
            #expect(isSame(first, second))
            // From any object of the graph, and as often as one likes.
            let address = try #require((person.value(forKey: "addresses") as? NSSet)?.anyObject() as? NSManagedObject)
            for _ in 0..<2 {
                let dictionary = try address.toDictionary()
                #expect(nested(dictionary, "person").first?["firstName"] as? String == "Ann")
                #expect(nested(nested(dictionary, "person")[0], "addresses").count == 1)
            }
        }
    }

    @Test func `a fault is written with its values, and so is an object without a class of its own`() throws {
        let stack = try TestStack(Model.make(), .sqlite)
        try stack.perform { context throws in
            _ = Model.fill(context)
            try context.save()
        }
        try stack.perform { context throws in
            let person = try #require(try context.all("Person").first)
            context.refresh(person, mergeChanges: false)
            #expect(person.isFault)
            #expect(type(of: person) == NSManagedObject.self)
            let dictionary = try person.toDictionary()
            #expect(dictionary["lastName"] as? String == "Smith")
            #expect(nested(dictionary, "addresses").count == 2)
            #expect(!context.hasChanges)
        }
    }

    @Test func `ordered relationships keep their order`() throws {
        let stack = try TestStack(Model.make(isOrdered: true))
        try stack.perform { context throws in
            let person = Model.new("Person", [:], context)
            let addresses = ["c", "a", "b"].map { Model.new("Address", ["city": $0], context) }
            person.setValue(NSOrderedSet(array: addresses), forKey: "addresses")
            let dictionary = try person.toDictionary()
            #expect(nested(dictionary, "addresses").compactMap { $0["city"] as? String } == ["c", "a", "b"])
            let copy = try NSManagedObject.create(fromDictionary: dictionary, in: context)
            #expect(copy.texts("addresses", "city") == ["c", "a", "b"])
        }
    }

    @Test func `a shared object is complete once and a number elsewhere`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let dictionary = try Model.fill(context).toDictionary()
            let addresses = nested(dictionary, "addresses")
            let countries = addresses.map { nested($0, "country")[0] }
            #expect(countries[0]["name"] as? String == "Germany")
            #expect(countries[1] as? [String: Int] == ["$ref": countries[0]["$id"] as? Int ?? -1])
            // It leads to the other address, which stands in its own place and nowhere else.
            let others = nested(countries[0], "addresses")
            #expect(others as? [[String: Int]] == [["$ref": addresses[1]["$id"] as? Int ?? -1]])
        }
    }

    @Test func `left out by name, a shared object has its attributes elsewhere`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            var options = DictionaryOptions()
            options.repeatedObjects = .leftOut
            let dictionary = try Model.fill(context).toDictionary(options: options)
            let countries = nested(dictionary, "addresses").map { nested($0, "country")[0] }
            #expect(countries.map { $0["name"] as? String } == ["Germany", "Germany"])
            #expect(countries.allSatisfy { $0["addresses"] == nil })
        }
    }

    @Test func `a cycle of any length comes back as it was without identities`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let people = (0..<5).map { Model.new("Person", ["firstName": "P\($0)"], context) }
            for (index, person) in people.enumerated() {
                person.setValue(
                    NSSet(array: [people[(index + 1) % 5], people[(index + 4) % 5]]), forKey: "friends")
            }
            let own = Model.new("Person", ["firstName": "Self"], context)
            own.setValue(NSSet(object: own), forKey: "friends")
            let dictionaries = try [people[2], own].toDictionaries()
            let copies = try NSManagedObject.create(fromDictionaries: dictionaries, in: context)
            #expect(copies.map { $0.text("firstName") } == ["P2", "Self"])
            #expect(try context.all("Person").count == 12)
            #expect(copies[0].texts("friends", "firstName") == ["P1", "P3"])
            #expect(copies[1].object("friends") == nil)
            #expect((copies[1].value(forKey: "friends") as? NSSet)?.anyObject() as? NSManagedObject === copies[1])
            var current = copies[0], seen: Set<NSManagedObject> = []
            while seen.insert(current).inserted {
                let friends = (current.value(forKey: "friends") as? Set<NSManagedObject>) ?? []
                current = try #require(
                    friends.filter { !seen.contains($0) }.min {
                        ($0.text("firstName") ?? "") < ($1.text("firstName") ?? "")
                    }
                        ?? friends.first)
            }
            #expect(seen.count == 5)
            context.checkInvariants()
        }
    }

    @Test func `options choose depth, relationships, the entity key and its names`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let person = Model.fill(context)
            var options = DictionaryOptions()
            options.maximumDepth = 0
            #expect(
                try person.toDictionary(options: options).keys.sorted() == [
                    "age", "born", "class", "firstName", "guid", "lastName",
                ])
            options.maximumDepth = 1
            let shallow = try person.toDictionary(options: options)
            #expect(nested(shallow, "addresses").count == 2)
            #expect(nested(shallow, "addresses").allSatisfy { $0["country"] == nil })

            options = DictionaryOptions()
            options.relationships = .owned
            let owned = try person.toDictionary(options: options)
            #expect(owned["friends"] == nil)
            #expect(nested(owned, "addresses").allSatisfy { $0["country"] == nil && $0["city"] != nil })
            options.relationships = .only(["Person.addresses", "name", "country"])
            let chosen = try person.toDictionary(options: options)
            #expect(chosen["friends"] == nil)
            #expect(nested(nested(chosen, "addresses")[0], "country").count == 1)

            options = DictionaryOptions()
            options.entityKey = "kind"
            options.entityNames = ["Person": "human"]
            let renamed = try person.toDictionary(options: options)
            #expect(renamed["kind"] as? String == "human")
            #expect(renamed["class"] == nil)
            options.entityKey = nil
            #expect(try person.toDictionary(options: options)["kind"] == nil)
            options.entityKey = "firstName"
            let error = try #require(graftError { _ = try person.toDictionary(options: options) })
            #expect(error.place.property == "firstName")
        }
    }

    @Test func `every value has a form in JSON and in property lists`() throws {
        let stack = try TestStack(ValueModel.make())
        try stack.perform { context throws in
            let object = ValueModel.fill(context)
            var options = DictionaryOptions()
            for form in DictionaryOptions.ValueForm.allCases {
                options.valueForm = form
                let dictionary = try object.toDictionary(options: options)
                if form == .json {
                    #expect(JSONSerialization.isValidJSONObject(dictionary))
                    #expect(dictionary["date"] as? String == "2009-02-13T23:31:30.5Z")
                }
                if form == .propertyList {
                    #expect(PropertyListSerialization.propertyList(dictionary, isValidFor: .xml))
                    #expect(dictionary["uuid"] as? String == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
                }
                let copy = try NSManagedObject.create(fromDictionary: dictionary, in: context)
                try ValueModel.expectEqual(copy, object, "\(form)")
            }
            object.setValue(Double.nan, forKey: "double")
            options.valueForm = .json
            let error = try #require(graftError { _ = try object.toDictionary(options: options) })
            #expect(error.problem == .notRepresentable(value: "nan", format: "JSON"))
            #expect(error.place.entity == "Value")
            #expect(error.place.property == "double")
            options.valueForm = .native
            let copy = try NSManagedObject.create(fromDictionary: object.toDictionary(options: options), in: context)
            #expect((copy.value(forKey: "double") as? Double)?.isNaN == true)
        }
    }
}

/// One entity with an attribute of each type.
enum ValueModel {
    static let types: [(String, NSAttributeType)] = [
        ("int16", .integer16AttributeType), ("int32", .integer32AttributeType), ("int64", .integer64AttributeType),
        ("boolean", .booleanAttributeType), ("double", .doubleAttributeType), ("float", .floatAttributeType),
        ("decimal", .decimalAttributeType), ("string", .stringAttributeType), ("date", .dateAttributeType),
        ("binary", .binaryDataAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
        ("tree", .transformableAttributeType), ("object", .transformableAttributeType),
        ("lookalike", .transformableAttributeType),
    ]

    static func make() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Value", types.map { .attribute($0.0, $0.1) })
        return sketch.model()
    }

    static func fill(_ context: NSManagedObjectContext) -> NSManagedObject {
        ArchiveArticleModel.new(
            "Value",
            [
                "int16": -32768, "int32": 2_147_483_647, "int64": Int64.max, "boolean": true, "double": 0.1,
                "float": Float(0.1), "decimal": NSDecimalNumber(string: "12345678901234567890.123456789"),
                "string": "é\n\"", "date": Date(timeIntervalSince1970: 1_234_567_890.5), "binary": Data([0, 255]),
                "uuid": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") as Any,
                "uri": URL(string: "https://example.org/?q=1") as Any,
                "tree": ["list": [1, NSNull(), "x"], "no": false] as [String: Any],
                "object": [Date(timeIntervalSince1970: 5)], "lookalike": ["$encoded": "AQID"],
            ], context)
    }

    static func expectEqual(_ one: NSManagedObject, _ other: NSManagedObject, _ comment: String) throws {
        for (name, _) in types {
            let values = try [one, other].map { NSArray(object: try #require($0.value(forKey: name))) }
            #expect(values[0] == values[1], "\(comment) \(name)")
        }
    }
}
