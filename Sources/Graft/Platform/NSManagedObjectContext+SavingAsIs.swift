// Saving what a store held before, although it may break the rules of its model.

import CoreData

extension NSManagedObjectContext {
    /// Saves without checking the rules of the model. Apple's Core Data always checks them.
    func saveAsIs() throws {
        #if canImport(Darwin) || GRAFT_PORTABLE
            try save()
        #else
            validatesOnSave = false
            defer { validatesOnSave = true }
            try save()
        #endif
    }
}
