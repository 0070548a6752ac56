// The containers that the benchmarks work on.

import CoreData
import Foundation

#if PostgreSQL
    import PostgreSQLStore
#endif

extension NSPersistentContainer {
    /// A container whose one store is open: a file, a schema on a server, or in memory where none is given.
    static func loaded(_ model: NSManagedObjectModel, at file: URL? = nil) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Benchmark", managedObjectModel: model)
        let description = file.map { NSPersistentStoreDescription(url: $0) } ?? NSPersistentStoreDescription()
        #if PostgreSQL
            if let file, !file.isFileURL {
                PostgreSQLStore.register()
                description.type = NSPostgreSQLStoreType
            }
        #endif
        if file == nil { description.type = NSInMemoryStoreType }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}
