// What an export leaves out, in which form and order, and which lessons of other libraries it has learnt.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct ExportOptionTests {
    private func export(
        _ stack: TestStack, _ entity: String, options: ExportOptions = ExportOptions()
    ) throws -> String {
        try stack.perform { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            return String(decoding: try context.exportJSON(request, options: options), as: UTF8.self)
        }
    }

    /// A model with one more annotation.
    private func model(
        _ model: NSManagedObjectModel, _ entity: String, _ property: String, _ key: String, _ value: String
    ) -> NSManagedObjectModel {
        let description = model.entitiesByName[entity]?.propertiesByName[property]
        description?.userInfo = (description?.userInfo ?? [:]).merging([key: value]) { $1 }
        return model
    }

    // MARK: What is written

    @Test func `lesson 13: null on export is an option with a fixed default, and a choice for each property`() throws {
        let annotated = model(ComicModel.make(), "Character", "realName", "JSONExportNull", "NO")
        let stack = try TestStack(model(annotated, "Character", "publisher", "JSONExportNull", "YES"))
        try stack.importJSON(#"{"id": 1}"#, "Character")
        #expect(try export(stack, "Character") == #"[{"id":1,"name":null,"powers":[],"publisher":null}]"#)
        var options = ExportOptions()
        options.includesNulls = false
        #expect(try export(stack, "Character", options: options) == #"[{"id":1,"powers":[],"publisher":null}]"#)
        options.mapping["Character", "publisher"].exportsNull = false
        options.mapping["Character", "name"].exportsNull = true
        #expect(try export(stack, "Character", options: options) == #"[{"id":1,"name":null,"powers":[]}]"#)
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func `a null where the model has a default is written, so that it comes back`(_ kind: StoreKind) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Task", info: ["identityAttributes": "id"],
            [.attribute("id"), .attribute("state", default: "open"), .attribute("note")])
        let model = sketch.model()
        let (stack, copy) = (try TestStack(model, kind), try TestStack(model, kind))
        try stack.importJSON(#"[{"id": "1", "state": null, "note": null}, {"id": "2"}]"#, "Task")
        var options = ExportOptions()
        options.includesNulls = false
        let text = try export(stack, "Task", options: options)
        #expect(text == #"[{"id":"1","state":null},{"id":"2","state":"open"}]"#)
        try copy.importJSON(text, "Task")
        #expect(try export(copy, "Task", options: options) == text)
    }

    @Test func `lesson 27: a property is only read, only written, or neither`() throws {
        let read = model(ComicModel.make(), "Character", "realName", "JSONDirection", "import")
        let both = try TestStack(model(read, "Character", "name", "JSONDirection", "export"))
        try both.importJSON(#"{"id": 1, "name": "never", "real_name": "read"}"#, "Character")
        try both.perform { context throws in
            let one = try #require(try context.one("Character", "identifier", 1))
            #expect(one.text("name") == nil)
            #expect(one.text("realName") == "read")
            one.setValue("Batman", forKey: "name")
            try context.save()
        }
        #expect(try export(both, "Character") == #"[{"id":1,"name":"Batman","powers":[],"publisher":null}]"#)
    }

    @Test(arguments: ExportOptions.RelationshipForm.allCases)
    func `lesson 26: identifiers instead of objects, or nothing`(_ form: ExportOptions.RelationshipForm) throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(#"{"id": 1, "powers": [{"id": 4, "name": "Agility"}], "publisher": 10}"#, "Character")
        var options = ExportOptions()
        options.relationshipForm = form
        let text = try export(stack, "Character", options: options)
        switch form {
        case .nested:
            #expect(
                text
                    == #"[{"id":1,"name":null,"real_name":null,"powers":[{"id":4,"name":"Agility"}],"#
                    + #""publisher":{"id":10,"name":null}}]"#)
        case .identifier:
            #expect(text == #"[{"id":1,"name":null,"real_name":null,"powers":[4],"publisher":10}]"#)
        case .none: #expect(text == #"[{"id":1,"name":null,"real_name":null}]"#)
        }
        // One relationship says it for itself.
        options.mapping["Character", "powers"].exportForm = .identifier
        #expect(try export(stack, "Character", options: options).contains(#""powers":[4]"#))
    }

    @Test func `keys can be sorted at every depth`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Place", info: ["identityAttributes": "id"],
            [
                .attribute("id", json: "z"), .attribute("b", json: "at.b"), .attribute("a", json: "at.a"),
                .attribute("tree", .transformableAttributeType, json: "m"),
                .toOne("next", "Place", json: "a"),
            ])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(#"{"z": "1", "m": {"y": 1, "x": {"w": 2, "v": 3}}, "at": {"b": "B", "a": "A"}}"#, "Place")
        var options = ExportOptions()
        options.sortsKeys = true
        #expect(
            try export(stack, "Place", options: options)
                == #"[{"a":null,"at":{"a":"A","b":"B"},"m":{"x":{"v":3,"w":2},"y":1},"z":"1"}]"#)
    }

    // Lesson 43: the sub-entity has to survive.
    @Test func `lesson 43: the type of an object is written, and read back as the same sub-entity`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Media", isAbstract: true, info: ["identityAttributes": "id", "JSONEntityKey": "meta.type"],
            [.attribute("id", json: "id"), .toOne("shelf", "Shelf", inverse: "media")])
        sketch.entity("Book", parent: "Media", info: ["JSONEntityValue": "book"], [.attribute("pages", json: "pages")])
        sketch.entity("Film", parent: "Media", [.attribute("length", json: "meta.length")])
        sketch.entity(
            "Shelf", info: ["identityAttributes": "id"],
            [.attribute("id", json: "id"), .toMany("media", "Media", inverse: "shelf", json: "media", isOrdered: true)])
        let stack = try TestStack(sketch.model())
        try stack.perform { context throws in
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            shelf.setValue("s", forKey: "id")
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue("b", forKey: "id")
            book.setValue("200", forKey: "pages")
            let film = NSEntityDescription.insertNewObject(forEntityName: "Film", into: context)
            film.setValue("f", forKey: "id")
            film.setValue("90", forKey: "length")
            shelf.setValue(NSOrderedSet(array: [film, book]), forKey: "media")
            try context.save()
        }
        #expect(
            try export(stack, "Shelf")
                == #"[{"id":"s","media":[{"id":"f","meta":{"type":"Film","length":"90"}},"#
                + #"{"id":"b","meta":{"type":"book"},"pages":"200"}]}]"#)
    }

    @Test func `reverse transformers write, and forward-only ones leave the key out`() throws {
        ValueTransformer.setValueTransformer(
            withName: "Export.both", transform: { (text: String) in Int(text) },
            reverseTransform: { (number: Int) in number < 0 ? nil : String(number) })
        ValueTransformer.setValueTransformer(withName: "Export.forward") { (text: String) in Int(text) }
        var sketch = ModelSketch()
        sketch.entity(
            "Item",
            [
                .attribute("a", .integer32AttributeType, json: "a", transformer: "Export.both"),
                .attribute("b", .integer32AttributeType, json: "b", transformer: "Export.both"),
                .attribute("c", .integer32AttributeType, json: "c", transformer: "Export.forward"),
            ])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(#"{"a": "12", "b": "-3", "c": "4"}"#, "Item")
        #expect(try export(stack, "Item") == #"[{"a":"12"}]"#)
    }

    // MARK: Objects without identity

    private func notes() -> ModelSketch {
        var sketch = ModelSketch()
        sketch.entity(
            "Note",
            [
                .attribute("text", json: "text"), .toOne("next", "Note", json: "next"),
                .toOne("other", "Note", json: "other"),
            ])
        return sketch
    }

    @Test(arguments: StoreKind.allCases)
    func `lesson 10: an object without identity has a stable name`(_ kind: StoreKind) throws {
        let stack = try TestStack(notes().model(), kind)
        var options = ExportOptions()
        options.stableIdentifierKey = "$id"
        var unsaved = Data()
        try stack.perform { context throws in
            let notes = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) }
            notes[0].setValue("a", forKey: "text")
            notes[1].setValue("b", forKey: "text")
            // A ring: the second mention of each is its name.
            notes[0].setValue(notes[1], forKey: "next")
            notes[1].setValue(notes[0], forKey: "next")
            unsaved = try context.json(of: [notes[0]], options: options)
            try context.save()
        }
        let saved = try stack.perform { context throws in
            let a = try #require(try context.one("Note", "text", "a"))
            return try context.json(of: [a], options: options)
        }
        #expect(unsaved == saved)
        let text = String(decoding: saved, as: UTF8.self)
        let name = try #require(text.split(separator: "\"").first { $0.hasPrefix("x-coredata://") })
        #expect(text.hasPrefix(#"[{"$id":"\#(name)","text":"a","next":{"$id":"x-coredata://"#))
        #expect(text.hasSuffix(#""text":"b","next":{"$id":"\#(name)"},"other":null},"other":null}]"#))
    }

    // MARK: Cycles

    // Lesson 44: inverse, many-to-many and recursive relationships are the normal case.
    @Test(arguments: [2, 3, 5, 17])
    func `lesson 44: a ring of any length ends where it began`(_ length: Int) throws {
        var sketch = ModelSketch()
        for number in 0..<length {
            let next = "E\((number + 1) % length)"
            sketch.entity(
                "E\(number)", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"), .toOne("next", next, json: "next"),
                    .toMany("all", next, inverse: "back", json: "all"),
                    .toMany("back", "E\((number + length - 1) % length)", inverse: "all", json: "back"),
                ])
        }
        let model = sketch.model()
        let stack = try TestStack(model)
        try stack.perform { context throws in
            let objects = (0..<length).map { number in
                NSEntityDescription.insertNewObject(forEntityName: "E\(number)", into: context)
            }
            for (number, object) in objects.enumerated() {
                object.setValue("\(number)", forKey: "id")
                object.setValue(objects[(number + 1) % length], forKey: "next")
                object.setValue(NSSet(object: objects[(number + 1) % length]), forKey: "all")
            }
            try context.save()
        }
        let text = try export(stack, "E0")
        for number in 0..<length {
            #expect(text.components(separatedBy: #"{"id":"\#(number)""#).count == 2)
        }
        let copy = try TestStack(model)
        try copy.importJSON(text, "E0")
        #expect(try export(copy, "E0") == text)
    }

    @Test func `what an export of a graph with cycles writes is linear in its size`() throws {
        func size(_ count: Int) throws -> Int {
            var sketch = ModelSketch()
            sketch.entity(
                "Node", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer32AttributeType, json: "id"),
                    .toMany("links", "Node", inverse: "back", json: "links"),
                    .toMany("back", "Node", inverse: "links", json: "back"),
                ])
            let stack = try TestStack(sketch.model())
            let text = (0..<count).map {
                #"{"id": \#($0 + 1000), "links": [\#(($0 + 1) % count + 1000), \#(($0 * 7 + 3) % count + 1000)]}"#
            }
            try stack.importJSON(text.joined(separator: "\n"), "Node")
            return try export(stack, "Node").utf8.count
        }
        let (small, large) = (try size(100), try size(1600))
        #expect(large < small * 18)
    }

    @Test func `objects that can't be met again are complete in every object`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(
            #"[{"id": 1, "publisher": {"id": 10, "name": "DC"}}, {"id": 2, "publisher": 10}]"#, "Character")
        let text = try export(stack, "Character")
        #expect(text.components(separatedBy: #""publisher":{"id":10,"name":"DC"}"#).count == 3)
    }

    @Test func `each object at the top can be complete by itself`() throws {
        let stack = try TestStack(notes().model())
        try stack.perform { context throws in
            let notes = (0..<3).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) }
            for (number, note) in notes.enumerated() { note.setValue("\(number)", forKey: "text") }
            notes[0].setValue(notes[2], forKey: "next")
            notes[1].setValue(notes[2], forKey: "next")
            notes[2].setValue(notes[1], forKey: "other")
            try context.save()
        }
        var options = ExportOptions()
        options.includesNulls = false
        #expect(
            try export(stack, "Note", options: options)
                == #"[{"text":"0","next":{"text":"2","other":{"text":"1","next":{"text":"2"}}}},"#
                + #"{"text":"1","next":{"text":"2"}},{"text":"2","other":{"text":"1"}}]"#)
        options.repeatsObjects = true
        #expect(
            try export(stack, "Note", options: options)
                == #"[{"text":"0","next":{"text":"2","other":{"text":"1","next":{"text":"2"}}}},"#
                + #"{"text":"1","next":{"text":"2","other":{"text":"1"}}},"#
                + #"{"text":"2","other":{"text":"1","next":{"text":"2"}}}]"#)
    }

    @Test func `a depth of one is the object and the identifiers of the others`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        var options = ExportOptions()
        options.maximumNesting = 1
        #expect(
            try export(stack, "Character", options: options)
                == #"[{"id":1699,"name":"Batman","real_name":"Bruce Wayne","powers":[4,9],"publisher":10}]"#)
    }

    // MARK: Changes

    @Test func `only what has changed since the last save is written`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.importJSON(ComicModel.batman, "Character")
        try stack.importJSON(#"[{"id": 2, "name": "Robin", "powers": [4], "publisher": 10}]"#, "Character")
        try stack.perform { context throws in
            var options = ExportOptions()
            options.scope = .changesSinceSave
            let request = NSFetchRequest<NSManagedObject>(entityName: "Character")
            request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
            func changes() throws -> String {
                String(decoding: try context.exportJSON(request, options: options), as: UTF8.self)
            }
            #expect(try changes() == "[]")
            let robin = try #require(try context.one("Character", "identifier", 2))
            robin.setValue("Jason Todd", forKey: "realName")
            #expect(try changes() == #"[{"id":2,"real_name":"Jason Todd"}]"#)
            // The same value again is no change.
            robin.setValue(nil, forKey: "realName")
            #expect(try changes() == "[]")
            // A change in what is nested comes with its owners; what hasn't changed is an identifier.
            let power = try #require(try context.one("Power", "identifier", 9))
            power.setValue("Rich", forKey: "name")
            #expect(try changes() == #"[{"id":1699,"powers":[4,{"id":9,"name":"Rich"}]}]"#)
            let new = NSEntityDescription.insertNewObject(forEntityName: "Character", into: context)
            new.setValue(3, forKey: "identifier")
            new.setValue(robin.object("publisher"), forKey: "publisher")
            #expect(
                try changes()
                    == #"[{"id":3,"name":null,"real_name":null,"powers":[],"publisher":10},"#
                    + #"{"id":1699,"powers":[4,{"id":9,"name":"Rich"}]}]"#)
            try context.save()
            #expect(try changes() == "[]")
            #expect(
                String(decoding: try context.json(of: robin, options: options), as: UTF8.self) == #"{"id":2}"#)
        }
    }

    @Test func `only what has changed since a snapshot is written, and brings a copy up to date`() throws {
        let model = ComicModel.make()
        let stack = try TestStack(model)
        try stack.importJSON(ComicModel.batman, "Character")
        try stack.importJSON(#"[{"id": 2, "name": "Robin", "powers": [4], "publisher": 10}]"#, "Character")
        let sent = Data(try export(stack, "Character").utf8)
        let copy = try TestStack(model)
        try copy.importJSON(String(decoding: sent, as: UTF8.self), "Character")

        try stack.importJSON(
            #"""
            [{"id": 2, "name": "Nightwing", "powers": [9, 4]}, {"id": 5, "name": "Oracle", "publisher": 10},
             {"id": 1699, "name": "Batman", "powers": [9, 4]}]
            """#, "Character")
        var options = ExportOptions()
        options.scope = .changes(since: try GraphSnapshot(json: sent, entity: "Character", model: model))
        let text = try export(stack, "Character", options: options)
        #expect(
            text
                == #"[{"id":2,"name":"Nightwing","powers":[4,9]},"#
                + #"{"id":5,"name":"Oracle","real_name":null,"powers":[],"publisher":10}]"#)
        try copy.importJSON(text, "Character")
        let archives = try [stack, copy].map { try $0.perform { try $0.exportJSON() } }
        #expect(String(decoding: archives[0], as: UTF8.self) == String(decoding: archives[1], as: UTF8.self))

        options.scope = .changes(
            since: try GraphSnapshot(json: Data("[]".utf8), entity: "Note", model: notes().model()))
        guard case .modelMismatch = graftError({ _ = try export(stack, "Character", options: options) })?.problem else {
            Issue.record("A snapshot of another model was compared with.")
            return
        }
    }
}

/// Exports of changes: what is written doesn't depend on the order of the objects, and is what a diff says.
@Suite struct ExportScopeTests {
    /// Members who nest their friends and their tasks.
    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Member", info: ["identityAttributes": "id"],
            [
                .attribute("id", json: "id"), .attribute("name", json: "name"),
                .toMany("friends", "Member", inverse: "friendOf", json: "friends"),
                .toMany("friendOf", "Member", inverse: "friends"),
                .toMany("tasks", "Task", inverse: "member", json: "tasks", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Task", info: ["identityAttributes": "id"],
            [
                .attribute("id", json: "id"), .attribute("title", json: "title"),
                .toOne("member", "Member", inverse: "tasks"),
            ])
        return try TestStack(sketch.model())
    }

    @Test func `the same objects are written in whichever order they come`() throws {
        try stack().perform { context throws in
            // A ring, so that each leads to all, and one outside that leads to nothing.
            let members = (0..<6).map { ArchiveArticleModel.new("Member", ["id": "m\($0)", "name": "M"], context) }
            for index in 0..<5 {
                members[index].setValue(NSSet(object: members[(index + 1) % 5]), forKey: "friends")
            }
            let task = ArchiveArticleModel.new("Task", ["id": "t", "title": "Old"], context)
            task.setValue(members[3], forKey: "member")
            try context.save()
            let base = try GraphSnapshot(of: context)
            task.setValue("New", forKey: "title")
            for scope in [ExportOptions.Scope.changesSinceSave, .changes(since: base)] {
                for repeats in [false, true] {
                    var options = ExportOptions()
                    options.scope = scope
                    options.repeatsObjects = repeats
                    options.sortsKeys = true
                    var written: Set<[String]> = []
                    for rotation in 0..<6 {
                        let order = Array(members[rotation...] + members[..<rotation])
                        let text = try context.json(of: order, options: options)
                        let list = try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]])
                        written.insert(list.compactMap { $0["id"] as? String }.sorted())
                        #expect(String(decoding: text, as: UTF8.self).contains("New"))
                        if repeats {
                            #expect(list.allSatisfy { "\($0)".contains("New") })
                        }
                    }
                    // Whoever leads to the change, and not the one outside.
                    #expect(written == [["m0", "m1", "m2", "m3", "m4"]])
                    // Below the depth, the task is an identifier, which hasn't changed.
                    options.maximumNesting = 2
                    for order in [members, members.reversed()] {
                        let text = try context.json(of: order, options: options)
                        let list = try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]])
                        #expect(list.compactMap { $0["id"] as? String }.sorted() == ["m3"])
                    }
                }
            }
        }
    }

    @Test(arguments: 1...30)
    func `what is written of changes is what a diff says`(_ seed: Int) throws {
        var graph = RandomGraph(plainSeed: seed)
        let stack = try TestStack(graph.model)
        try stack.perform { context throws in
            graph.fill(context, count: 20)
            try context.save()
            let base = try GraphSnapshot(of: context)
            let objects = try context.everything()
            var random = SeededGenerator(seed: seed)
            for object in objects where random.chance(20) {
                object.setValue("changed \(random.below(100))", forKey: "part")
            }
            for object in objects where random.chance(20) {
                for (name, relationship) in object.entity.relationshipsByName where relationship.isToMany {
                    object.setValue(relationship.isOrdered ? NSOrderedSet() : NSSet(), forKey: name)
                }
            }
            let diff = try GraphDiff(unsavedChangesIn: context)
            for (scope, list) in try written(of: objects, since: base, context) {
                #expect(list.count == diff.changed.count, "seed \(seed), \(scope)")
            }
            // The tree of each object, and its dictionary of changes, know of the same objects.
            let changed = Set(diff.changed.map(\.key))
            for object in objects.prefix(6) {
                let key = try #require(
                    try GraphSnapshot(of: [object]).contents().first {
                        $0.key.identity == [.integer(object.number("key") ?? -1)] && $0.key.entity == object.entity.name
                    }?.key)
                let own = try GraphDiff(unsavedChangesOf: object).changed.contains { $0.key == key }
                #expect(own == changed.contains(key))
            }
        }
    }
}

// By identity and property.
extension ExportScopeTests {
    @Test(arguments: Laws.cases(1...600, oneOf: 20) + [50, 55])
    func `what changed, came and went is written as a diff says, property by property`(_ seed: Int) throws {
        var graph = RandomGraph(plainSeed: seed)
        try TestStack(graph.model).perform { context throws in
            graph.fill(context, count: 20)
            try context.save()
            let base = try GraphSnapshot(of: context)
            try graph.change(context)
            let diff = try GraphDiff(from: base, to: GraphSnapshot(of: context))
            let unsaved = try GraphDiff(unsavedChangesIn: context)
            #expect(unsaved == diff, "seed \(seed)")
            func keys(_ names: some Sequence<String>, of key: ObjectKey) throws -> Set<String> {
                let properties = try #require(graph.model.entitiesByName[key.entity]?.propertiesByName)
                return Set((["key"] + names).map { self.key(properties[$0], $0) })
            }
            var expected: [String: Set<String>] = [:]
            for change in diff.changed {
                expected["\(change.key.identity)"] = try keys(change.properties.map(\.name), of: change.key)
            }
            for object in diff.inserted {
                let names = graph.model.entitiesByName[object.key.entity]?.propertiesByName.keys.map(\.self) ?? []
                expected["\(object.key.identity)"] = try keys(names, of: object.key)
            }
            for (scope, list) in try written(of: context.everything(), since: base, context) {
                let written = try list.map { object in
                    let key = try #require((object["key"] ?? object["id"]) as? NSNumber).int64Value
                    return ("\([GraphValue.integer(key)])", Set(object.keys))
                }
                #expect(written.count == expected.count, "seed \(seed), \(scope)")
                #expect(Dictionary(written) { $1 } == expected, "seed \(seed), \(scope)")
            }
        }
    }

    /// What is written of the objects that have changed, by either scope and in either order.
    private func written(
        of objects: [NSManagedObject], since base: GraphSnapshot, _ context: NSManagedObjectContext
    ) throws -> [(scope: ExportOptions.Scope, list: [[String: Any]])] {
        var options = ExportOptions()
        options.relationshipForm = .identifier
        return try [ExportOptions.Scope.changesSinceSave, .changes(since: base)].flatMap { scope in
            options.scope = scope
            return try [objects, objects.reversed()].map { order in
                let text = try context.json(of: order, options: options)
                return (scope, try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]]))
            }
        }
    }

    /// The key at the top under which a property is written.
    private func key(_ property: NSPropertyDescription?, _ name: String) -> String {
        let path = property?.userInfo?["JSONKeyPath"] as? String ?? name
        return String(path.prefix { $0 != "." })
    }
}
