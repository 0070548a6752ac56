// Saves that are refused, and what the error says.

import CoreData
import Foundation
import Testing

@Suite struct ValidationIdioms {
    private func saveError(_ context: NSManagedObjectContext) -> NSError? {
        do {
            try context.save()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test func `a missing mandatory value names the object and the key`() throws {
        let journal = Journal()
        let entry = Entry(context: journal.context)
        let error = try #require(saveError(journal.context))
        #expect(error.domain == NSCocoaErrorDomain && error.code == NSValidationMissingMandatoryPropertyError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "body")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? Entry === entry)
    }

    @Test func `several refusals are listed in one error`() throws {
        let journal = Journal()
        _ = Entry(context: journal.context)
        _ = Entry(context: journal.context)
        let error = try #require(saveError(journal.context))
        #expect(error.code == NSValidationMultipleErrorsError)
        #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
    }

    @Test func `a validation predicate of the model refuses`() throws {
        let journal = Journal()
        journal.entry("x").setValue(6, forKey: "rating")
        #expect(saveError(journal.context) != nil)
        #expect(journal.context.hasChanges)
    }

    @Test func `validateForInsert refuses what the class forbids, and a corrected retry succeeds`() throws {
        let journal = Journal()
        let entry = journal.entry("forbidden")
        #expect(saveError(journal.context)?.domain == "Journal")
        _ = journal.entry("forbidden")
        let details = saveError(journal.context)?.userInfo[NSDetailedErrorsKey] as? [NSError]
        #expect(details?.map(\.domain) == ["Journal", "Journal"])
        journal.context.insertedObjects.filter { $0 !== entry }.forEach(journal.context.delete)
        entry.body = "allowed"
        #expect(saveError(journal.context) == nil)
    }

    @Test func `the deny rule keeps an object that others need`() throws {
        let journal = Journal()
        let entry = journal.entry("with a page")
        let page = journal.page(1, of: entry)
        try journal.context.save()
        journal.context.delete(entry)
        #expect(saveError(journal.context)?.code == NSValidationRelationshipDeniedDeleteError)
        journal.context.delete(page)
        #expect(saveError(journal.context) == nil)
    }

    @Test func `the cascade rule deletes what is owned`() throws {
        let garden = Garden()
        try garden.plant()
        let project = try #require(try garden.find("dig").project)
        garden.context.delete(project)
        try garden.context.save()
        #expect(try garden.titles("TRUEPREDICATE") == ["mow"])
    }

    @Test func `the nullify rule unlinks`() throws {
        let garden = Garden()
        try garden.plant()
        let task = try garden.find("dig")
        let project = try #require(task.project)
        garden.context.delete(task)
        try garden.context.save()
        #expect(project.tasks.map(\.title) == ["Sow"])
    }

    @Test func `a broken uniqueness constraint is a conflict that names the values`() throws {
        let garden = Garden()
        garden.task("one").serverID = 5
        try garden.context.save()
        let background = garden.container.newBackgroundContext()
        let error: NSError? = background.performAndWait {
            let other = TaskItem(context: background)
            other.title = "two"
            other.serverID = 5
            return saveError(background)
        }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
        #expect(conflicts?.first?.constraint == ["serverID"])
        #expect(conflicts?.first?.constraintValues["serverID"] as? Int == 5)
    }
}
