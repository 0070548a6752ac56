// `detectConflicts(for:)`: a save minds an object that it doesn't change.

import CoreData
import Testing

@Suite struct WatchedObjectTests {
    // Ada is watched and unchanged here; elsewhere she has become Ann by the time that Bea is saved here.
    private struct Story {
        let library: Library
        let ada: NSManagedObject, bea: NSManagedObject

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            ada = library.insert("Author", ["name": "Ada"])
            bea = library.insert("Author", ["name": "Bea"])
            try library.context.save()
        }

        func changeAdaElsewhere() throws {
            let other = library.newContext()
            try other.existingObject(with: ada.objectID).setValue("Ann", forKey: "name")
            try other.save()
        }

        func saved() throws -> [String?] {
            try library.fetch("Author", sortedBy: "name", in: library.newContext()).map { $0.text("name") }
        }
    }

    // developer.apple.com/documentation/coredata/nsmanagedobjectcontext/detectconflicts(for:)
    @Test(arguments: StoreKind.allCases)
    func `a save fails if somebody else has changed an object that it was asked to mind`(_ kind: StoreKind) throws {
        let story = try Story(kind)
        let context = story.library.context
        context.detectConflicts(for: story.ada)
        try story.changeAdaElsewhere()
        story.bea.setValue("Ben", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .managedObjectMerge)
        let affected = unsafe error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject]
        #expect(affected == [story.ada])
        #expect(try story.saved() == ["Ann", "Bea"])

        context.refresh(story.ada, mergeChanges: false)
        #expect(story.ada.text("name") == "Ann")
        try context.save()
        #expect(try story.saved() == ["Ann", "Ben"])
    }

    @Test(arguments: StoreKind.allCases)
    func `another policy takes the newer values, and a save minds the object once`(_ kind: StoreKind) throws {
        let story = try Story(kind)
        let context = story.library.context
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        context.detectConflicts(for: story.ada)
        try story.changeAdaElsewhere()
        story.bea.setValue("Ben", forKey: "name")
        try context.save()
        #expect(story.ada.text("name") == "Ann" && !story.ada.hasChanges)
        #expect(try story.saved() == ["Ann", "Ben"])

        context.mergePolicy = NSMergePolicy.error
        let other = story.library.newContext()
        try other.existingObject(with: story.ada.objectID).setValue("Amy", forKey: "name")
        try other.save()
        story.bea.setValue("Bob", forKey: "name")
        try context.save()
        #expect(try story.saved() == ["Amy", "Bob"])
    }

    @Test(arguments: StoreKind.allCases)
    func `an object that somebody else has deleted is a conflict, an untouched or a new one is none`(
        _ kind: StoreKind
    ) throws {
        let story = try Story(kind)
        let context = story.library.context
        context.detectConflicts(for: story.ada)
        let cora = story.library.insert("Author", ["name": "Cora"])
        context.detectConflicts(for: cora)
        try context.save()

        context.detectConflicts(for: story.ada)
        let other = story.library.newContext()
        other.delete(try other.existingObject(with: story.ada.objectID))
        try other.save()
        story.bea.setValue("Ben", forKey: "name")
        #expect(throws: CocoaError.self) { try context.save() }
        context.reset()
        try story.library.context.existingObject(with: story.bea.objectID).setValue("Bob", forKey: "name")
        try context.save()
        #expect(try story.saved() == ["Bob", "Cora"])
    }
}
