// An asynchronous fetch fetches what its request says when it is executed: `fetchRequest.predicate` and all the others count until then. So
// do the stores that it names, as in a batch deletion.

import CoreData
import Foundation
import Testing

@Suite struct AsynchronousStoresTests {
    @Test func `the stores that a request names later are asked alone`() throws {
        let library = try Library(.inMemory)
        let second = try library.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        _ = library.insert("Tag", ["label": "a"])
        let tag = library.insert("Tag", ["label": "b"])
        library.context.assign(tag, to: second)
        try library.context.save()

        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request)
        request.affectedStores = [second]
        #expect(try library.context.fetch(request) == [tag])
        let result = try library.context.execute(asynchronous) as? NSAsynchronousFetchResult<NSManagedObject>
        #expect(result?.finalResult == [tag])
    }
}
