// What decoding keeps with a context between objects: it belongs to that context, and to one object at a time.

import CoreData
import Foundation
import Graft
import Testing

/// A box that decodes another box when it is made, as often as its context says.
final class CodedBox: NSManagedObject, ManagedCodable {
    static let rest = "rest"

    override func awakeFromInsert() {
        super.awakeFromInsert()
        guard let context = managedObjectContext, let rest = context.userInfo[Self.rest] as? Int, rest > 0 else {
            return
        }
        context.userInfo[Self.rest] = rest - 1
        let decoder = JSONDecoder()
        decoder.managedObjectContext = context
        let text = #"{"number": \#(1000 + rest), "name": "inner \#(rest)", "parts": [{"number": \#(2000 + rest)}]}"#
        do {
            _ = try decoder.decode(CodedBox.self, from: Data(text.utf8))
        } catch {
            Issue.record(error)
        }
    }
}

@Suite struct DecodingSessionTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Box", info: ["identityAttributes": "number"],
            [
                .attribute("number", .integer64AttributeType), .attribute("name"),
                .toMany("parts", "Box", inverse: "whole"), .toOne("whole", "Box", inverse: "parts"),
            ])
        let model = sketch.model()
        model.entitiesByName["Box"]?.managedObjectClassName = NSStringFromClass(CodedBox.self)
        return model
    }

    private func decode(_ text: String, _ context: NSManagedObjectContext) throws -> CodedBox {
        let decoder = JSONDecoder()
        decoder.managedObjectContext = context
        return try decoder.decode(CodedBox.self, from: Data(text.utf8))
    }

    @Test func `contexts that take turns don't get each other's objects`() throws {
        let stacks = try (0..<3).map { _ in try TestStack(model()) }
        let contexts = stacks.map { $0.container.newBackgroundContext() }
        for round in 0..<3 {
            for context in contexts {
                try context.performAndWait {
                    let box = try decode(#"{"number": 1, "parts": [{"number": \#(10 + round)}]}"#, context)
                    #expect(box.managedObjectContext === context)
                    let again = try decode(#"{"number": 1}"#, context)
                    #expect(again === box)
                }
            }
        }
        for context in contexts {
            try context.performAndWait {
                let numbers = try context.all("Box", by: "number").map { $0.number("number") }
                #expect(numbers == [1, 10, 11, 12])
                context.reset()
            }
        }
    }

    @Test func `a context that takes the place of one that is gone begins anew`() throws {
        let stack = try TestStack(model())
        weak var last: NSManagedObjectContext?
        for number in 0..<200 {
            #expect(last == nil, "what decoding keeps with a context mustn't keep it alive")
            let context = stack.container.newBackgroundContext()
            last = context
            try context.performAndWait {
                let box = try decode(#"{"number": 1, "name": "round \#(number)"}"#, context)
                #expect(box.managedObjectContext === context && box.text("name") == "round \(number)")
                #expect(context.insertedObjects == [box])
                context.reset()
            }
        }
    }

    @Test func `contexts on several threads decode at the same time`() throws {
        let stack = try TestStack(model())
        let contexts = (0..<4).map { _ in stack.container.newBackgroundContext() }
        let failures = DecodingFailures()
        DispatchQueue.concurrentPerform(iterations: contexts.count) { index in
            contexts[index].performAndWait {
                for number in 0..<200 {
                    do {
                        let box = try decode(#"{"number": \#(number % 50), "name": "\#(index)"}"#, contexts[index])
                        if box.text("name") != "\(index)" { failures.add("\(index): \(box)") }
                    } catch {
                        failures.add("\(error)")
                    }
                }
                if contexts[index].insertedObjects.count != 50 { failures.add("\(index): not 50 objects") }
                contexts[index].reset()
            }
        }
        #expect(failures.all == [])
    }

    @Test func `an object that decodes others when it is made keeps its own values`() throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            context.userInfo[CodedBox.rest] = 3
            let text = #"{"number": 1, "name": "outer", "parts": [{"number": 2, "name": "part"}]}"#
            let box = try decode(text, context)
            #expect(box.number("number") == 1 && box.text("name") == "outer")
            #expect(box.texts("parts", "name") == ["part"])
            let numbers = try context.all("Box", by: "number").map { $0.number("number") }
            #expect(numbers == [1, 2, 1001, 1002, 1003, 2001, 2002, 2003])
            for number in 1...3 {
                let inner = try decode(#"{"number": \#(1000 + number)}"#, context)
                #expect(inner.text("name") == "inner \(number)")
                #expect(
                    (inner.value(forKey: "parts") as? Set<CodedBox>)?.map { $0.number("number") } == [
                        2000 + Int64(number)
                    ])
            }
            context.checkInvariants()
        }
    }

    @Test(.needsOurCoreData, arguments: [false, true])
    func `an object that has got an identity between two decodings is found by it`(_ isStored: Bool) throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            let box = try decode(#"{"number": 1, "name": "one"}"#, context)
            if isStored {
                try context.save()
                box.setValue("uno", forKey: "name")
                #expect(try decode(#"{"number": 1}"#, context) === box)
            }
            box.setValue(2, forKey: "number")
            #expect(try decode(#"{"number": 2, "name": "two"}"#, context) === box)
            let other = try decode(#"{"number": 1}"#, context)
            #expect(other !== box && box.text("name") == "two")
            #expect(try decode(#"{"number": 3}"#, context) !== other)
            #expect(try context.all("Box", by: "number").map { $0.number("number") } == [1, 2, 3])
        }
    }

    @Test(.needsOurCoreData)
    func `an object that takes the place of a deleted one between two decodings is found`() throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            context.delete(try decode(#"{"number": 1}"#, context))
            let box = context.add("Box", ["number": 1])
            #expect(try decode(#"{"number": 1, "name": "one"}"#, context) === box)
            #expect(try context.all("Box").count == 1)
        }
    }

    @Test func `an object that a batch request inserts between two decodings is found`() throws {
        let stack = try TestStack(model(), .sqlite)
        try stack.perform { context throws in
            _ = try decode(#"{"number": 1}"#, context)
            for number in 2...3 {
                try context.execute(NSBatchInsertRequest(entityName: "Box", objects: [["number": number]]))
                let text = #"{"number": \#(number), "name": "found"}"#
                let box =
                    number == 2 ? try decode(text, context) : try context.decodeAtomically { try decode(text, context) }
                #expect(!box.objectID.isTemporaryID && context.insertedObjects.count == 1)
            }
            try context.save()
            #expect(try context.all("Box", by: "number").map { $0.text("name") } == [nil, "found", "found"])
        }
    }

    @Test func `after an error, the next object is decoded as if nothing had been`() throws {
        let stack = try TestStack(model())
        try stack.perform { context throws in
            for _ in 0..<3 {
                let wrong = #"{"number": 1, "name": "wrong", "parts": [{"number": 2}, {"number": "three"}]}"#
                #expect(throws: DecodingError.self) { _ = try decode(wrong, context) }
                #expect(try context.all("Box").isEmpty && !context.hasChanges)
            }
            #expect(try decode(#"{"number": 5}"#, context).text("name") == nil)
            #expect(try context.all("Box").count == 1)
        }
    }
}

/// What went wrong on several threads.
private final class DecodingFailures: @unchecked Sendable {
    // Safe: the list is touched under the lock only.
    private let lock = NSLock()
    private var list: [String] = []

    var all: [String] { lock.withLock { list } }
    func add(_ failure: String) { lock.withLock { list.append(failure) } }
}
