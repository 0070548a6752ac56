// Undoing what somebody else has changed since.

import CoreData
import Testing

@Suite struct StaleUndoTests {
    /// Which objects the context has read after its save, and before somebody else's.
    static let readings: [[String]] = (0..<8).map { bits in
        ["first", "second", "passport"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
    }

    // Both sides of a relationship agree: "Core Data Programming Guide", relationships and their inverses.
    @Test(arguments: StoreKind.allCases, readings)
    func `an undone link takes its object from whoever has got it meanwhile`(
        _ kind: StoreKind, _ read: [String]
    ) throws {
        let library = try Library(kind)
        let context = library.context
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let objects = [
            "first": library.insert("Author", ["name": "a"]), "second": library.insert("Author", ["name": "b"]),
            "passport": library.insert("Passport", ["number": "1"]),
        ]
        objects["passport"]?.setValue(objects["first"], forKey: "owner")
        try context.save()
        context.undoManager = UndoManager()
        objects["passport"]?.setValue(nil, forKey: "owner")
        try context.save()
        context.refreshAllObjects()
        for name in read { _ = objects[name]?.committedValues(forKeys: nil) }
        let other = library.newContext()
        let passport = try other.existingObject(with: #require(objects["passport"]).objectID)
        passport.setValue(try other.existingObject(with: #require(objects["second"]).objectID), forKey: "owner")
        try other.save()
        context.undo()
        try context.save()
        let reader = library.newContext()
        let owners = try library.fetch("Author", sortedBy: "name", in: reader)
        #expect(owners.map { $0.one("passport") != nil } == [true, false])
        #expect(try library.fetch("Passport", in: reader).first?.one("owner") === owners[0])
    }
}
