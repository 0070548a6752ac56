// What tells objects apart where the model declares nothing: each rule with a model of its own.

import CoreData
import Foundation
import Graft
import Testing

/// Notes in folders, without identity; `Tagged` has what looks like one.
private func noteModel() -> NSManagedObjectModel {
    var sketch = ModelSketch()
    sketch.entity(
        "Note",
        [
            .attribute("text", .stringAttributeType), .attribute("stars", .integer64AttributeType),
            .toOne("folder", "Folder", inverse: "notes"),
        ])
    sketch.entity(
        "Folder", [.attribute("name", .stringAttributeType), .toMany("notes", "Note", inverse: "folder")])
    sketch.entity("Tagged", [.attribute("UUID", .stringAttributeType), .attribute("text", .stringAttributeType)])
    return sketch.model()
}

/// A store file that can be copied as apps copy it: closed, with all that belongs to it.
private final class NoteStore {
    let url: URL
    private(set) var container: NSPersistentContainer

    init(copyOf original: NoteStore? = nil) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appendingPathComponent("Notes.sqlite")
        if let original {
            try original.close()
            try FileManager.default.copyItem(at: original.url, to: url)
            try original.open()
        }
        container = NSPersistentContainer(name: "Notes", managedObjectModel: noteModel())
        try open()
    }

    deinit {
        for store in container.persistentStoreCoordinator.persistentStores {
            try? container.persistentStoreCoordinator.remove(store)
        }
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    private func close() throws {
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    private func open() throws {
        container = try .opened(url, noteModel())
    }

    func change(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    /// Adds notes with some texts.
    func add(_ texts: String..., stars: Int = 0) throws {
        for text in texts {
            try change { context in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(text, forKey: "text")
                note.setValue(stars, forKey: "stars")
            }
        }
    }

    func tag(_ pairs: (String?, String)...) throws {
        try change { context in
            for (id, text) in pairs {
                let tagged = NSEntityDescription.insertNewObject(forEntityName: "Tagged", into: context)
                tagged.setValue(id, forKey: "UUID")
                tagged.setValue(text, forKey: "text")
            }
        }
    }

    func texts(_ entity: String = "Note") throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try context.all(entity).compactMap { $0.text("text") }.sorted() }
    }

    /// The rows with their texts.
    func rows() throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            try context.all("Note").map {
                "\($0.objectID.uriRepresentation().lastPathComponent) \($0.text("text") ?? "")"
            }.sorted()
        }
    }

    func snapshot() throws -> GraphSnapshot {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try GraphSnapshot(of: context) }
    }
}

extension GraphDiff {
    fileprivate var counts: [Int] { [inserted.count, changed.count, deleted.count] }
}

@Suite struct IdentificationTests {
    private func diff(
        _ old: NoteStore, _ new: NoteStore, _ options: DiffOptions = DiffOptions()
    ) throws -> GraphDiff {
        let diff = try GraphDiff(from: old.container, to: new.container, options: options)
        // Streaming and in memory are one.
        #expect(try GraphDiff(from: old.snapshot(), to: new.snapshot(), options: options) == diff)
        return diff
    }

