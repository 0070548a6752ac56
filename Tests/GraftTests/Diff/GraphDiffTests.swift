// Diffs of objects in contexts: what is compared, what is referred to, and what can't be told apart.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct GraphDiffTests {
    /// Runs a block with a context that has a person with two addresses and an employer, saved.
    private func withPerson(
        _ model: NSManagedObjectModel = PersonModel.make(),
        _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
    ) throws {
        try TestStack(model).perform { context in
            let person = context.make("Person", ["firstName": "Ann", "age": 30])
            let addresses = [("1", "Ur"), ("2", "Uruk")].map { context.make("Address", ["guid": $0, "city": $1]) }
            for address in addresses { address.setValue(person, forKey: "person") }
            person.setValue(context.make("Company", ["name": "Acme", "city": "Rome"]), forKey: "employer")
            try context.save()
            try body(context, person)
        }
    }

    private func key(_ entity: String, _ identity: String) -> ObjectKey { ObjectKey(entity, [.string(identity)]) }

    private let root = ObjectKey("Person", at: .init(root: 0))

    @Test func `unsaved changes of a person and what it owns`() throws {
        try withPerson { context, person throws in
            #expect(try GraphDiff(unsavedChangesOf: person).isEmpty)
            person.setValue("Anna", forKey: "firstName")
            try context.one("Address", "guid", "1")?.setValue("Babylon", forKey: "city")
            if let second = try context.one("Address", "guid", "2") { context.delete(second) }
            context.make("Address", ["guid": "3", "city": "Nippur"]).setValue(person, forKey: "person")
            let diff = try GraphDiff(unsavedChangesOf: person)
            #expect(
                diff.changed == [
                    ObjectChange(
                        key("Address", "1"), [.init("city", .attribute(old: .string("Ur"), new: .string("Babylon")))]),
                    ObjectChange(
                        root,
                        [
                            .init("firstName", .attribute(old: .string("Ann"), new: .string("Anna"))),
                            .init(
                                "addresses",
                                .toMany(
                                    .init(removed: [.init(key("Address", "2"))], added: [.init(key("Address", "3"))]))),
                        ]),
                ])
            #expect(diff.deleted.map(\.key) == [key("Address", "2")])
            #expect(diff.deleted.first?["city"] == .attribute(.string("Uruk")))
            #expect(diff.inserted.map(\.key) == [key("Address", "3")])
            #expect(diff.inserted.first?["person"] == .toOne(root))
            #expect(diff.inserted.first?["street"] == .attribute(.null))
            #expect(diff.inverted.inverted == diff)
        }
    }

    @Test func `a whole context's unsaved changes need no roots`() throws {
        try TestStack(ComicModel.make()).perform { context in
            try context.importJSON(Data(ComicModel.batman.utf8), entity: "Character")
            try context.save()
            #expect(try GraphDiff(unsavedChangesIn: context).isEmpty)
            let batman = try #require(try context.one("Character", "identifier", 1699))
            batman.setValue(nil, forKey: "publisher")
            if let rich = try context.one("Power", "identifier", 9) { context.delete(rich) }
            let diff = try GraphDiff(unsavedChangesIn: context)
            let batmanKey = ObjectKey("Character", [.integer(1699)])
            #expect(diff.changed.map(\.key) == [batmanKey, ObjectKey("Publisher", [.integer(10)])])
            #expect(
                diff.changed.first?["publisher"] == .toOne(old: ObjectKey("Publisher", [.integer(10)]), new: nil))
            #expect(
                diff.changed.first?["powers"] == .toMany(.init(removed: [.init(ObjectKey("Power", [.integer(9)]))])))
            #expect(diff.deleted.map(\.key) == [ObjectKey("Power", [.integer(9)])])
        }
    }

    @Test func `numbers that JSON has no form for are compared with what was committed, too`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["id": "id"],
            [.attribute("id"), .attribute("size", .doubleAttributeType), .attribute("weight", .floatAttributeType)])
        try TestStack(sketch.model()).perform { context in
            let item = context.add("Item", ["id": "a", "size": Double.nan, "weight": -Float.infinity])
            try context.save()
            item.setValue(1.5, forKey: "size")
            item.setValue(Float.infinity, forKey: "weight")
            let change = try GraphDiff(unsavedChangesIn: context).changed.first
            #expect(change?["size"] == .attribute(old: .double(.nan), new: .double(1.5)))
            #expect(change?["weight"] == .attribute(old: .double(-.infinity), new: .double(.infinity)))
        }
    }

    @Test func `an object that isn't owned is a reference unless the model or the caller includes it`() throws {
        let annotated = PersonModel.make(employerDiff: "include")
        for (model, options, isIncluded) in [
            (PersonModel.make(), DiffOptions(), false),
            (PersonModel.make(), DiffOptions(included: [.init("Person", "employer")]), true),
            (annotated, DiffOptions(), true),
        ] {
            try withPerson(model) { context, person throws in
                let before = try GraphSnapshot(of: [person], options: options)
                person.object("employer")?.setValue("Milan", forKey: "city")
                let pair = try GraphDiff(
                    from: before, to: GraphSnapshot(of: [person], options: options), options: .paired(options))
                #expect(pair.changed.map(\.key) == (isIncluded ? [key("Company", "Acme")] : []))
                person.setValue(context.make("Company", ["name": "Umbrella"]), forKey: "employer")
                let diff = try GraphDiff(
                    from: before, to: GraphSnapshot(of: [person], options: options), options: .paired(options))
                #expect(
                    diff.changed.first?["employer"]
                        == .toOne(old: key("Company", "Acme"), new: key("Company", "Umbrella")))
                #expect(diff.inserted.map(\.key) == (isIncluded ? [key("Company", "Umbrella")] : []))
                #expect(diff.deleted.map(\.key) == (isIncluded ? [key("Company", "Acme")] : []))
            }
        }
    }

    @Test func `excluded properties aren't compared`() throws {
        for (model, options, isCompared) in [
            (PersonModel.make(), DiffOptions(), true),
            (PersonModel.make(ageDiff: "exclude"), DiffOptions(), false),
            (PersonModel.make(ageDiff: "exclude"), DiffOptions(included: [.init("Person", "age")]), true),
            (PersonModel.make(), DiffOptions(excluded: [.init("Person", "age")]), false),
        ] {
            try withPerson(model) { _, person throws in
                person.setValue(31, forKey: "age")
                #expect(try GraphDiff(unsavedChangesOf: person, options: options).isEmpty == !isCompared)
            }
        }
    }

    @Test func `options and annotations that name what isn't there are refused`() throws {
        try withPerson { _, person throws in
            let error = graftError {
                _ = try GraphDiff(unsavedChangesOf: person, options: DiffOptions(excluded: [.init("Person", "aeg")]))
            }
            #expect(error?.problem == .unknownProperty("aeg", closest: "age"))
            #expect(error?.place.entity == "Person")
        }
        try withPerson(PersonModel.make(ageDiff: "never")) { _, person throws in
            let error = graftError { _ = try GraphDiff(unsavedChangesOf: person) }
            #expect(error?.description.contains("Person.age: the mapping is invalid: diff is 'never'") == true)
        }
    }

    @Test func `objects without identity in an unordered relationship are matched by contents, and the diff says so`()
        throws
    {
        try withPerson(PersonModel.make(addressIdentity: nil)) { context, person throws in
            try context.one("Address", "guid", "1")?.setValue("Babylon", forKey: "city")
            let diff = try GraphDiff(unsavedChangesOf: person)
            #expect(diff.deleted.map { $0["city"] } != diff.inserted.map { $0["city"] })
            #expect(diff.deleted.count == 1 && diff.inserted.count == 1)
            #expect(diff.identification.rules == ["Address": .contents])
        }
    }

    @Test func `objects without identity in an ordered relationship are matched by position`() throws {
        try withPerson(PersonModel.make(addressIdentity: nil, isOrdered: true)) { context, person throws in
            try context.one("Address", "guid", "2")?.setValue("Babylon", forKey: "city")
            context.make("Address", ["city": "Nippur"]).setValue(person, forKey: "person")
            let diff = try GraphDiff(unsavedChangesOf: person)
            func place(_ index: Int) -> ObjectKey {
                ObjectKey("Address", at: .init(root: 0, steps: [.init("addresses", index)]))
            }
            #expect(diff.changed.map(\.key) == [place(1), root])
            #expect(diff.changed.last?["addresses"] == .toMany(.init(added: [.init(place(2), at: 2)])))
            #expect(diff.inserted.map(\.key) == [place(2)])
        }
    }

    @Test func `an object without a value for its identity is known by its contents, which is said`() throws {
        try TestStack(PersonModel.make()).perform { context in
            let old = try GraphSnapshot(of: context)
            let acme = context.make("Company", ["name": "Acme"])
            let company = context.make("Company", ["city": "Rome"])
            let rome = try GraphSnapshot(of: context)
            let diff = try GraphDiff(from: old, to: rome)
            #expect(diff.inserted.count == 2)
            #expect(diff.inserted.count { $0.key.position?.contents != nil } == 1)
            #expect(diff.identification.rules == ["Company": .contents])
            #expect(try GraphDiff(from: try old.applying(diff), to: rome).isEmpty)

            company.setValue("Bonn", forKey: "city")
            acme.setValue("Cork", forKey: "city")
            let next = try GraphDiff(from: rome, to: try GraphSnapshot(of: context))
            #expect(next.deleted.count == 1 && next.inserted.count == 1)
            #expect(next.changed.map(\.key) == [ObjectKey("Company", [.string("Acme")])])
        }
    }

    @Test func `two objects with one identity are refused`() throws {
        try TestStack(PersonModel.make()).perform { context in
            for _ in 0..<2 { _ = context.make("Company", ["name": "Acme"]) }
            let error = graftError { _ = try GraphSnapshot(of: context) }
            #expect(error?.problem == .duplicateIdentity("\"Acme\""))
        }
    }

    @Test func `two stores differ by what was done to one of them`() throws {
        let (one, other) = (try TestStack(ComicModel.make()), try TestStack(ComicModel.make(), .sqlite))
        for stack in [one, other] { try stack.importJSON(ComicModel.batman, "Character") }
        #expect(
            try GraphDiff(from: one.container.newBackgroundContext(), to: other.container.newBackgroundContext())
                .isEmpty)
        try other.importJSON(#"{"id": 1699, "name": "The Batman", "powers": []}"#, "Character")
        let diff = try GraphDiff(from: one.container.newBackgroundContext(), to: other.container.newBackgroundContext())
        #expect(
            diff.changed.map(\.key.description) == ["Character 1699", "Power 4", "Power 9"])
        #expect(diff.deleted.isEmpty && diff.inserted.isEmpty)
    }

    @Test func `a store and its archive are equal`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        try stack.perform { context in
            var archive = try GraphSnapshot(json: context.exportJSON(), model: ComicModel.make())
            archive.absence = .null
            let store = try GraphSnapshot(of: context)
            #expect(try GraphDiff(from: store, to: archive).isEmpty)
            #expect(try GraphDiff(from: archive, to: store).isEmpty)
        }
    }

    @Test func `JSON that says nothing of a property changes nothing there`() throws {
        func snapshot(_ text: String) throws -> GraphSnapshot {
            try GraphSnapshot(json: Data(text.utf8), entity: "Character", model: ComicModel.make())
        }
        let old = try snapshot(#"{"id": 1, "name": "A", "real_name": "R", "publisher": {"id": 10}}"#)
        let new = try snapshot(#"{"id": 1, "name": "B", "publisher": {"id": 11}}"#)
        let diff = try GraphDiff(from: old, to: new)
        #expect(diff.count == 1)
        #expect(diff.changed.first?.properties.map(\.name) == ["name", "publisher"])
    }

    @Test func `snapshots of different models have no difference`() throws {
        let comics = try GraphSnapshot(json: Data("[]".utf8), entity: "Character", model: ComicModel.make())
        let persons = try GraphSnapshot(json: Data("[]".utf8), entity: "Person", model: PersonModel.make())
        let error = graftError { _ = try GraphDiff(from: comics, to: persons) }
        #expect(error?.problem == .modelMismatch(reason: "the two snapshots were made with different models"))
    }

    @Test(arguments: [Int.min, -1, Int.max])
    func `a place that no list has is refused when a diff is decoded`(_ place: Int) {
        let key = #"{"entity": "A", "identity": []}"#
        for change in [
            #"{"removed": [{"key": \#(key), "index": \#(place)}]}"#,
            #"{"moved": [{"key": \#(key), "from": 0, "to": \#(place)}]}"#,
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(MembersChange.self, from: Data(change.utf8))
            }
        }
    }

    @Test func `a diff survives a coder, and one of a later version is refused`() throws {
        try withPerson(PersonModel.make(isOrdered: true)) { context, person throws in
            person.setValue(nil, forKey: "employer")
            person.setValue(NSOrderedSet(array: try context.all("Address", by: "guid").reversed()), forKey: "addresses")
            if let first = try context.one("Address", "guid", "1") { first.setValue(nil, forKey: "city") }
            context.make("Address", ["guid": "3"]).setValue(person, forKey: "person")
            let diff = try GraphDiff(unsavedChangesOf: person)
            let data = try JSONEncoder().encode(diff)
            #expect(try JSONDecoder().decode(GraphDiff.self, from: data) == diff)
            let later = String(decoding: data, as: UTF8.self).replacing(#""version":1"#, with: #""version":2"#)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(GraphDiff.self, from: Data(later.utf8)) }
        }
    }

    @Test func `the JSON form is stable`() throws {
        let diff = GraphDiff(
            changed: [
                ObjectChange(
                    key("Address", "1"),
                    [
                        .init("city", .attribute(old: .string("Ur"), new: .null)),
                        .init("person", .toOne(old: nil, new: root)),
                        .init("lines", .toMany(.init(moved: [.init(key("Line", "7"), from: 2, to: 0)]))),
                    ])
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        #expect(
            String(decoding: try encoder.encode(diff), as: UTF8.self) == """
                {"changed":[{"key":{"entity":"Address","identity":[{"string":"1"}]},"properties":[\
                {"attribute":{"new":{"null":true},"old":{"string":"Ur"}},"name":"city"},\
                {"name":"lines","toMany":{"moved":[{"from":2,"key":{"entity":"Line","identity":[{"string":"7"}]},"to":0}]}},\
                {"name":"person","toOne":{"new":{"entity":"Person","position":{"root":0}}}}]}],"version":1}
                """)
    }
}

extension DiffOptions {
    /// The options with objects matched by their place.
    static func paired(_ options: DiffOptions = DiffOptions()) -> DiffOptions {
        var options = options
        options.matchesRootsByPosition = true
        return options
    }
}
