// Objects that are gone: no door takes the nulls that Core Data answers with for values.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct GoneObjectTests {
    typealias Model = ArchiveArticleModel

    enum Loss: CaseIterable, Sendable {
        case deletedAndSaved, deletedElsewhere, contextReset, containerReleased
    }

    /// A person that is gone, and one that is there. The stack is given back where it has to live on.
    private func lose(_ loss: Loss) throws -> (gone: NSManagedObject, context: NSManagedObjectContext, keep: TestStack?)
    {
        var stack: TestStack? = try TestStack(Model.make(hasIdentity: true), .sqlite)
        let first = try #require(stack)
        try first.perform { context throws in
            _ = Model.fill(context)
            try context.save()
        }
        let context = first.container.newBackgroundContext()
        let gone = try context.performAndWait { try #require(try context.all("Person").first) }
        switch loss {
        case .deletedAndSaved:
            try context.performAndWait { () throws in
                context.delete(gone)
                try context.save()
            }
        case .deletedElsewhere:
            try first.perform { other throws in
                other.delete(try #require(try other.all("Person").first))
                try other.save()
            }
            context.performAndWait { context.refresh(gone, mergeChanges: false) }
        case .contextReset: context.performAndWait { context.reset() }
        case .containerReleased:
            let released = try TestStack(Model.make(hasIdentity: true))
            let object = Model.fill(released.container.viewContext)
            stack = nil
            return (object, context, first)
        }
        return (gone, context, stack)
    }

    private func expectRefused(_ door: String, _ loss: Loss, _ body: () throws -> Void) {
        let error = graftError(body)
        if case .missingObject? = error?.problem {
        } else {
            Issue.record("\(door) of an object that is gone (\(loss)): \(error.map { "\($0)" } ?? "no error")")
        }
    }

    @Test(arguments: Loss.allCases)
    func `an object that is gone is an error at every door`(_ loss: Loss) throws {
        let (gone, context, stack) = try lose(loss)
        try context.performAndWait { () throws in
            let there = Model.new("Person", ["guid": "p1", "firstName": "Ann"], context)
            for _ in 0..<2 {
                expectRefused("toDictionary", loss) { _ = try gone.toDictionary() }
                expectRefused("toDictionaries", loss) { _ = try [there, gone].toDictionaries() }
                expectRefused("dictionaryData", loss) { _ = try gone.dictionaryData(.json) }
                expectRefused("changedSince", loss) { _ = try gone.toDictionary(changedSince: ["class": "Person"]) }
                expectRefused("populate", loss) { try gone.populate(fromDictionary: ["firstName": "X"]) }
                expectRefused("ObjectDiff", loss) { _ = try ObjectDiff(from: there, to: gone) }
                expectRefused("GraphDiff", loss) { _ = try GraphDiff(from: gone, to: there) }
                expectRefused("unsaved", loss) { _ = try GraphDiff(unsavedChangesOf: gone) }
                expectRefused("snapshot", loss) { _ = try GraphSnapshot(of: [there, gone]) }
                expectRefused("committed", loss) { _ = try GraphSnapshot(of: [gone], values: .committed) }
                expectRefused("apply", loss) { try context.apply(GraphDiff(), to: [gone]) }
                expectRefused("json", loss) { _ = try context.json(of: gone) }
                expectRefused("json of many", loss) { _ = try context.json(of: [there, gone]) }
                expectRefused("encode", loss) { _ = try JSONEncoder().encode(EncodableGraph(gone)) }
            }
            #expect(try there.toDictionary()["firstName"] as? String == "Ann")
        }
        withExtendedLifetime(stack) {}
    }

    enum Door: CaseIterable, Sendable {
        case dictionary, snapshot, json
    }

    @Test(arguments: Door.allCases)
    func `a link to an object that is gone is an error that names the relationship`(_ door: Door) throws {
        let stack = try TestStack(Model.make(hasIdentity: true), .sqlite)
        let context = stack.container.newBackgroundContext()
        try context.performAndWait { () throws in
            _ = Model.fill(context)
            try context.save()
            context.refreshAllObjects()
        }
        let person = try context.performAndWait { () throws in
            let person = try #require(try context.all("Person").first)
            #expect(person.texts("addresses", "guid") == ["a1", "a2"])
            return person
        }
        try stack.perform { other throws in
            other.delete(try #require(try other.one("Address", "guid", "a1")))
            try other.save()
        }
        try context.performAndWait { () throws in
            for object in try context.all("Address") { context.refresh(object, mergeChanges: false) }
            for address in person.value(forKey: "addresses") as? Set<NSManagedObject> ?? [] {
                context.refresh(address, mergeChanges: false)
            }
            // A fetch lets go of the object once it is known to be gone, and Apple's Core Data reads by fetches alone.
            for _ in 0..<(isPortable ? 1 : 2) {
                let error = graftError {
                    switch door {
                    case .dictionary: _ = try person.toDictionary()
                    case .snapshot: _ = try GraphSnapshot(of: [person])
                    case .json: _ = try context.json(of: person)
                    }
                }
                if case .missingObject? = error?.problem {} else { Issue.record("\(String(describing: error))") }
                #expect(error?.place.entity == "Person" && error?.place.property == "addresses")
            }
        }
    }

    @Test func `an object whose deletion waits for a save has its values, and an object without context too`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true), .sqlite)
        try stack.perform { context throws in
            let person = Model.fill(context)
            try context.save()
            context.delete(try #require(try context.one("Address", "guid", "a1")))
            #expect(nested(try person.toDictionary(), "addresses").count == 1)
            #expect(try GraphSnapshot(of: [person]).rows(of: "Address").count == 1)
            context.delete(person)
            #expect(try person.toDictionary()["firstName"] as? String == "Ann")
            let entity = person.entity
            let free = NSManagedObject(entity: entity, insertInto: nil)
            free.setValue("Free", forKey: "firstName")
            #expect(try free.toDictionary()["firstName"] as? String == "Free")
        }
    }
}
