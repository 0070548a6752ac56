// The article's dictionary, with its own models.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ObjectDiffTests {
    private func json(_ diff: ObjectDiff?) throws -> JSONValue? { try diff?.json() }
    private func json(_ diffs: [ObjectDiff]) throws -> JSONValue { .array(try diffs.map { try $0.json() }) }

    /// Runs a block with two contexts of one model: the last known state and the user's.
    private func withTwoContexts(
        _ model: NSManagedObjectModel = PersonModel.make(),
        _ body: (_ old: NSManagedObjectContext, _ new: NSManagedObjectContext) throws -> Void
    ) throws {
        let (one, other) = (try TestStack(model), try TestStack(model))
        try one.perform { old throws in try other.perform { new throws in try body(old, new) } }
    }

    private let addressesDiff = """
        [{"attributes": {"city": {"new": "Sometown", "old": "Townsville"}}, "entityName": "Address", "guid": "123"},
         {"attributes": {"city": {"new": "Another Town", "old": null}, "guid": {"new": "567", "old": null},
                         "postalCode": {"new": "222", "old": null}, "street": {"new": "Elsewhere", "old": null}},
          "entityName": "Address", "guid": "567"}]
        """

    private func makeAddresses(
        _ old: NSManagedObjectContext, _ new: NSManagedObjectContext
    ) -> (old: [NSManagedObject], new: [NSManagedObject]) {
        let same = ["guid": "123", "street": "Street", "postalCode": "111"]
        return (
            [old.make("Address", same.merging(["city": "Townsville"]) { $1 })],
            [
                new.make(
                    "Address", ["guid": "567", "street": "Elsewhere", "city": "Another Town", "postalCode": "222"]),
                new.make("Address", same.merging(["city": "Sometown"]) { $1 }),
            ]
        )
    }

    @Test func `two sets of addresses, one changed and one new`() throws {
        try withTwoContexts { old, new throws in
            let addresses = makeAddresses(old, new)
            let diffs = try ObjectDiff.differences(from: addresses.old, to: addresses.new)
            #expect(try json(diffs) == JSONValue(parsing: addressesDiff))
        }
    }

    @Test func `a person's addresses are nested in its diff`() throws {
        try withTwoContexts { old, new throws in
            let addresses = makeAddresses(old, new)
            let before = old.make("Person", ["firstName": "Ann", "lastName": "Old", "age": 30])
            let after = new.make("Person", ["firstName": "Ann", "lastName": "New", "age": 30])
            before.setValue(NSSet(array: addresses.old), forKey: "addresses")
            after.setValue(NSSet(array: addresses.new), forKey: "addresses")
            let diff = try #require(try ObjectDiff(from: before, to: after))
            let expected = """
                {"attributes": {"lastName": {"new": "New", "old": "Old"}}, "entityName": "Person",
                 "relationships": {"addresses": \(addressesDiff)}}
                """
            #expect(try diff.json() == JSONValue(parsing: expected))
            let dictionary = diff.dictionary as NSDictionary
            let lastName: NSDictionary = ["new": "New", "old": "Old"]
            #expect((dictionary["attributes"] as? NSDictionary)?["lastName"] as? NSDictionary == lastName)
            let nested = (dictionary["relationships"] as? NSDictionary)?["addresses"] as? [[String: Any]]
            #expect(nested?.map { $0["guid"] as? String } == ["123", "567"])
            let street = (nested?[1]["attributes"] as? [String: Any])?["street"] as? [String: Any]
            #expect(street?["old"] is NSNull)
            #expect(Set(diff.dictionary.keys) == ["attributes", "entityName", "relationships"])
        }
    }

    @Test func `equal objects have no diff, and neither have two that aren't there`() throws {
        try withTwoContexts { old, new throws in
            let before = old.make("Person", ["firstName": "Ann"])
            let after = new.make("Person", ["firstName": "Ann"])
            for (context, person) in [(old, before), (new, after)] {
                context.make("Address", ["guid": "1", "city": "Ur"]).setValue(person, forKey: "person")
            }
            #expect(try ObjectDiff(from: before, to: after) == nil)
            let none: NSManagedObject? = nil
            #expect(try ObjectDiff(from: none, to: none) == nil)
        }
    }

    @Test func `an object on one side alone is compared with nothing`() throws {
        try withTwoContexts { context, _ throws in
            let person = context.make("Person", ["firstName": "Ann", "age": 30])
            context.make("Address", ["guid": "1"]).setValue(person, forKey: "person")
            #expect(
                try json(ObjectDiff(from: nil, to: person))
                    == JSONValue(
                        parsing: """
                            {"attributes": {"age": {"new": 30, "old": null}, "firstName": {"new": "Ann", "old": null}},
                             "entityName": "Person", "relationships": {"addresses": [
                                {"attributes": {"guid": {"new": "1", "old": null}}, "entityName": "Address", "guid": "1"}]}}
                            """))
            #expect(
                try json(ObjectDiff(from: person, to: nil))
                    == JSONValue(
                        parsing: """
                            {"attributes": {"age": {"new": null, "old": 30}, "firstName": {"new": null, "old": "Ann"}},
                             "entityName": "Person", "relationships": {"addresses": [
                                {"attributes": {"guid": {"new": null, "old": "1"}}, "entityName": "Address", "guid": "1"}]}}
                            """))
        }
    }

    @Test func `an attribute that one side's entity lacks counts as null there`() throws {
        try withTwoContexts { old, new throws in
            let address = old.make("Address", ["guid": "1", "city": "Ur"])
            let company = new.make("Company", ["name": "Acme", "city": "Ur"])
            #expect(
                try json(ObjectDiff(from: address, to: company))
                    == JSONValue(
                        parsing: """
                            {"attributes": {"guid": {"new": null, "old": "1"}, "name": {"new": "Acme", "old": null}},
                             "entityName": "Company", "name": "Acme"}
                            """))
        }
    }

    @Test func `the inverse isn't followed, and cascades in both directions end`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Knot", info: ["id": "name"],
            [
                .attribute("name"), .attribute("size", .integer32AttributeType),
                .toOne("next", "Knot", inverse: "last", rule: .cascadeDeleteRule),
                .toOne("last", "Knot", inverse: "next", rule: .cascadeDeleteRule),
            ])
        try withTwoContexts(sketch.model()) { old, new throws in
            var knots: [NSManagedObject] = []
            for (context, size) in [(old, 1), (new, 2)] {
                let ring = (0..<3).map { context.make("Knot", ["name": "\($0)", "size": size]) }
                for index in 0..<3 { ring[index].setValue(ring[(index + 1) % 3], forKey: "next") }
                knots.append(ring[0])
            }
            let diff = try #require(try ObjectDiff(from: knots[0], to: knots[1]))
            var found = [String(describing: diff.identity.first?.value)]
            var pending = diff.relationships
            while let relationship = pending.popLast() {
                guard case .object(let knot) = relationship.content else { continue }
                found.append(String(describing: knot.identity.first?.value))
                pending += knot.relationships
            }
            #expect(found.count == 3 && Set(found).count == 3)
        }
    }

    @Test func `without identity, members of an unordered relationship are told apart by their contents`() throws {
        try withTwoContexts(PersonModel.make(addressIdentity: nil)) { old, new throws in
            let persons = [old, new].map { context in
                let person = context.make("Person", [:])
                for city in ["Ur", "Uruk"] {
                    context.make("Address", ["city": city]).setValue(person, forKey: "person")
                }
                return person
            }
            #expect(try ObjectDiff(from: persons[0], to: persons[1]) == nil)
            try #require(try new.one("Address", "city", "Ur")).setValue("Rome", forKey: "city")
            let diff = try #require(try ObjectDiff(from: persons[0], to: persons[1]))
            guard case .objects(let addresses)? = diff.relationships.first?.content else {
                Issue.record("No addresses differ.")
                return
            }
            #expect(Set(addresses.map(\.kind)) == [.inserted, .deleted])
            let flat = try GraphDiff(from: persons[0], to: persons[1])
            #expect(flat.inserted.count == 1 && flat.deleted.count == 1)
        }
    }

    @Test func `an object in the place of another one is inserted, and one with another owner has changed`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Box", info: ["id": "name"],
            [.attribute("name"), .toOne("lid", "Lid", inverse: "box", rule: .cascadeDeleteRule)])
        sketch.entity("Lid", info: ["id": "name"], [.attribute("name"), .toOne("box", "Box", inverse: "lid")])
        try withTwoContexts(sketch.model()) { old, new throws in
            let sides: [(NSManagedObjectContext, [String: String?])] = [
                (old, ["A": "1", "B": "2", "C": "4"]), (new, ["A": "2", "B": "3", "C": nil]),
            ]
            for (context, lids) in sides {
                for (box, lid) in lids {
                    let lid = lid.map { context.make("Lid", ["name": $0]) }
                    context.make("Box", ["name": box]).setValue(lid, forKey: "lid")
                }
            }
            _ = new.make("Lid", ["name": "4"])
            let boxes = try ObjectDiff.differences(from: GraphSnapshot(of: old), to: GraphSnapshot(of: new))
            let lids = boxes.map { box -> [String] in
                switch box.relationships.first?.content {
                case .object(let lid): ["\(lid.kind) \(lid.identity[0].value)"]
                case .objects(let lids): lids.map { "\($0.kind) \($0.identity[0].value)" }
                default: []
                }
            }
            #expect(lids == [["deleted \"1\"", "changed \"2\""], ["inserted \"3\""], ["changed \"4\""]])
        }
    }

    @Test func `the order of the objects doesn't matter`() throws {
        try withTwoContexts { old, new throws in
            let addresses = makeAddresses(old, new)
            let diffs = try ObjectDiff.differences(from: addresses.old, to: addresses.new)
            #expect(try ObjectDiff.differences(from: addresses.old, to: addresses.new.reversed()) == diffs)
        }
    }

    @Test func `references are shown where they are asked for`() throws {
        try withTwoContexts { old, new throws in
            let persons = [(old, "Acme"), (new, "Umbrella")].map { context, name in
                let person = context.make("Person", ["firstName": "Ann"])
                person.setValue(context.make("Company", ["name": name]), forKey: "employer")
                return person
            }
            #expect(try ObjectDiff(from: persons[0], to: persons[1]) == nil)
            #expect(
                try json(ObjectDiff(from: persons[0], to: persons[1], includesReferences: true))
                    == JSONValue(
                        parsing: """
                            {"entityName": "Person", "relationships": {"employer": {"new": "Umbrella", "old": "Acme"}}}
                            """))
        }
    }

    @Test func `whole snapshots give the differences of what nobody owns`() throws {
        try withTwoContexts { old, new throws in
            let addresses = makeAddresses(old, new)
            for (context, members) in [(old, addresses.old), (new, addresses.new)] {
                let company = context.make("Company", ["name": "Acme", "city": "Rome"])
                company.setValue(context === new ? "Milan" : "Rome", forKey: "city")
                _ = members
            }
            let diffs = try ObjectDiff.differences(from: GraphSnapshot(of: old), to: GraphSnapshot(of: new))
            #expect(diffs.map(\.entityName) == ["Address", "Address", "Company"])
        }
    }
}

