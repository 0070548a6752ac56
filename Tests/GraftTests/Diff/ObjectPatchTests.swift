// Diffs applied to managed objects and stores: the same as to snapshots, whole or not at all.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ObjectPatchTests {
    /// A store with the objects of a graph.
    private func stack(_ world: RandomWorld, _ kind: StoreKind = .inMemory) throws -> TestStack {
        let stack = try TestStack(world.model.model, kind)
        try stack.container.apply(GraphDiff(inserted: world.contents))
        return stack
    }

    private func contents(_ stack: TestStack) throws -> [ObjectContents] {
        try stack.perform { try GraphSnapshot(of: $0).contents() }
    }

    @Test(arguments: 0..<12)
    func `a diff does to a store what it does to a snapshot, and back`(_ block: Int) throws {
        for seed in block * 5..<block * 5 + 5 {
            var random = SeededGenerator(seed: seed)
            var world = RandomWorld(RandomModel(&random), count: 4 + random.below(5), hasNaN: false, &random)
            let stack = try stack(world, seed % 5 == 0 ? .sqlite : .inMemory)
            let before = world.contents
            try #require(try contents(stack) == before, "seed \(seed)")
            let old = try world.snapshot()
            world.mutate(1 + random.below(8), &random)
            let diff = try GraphDiff(from: old, to: world.snapshot())
            try stack.container.apply(diff, isDryRun: true)
            #expect(try contents(stack) == before, "seed \(seed)")
            let report = try stack.container.apply(diff)
            #expect(report.conflicts.isEmpty && report.cascaded.isEmpty, "seed \(seed)")
            #expect(report.inserted == diff.inserted.count && report.deleted == diff.deleted.count)
            #expect(try contents(stack) == world.contents, "seed \(seed)")
            try stack.container.apply(diff.inverted)
            #expect(try contents(stack) == before, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<10)
    func `changes that don't fit are skipped or forced alike in stores and snapshots`(_ block: Int) throws {
        for seed in block * 5..<block * 5 + 5 {
            var random = SeededGenerator(seed: seed)
            let world = RandomWorld(RandomModel(&random), count: 5, &random)
            if world.model.entities.contains(where: \.isPlaced) { continue }
            var (ours, theirs) = (world, world)
            ours.mutate(5, &random)
            theirs.mutate(5, numbersFrom: 100, &random)
            let diff = try GraphDiff(from: world.snapshot(), to: theirs.snapshot())
            for policy in [GraphDiff.ConflictPolicy.skip, .force] {
                let options = GraphDiff.ApplyingOptions(conflicts: policy)
                let stack = try stack(ours)
                // A store knows which objects there are; so does this snapshot.
                var snapshot = try ours.snapshot()
                let (report, expected) = (
                    try stack.container.apply(diff, options: options), try snapshot.apply(diff, options: options)
                )
                #expect(report.cascaded == expected.cascaded, "seed \(seed) \(policy)")
                let known = Set(try contents(stack).map(\.key))
                checkLinks(try contents(stack), known, "seed \(seed) \(policy)")
                let conflicts = report.conflicts.filter { $0.found != .noObject }
                #expect(conflicts == expected.conflicts.filter { $0.found != .noObject }, "seed \(seed) \(policy)")
                if report.conflicts.contains(where: { $0.found == .noObject }) { continue }
                #expect(try contents(stack) == snapshot.contents(), "seed \(seed) \(policy)")
            }
        }
    }

    private func checkLinks(_ contents: [ObjectContents], _ known: Set<ObjectKey>, _ name: Comment) {
        for property in contents.flatMap(\.properties) {
            switch property.value {
            case .toOne(let end?): #expect(known.contains(end), name)
            case .toMany(let ends, _): #expect(known.isSuperset(of: ends), name)
            default: continue
            }
        }
    }

    @Test func `a diff that doesn't fit changes neither the objects nor what was unsaved before`() throws {
        try TestStack(ComicModel.make()).perform { context in
            try context.importJSON(Data(ComicModel.batman.utf8), entity: "Character")
            try context.save()
            let old = try GraphSnapshot(of: context)
            let batman = try #require(try context.one("Character", "identifier", 1699))
            batman.setValue("The Batman", forKey: "name")
            batman.setValue(nil, forKey: "publisher")
            let diff = try GraphDiff(from: old, to: GraphSnapshot(of: context))
            context.rollback()
            batman.setValue("Dark Knight", forKey: "name")
            let error = graftError { try context.apply(diff) }
            let conflict = GraphDiff.Conflict(
                ObjectKey("Character", [.integer(1699)]), "name",
                expected: .value(.attribute(.string("Batman"))), found: .value(.attribute(.string("Dark Knight"))))
            #expect(error?.problem == .changesDoNotFit([conflict]))
            #expect(error?.place.entity == "Character" && error?.place.property == "name")
            #expect(
                error?.description.contains(
                    #"'name' of Character 1699 is "Dark Knight" where the change expects "Batman""#) == true)
            #expect(batman.text("name") == "Dark Knight" && batman.object("publisher") != nil)
            let report = try context.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .skip))
            #expect(report.conflicts == [conflict])
            #expect(batman.text("name") == "Dark Knight" && batman.object("publisher") == nil)
        }
    }

    @Test func `an object without identity takes the diff of another one`() throws {
        try TestStack(PersonModel.make()).perform { context in
            let person = context.make("Person", ["firstName": "Ann"])
            context.make("Address", ["guid": "1", "city": "Ur"]).setValue(person, forKey: "person")
            try context.save()
            person.setValue("Anna", forKey: "firstName")
            context.make("Address", ["guid": "2"]).setValue(person, forKey: "person")
            let diff = try GraphDiff(unsavedChangesOf: person)
            context.rollback()
            #expect(person.text("firstName") == "Ann")
            try context.apply(diff, to: [person])
            #expect(person.text("firstName") == "Anna")
            #expect(person.texts("addresses", "guid") == ["1", "2"])
            try context.apply(diff.inverted, to: [person])
            #expect(person.text("firstName") == "Ann")
            #expect(try context.all("Address").map { $0.text("guid") } == ["1"])
        }
    }

    @Test func `what a diff doesn't know of a deleted object obeys the delete rules`() throws {
        for (rule, isLeft) in [
            (NSDeleteRule.cascadeDeleteRule, false), (.nullifyDeleteRule, true), (.denyDeleteRule, true),
        ] {
            var sketch = ModelSketch()
            sketch.entity(
                "Order", info: ["id": "name"],
                [.attribute("name"), .toMany("lines", "Line", inverse: "order", rule: rule)])
            sketch.entity(
                "Line", info: ["id": "name"], [.attribute("name"), .toOne("order", "Order", inverse: "lines")])
            let model = sketch.model()
            try TestStack(model).perform { context in
                let order = context.make("Order", ["name": "O"])
                try context.save()
                let old = try GraphSnapshot(of: context)
                let diff = try GraphDiff(from: old, to: GraphSnapshot(model: model))
                context.make("Line", ["name": "L"]).setValue(order, forKey: "order")
                try context.save()
                #expect(graftError { try context.apply(diff) } != nil)
                let report = try context.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .force))
                try context.save()
                #expect(try context.all("Line").count == (isLeft ? 1 : 0))
                #expect(try context.all("Order").count == (rule == .denyDeleteRule ? 1 : 0))
                #expect(report.cascaded == (isLeft ? [] : [ObjectKey("Line", [.string("L")])]))
            }
        }
    }

    @Test func `diffs of another model are refused`() throws {
        let stack = try TestStack(ComicModel.make())
        let batman = ObjectKey("Character", [.integer(1)])
        for (diff, problem) in [
            (
                GraphDiff(inserted: [ObjectContents(ObjectKey("Hero", [.integer(1)]), [])]),
                GraftError.Problem.unknownEntity("Hero", closest: nil)
            ),
            (
                GraphDiff(inserted: [ObjectContents(batman, [.init("nam", .attribute(.null))])]),
                .unknownProperty("nam", closest: "name")
            ),
            (
                GraphDiff(inserted: [ObjectContents(batman, [.init("name", .attribute(.integer(1)))])]),
                .wrongType(found: "1", expected: "a String")
            ),
            (
                GraphDiff(inserted: [ObjectContents(ObjectKey("Character", []), [])]),
                .missingIdentity(attributes: ["identifier"])
            ),
        ] {
            #expect(graftError { try stack.container.apply(diff) }?.problem == problem)
        }
    }
}

