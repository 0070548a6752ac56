// Merges as stories: who changed what, and what must come out.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct GraphMergeTests {
    /// Persons with unique e-mail addresses, what they own, and lists with an order.
    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"], unique: [["email"]],
            [
                .attribute("id"), .attribute("name"), .attribute("email"), .attribute("updated", .dateAttributeType),
                .toMany("addresses", "Address", inverse: "person", rule: .cascadeDeleteRule),
                .toMany("tags", "Tag", inverse: "persons"), .toOne("boss", "Person", inverse: "staff"),
                .toMany("staff", "Person", inverse: "boss"),
                .toOne("desk", "Desk", inverse: "person"),
                .toMany("tasks", "Task", inverse: "person", isOrdered: true),
            ])
        sketch.entity(
            "Address", info: ["id": "id"],
            [.attribute("id"), .attribute("city"), .toOne("person", "Person", inverse: "addresses")])
        sketch.entity("Tag", info: ["id": "id"], [.attribute("id"), .toMany("persons", "Person", inverse: "tags")])
        sketch.entity("Desk", info: ["id": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "desk")])
        sketch.entity("Task", info: ["id": "id"], [.attribute("id"), .toOne("person", "Person", inverse: "tasks")])
        model = sketch.model()
    }

    // MARK: Helpers

    private func key(_ entity: String, _ id: String) -> ObjectKey { ObjectKey(entity, [.string(id)]) }

    /// A graph from objects by entity and attributes; links are made by `then`.
    private func graph(_ change: (NSManagedObjectContext) throws -> Void) throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            try change(context)
            return try GraphSnapshot(of: context)
        }
    }

    /// Makes the base, and both sides from the base by one more change each; merges them.
    private func merge(
        _ options: GraphMerge.Options = GraphMerge.Options(), base: (NSManagedObjectContext) throws -> Void,
        ours: (NSManagedObjectContext) throws -> Void, theirs: (NSManagedObjectContext) throws -> Void
    ) throws -> GraphMerge {
        func side(_ change: (NSManagedObjectContext) throws -> Void) throws -> GraphSnapshot {
            try graph {
                try base($0)
                try $0.save()
                try change($0)
                $0.processPendingChanges()
            }
        }
        let (before, our, their) = (try graph(base), try side(ours), try side(theirs))
        let merge = try GraphMerge(base: before, ours: our, theirs: their, options: options)
        let swapped = try GraphMerge(base: before, ours: their, theirs: our, options: options.mirrored)
        #expect(try merge.snapshot.contents() == swapped.snapshot.contents())
        #expect(merge.conflicts == swapped.conflicts.map(\.mirrored).sorted())
        return merge
    }

    private func ann(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.one("Person", "id", "ann"))
    }

    private func makeAnn(_ context: NSManagedObjectContext) {
        let ann = context.make("Person", ["id": "ann", "name": "Ann", "email": "a@x"])
        for id in ["home", "work"] {
            context.make("Address", ["id": id, "city": "Ur"]).setValue(ann, forKey: "person")
        }
    }

    private func city(_ merge: GraphMerge, _ id: String) -> GraphValue? {
        merge.snapshot.row(of: "Address", identity: [.string(id)])?["city"]
    }

    private func ids(_ merge: GraphMerge, _ relationship: String, of id: String = "ann") -> [String]? {
        let row = merge.snapshot.row(of: "Person", identity: [.string(id)])
        return row?.members(of: relationship)?.map { "\($0["id"] ?? .null)".filter { $0 != "\"" } }
    }

    // MARK: Stories

    private static func boxes() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Box", info: ["id": "id"], [.attribute("id"), .attribute("title"), .toMany("things", "Thing")])
        sketch.entity("Thing", info: ["id": "id"], [.attribute("id")])
        return sketch.model()
    }

    /// Boxes with things that don't lead back.
    private func boxes(_ owners: [String: [String]], title: String? = nil) throws -> GraphSnapshot {
        try TestStack(Self.boxes()).perform { context in
            for id in ["x", "y"] { _ = context.make("Thing", ["id": id]) }
            for (id, things) in owners.sorted(by: { $0.key < $1.key }) {
                let box = context.make("Box", ["id": id])
                box.setValue(title, forKey: "title")
                let members = try things.compactMap { try context.one("Thing", "id", $0) }
                box.setValue(NSSet(array: members), forKey: "things")
            }
            return try GraphSnapshot(of: context)
        }
    }

    @Test func `what a side takes out of an object that it deletes isn't in it where the object stays`() throws {
        let base = try boxes(["a": [], "b": ["x", "y"]])
        let (ours, theirs) = (try boxes(["a": [], "b": ["x", "y"]], title: "new"), try boxes(["a": ["x"]]))
        for (merge, name) in [
            (try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: .ours)), "ours"),
            (try GraphMerge(base: base, ours: theirs, theirs: ours, options: .init(policy: .theirs)), "theirs"),
        ] {
            func things(_ box: String) -> [String]? {
                merge.snapshot.row(of: "Box", identity: [.string(box)])?.members(of: "things")?.map {
                    "\($0["id"] ?? .null)"
                }
            }
            #expect(merge.conflicts.isEmpty && things("a") == ["\"x\""] && things("b") == ["\"y\""], "\(name)")
        }
    }

    @Test func `an object that both sides put into lists of different owners is a conflict, where nothing leads back`()
        throws
    {
        let base = try boxes(["a": ["x", "y"], "b": [], "c": []])
        let (ours, theirs) = (
            try boxes(["a": ["y"], "b": ["x"], "c": []]), try boxes(["a": [], "b": ["y"], "c": ["x"]])
        )
        var merge = try GraphMerge(base: base, ours: ours, theirs: theirs)
        let swapped = try GraphMerge(base: base, ours: theirs, theirs: ours)
        #expect(merge.conflicts == swapped.conflicts.map(\.mirrored))
        let conflict = try #require(merge.conflicts.first)
        #expect(merge.conflicts.count == 1 && conflict.kind == .values)
        #expect(conflict.key == key("Thing", "x") && conflict.property == "Box.things")
        func things(_ box: String) -> [String]? {
            merge.snapshot.row(of: "Box", identity: [.string(box)])?.members(of: "things")?.map {
                "\($0["id"] ?? .null)"
            }
        }
        // Until it is settled, it is where it was; what one side moved is moved.
        #expect(things("a") == ["\"x\""] && things("b") == ["\"y\""] && things("c") == [])
        try merge.settle(conflict, .theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(things("a") == [] && things("b") == ["\"y\""] && things("c") == ["\"x\""])
        let settled = try GraphMerge(
            base: base, ours: ours, theirs: theirs,
            options: GraphMerge.Options(policies: [.init("Box", "things"): .ours]))
        #expect(settled.conflicts.isEmpty)
        #expect(settled.snapshot.row(of: "Box", identity: [.string("b")])?.members(of: "things")?.count == 2)
    }

    @Test func `changes of different properties and objects combine`() throws {
        let merge = try merge(base: makeAnn) {
            try ann($0).setValue("Anna", forKey: "name")
            try $0.one("Address", "id", "home")?.setValue("Uruk", forKey: "city")
        } theirs: {
            try ann($0).setValue("b@x", forKey: "email")
            $0.make("Address", ["id": "beach"]).setValue(try ann($0), forKey: "person")
            if let work = try $0.one("Address", "id", "work") { $0.delete(work) }
        }
        #expect(merge.conflicts.isEmpty)
        let row = try #require(merge.snapshot.row(of: "Person", identity: [.string("ann")]))
        #expect(row["name"] == .string("Anna") && row["email"] == .string("b@x"))
        #expect(ids(merge, "addresses")?.sorted() == ["beach", "home"])
        #expect(city(merge, "home") == .string("Uruk"))
    }

    @Test func `equal changes are one`() throws {
        let merge = try merge(base: makeAnn) {
            try ann($0).setValue("Anna", forKey: "name")
            $0.make("Address", ["id": "beach", "city": "Eridu"]).setValue(try ann($0), forKey: "person")
        } theirs: {
            try ann($0).setValue("Anna", forKey: "name")
            $0.make("Address", ["id": "beach", "city": "Eridu"]).setValue(try ann($0), forKey: "person")
        }
        #expect(merge.conflicts.isEmpty)
        #expect(try merge.diff() == merge.ours)
    }

    @Test func `different values are a conflict with three versions, settled later`() throws {
        var merge = try merge(base: makeAnn) {
            try ann($0).setValue("Anna", forKey: "name")
        } theirs: {
            try ann($0).setValue("Anne", forKey: "name")
            try ann($0).setValue("b@x", forKey: "email")
        }
        func text(_ text: String) -> GraphMerge.Conflict.Version { .value(.attribute(.string(text))) }
        let conflict = GraphMerge.Conflict(
            .values, key("Person", "ann"), "name", base: text("Ann"), ours: text("Anna"), theirs: text("Anne"))
        #expect(merge.conflicts == [conflict])
        let row = try #require(merge.snapshot.row(of: "Person", identity: [.string("ann")]))
        #expect(row["name"] == .string("Ann") && row["email"] == .string("b@x"))
        var stored = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(merge))
        #expect(stored.conflicts == [conflict])
        try stored.settle(conflict, .theirs)
        #expect(stored.conflicts.isEmpty)
        #expect(stored.snapshot.row(of: "Person", identity: [.string("ann")])?["name"] == .string("Anne"))
        let again = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(stored))
        #expect(again.conflicts.isEmpty && again.settled.map(\.choice) == [.theirs])
        try merge.settle(conflict, .value(.string("Ännchen")))
        #expect(merge.snapshot.row(of: "Person", identity: [.string("ann")])?["name"] == .string("Ännchen"))
        #expect(graftError { try merge.settle(conflict, .ours) } != nil)
    }

    @Test func `a value that the attribute can't hold settles nothing`() throws {
        var merge = try merge(base: makeAnn) {
            try ann($0).setValue("Anna", forKey: "name")
        } theirs: {
            try ann($0).setValue("Anne", forKey: "name")
        }
        let conflict = try #require(merge.conflicts.first)
        let error = graftError { try merge.settle(conflict, .value(.integer(1))) }
        #expect(error?.problem == .wrongType(found: "1", expected: "a String"))
        #expect(merge.conflicts == [conflict])
    }

    @Test func `a value settles nothing but an attribute, and that is said`() throws {
        var merge = try merge(base: makeAnn) {
            $0.delete(try ann($0))
        } theirs: {
            try ann($0).setValue("Anna", forKey: "name")
        }
        let conflict = try #require(merge.conflicts.first)
        #expect(conflict.kind == .deletion)
        let error = graftError { try merge.settle(conflict, .value(.string("Ann"))) }
        #expect(error?.description.contains("isn't about an attribute") ?? false)
        #expect(merge.conflicts == [conflict])
    }

    @Test(arguments: [
        (GraphMerge.Policy.ours, GraphValue.string("Anna")), (.theirs, .string("Anne")),
        (.latest(attribute: "updated"), .string("Anne")),
        (.custom { _ in .value(.string("?")) }, .string("?")),
    ])
    func `a policy of the property settles it`(_ policy: GraphMerge.Policy, _ expected: GraphValue) throws {
        let options = GraphMerge.Options(
            policy: .latest(attribute: "updated"), policies: [.init("Person", "name"): policy])
        let merge = try merge(options, base: makeAnn) {
            try ann($0).setValue("Anna", forKey: "name")
            try ann($0).setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "updated")
        } theirs: {
            try ann($0).setValue("Anne", forKey: "name")
            try ann($0).setValue(Date(timeIntervalSinceReferenceDate: 2), forKey: "updated")
        }
        #expect(merge.conflicts.isEmpty)
        let row = try #require(merge.snapshot.row(of: "Person", identity: [.string("ann")]))
        #expect(row["name"] == expected && row["updated"] == .date(2))
        #expect(merge.settled.count == 2)
    }

    @Test func `sets merge by element`() throws {
        let merge = try merge(base: {
            makeAnn($0)
            let tags = ["a", "b", "c"].map { [context = $0] in context.make("Tag", ["id": $0]) }
            _ = $0.make("Tag", ["id": "d"])
            _ = $0.make("Tag", ["id": "e"])
            try ann($0).setValue(NSSet(array: tags), forKey: "tags")
        }) {
            let tags = try ["b", "c", "d"].compactMap { [context = $0] in try context.one("Tag", "id", $0) }
            try ann($0).setValue(NSSet(array: tags), forKey: "tags")
        } theirs: {
            let tags = try ["a", "b", "e"].compactMap { [context = $0] in try context.one("Tag", "id", $0) }
            try ann($0).setValue(NSSet(array: tags), forKey: "tags")
        }
        #expect(merge.conflicts.isEmpty)
        #expect(ids(merge, "tags")?.sorted() == ["b", "d", "e"])
    }

    @Test func `a child that both sides moved to different parents is one conflict`() throws {
        let base: (NSManagedObjectContext) throws -> Void = {
            makeAnn($0)
            for id in ["bob", "eve"] { _ = $0.make("Person", ["id": id]) }
        }
        func move(_ context: NSManagedObjectContext, to id: String) throws {
            try context.one("Address", "id", "home")?.setValue(try context.one("Person", "id", id), forKey: "person")
        }
        var merge = try merge(base: base) {
            try move($0, to: "bob")
        } theirs: {
            try move($0, to: "eve")
        }
        #expect(merge.conflicts.map(\.key) == [key("Address", "home")])
        #expect(ids(merge, "addresses")?.sorted() == ["home", "work"])
        let conflict = try #require(merge.conflicts.first)
        #expect(conflict.base == .value(.toOne(key("Person", "ann"))))
        try merge.settle(conflict, .theirs)
        #expect(ids(merge, "addresses") == ["work"] && ids(merge, "addresses", of: "eve") == ["home"])
        #expect(ids(merge, "addresses", of: "bob") == [])
    }

    @Test func `two who take the same desk are a conflict of the desk`() throws {
        var merge = try merge(base: {
            _ = $0.make("Desk", ["id": "d"])
            for id in ["bob", "eve"] { _ = $0.make("Person", ["id": id]) }
        }) {
            try $0.one("Person", "id", "bob")?.setValue(try $0.one("Desk", "id", "d"), forKey: "desk")
        } theirs: {
            try $0.one("Person", "id", "eve")?.setValue(try $0.one("Desk", "id", "d"), forKey: "desk")
        }
        let conflict = try #require(merge.conflicts.first)
        #expect(merge.conflicts.count == 1)
        try merge.settle(conflict, .ours)
        func desk(_ id: String) -> GraphValue? {
            merge.snapshot.row(of: "Person", identity: [.string(id)])?.destination(of: "desk")?["id"]
        }
        #expect(merge.conflicts.isEmpty)
        #expect(desk("bob") == .string("d") && desk("eve") == nil)
    }

    // MARK: Deletions

    @Test func `an object deleted by one side and changed by the other stays until it is settled`() throws {
        for isOwned in [false, true] {
            var merge = try merge(base: makeAnn) {
                $0.delete(try ann($0))
            } theirs: {
                if isOwned {
                    try $0.one("Address", "id", "home")?.setValue("Uruk", forKey: "city")
                } else {
                    try ann($0).setValue("Anne", forKey: "name")
                }
            }
            // Whoever changes what a person owns changes the person.
            #expect(merge.conflicts.map(\.key) == [key("Person", "ann")])
            #expect(merge.conflicts.map(\.kind) == [.deletion])
            #expect(ids(merge, "addresses")?.sorted() == ["home", "work"])
            let conflict = try #require(merge.conflicts.first)
            #expect(conflict.ours == .noObject)
            try merge.settle(conflict, .ours)
            #expect(try merge.snapshot.contents().isEmpty)
        }
    }

    @Test func `nothing refers to what one side deleted`() throws {
        for (choice, isThere) in [(GraphMerge.Choice.ours, false), (.theirs, true)] {
            var merge = try merge(base: {
                makeAnn($0)
                _ = $0.make("Person", ["id": "bob"])
            }) {
                $0.delete(try ann($0))
            } theirs: {
                try $0.one("Person", "id", "bob")?.setValue(try ann($0), forKey: "boss")
                $0.make("Address", ["id": "beach"]).setValue(try ann($0), forKey: "person")
            }
            let conflict = try #require(merge.conflicts.first)
            #expect(merge.conflicts.count == 1 && conflict.kind == .reference && conflict.key == key("Person", "ann"))
            try merge.settle(conflict, choice)
            let bob = try #require(merge.snapshot.row(of: "Person", identity: [.string("bob")]))
            #expect((bob.destination(of: "boss") != nil) == isThere)
            // An address that was made for a person goes with it.
            #expect((merge.snapshot.row(of: "Address", identity: [.string("beach")]) != nil) == isThere)
            #expect(ids(merge, "addresses")?.sorted() == (isThere ? ["beach", "home", "work"] : nil))
        }
    }

    @Test func `a reference that the other side leads elsewhere is no conflict with the deletion`() throws {
        let merge = try merge(base: {
            for id in ["bob", "eve", "joe"] { _ = $0.make("Person", ["id": id]) }
            try $0.one("Person", "id", "bob")?.setValue(try $0.one("Person", "id", "eve"), forKey: "boss")
        }) {
            if let eve = try $0.one("Person", "id", "eve") { $0.delete(eve) }
        } theirs: {
            try $0.one("Person", "id", "bob")?.setValue(try $0.one("Person", "id", "joe"), forKey: "boss")
        }
        #expect(merge.conflicts.isEmpty)
        let bob = try #require(merge.snapshot.row(of: "Person", identity: [.string("bob")]))
        #expect(bob.destination(of: "boss")?["id"] == .string("joe"))
    }

    // MARK: Uniqueness

    @Test func `values that are unique on each side and not together are a conflict`() throws {
        var merge = try merge(base: makeAnn) {
            try ann($0).setValue("new@x", forKey: "email")
        } theirs: {
            _ = $0.make("Person", ["id": "bob", "email": "new@x"])
        }
        let conflict = try #require(merge.conflicts.first)
        #expect(merge.conflicts.count == 1 && conflict.kind == .uniqueness)
        #expect(conflict.key == key("Person", "ann") && conflict.other == key("Person", "bob"))
        func email(_ id: String) -> GraphValue? {
            merge.snapshot.row(of: "Person", identity: [.string(id)])?["email"]
        }
        #expect(email("ann") == .string("a@x") && email("bob") == .null)
        try merge.settle(conflict, .theirs)
        #expect(email("ann") == .string("a@x") && email("bob") == .string("new@x"))
    }

    // MARK: Order

    @Test(arguments: [
        // Each side's additions keep their place and stay together; the lower key comes first.
        ("abc", "axbc", "aybc", "axybc"), ("abc", "xabc", "abcy", "xabcy"), ("ab", "apqb", "arsb", "apqrsb"),
        // A move and an addition, a move and a removal, different moves.
        ("abc", "cab", "abxc", "cabx"), ("abc", "cab", "ac", "ca"), ("abcd", "bacd", "abdc", "badc"),
        // The same move, and the same additions with others between.
        ("abc", "cab", "cab", "cab"), ("a", "axz", "axyz", "axyz"), ("", "xy", "yz", "xyz"),
    ])
    func `ordered relationships keep each side's order`(
        _ base: String, _ ours: String, _ theirs: String, _ expected: String
    ) throws {
        let merge = try mergeLists(base, ours, theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(ids(merge, "tasks")?.joined() == expected)
    }

    @Test func `a member that both sides moved to different places is a conflict`() throws {
        var merge = try mergeLists("abcd", "dabc", "adbc")
        #expect(merge.conflicts.map(\.kind) == [.order])
        #expect(ids(merge, "tasks")?.joined() == "abcd")
        try merge.settle(try #require(merge.conflicts.first), .theirs)
        #expect(ids(merge, "tasks")?.joined() == "adbc")
    }

    private func mergeLists(_ base: String, _ ours: String, _ theirs: String) throws -> GraphMerge {
        func set(_ list: String, _ context: NSManagedObjectContext) throws {
            let tasks = try list.map { id in
                try context.one("Task", "id", "\(id)") ?? context.make("Task", ["id": "\(id)"])
            }
            try ann(context).setValue(NSOrderedSet(array: tasks), forKey: "tasks")
        }
        return try merge(base: {
            makeAnn($0)
            for id in "abcdpqrsxyz" { _ = $0.make("Task", ["id": "\(id)"]) }
            try set(base, $0)
        }) {
            try set(ours, $0)
        } theirs: {
            try set(theirs, $0)
        }
    }

    // MARK: What stays after all

    @Test func `a link that one side removed doesn't come back with the objects that stay`() throws {
        let merged = try merge(
            .init(policy: .custom { $0.ours == .noObject ? .theirs : .ours }),
            base: { context in
                let person = context.add("Person", ["id": "p", "name": "Old"])
                let tag = context.add("Tag", ["id": "t"])
                person.setValue(NSSet(array: [tag]), forKey: "tags")
            },
            ours: { context in
                for name in ["Person", "Tag"] { for object in try context.all(name) { context.delete(object) } }
            },
            theirs: { context in
                let person = try #require(try context.one("Person", "id", "p"))
                person.setValue("New", forKey: "name")
                person.setValue(NSSet(), forKey: "tags")
            })
        let person = try #require(merged.snapshot.contents().first { $0.key == key("Person", "p") })
        #expect(person["name"] == .attribute(.string("New")))
        #expect([nil, .toMany([], isOrdered: false)].contains(person["tags"]))
    }

    @Test func `an object that stays can break a constraint`() throws {
        let merged = try merge(
            .init(policy: .custom { $0.kind == .deletion ? ($0.ours == .noObject ? .theirs : .ours) : nil }),
            base: { context in
                _ = context.add("Person", ["id": "a", "email": "x"])
                _ = context.add("Person", ["id": "b", "email": "y"])
            },
            ours: { context in
                context.delete(try #require(try context.one("Person", "id", "a")))
                try #require(try context.one("Person", "id", "b")).setValue("x", forKey: "email")
            },
            theirs: { context in
                try #require(try context.one("Person", "id", "a")).setValue("New", forKey: "name")
            })
        #expect(merged.conflicts.map(\.kind) == [.uniqueness])
    }

    @Test func `what doesn't fit at one end of a link isn't done at the other one`() throws {
        func persons(_ boss: String, name: String = "P") throws -> GraphSnapshot {
            try graph { context in
                let persons = ["1", "2", "3", "x"].map {
                    context.add("Person", ["id": $0, "name": $0 == "x" ? name : $0])
                }
                persons[3].setValue(persons[Int(boss)! - 1], forKey: "boss")
            }
        }
        let move = try GraphDiff(from: persons("1"), to: persons("2"))
        var elsewhere = try persons("3")
        let before = try elsewhere.contents()
        let report = try elsewhere.apply(move, options: GraphDiff.ApplyingOptions(conflicts: .skip))
        #expect(!report.conflicts.isEmpty)
        #expect(try elsewhere.contents() == before)
        let without = try graph { context in
            for id in ["1", "2", "3"] { _ = context.add("Person", ["id": id, "name": id]) }
        }
        var renamed = try persons("1", name: "Renamed")
        let whole = try renamed.contents()
        _ = try renamed.apply(
            GraphDiff(from: persons("1"), to: without), options: GraphDiff.ApplyingOptions(conflicts: .skip))
        #expect(try renamed.contents() == whole)
    }
}

extension GraphMerge.Options {
    /// The options as the other side has them.
    var mirrored: GraphMerge.Options {
        func mirror(_ policy: GraphMerge.Policy) -> GraphMerge.Policy {
            switch policy {
            case .ours: .theirs
            case .theirs: .ours
            case .custom(let decide): .custom { decide($0.mirrored)?.mirrored }
            default: policy
            }
        }
        return GraphMerge.Options(policy: mirror(policy), policies: policies.mapValues(mirror), diff: diff)
    }
}

/// Expects that a policy leads to the graph of the side that it prefers, whichever of the two that is.
func expectPoliciesToDecide(
    between ours: GraphSnapshot, and theirs: GraphSnapshot, base: GraphSnapshot,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for (policy, result) in [(GraphMerge.Policy.ours, ours), (.theirs, theirs)] {
        let options = GraphMerge.Options(policy: policy)
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: options)
        let swapped = try GraphMerge(base: base, ours: theirs, theirs: ours, options: options.mirrored)
        #expect(merge.conflicts.isEmpty && swapped.conflicts.isEmpty, sourceLocation: sourceLocation)
        #expect(try merge.snapshot.contents() == result.contents(), sourceLocation: sourceLocation)
        #expect(try swapped.snapshot.contents() == result.contents(), sourceLocation: sourceLocation)
    }
}
