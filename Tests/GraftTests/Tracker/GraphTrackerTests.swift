// A tracker: what is pending, what answers do, and that no crash loses a change.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct GraphTrackerTests {
    private let stack: TestStack
    private let file: URL
    private let batman = ObjectKey("Character", [.integer(1699)])

    init() throws {
        stack = try TestStack(ComicModel.make(), .sqlite)
        let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
        file = GraphTracker.file(besideStoreAt: store)
        try stack.importJSON(ComicModel.batman, "Character")
    }

    private func tracker(
        _ context: NSManagedObjectContext, _ policy: GraphMerge.Policy = .leave,
        atStep: @escaping @Sendable (DurableFile.Step) throws -> Void = { _ in }
    ) throws -> GraphTracker {
        try GraphTracker(
            DurableFile(url: file, atStep: atStep), context, .init(merge: GraphMerge.Options(policy: policy)))
    }

    /// The server's state: what was imported first, with some of it changed.
    private func server(_ changes: String = "") throws -> GraphSnapshot {
        let other = try TestStack(ComicModel.make())
        try other.importJSON(ComicModel.batman, "Character")
        if !changes.isEmpty { try other.importJSON(changes, "Character") }
        return try other.perform { try GraphSnapshot(of: $0) }
    }

    @Test func `what was changed is pending until the server has confirmed it`() throws {
        try stack.perform { context in
            let first = try tracker(context)
            #expect(try first.pendingChange().inserted.count == 4)
            #expect(try first.receive(server()).isEmpty)
            #expect(try first.pendingChange().isEmpty)

            let object = try #require(try context.one("Character", "identifier", 1699))
            object.setValue("The Bat", forKey: "name")
            let sent = try first.markSent()
            #expect(sent.changed.map(\.key) == [batman])
            // Changed again while the answer is on its way.
            object.setValue("secret", forKey: "secret")
            try context.save()

            let second = try tracker(context)
            #expect(second.isWaiting)
            #expect(try second.pendingChange().changed.first?.properties.map(\.name) == ["name", "secret"])
            try second.confirm()
            #expect(try second.pendingChange().changed.first?.properties.map(\.name) == ["secret"])
            #expect(try tracker(context).pendingChange() == second.pendingChange())
        }
    }

    @Test func `an answer is merged with what the user changed meanwhile, and saved`() throws {
        try stack.perform { context in
            let tracker = try tracker(context)
            try tracker.receive(server())
            let object = try #require(try context.one("Character", "identifier", 1699))
            object.setValue("mine", forKey: "secret")
            let answer = #"[{"id": "1699", "name": "Bat", "powers": ["4", "9", {"id": "77", "name": "Gadgets"}]}]"#
            let change = try tracker.receive(server(answer))
            #expect(change.inserted.map(\.key.description) == ["Power 77"])
            #expect(!context.hasChanges)
            #expect(object.text("name") == "Bat")
            #expect(object.text("secret") == "mine")
            #expect(object.texts("powers", "name") == ["Agility", "Gadgets", "Insanely Rich"])
            #expect(try tracker.pendingChange().changed.first?.properties.map(\.name) == ["secret"])
        }
    }

    @Test func `an archive is the server's whole state`() throws {
        try stack.perform { context in
            let tracker = try tracker(context)
            try tracker.receive(json: context.exportJSON(), isWhole: true)
            #expect(try tracker.pendingChange().isEmpty)
            let other = try TestStack(ComicModel.make())
            try other.importJSON(ComicModel.batman, "Character")
            try other.importJSON(
                #"[{"id": "1699", "name": "Bat", "powers": ["9"]}, {"id": "2", "name": "B"}]"#, "Character")
            let change = try tracker.receive(json: other.perform { try $0.exportJSON() }, isWhole: true)
            #expect(change.inserted.map(\.key.description) == ["Character 2"])
            let object = try #require(try context.one("Character", "identifier", 1699))
            #expect(object.texts("powers", "name") == ["Insanely Rich"])
            #expect(object.text("name") == "Bat")
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test func `JSON of some objects says nothing of the others`() throws {
        try stack.perform { context in
            let tracker = try tracker(context)
            try tracker.receive(server())
            let json = Data(#"[{"id": "1699", "real_name": null}]"#.utf8)
            try tracker.receive(json: json, entity: "Character", isWhole: false)
            let object = try #require(try context.one("Character", "identifier", 1699))
            #expect(object.text("realName") == nil)
            #expect(object.text("name") == "Batman")
            #expect(try context.all("Power").count == 2)
            #expect(try tracker.pendingChange().isEmpty)
        }
    }

    @Test func `a conflict keeps the user's value, isn't sent, survives, and is settled`() throws {
        try stack.perform { context in
            let first = try tracker(context)
            try first.receive(server())
            let object = try #require(try context.one("Character", "identifier", 1699))
            object.setValue("Mine", forKey: "name")
            object.setValue("new", forKey: "secret")
            try first.receive(server(#"[{"id": "1699", "name": "Theirs"}]"#))
            #expect(object.text("name") == "Mine")

            let second = try tracker(context)
            #expect(second.conflicts.map(\.property) == ["name"])
            #expect(try second.pendingChange().changed.first?.properties.map(\.name) == ["secret"])
            // Another answer doesn't make the conflict go away.
            try second.receive(server(#"[{"id": "1699", "name": "Theirs", "real_name": "B."}]"#))
            let conflict = try #require(second.conflicts.first)
            try second.settle(conflict, .theirs)
            #expect(object.text("name") == "Theirs")
            #expect(object.text("realName") == "B.")
            #expect(second.conflicts.isEmpty)
            #expect(try second.pendingChange().changed.first?.properties.map(\.name) == ["secret"])
        }
    }

    @Test func `the change of one object is that of the object and what it owns`() throws {
        try stack.perform { context in
            let tracker = try tracker(context)
            try tracker.receive(server())
            let object = try #require(try context.one("Character", "identifier", 1699))
            object.setValue("x", forKey: "name")
            try #require(try context.one("Power", "identifier", 4)).setValue("y", forKey: "name")
            #expect(try tracker.pendingChange().changed.count == 2)
            #expect(try tracker.pendingChange(of: object).changed.map(\.key) == [batman])
        }
    }

    @Test func `the pending change has every form, for all and for one object`() throws {
        try stack.perform { context in
            let tracker = try tracker(context)
            try tracker.receive(server())
            for format in DiffRendering.Format.allCases {
                let empty = try String(decoding: tracker.pendingChange(as: format), as: UTF8.self)
                #expect(
                    ["", "[]", "{}", #"{"version":1}"#].contains(empty) || empty.contains("No differences."),
                    "\(format): \(empty)")
            }
            let object = try #require(try context.one("Character", "identifier", 1699))
            object.setValue("Bat", forKey: "name")
            try #require(try context.one("Power", "identifier", 4)).setValue("Speed", forKey: "name")
            func form(_ format: DiffRendering.Format, of object: NSManagedObject? = nil) throws -> String {
                try String(decoding: tracker.pendingChange(as: format, of: object), as: UTF8.self)
            }
            #expect(try form(.text, of: object).contains("- name: \"Batman\"\n+ name: \"Bat\"\n"))
            #expect(try form(.text).contains("Power 4"))
            #expect(try form(.html).contains("<td class=\"new\">"))
            let diff = try JSONDecoder().decode(GraphDiff.self, from: tracker.pendingChange(as: .json))
            #expect(try diff == tracker.pendingChange())
            #expect(
                try form(.dictionary, of: object) == #"""
                    [{"attributes":{"name":{"new":"Bat","old":"Batman"}},"entityName":"Character","identifier":1699}]
                    """#)
            #expect(try form(.jsonPatch, of: object).contains(#"{"op":"replace","path":"/name","value":"Bat"}"#))
            #expect(try form(.mergePatch, of: object).contains(#""name":"Bat""#))
            #expect(try form(.jsonPatch) == form(.jsonPatch))
            #expect(!context.insertedObjects.contains { $0.entity.name == "Character" })
        }
    }

    @Test(arguments: [DiffRendering.Format.jsonPatch, .mergePatch])
    func `a pending patch leads the server's objects to ours`(_ format: DiffRendering.Format) throws {
        let other = try TestStack(ComicModel.make())
        try other.importJSON(ComicModel.batman, "Character")
        let patch = try stack.perform { context in
            let tracker = try tracker(context)
            try tracker.receive(server())
            let object = try #require(try context.one("Character", "identifier", 1699))
            object.setValue(nil, forKey: "realName")
            object.setValue("Bat", forKey: "name")
            let power = context.make("Power", ["identifier": 77, "name": "Gadgets"])
            object.mutableSetValue(forKey: "powers").add(power)
            try context.save()
            return try tracker.pendingChange(as: format, of: object)
        }
        try other.perform { context in
            let object = try #require(try context.one("Character", "identifier", 1699))
            let diff =
                format == .jsonPatch
                ? try GraphDiff(JSONDecoder().decode(JSONPatch.self, from: patch), on: object)
                : try GraphDiff(JSONDecoder().decode(JSONMergePatch.self, from: patch), on: object)
            try context.apply(diff)
            try context.save()
        }
        let difference = try GraphDiff(from: other.container, to: stack.container)
        #expect(difference.isEmpty, "\(difference.text())")
    }

    private struct Crash: Error {}

    @Test func `a crash at any step loses no change, neither the user's nor the server's`() throws {
        let answer = #"[{"id": "1699", "real_name": "B.", "powers": ["9"]}]"#
        var crashes = 0
        for number in 0..<40 {
            let stack = try TestStack(ComicModel.make(), .sqlite)
            let folder = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
            let test = CrashTest(stack: stack, file: GraphTracker.file(besideStoreAt: folder))
            try stack.importJSON(ComicModel.batman, "Character")
            let steps = StepCounter(number)
            // Begin, change, send, take the answer; the process ends at the numbered step of writing the file.
            do {
                try stack.perform { context in
                    let tracker = try test.tracker(context, steps.next)
                    try tracker.receive(server())
                    try context.one("Character", "identifier", 1699)?.setValue("Mine", forKey: "name")
                    try context.save()
                    try tracker.markSent()
                    try tracker.receive(server(answer))
                }
            } catch is Crash {
                crashes += 1
            }
            // After the restart, the server's state is asked for again, and the user does again what hadn't been saved.
            try stack.perform { context in
                let tracker = try test.tracker(context) { _ in }
                if try context.one("Character", "identifier", 1699)?.text("name") != "Mine" {
                    try tracker.receive(server())
                    try context.one("Character", "identifier", 1699)?.setValue("Mine", forKey: "name")
                    try context.save()
                }
                try tracker.receive(server(answer))
                let object = try #require(try context.one("Character", "identifier", 1699))
                #expect(object.text("name") == "Mine", "step \(number)")
                #expect(object.text("realName") == "B.", "step \(number)")
                #expect(object.texts("powers", "name") == ["Insanely Rich"], "step \(number)")
                #expect(tracker.conflicts.isEmpty, "step \(number)")
                let pending = try tracker.pendingChange()
                #expect(pending.count == 1, "step \(number)\n\(pending.text())")
                #expect(pending.changed.first?.properties.map(\.name) == ["name"], "step \(number)")
            }
        }
        // Five writes of five steps each; what comes after them isn't reached.
        #expect(crashes == 25)
    }

    private struct CrashTest {
        let stack: TestStack
        let file: URL

        func tracker(
            _ context: NSManagedObjectContext, _ atStep: @escaping @Sendable (DurableFile.Step) throws -> Void
        ) throws -> GraphTracker {
            try GraphTracker(DurableFile(url: file, atStep: atStep), context, .init())
        }
    }

    /// Ends the process at a step.
    private final class StepCounter: @unchecked Sendable {
        // Used on one context's queue alone.
        private var rest: Int

        init(_ number: Int) { rest = number }

        @Sendable func next(_ step: DurableFile.Step) throws {
            if rest == 0 { throw Crash() }
            rest -= 1
        }
    }

    @Test func `a damaged file, and one of another model, are refused by name`() throws {
        try Data("{".utf8).write(to: file)
        try stack.perform { context in
            let error = graftError { _ = try tracker(context) }
            #expect(error?.place.source == file.path)
            #expect(error?.description.contains("can't be read") == true)
        }
        let other = try TestStack(PersonModel.make())
        try FileManager.default.removeItem(at: file)
        try stack.perform { _ = try tracker($0).receive(server()) }
        try other.perform { context in
            let error = graftError { _ = try GraphTracker(file: file, context: context) }
            #expect(error?.place.source == file.path)
            #expect(error?.description.contains("another version of the model, in which") == true)
        }
    }

    @Test func `a file beside a store that was made anew is refused`() throws {
        try stack.perform { _ = try tracker($0).receive(server()) }
        let another = try TestStack(ComicModel.make(), .sqlite)
        try another.perform { context in
            let error = graftError { _ = try GraphTracker(file: file, context: context) }
            #expect(error?.description.contains("another store") == true, "\(String(describing: error))")
        }
    }
}
