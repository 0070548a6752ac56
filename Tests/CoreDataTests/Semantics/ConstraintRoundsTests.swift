// Uniqueness constraints that hang together: to settle a conflict over one entity's makes one over another's.

import CoreData
import Testing

/// An entry that denies ending before it begins, and counts what it is told.
final class SpanEntry: NSManagedObject {
    override func willSave() {
        super.willSave()
        guard !isDeleted, let from = value(forKey: "from") as? Int, let to = value(forKey: "to") as? Int else { return }
        if value(forKey: "length") as? Int != to - from { setPrimitiveValue(to - from, forKey: "length") }
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        if let from = value(forKey: "from") as? Int, let to = value(forKey: "to") as? Int, from > to {
            throw CocoaError(.managedObjectValidation)
        }
    }
}

// An entry is unique by its owner and name, an owner by its name.
@Suite struct ConstraintRoundsTests {
    private static func model(_ order: [String]) -> NSManagedObjectModel {
        let entry = TestModel.entity("Entry", [TestModel.attribute("name", .stringAttributeType)])
        let owner = TestModel.entity("Owner", [TestModel.attribute("name", .stringAttributeType)])
        entry.managedObjectClassName = String(reflecting: SpanEntry.self)
        entry.properties += ["from", "to", "length"].map { TestModel.attribute($0, .integer64AttributeType) }
        TestModel.connect(owner, "entries", .many, entry, "owner", .one)
        entry.uniquenessConstraints = [["owner", "name"]]
        owner.uniquenessConstraints = [["name"]]
        return TestModel.model(order.map { $0 == "Entry" ? entry : owner })
    }

    private static let orders = [["Entry", "Owner"], ["Owner", "Entry"]]

    private func library(_ kind: StoreKind, _ order: [String]) throws -> Library {
        let library = try Library(kind, model: Self.model(order))
        let owner = library.insert("Owner", ["name": "z"])
        _ = library.insert("Entry", ["name": "x", "from": 1, "to": 5, "owner": owner])
        try library.context.save()
        return library
    }

    private func insertAgain(_ library: Library, from: Int) {
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let owner = library.insert("Owner", ["name": "z"])
        _ = library.insert("Entry", ["name": "x", "from": from, "owner": owner])
    }

    @Test(arguments: StoreKind.allCases, orders)
    func `what a second round settles is told that it will be saved, and its primitive values are stored`(
        _ kind: StoreKind, _ order: [String]
    ) throws {
        let library = try library(kind, order)
        insertAgain(library, from: 3)
        try library.context.save()
        let entries = try library.fetch("Entry", in: library.newContext())
        #expect(entries.count == 1 && entries[0].value(forKey: "from") as? Int == 3)
        #expect(entries[0].value(forKey: "length") as? Int == 2)
        library.context.checkInvariants()
    }

    @Test(arguments: StoreKind.allCases, orders)
    func `a save that fails once a new object has given way leaves a context that goes on`(
        _ kind: StoreKind, _ order: [String]
    ) throws {
        let library = try library(kind, order)
        insertAgain(library, from: 7)
        #expect(throws: CocoaError.self) { try library.context.save() }
        library.context.refreshAllObjects()
        library.context.checkInvariants()
        library.context.reset()
        #expect(try library.fetch("Entry").map { $0.value(forKey: "from") as? Int } == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `under store trump a link of a constraint is what it was`(_ kind: StoreKind) throws {
        let library = try library(kind, ["Owner", "Entry"])
        let second = library.insert("Owner", ["name": "y"])
        let entry = library.insert("Entry", ["name": "x", "owner": second])
        try library.context.save()
        entry.setValue(try library.fetch("Owner", where: NSPredicate(format: "name == 'z'"))[0], forKey: "owner")
        library.context.refresh(entry, mergeChanges: true)
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try library.context.save()
        let stored = try library.newContext().existingObject(with: entry.objectID)
        #expect(stored.one("owner")?.text("name") == "y" && entry.one("owner") === second)
    }

    @Test(arguments: StoreKind.allCases)
    func `a new object keeps a value that stored ones have given up to each other`(_ kind: StoreKind) throws {
        let library = try Library(kind, model: Self.model(["Owner", "Entry"]))
        let stored = ["a", "c"].map { library.insert("Owner", ["name": $0]) }
        try library.context.save()
        for owner in stored { owner.setValue("k", forKey: "name") }
        let entry = library.insert("Entry", ["name": "x"])
        let new = library.insert("Owner", ["name": "k", "entries": NSSet(object: entry)])
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try library.context.save()
        #expect(
            try library.fetch("Owner", sortedBy: "name", in: library.newContext()).map { $0.text("name") } == [
                "a", "c", "k",
            ])
        #expect(entry.one("owner") === new)
    }
}
