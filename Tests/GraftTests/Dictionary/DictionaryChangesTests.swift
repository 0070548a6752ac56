// Only what changed: the dictionary of changes is small, and brings a copy to the new state.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct DictionaryChangesTests {
    typealias Model = ArchiveArticleModel

    /// Two stores with the same graph; the one is changed, the other gets the changes.
    private func sync(
        hasIdentity: Bool = true, isOrdered: Bool = false, options: DictionaryOptions = DictionaryOptions(),
        _ change: (NSManagedObject, NSManagedObjectContext) throws -> Void,
        check: ([String: Any]) throws -> Void = { _ in }
    ) throws {
        let here = try TestStack(Model.make(hasIdentity: hasIdentity, isOrdered: isOrdered), .sqlite)
        let there = try TestStack(Model.make(hasIdentity: hasIdentity, isOrdered: isOrdered), .sqlite)
        try here.perform { context throws in
            let person = Model.fill(context)
            try context.save()
            let earlier = try person.toDictionary(options: options)
            #expect(try person.toDictionary(changedSince: earlier, options: options).isEmpty)
            try change(person, context)
            let changes = try person.toDictionary(changedSince: earlier, options: options)
            try check(changes)
            try there.perform { other throws in
                let copy = try NSManagedObject.create(fromDictionary: earlier, in: other)
                try other.save()
                try copy.populate(fromDictionary: changes)
                #expect(try describe(copy) == describe(person))
                let guids = try [other, context].map { try $0.all("Address").map { $0.text("guid") ?? "-" }.sorted() }
                #expect(guids[0] == guids[1], "\(changes)")
                try other.save()
                other.checkInvariants()
            }
        }
    }

    private func describe(_ person: NSManagedObject) throws -> String {
        let addresses = person.value(forKey: "addresses")
        let list = (addresses as? NSOrderedSet)?.array ?? (addresses as? NSSet)?.allObjects ?? []
        let texts = list.compactMap { $0 as? NSManagedObject }.map {
            "\($0.text("guid") ?? "-") \($0.text("city") ?? "-") \($0.object("country")?.text("name") ?? "-")"
        }
        let attributes = ["firstName", "lastName", "age", "born"].map { "\(person.value(forKey: $0) ?? "-")" }
        let friends = person.texts("friends", "guid")
        let passport = person.object("passport").map { $0.text("number") ?? "nil" } ?? "none"
        return "\(attributes) \(addresses is NSOrderedSet ? texts : texts.sorted()) \(friends) \(passport)"
    }

    @Test func `changed values are all that is sent`() throws {
        try sync { person, context in
            person.setValue(31, forKey: "age")
            person.setValue(nil, forKey: "lastName")
            try #require(try context.one("Address", "guid", "a2")).setValue("Moved", forKey: "city")
        } check: { changes in
            #expect(changes.keys.sorted() == ["$objects", "age", "class", "guid", "lastName"])
            #expect(changes["lastName"] is NSNull)
            let objects = nested(changes, "$objects")
            #expect(objects.count == 1)
            #expect(objects[0].keys.sorted() == ["city", "class", "guid"])
        }
    }

    @Test(arguments: [false, true])
    func `members come, go and move`(isOrdered: Bool) throws {
        try sync(isOrdered: isOrdered) { person, context in
            let old = try #require(try context.one("Address", "guid", "a1"))
            context.delete(old)
            let address = Model.new("Address", ["guid": "a3", "city": "New"], context)
            address.setValue(try context.one("Country", "code", "DE"), forKey: "country")
            let kept = try #require(try context.one("Address", "guid", "a2"))
            if isOrdered {
                person.setValue(NSOrderedSet(array: [address, kept]), forKey: "addresses")
            } else {
                person.setValue(NSSet(array: [address, kept]), forKey: "addresses")
            }
            person.setValue(NSSet(object: Model.new("Person", ["guid": "p2"], context)), forKey: "friends")
        }
        // What was written in another form is compared as well.
        var options = DictionaryOptions()
        options.repeatedObjects = .referenced
        options.valueForm = .json
        try sync(isOrdered: isOrdered, options: options) { person, context in
            try #require(try context.one("Address", "guid", "a1")).setValue(nil, forKey: "country")
        } check: { changes in
            #expect(JSONSerialization.isValidJSONObject(changes))
        }
    }

    @Test(arguments: [DictionaryOptions.ValueForm.native, .propertyList])
    func `what has no identity is sent where it is nested`(_ form: DictionaryOptions.ValueForm) throws {
        var options = DictionaryOptions()
        options.valueForm = form
        options.relationships = .owned
        try sync(hasIdentity: false, options: options) { person, context in
            person.setValue(Model.new("Passport", ["number": "7"], context), forKey: "passport")
            try #require(try context.one("Address", "guid", "a1")).setValue("Changed", forKey: "city")
            for address in try context.all("Address") { address.setValue(nil, forKey: "country") }
            person.setValue(nil, forKey: "born")
        } check: { changes in
            if form == .propertyList { #expect(PropertyListSerialization.propertyList(changes, isValidFor: .binary)) }
            #expect(changes["firstName"] == nil)
        }
    }

    @Test(arguments: [false, true])
    func `the steps grow with objects and links, however many know each other`(hasIdentity: Bool) throws {
        try TestStack(Model.make(hasIdentity: hasIdentity)).perform { context throws in
            for count in [6, 12, 24] {
                let people = (0..<count).map {
                    Model.new("Person", ["firstName": "P\($0)", "guid": "\(count) \($0)"], context)
                }
                for person in people {
                    person.setValue(NSSet(array: people.filter { $0 !== person }), forKey: "friends")
                }
                let earlier = try people[0].toDictionary()
                #expect(try people[0].toDictionary(changedSince: earlier).isEmpty)
                people[count - 1].setValue("Changed", forKey: "firstName")
                let (changes, steps) = try people[0].changes(since: earlier)
                let links = count * (count - 1)
                #expect(steps <= 12 * (count + links), "\(steps) steps for \(count) friends")
                #expect("\(changes)".contains("Changed"))
                try TestStack(Model.make(hasIdentity: hasIdentity)).perform { other throws in
                    let copy = try NSManagedObject.create(fromDictionary: earlier, in: other)
                    try copy.populate(fromDictionary: changes)
                    let friends = copy.value(forKey: "friends") as? Set<NSManagedObject> ?? []
                    #expect(friends.count == count - 1 && friends.contains { $0.text("firstName") == "Changed" })
                    for friend in friends {
                        #expect((friend.value(forKey: "friends") as? NSSet)?.count == count - 1)
                    }
                }
            }
        }
    }

    @Test(arguments: [["identityAttributes": "code"], [:]])
    func `what leaves is the object that its whole identity tells, where a sub-entity says more of it`(
        _ info: [String: String]
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Shop", info: ["identityAttributes": "name"],
            [.attribute("name"), .toMany("items", "Item", inverse: "shop", rule: .cascadeDeleteRule)])
        sketch.entity("Item", info: info, [.attribute("code"), .toOne("shop", "Shop", inverse: "items")])
        sketch.entity(
            "LocalItem", parent: "Item", info: ["identityAttributes": "code, region"], [.attribute("region")])
        let model = sketch.model()
        let (here, there) = (try TestStack(model), try TestStack(model))
        try here.perform { context throws in
            let items = ["A", "B"].map { context.add("LocalItem", ["code": "1", "region": $0]) }
            let shop = context.add("Shop", ["name": "s", "items": NSSet(array: items)])
            let earlier = try shop.toDictionary()
            shop.setValue(NSSet(object: items[1]), forKey: "items")
            let changes = try shop.toDictionary(changedSince: earlier)
            try there.perform { other throws in
                let copy = try NSManagedObject.create(fromDictionary: earlier, in: other)
                try other.save()
                let unknown = ["$removed": ["items": [["class": "Shop", "code": "1"]]]]
                #expect(graftError { try copy.populate(fromDictionary: unknown) }?.description.contains("Shop") == true)
                try copy.populate(fromDictionary: changes)
                try other.save()
                #expect(copy.texts("items", "region") == ["B"], "\(changes)")
                #expect(try other.all("Item").count == 1)
            }
        }
    }

    @Test func `what an object owns alone and gives up is deleted at the other end`() throws {
        for hasSuccessor in [false, true] {
            let model = Model.make(hasIdentity: true)
            let (here, there) = (try TestStack(model), try TestStack(model))
            try here.perform { context throws in
                let person = Model.fill(context)
                person.setValue(Model.new("Passport", ["number": "1"], context), forKey: "passport")
                let earlier = try person.toDictionary()
                person.setValue(
                    hasSuccessor ? Model.new("Passport", ["number": "2"], context) : nil, forKey: "passport")
                let changes = try person.toDictionary(changedSince: earlier)
                try there.perform { other throws in
                    let copy = try NSManagedObject.create(fromDictionary: earlier, in: other)
                    try other.save()
                    try copy.populate(fromDictionary: changes)
                    try other.save()
                    #expect(try other.all("Passport").map { $0.text("number") } == (hasSuccessor ? ["2"] : []))
                }
            }
        }
    }

    @Test(arguments: 1...30)
    func `what changed is what a diff says, and brings a copy up to date`(_ seed: Int) throws {
        var graph = RandomGraph(plainSeed: seed)
        let (here, there) = (try TestStack(graph.model), try TestStack(graph.model))
        try here.perform { context throws in
            graph.fill(context, count: 12)
            try context.save()
            let objects = try context.everything()
            let base = try GraphSnapshot(of: context)
            let root = try #require(objects.first)
            let earlier = try root.toDictionary()
            var random = SeededGenerator(seed: seed)
            for object in objects where random.chance(30) { object.setValue("\(random.below(100))", forKey: "part") }
            let diff = try GraphDiff(from: base, to: GraphSnapshot(of: context))
            let changes = try root.toDictionary(changedSince: earlier)
            let reached = names(in: earlier)
            let told =
                nested(changes, "$objects").flatMap { names(in: $0) }
                + (changes["part"] == nil ? [] : names(in: changes, isNested: false))
            let expected = diff.changed.map { "\($0.key.entity) \($0.key.identity[0])" }.filter(reached.contains)
            #expect(Set(told) == Set(expected), "seed \(seed)")
            try there.perform { other throws in
                let copy = try NSManagedObject.create(fromDictionary: earlier, in: other)
                try copy.populate(fromDictionary: changes)
                let rest = try copy.toDictionary(changedSince: root.toDictionary())
                #expect(rest.isEmpty, "seed \(seed): \(rest)")
            }
        }
    }

    @Test(arguments: Laws.cases(1...600, oneOf: 20) + [50, 55])
    func `what changed, came and went is what a diff says, object by object, and brings a copy up to date`(
        _ seed: Int
    ) throws {
        var graph = RandomGraph(plainSeed: seed)
        try TestStack(graph.model).perform { context throws in
            graph.fill(context, count: 12)
            try context.save()
            let base = try GraphSnapshot(of: context)
            let earlier = try context.everything().map { ($0, try $0.toDictionary()) }
            try graph.change(context)
            let diff = try GraphDiff(from: base, to: GraphSnapshot(of: context))
            let different = Set((diff.changed.map(\.key) + diff.inserted.map(\.key)).map(name))
            for (root, dictionary) in earlier.filter({ !$0.0.isDeleted }).prefix(4) {
                let place = "seed \(seed), from \(names(in: dictionary, isNested: false))"
                let (before, now) = (Set(names(in: dictionary)), Set(names(in: try root.toDictionary())))
                let changes = try root.toDictionary(changedSince: dictionary)
                // What the object didn't lead to before is told whole, as if it were new.
                #expect(told(changes) == now.filter { different.contains($0) || !before.contains($0) }, "\(place)")
                try TestStack(graph.model).perform { other throws in
                    let copy = try NSManagedObject.create(fromDictionary: dictionary, in: other)
                    try other.save()
                    try copy.populate(fromDictionary: changes)
                    let rest = try GraphDiff(from: GraphSnapshot(of: [copy]), to: GraphSnapshot(of: [root]))
                    #expect(rest.isEmpty, "\(place): \(rest)")
                }
            }
        }
    }

    private func name(_ key: ObjectKey) -> String { "\(key.entity) \(key.identity[0])" }

    /// The entities and keys of the objects of which a dictionary of changes says something. Others are only referred to.
    private func told(_ changes: [String: Any]) -> Set<String> {
        let isRootTold = !Set(changes.keys).isSubset(of: ["class", "key", "$objects"])
        let objects = nested(changes, "$objects") + (isRootTold ? [changes] : [])
        return Set(objects.flatMap { names(in: $0, isNested: false) })
    }

    /// The entities and keys of the objects that a dictionary tells of.
    private func names(in dictionary: [String: Any], isNested: Bool = true) -> [String] {
        var names: [String] = []
        if let entity = dictionary["class"], let key = dictionary["key"] { names.append("\(entity) \(key)") }
        if !isNested { return names }
        for value in dictionary.values {
            if let object = value as? [String: Any] { names += self.names(in: object) }
            for object in value as? [[String: Any]] ?? [] { names += self.names(in: object) }
        }
        return names
    }

    @Test(arguments: [DictionaryOptions.ValueForm.native, .json, .propertyList])
    func `that a new object has no value is said where the model has a default`(
        _ form: DictionaryOptions.ValueForm
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Page", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType),
                .toMany("notes", "Note", inverse: "page", rule: .cascadeDeleteRule),
                .toOne("cover", "Note", inverse: "covered", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .attribute("stars", .integer64AttributeType, default: 3),
                .toOne("page", "Page", inverse: "notes"), .toOne("covered", "Page", inverse: "cover"),
            ])
        let model = sketch.model()
        var options = DictionaryOptions()
        options.valueForm = form
        try TestStack(model).perform { context throws in
            let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
            page.setValue(1, forKey: "id")
            let old = try page.toDictionary(options: options)
            for (key, text) in [("page", "a"), ("covered", "b")] {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValuesForKeys(["text": text, key: page])
                note.setValue(nil, forKey: "stars")
            }
            let changes = try page.toDictionary(changedSince: old, options: options)
            try TestStack(model).perform { other throws in
                let copy = try NSManagedObject.create(fromDictionary: old, in: other)
                try copy.populate(fromDictionary: changes)
                let notes = try other.all("Note")
                #expect(notes.count == 2)
                #expect(notes.allSatisfy { $0.value(forKey: "stars") == nil })
            }
        }
    }
}
