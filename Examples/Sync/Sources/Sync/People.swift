// The model, a store of it, and its objects as text. Nothing else in this example names an entity of it, except for the scenario.

import CoreData
import Foundation

enum People {
    /// Opens a store of people, and makes it where there is none; nil is a store in memory.
    static func container(storeAt file: URL?) throws -> NSPersistentContainer {
        guard
            let url = Bundle.module.url(forResource: "People", withExtension: "momd")
                ?? Bundle.module.url(forResource: "People", withExtension: "xcdatamodeld"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { throw SyncError("the model is missing from the program's resources") }
        let container = NSPersistentContainer(name: "People", managedObjectModel: model)
        let store = NSPersistentStoreDescription(url: file ?? URL(fileURLWithPath: "/dev/null"))
        if file == nil { store.type = NSInMemoryStoreType }
        container.persistentStoreDescriptions = [store]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// Persons with their addresses, a line each.
    static func text(of context: NSManagedObjectContext) throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request).map { person in
            let addresses = (person.value(forKey: "addresses") as? Set<NSManagedObject> ?? [])
                .map { "\n    " + $0.words(["guid"]) + ": " + $0.words(["street"], ["postalCode", "city"]) }
                .sorted()
            return person.words(["firstName", "lastName"], ["age"]) + addresses.joined()
        }.joined(separator: "\n")
    }
}

extension NSManagedObject {
    /// The values that are there: those of a group with spaces between them, and commas between the groups.
    fileprivate func words(_ groups: [String]...) -> String {
        groups.map { keys in
            keys.compactMap { key in value(forKey: key).map { "\($0)" } }.joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

/// What goes wrong in this example, in words.
struct SyncError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