@Suite struct ObjectDiffKindTests {
    @Test func `an owned object without values is in the diff, and its kind by option`() throws {
        let stack = try TestStack(PersonModel.make(addressIdentity: nil, isOrdered: true))
        try stack.perform { context throws in
            let (old, new) = (
                context.make("Person", ["firstName": "Ann"]), context.make("Person", ["firstName": "Ann"])
            )
            new.setValue(NSOrderedSet(object: context.make("Address", [:])), forKey: "addresses")
            let diff = try #require(try ObjectDiff(from: old, to: new))
            #expect(diff.kind == .changed)
            let address = try #require(
                (diff.dictionary["relationships"] as? [String: [[String: Any]]])?["addresses"]?.first)
            #expect(address.keys.sorted() == ["entityName"])
            let json = try diff.json(includesKinds: true).description
            #expect(json.contains(#""kind":"inserted""#) && json.contains(#""kind":"changed""#))
            #expect(try ObjectDiff(from: new, to: old)?.dictionary(includesKinds: true)["kind"] as? String == "changed")
            #expect(try ObjectDiff(from: new, to: nil)?.kind == .deleted)
            #expect(try ObjectDiff(from: nil, to: context.make("Address", [:]))?.kind == .inserted)
            #expect(try ObjectDiff(from: old, to: old) == nil)
        }
    }
}