    @Test func `objects of two entities that are alike and have no identity don't stand for each other`() throws {
        var sketch = ModelSketch()
        for name in ["Hero", "Villain", "Witness"] { sketch.entity(name, [.attribute("name")]) }
        let model = sketch.model()
        let snapshots = try (0..<2).map { _ in
            let stack = try TestStack(model)
            for entity in ["Hero", "Villain", "Witness"] { try stack.importJSON(#"[{"name": "A"}]"#, entity) }
            return try stack.perform { try GraphSnapshot(of: $0) }
        }
        #expect(try GraphDiff(from: snapshots[0], to: snapshots[1]).isEmpty)
    }

    @Test(.needsOurCoreData) func `rows tell the objects of a copy apart`() throws {
        let original = try NoteStore()
        try original.add("a", "b", "c")
        let copy = try NoteStore(copyOf: original)
        try copy.change { context in
            try context.one("Note", "text", "a")?.setValue("A", forKey: "text")
            if let note = try context.one("Note", "text", "b") { context.delete(note) }
        }
        try copy.add("d")
        let diff = try diff(original, copy)
        #expect(diff.counts == [1, 1, 1])
        #expect(diff.identification.rules["Note"] == .row(upTo: 3, isMarked: false))
        #expect(diff.changed[0].key.description == "Note row 1")
        try original.container.apply(diff)
        #expect(try original.rows() == copy.rows())
        #expect(try GraphDiff(from: original.container, to: copy.container).isEmpty)
        try original.container.apply(diff.inverted)
        #expect(try original.rows() == ["p1 a", "p2 b", "p3 c"])
    }

    @Test(.needsOurCoreData) func `what is edited beside objects that aren't saved is changed, and no other one`()
        throws
    {
        let store = try NoteStore()
        try store.add("a", "b")
        let copy = try NoteStore(copyOf: store)
        let context = store.container.newBackgroundContext()
        try context.performAndWait {
            let file = store.url.appendingPathExtension("graft-sync")
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
            try tracker.confirm()
            try #require(try context.one("Note", "text", "a")).setValue("A", forKey: "text")
            for _ in 0..<2 { context.add("Note", ["text": "new"]) }
            let pending = try tracker.pendingChange()
            #expect(pending.counts == [2, 1, 0])
            let diff = try GraphDiff(unsavedChangesIn: context)
            #expect(diff.counts == [2, 1, 0])
            #expect(diff.changed.map(\.key.description) == ["Note row 1"])
            #expect(diff.identification.rules["Note"] == .row(upTo: 2, isMarked: false))
            try copy.container.apply(diff)
            #expect(try copy.texts() == ["A", "b", "new", "new"])
            #expect(try tracker.markSent().counts == [2, 1, 0])
            try tracker.confirm()
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test(arguments: ["Note", "Tagged"])
    func `a diff of some entities notes how these are told apart, and no others`(_ entity: String) throws {
        let original = try NoteStore()
        try original.add("a")
        try original.tag(("1", "x"))
        let copy = try NoteStore(copyOf: original)
        try copy.add("b")
        let diff = try GraphDiff(from: original.container, to: copy.container, entities: [entity])
        #expect(Array(diff.identification.rules.keys) == [entity])
        let contexts = [original, copy].map { $0.container.newBackgroundContext() }
        #expect(try GraphDiff(from: contexts[0], to: contexts[1], entities: [entity]) == diff)
    }

    @Test func `a diff by row is refused by a store of another lineage`() throws {
        let original = try NoteStore()
        try original.add("a")
        let copy = try NoteStore(copyOf: original)
        try copy.add("b")
        let diff = try diff(original, copy)
        let decoded = try JSONDecoder().decode(GraphDiff.self, from: JSONEncoder().encode(diff))
        #expect(decoded == diff)
        let stranger = try NoteStore()
        try stranger.add("a")
        let error = graftError { try stranger.container.apply(decoded) }
        #expect(error?.description.contains("--key") == true)
        #expect(try stranger.texts() == ["a"])
        #expect(graftError { _ = try stranger.snapshot().applying(decoded) } != nil)
    }

    @Test func `an attribute of the right name is guessed, said aloud, and taken by what writes only when agreed to`()
        throws
    {
        let (old, new) = (try NoteStore(), try NoteStore())
        try old.tag(("1", "one"), ("2", "two"))
        try new.tag(("2", "zwei"), ("3", "drei"))
        let diff = try diff(old, new)
        #expect(diff.counts == [1, 1, 1])
        #expect(diff.identification.rules["Tagged"] == .guessed(["UUID"]))
        #expect(diff.text().contains("# Tagged: told apart by UUID, a guess"))
        #expect(diff.html().contains("Tagged: told apart by UUID, a guess"))
        let error = graftError { try old.container.apply(diff) }
        #expect(error?.description.contains("--key auto") == true)
        #expect(try old.texts("Tagged") == ["one", "two"])
        try old.container.apply(diff, options: GraphDiff.ApplyingOptions(diff: DiffOptions(guessesKeys: true)))
        #expect(try old.texts("Tagged") == ["drei", "zwei"])
        try old.container.apply(
            diff.inverted, options: GraphDiff.ApplyingOptions(diff: DiffOptions(keys: ["Tagged": ["UUID"]])))
        #expect(try old.texts("Tagged") == ["one", "two"])
    }

    @Test func `a guess that doesn't hold on both sides, or that is turned off, isn't taken`() throws {
        let (old, new) = (try NoteStore(), try NoteStore())
        try old.tag(("1", "one"))
        try new.tag(("1", "one"), ("1", "another"))
        #expect(try diff(old, new).identification.rules["Tagged"] == .contents)
        try new.change { context in
            for object in try context.all("Tagged") { context.delete(object) }
        }
        try new.tag((nil, "one"))
        #expect(try diff(old, new).identification.rules["Tagged"] == .contents)
        try new.change { context in try context.all("Tagged").first?.setValue("1", forKey: "UUID") }
        #expect(try diff(old, new).identification.rules["Tagged"] == .guessed(["UUID"]))
        #expect(try diff(old, new, DiffOptions(keys: ["Tagged": []])).identification.rules["Tagged"] == .contents)
        #expect(try diff(old, new, DiffOptions(guessesKeys: false)).identification.rules["Tagged"] == .contents)
    }

    @Test func `what the caller says comes first, and is part of the diff`() throws {
        let original = try NoteStore()
        try original.add("a", "b", stars: 1)
        let copy = try NoteStore(copyOf: original)
        try copy.change { context in
            try context.one("Note", "text", "a")?.setValue(5, forKey: "stars")
            try context.one("Note", "text", "b")?.setValue("c", forKey: "text")
        }
        let diff = try diff(original, copy, DiffOptions(keys: ["Note": ["text"]]))
        #expect(diff.counts == [1, 1, 1])
        #expect(diff.changed[0].key == ObjectKey("Note", [.string("a")]))
        let stranger = try NoteStore()
        try stranger.add("a", "b", stars: 1)
        try stranger.container.apply(diff)
        #expect(try stranger.texts() == ["a", "c"])
        let misspelt = graftError { _ = try self.diff(original, copy, DiffOptions(keys: ["Note": ["txet"]])) }
        #expect(misspelt?.description.contains("'text'") == true)
        #expect(graftError { _ = try self.diff(original, copy, DiffOptions(keys: ["Nte": ["text"]])) } != nil)
        let doubled = graftError {
            _ = try self.diff(original, copy, DiffOptions(keys: ["Note": ["stars"]]))
        }
        #expect(doubled != nil)
    }

    @Test func `contents tell apart what nothing else does, duplicates each once`() throws {
        let (old, new) = (try NoteStore(), try NoteStore())
        try old.add("a", "a", "b")
        try new.add("b", "a", "c", "a", "a")
        let diff = try diff(old, new)
        #expect(diff.counts == [2, 0, 0])
        #expect(diff.identification.rules["Note"] == .contents)
        try old.container.apply(diff)
        #expect(try old.texts() == ["a", "a", "a", "b", "c"])
        #expect(try self.diff(old, new).isEmpty)
        try old.container.apply(diff.inverted)
        #expect(try old.texts() == ["a", "a", "b"])
    }

    @Test func `contents heed what objects are linked to`() throws {
        func fill(_ store: NoteStore, _ folders: [(String, [String])]) throws {
            try store.change { context in
                for (name, notes) in folders {
                    let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
                    folder.setValue(name, forKey: "name")
                    for text in notes {
                        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                        note.setValue(text, forKey: "text")
                        note.setValue(folder, forKey: "folder")
                    }
                }
            }
        }
        let (old, new) = (try NoteStore(), try NoteStore())
        try fill(old, [("x", ["1", "2"]), ("x", ["3"]), ("y", ["1"])])
        try fill(new, [("y", ["1"]), ("x", ["3"]), ("x", ["2", "1"])])
        #expect(try diff(old, new).isEmpty)
    }

    @Test func `an object that says itself whose it is has its place there, as where the owner says it`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Man", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType, json: "id"),
                .toOne("thing", "Box", inverse: "owner", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Box", [.attribute("weight", json: "weight"), .toOne("owner", "Man", inverse: "thing", json: "owner")])
        let model = sketch.model()
        let stack = try TestStack(model, .sqlite)
        try stack.fill { context in
            for id in [1, 2] {
                context.add("Box", ["weight": "5", "owner": context.add("Man", ["id": id])])
            }
        }
        try stack.perform { context in
            let json = try GraphSnapshot(json: context.exportJSON(), model: model)
            let store = try GraphSnapshot(of: context)
            #expect(try GraphDiff(from: store, to: json).isEmpty)
            #expect(try GraphDiff(from: json, to: store).isEmpty)
        }
    }

    @Test(.needsOurCoreData) func `an archive keeps the lineage, and a restored store is a copy`() throws {
        let original = try NoteStore()
        try original.add("a", "b", "c")
        try original.change { context in if let note = try context.one("Note", "text", "c") { context.delete(note) } }
        for encoding in GraphArchive.Encoding.allCases {
            let file = original.url.appendingPathExtension("\(encoding)")
            try original.container.writeArchive(to: .file(file), options: .init(encoding))
            let archive = GraphArchive(contentsOf: file)
            #expect(try archive.header().lineage?.rows["Note"] == 3)
            let restored = try NoteStore()
            try restored.container.restore(archive)
            #expect(try restored.rows() == ["p1 a", "p2 b"])
            #expect(try diff(original, restored).identification.rules["Note"] == .row(upTo: 3, isMarked: false))
            #expect(try diff(original, restored).isEmpty)
            let read = try GraphSnapshot(reading: .file(file), model: noteModel())
            #expect(try GraphDiff(from: original.snapshot(), to: read).isEmpty)
            // What both add afterwards has the same numbers and nothing in common.
            let copy = try NoteStore(copyOf: original)
            try copy.add("d", "e")
            try restored.add("f")
            let later = try diff(copy, restored)
            #expect(later.counts == [1, 0, 2])
            #expect(later.identification.rules["Note"] == .row(upTo: 3, isMarked: true))
            try copy.container.apply(later)
            #expect(try copy.texts() == ["a", "b", "f"])
            // The row that came has another number than in its store: those that went had it.
            #expect(graftError { try copy.container.apply(later.inverted) } != nil)
            #expect(try copy.texts() == ["a", "b", "f"])
        }
    }

    @Test func `stores that have grown from one seed aren't copies of each other`() throws {
        let seed = try NoteStore()
        try seed.add("s")
        let (one, other) = (try NoteStore(copyOf: seed), try NoteStore(copyOf: seed))
        try one.add("a1", "a2", "a3", stars: 1)
        try other.add("b1", "b2", "b3", "b4", stars: 2)
        let error = graftError { _ = try GraphDiff(from: one.container, to: other.container) }
        #expect(error?.description.contains("--key Note=ATTRIBUTE") == true)
        #expect(graftError { _ = try GraphDiff(from: one.snapshot(), to: other.snapshot()) } == error)
        // Who names the seed gets what came since, and never a change of one into the other.
        let diff = try diff(one, other, DiffOptions(base: seed.snapshot().lineage))
        #expect(diff.counts == [4, 0, 3])
        try one.container.apply(diff)
        #expect(try one.texts() == other.texts())
    }

    @Test func `rows that both sides of a merge have added are different objects, whatever their numbers`() throws {
        let base = try NoteStore()
        try base.add("a", "b")
        let (ours, theirs) = (try NoteStore(copyOf: base), try NoteStore(copyOf: base))
        try ours.add("new", "ours")
        try theirs.add("new", "theirs", "more")
        try theirs.change { context in try context.one("Note", "text", "b")?.setValue("B", forKey: "text") }
        try ours.change { context in try context.one("Note", "text", "a")?.setValue(9, forKey: "stars") }
        let merge = try GraphMerge(base: base.snapshot(), ours: ours.snapshot(), theirs: theirs.snapshot())
        #expect(merge.conflicts.isEmpty)
        let swapped = try GraphMerge(base: base.snapshot(), ours: theirs.snapshot(), theirs: ours.snapshot())
        func texts(_ merge: GraphMerge) -> [String] {
            merge.snapshot.rows(of: "Note").map { "\($0["text"] ?? .null) \($0["stars"] ?? .null)" }.sorted()
        }
        #expect(texts(merge).count == 7)
        #expect(texts(merge) == texts(swapped))
        // Applying one after the other does the same.
        let both = try NoteStore(copyOf: base)
        try both.container.apply(merge.diff())
        try ours.container.apply(merge.diffFromOurs())
        #expect(try both.texts() == ours.texts())
        #expect(try both.texts() == ["B", "a", "more", "new", "new", "ours", "theirs"])
        // What is settled later is the same merge.
        let decoded = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(merge))
        #expect(texts(decoded) == texts(merge))
    }

    @Test(.needsOurCoreData) func `a branch that is merged again has its rows under the numbers that they have there`()
        throws
    {
        let base = try NoteStore()
        try base.add("a", "b")
        let (ours, theirs) = (try NoteStore(copyOf: base), try NoteStore(copyOf: base))
        try ours.add("ours")
        try theirs.add("theirs", "more")
        let first = try GraphMerge(base: base.snapshot(), ours: ours.snapshot(), theirs: theirs.snapshot())
        try ours.container.apply(first.diffFromOurs())
        #expect(try ours.rows() == ["p1 a", "p2 b", "p3 ours", "p4 more", "p5 theirs"])
        // Copies of the merged store have its rows; those of before have them up to the fork.
        let copy = try NoteStore(copyOf: ours)
        #expect(try diff(ours, copy).identification.rules["Note"] == .row(upTo: 5, isMarked: false))
        #expect(try diff(theirs, ours).identification.rules["Note"] == .row(upTo: 2, isMarked: true))
        // The base of the second merge is the tip of the branch that was merged.
        let tip = try NoteStore(copyOf: theirs)
        try theirs.change { context in try context.one("Note", "text", "theirs")?.setValue("changed", forKey: "text") }
        try theirs.add("later")
        try ours.add("own")
        try ours.change { context in try context.one("Note", "text", "ours")?.setValue(7, forKey: "stars") }
        let merged = ["a", "b", "changed", "later", "more", "ours", "own"]
        let back = try NoteStore(copyOf: theirs)
        for (our, their) in [(ours, theirs), (back, copy)] {
            let second = try GraphMerge(base: tip.snapshot(), ours: our.snapshot(), theirs: their.snapshot())
            #expect(second.conflicts.isEmpty)
            let decoded = try JSONDecoder().decode(GraphMerge.self, from: JSONEncoder().encode(second))
            #expect(try decoded.diffFromOurs() == second.diffFromOurs())
            try our.container.apply(second.diffFromOurs())
            #expect(try our.texts() == (our === ours ? merged : merged.filter { $0 != "own" }))
        }
        #expect(try ours.rows().contains("p5 changed"))
        // What both have changed is a conflict, and nothing doubled.
        let last = try NoteStore(copyOf: theirs)
        try theirs.change { context in try context.one("Note", "text", "changed")?.setValue("theirs", forKey: "text") }
        try ours.change { context in try context.one("Note", "text", "changed")?.setValue("mine", forKey: "text") }
        let third = try GraphMerge(base: last.snapshot(), ours: ours.snapshot(), theirs: theirs.snapshot())
        #expect(third.conflicts.map(\.kind) == [.deletion])
        #expect(graftError { _ = try third.diff() } != nil)
    }

    @Test(arguments: [
        #"[{"branch": "B", "rows": {"Note": "one"}}]"#, #"[{"branch": 1, "rows": {"Note": 1}}]"#, #"["B"]"#, #""B""#,
    ])
    func `a parting that a store's metadata don't say rightly is one all the same`(_ damage: String) throws {
        let base = try NoteStore()
        try base.add("a")
        let copy = try NoteStore(copyOf: base)
        try base.add("ours")
        try copy.add("theirs")
        let entry = try JSONSerialization.jsonObject(with: Data(damage.utf8), options: .fragmentsAllowed)
        let store = try #require(copy.container.persistentStoreCoordinator.persistentStores.first)
        store.metadata = store.metadata.merging(["GraftPartings": entry]) { $1 }
        #expect(try copy.snapshot().lineage?.partings.count == 1)
        // The second rows have one number, and were never one.
        #expect(try diff(base, copy).counts == [1, 0, 1])
    }

    @Test func `two open stores with one UUID never confuse their objects`() throws {
        let original = try NoteStore()
        try original.add("a")
        let copy = try NoteStore(copyOf: original)
        try copy.change { context in try context.one("Note", "text", "a")?.setValue("b", forKey: "text") }
        #expect(try original.texts() == ["a"])
        #expect(try copy.texts() == ["b"])
        let (one, other) = (original.container.viewContext, copy.container.viewContext)
        let objects = try [one.all("Note")[0], other.all("Note")[0]]
        #expect(objects[0].objectID.uriRepresentation() == objects[1].objectID.uriRepresentation())
        #expect(objects[0].objectID != objects[1].objectID)
        // Diffs of objects that are given pair them as they are given.
        #expect(try GraphDiff(from: objects[0], to: objects[1]).counts == [0, 1, 0])
    }

    @Test func `a tracker tells the rows of its store apart`() throws {
        let store = try NoteStore()
        try store.add("a", "b")
        let context = store.container.newBackgroundContext()
        try context.performAndWait {
            let tracker = try GraphTracker(file: GraphTracker.file(besideStoreAt: store.url), context: context)
            #expect(try tracker.markSent().counts == [2, 0, 0])
            try tracker.confirm()
            #expect(try tracker.pendingChange().isEmpty)
            try context.one("Note", "text", "a")?.setValue("A", forKey: "text")
            try context.save()
            let diff = try tracker.pendingChange()
            #expect(diff.counts == [0, 1, 0])
            let again = try GraphTracker(file: GraphTracker.file(besideStoreAt: store.url), context: context)
            #expect(try again.pendingChange() == diff)
        }
    }

    @Test(arguments: [[0, 1], [1, 0], [2, 0, 1], [0, 2, 1]])
    func `of equal objects, what hangs on them tells which is which, whichever side says it`(_ counts: [Int]) throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text"), .toMany("subs", "Sub", inverse: "note", rule: .cascadeDeleteRule)])
        sketch.entity("Sub", [.attribute("number", .integer16AttributeType), .toOne("note", "Note", inverse: "subs")])
        let model = sketch.model()
        let stack = try TestStack(model, .sqlite)
        try stack.fill { context in
            for count in counts {
                let note = context.make("Note", ["text": "same"])
                for number in 0..<count {
                    context.make("Sub", ["number": number]).setValue(note, forKey: "note")
                }
            }
        }
        let (stored, text) = try stack.perform { (try GraphSnapshot(of: $0), try $0.exportJSON()) }
        let read = try GraphSnapshot(reading: .data(text), model: model)
        #expect(try GraphDiff(from: stored, to: read).isEmpty)
        #expect(try GraphDiff(from: read, to: stored).isEmpty)
    }
}
