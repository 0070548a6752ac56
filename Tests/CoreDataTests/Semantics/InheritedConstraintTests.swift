// A uniqueness constraint that a sub-entity declares on a property which it inherits. Core Data's documentation: "whose value must be
// unique over the set of instances of that entity". In memory it is about the sub-entity's objects; in SQLite its index is about all
// rows of the hierarchy, and an object of the super-entity, which has no constraint, fails with SQLite's error under every policy.

import CoreData
import Foundation
import Testing

@Suite struct InheritedConstraintTests {
    /// What becomes of a novel and then a book of one title: `saved`, or `refused` where a store doesn't take the model or the book.
    private func outcome(_ kind: StoreKind, _ policy: NSMergePolicy) throws -> String {
        let model = LibraryModel.make()
        model.entitiesByName["Novel"]?.uniquenessConstraints = [["title"]]
        do {
            let library = try Library(kind, model: model)
            library.context.mergePolicy = policy
            _ = library.insert("Novel", ["title": "Emma"])
            try library.context.save()
            _ = library.insert("Book", ["title": "Emma"])
            try library.context.save()
            return "saved"
        } catch is CocoaError {
            return "refused"
        }
    }

    @Test func `a constraint of a sub-entity on what it inherits means the same in each store`() throws {
        for policy in [NSMergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
            #expect(try outcome(.sqlite, policy) == outcome(.inMemory, policy), "\(policy.mergeType)")
        }
    }
}