// MARK: - Two copies in one store

/// The layout of the article: the last state of the server and the user's are two graphs of one store.
@Suite struct GraphCopyPatchTests {
    private func person(
        _ addresses: [(guid: String, city: String)], _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let person = context.make("Person", ["firstName": "Ann"])
        person.setValue(
            NSSet(array: addresses.map { context.make("Address", ["guid": $0.guid, "city": $0.city]) }),
            forKey: "addresses")
        return person
    }

    private func cities(_ person: NSManagedObject) -> [String] {
        let addresses = person.value(forKey: "addresses") as? Set<NSManagedObject> ?? []
        return addresses.map { "\($0.text("guid") ?? "-") \($0.text("city") ?? "-")" }.sorted()
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a diff of two copies is applied to the one that is given`(_ kind: StoreKind, isSaved: Bool) throws {
        let stack = try TestStack(PersonModel.make(), kind)
        try stack.perform { context throws in
            let company = context.make("Company", ["name": "Acme"])
            let server = person([("1", "Townsville"), ("2", "Gone"), ("3", "Same")], context)
            let user = person([("1", "Sometown"), ("3", "Same"), ("4", "New")], context)
            user.setValue(company, forKey: "employer")
            if isSaved { try context.save() }
            let diff = try GraphDiff(from: server, to: user)
            try context.apply(diff, to: [server])
            #expect(cities(server) == ["1 Sometown", "3 Same", "4 New"])
            #expect(cities(user) == ["1 Sometown", "3 Same", "4 New"])
            #expect(server.object("employer") === company)
            #expect(try GraphDiff(from: server, to: user).isEmpty)
            #expect(try context.all("Address").count == 6)
            try context.apply(diff.inverted, to: [server])
            #expect(cities(server) == ["1 Townsville", "2 Gone", "3 Same"])
            #expect(cities(user) == ["1 Sometown", "3 Same", "4 New"])
            // What isn't in the graph of the given object is missing, although the store has it.
            let error = graftError { try context.apply(diff, to: [context.make("Person", ["firstName": "Ann"])]) }
            if case .changesDoNotFit? = error?.problem {} else { Issue.record("\(String(describing: error))") }
        }
    }

    @Test(arguments: [false, true])
    func `what a given object owns is told by its place`(_ isOrdered: Bool) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Page",
            [
                .attribute("title"),
                .toMany("notes", "Note", inverse: "page", rule: .cascadeDeleteRule, isOrdered: isOrdered),
                .toOne("cover", "Note", inverse: "covered", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .attribute("stars", .integer32AttributeType),
                .toOne("page", "Page", inverse: "notes"), .toOne("covered", "Page", inverse: "cover"),
            ])
        try TestStack(sketch.model()).perform { context throws in
            let pages = ["x", "y"].map { cover in
                let page = context.make("Page", ["title": "p"])
                for (text, stars) in [("a", 1), ("b", 2)] {
                    let note = context.make("Note", ["text": text, "stars": stars])
                    page.mutableOrderedSetOrSet("notes", isOrdered).add(note)
                }
                page.setValue(context.make("Note", ["text": cover]), forKey: "cover")
                return page
            }
            try context.save()
            let (old, new) = (pages[0], pages[1])
            let notes = new.mutableOrderedSetOrSet("notes", isOrdered)
            for case let note as NSManagedObject in notes.all where note.text("text") == "b" {
                note.setValue(5, forKey: "stars")
            }
            let diff = try GraphDiff(from: old, to: new)
            #expect(!diff.isEmpty)
            try context.apply(diff, to: [old])
            #expect(try GraphDiff(from: old, to: new).isEmpty)
            #expect(old.object("cover")?.text("text") == "y")
            try context.apply(diff.inverted, to: [old])
            #expect(old.object("cover")?.text("text") == "x")
            #expect(try context.all("Note").count == 6)
        }
    }

    @Test func `an object whose owner lacks the identity that it is part of is known by its contents`() throws {
        for info in [[:], ["identityAttributes": "id"]] {
            var sketch = ModelSketch()
            sketch.entity(
                "Order", info: info,
                [.attribute("id"), .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule)])
            sketch.entity(
                "Line", info: ["identityAttributes": "number, order"],
                [.attribute("number", .integer32AttributeType), .toOne("order", "Order", inverse: "lines")])
            let model = sketch.model()
            try TestStack(model).perform { context throws in
                let line = context.make("Line", ["number": 1])
                line.setValue(context.make("Order", [:]), forKey: "order")
                let diff = try GraphDiff(unsavedChangesIn: context)
                #expect(diff.inserted.count == 2)
                #expect(diff.inserted.allSatisfy { $0.key.position?.contents != nil })
                let other = try TestStack(model)
                try other.container.apply(diff)
                try other.perform { other throws in
                    let copy = try #require(try other.all("Line").first)
                    #expect((copy.value(forKey: "order") as? NSManagedObject)?.entity.name == "Order")
                    #expect(copy.value(forKey: "number") as? Int == line.value(forKey: "number") as? Int)
                }
            }
        }
    }
}

/// The members of a relationship, ordered or not.
private struct Members {
    let add: (Any) -> Void
    let all: [Any]
}

extension NSManagedObject {
    fileprivate func mutableOrderedSetOrSet(_ key: String, _ isOrdered: Bool) -> Members {
        if isOrdered {
            let set = mutableOrderedSetValue(forKey: key)
            return Members(add: { set.add($0) }, all: set.array)
        }
        let set = mutableSetValue(forKey: key)
        return Members(add: { set.add($0) }, all: set.allObjects)
    }
}
