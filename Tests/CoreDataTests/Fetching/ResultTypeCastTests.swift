// Casts of requests, results and controllers to ones of another result type, as the generic code of clients has them. On Apple's platforms
// any such cast gives the object. Divergence 34.

import CoreData
import Testing

@Suite struct ResultTypeCastTests {
    /// As the generic code of clients has it, where the compiler can't tell what comes of it.
    private func cast<From, To>(_ value: From, to type: To.Type) -> To? { value as? To }

    private typealias AnyRequest = NSFetchRequest<any NSFetchRequestResult>

    private func filled() throws -> Library {
        let library = try Library.witnessed(.sqlite)
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        return library
    }

    @Test func `generic code deletes in batches what a request of a class's objects says`() throws {
        let library = try filled()
        let request = NSFetchRequest<Witness>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == 'Ada'")
        let erased = try #require(cast(request, to: AnyRequest.self))
        #expect(erased === request && erased.entityName == "Author")
        try library.context.execute(NSBatchDeleteRequest(fetchRequest: erased))
        #expect(try library.context.count(for: request) == 0)
    }

    @Test func `a class's own request is one for objects of that class, and knows its entity`() throws {
        let library = try filled()
        let request = try #require(cast(Witness.fetchRequest(), to: NSFetchRequest<Witness>.self))
        #expect(request.entity?.attributesByName["name"] != nil)
        let found: [Witness] = try library.context.fetch(request)
        #expect(found.map { $0.text("name") } == ["Ada"])

        request.resultType = .dictionaryResultType
        let result = try library.context.execute(request) as? NSAsynchronousFetchResult<any NSFetchRequestResult>
        #expect((result?.finalResult as? [[String: Any]])?.count == 1)
    }

    @Test func `a class's own request can be set to fetch anything`() throws {
        let library = try filled()
        try library.context.performAndWait {
            for type: NSFetchRequestResultType in [
                .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType, .countResultType,
            ] {
                let request: AnyRequest = Witness.fetchRequest()
                request.resultType = type
                #expect(try request.execute().count == 1)
                #expect(try library.context.fetch(request).count == 1)
                _ = try library.context.execute(request)
            }
        }
    }

    @Test func `a request, a result and a controller of a class's objects are ones of any objects`() throws {
        let library = try filled()
        let request = NSFetchRequest<Witness>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let any: Any = request
        #expect(any as? NSFetchRequest<NSManagedObject> === request)
        #expect(any as? NSFetchRequest<NSDictionary> == nil)
        #expect(([any] as? [AnyRequest])?.first === request)
        #expect(NSFetchRequest<NSManagedObject>() as Any as? NSFetchRequest<Witness> == nil)

        let result = try library.context.execute(request)
        #expect(result is NSAsynchronousFetchResult<Witness>)
        #expect((result as? NSAsynchronousFetchResult<NSManagedObject>)?.finalResult?.count == 1)
        #expect((result as? NSAsynchronousFetchResult<any NSFetchRequestResult>)?.finalResult?.count == 1)

        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        let erased = try #require(
            cast(controller, to: NSFetchedResultsController<any NSFetchRequestResult>.self))
        try erased.performFetch()
        #expect(erased === controller && erased.fetchedObjects?.count == 1)
        #expect(erased.object(at: IndexPath(item: 0, section: 0)) is Witness)
    }

    /// A client's own kind of request.
    private final class Pages<T: NSManagedObject>: NSFetchRequest<T> {
        var page = 3
    }

    @Test func `a subclass of a request is cast, too, and keeps what it adds`() throws {
        let request = Pages<Witness>()
        let erased = try #require(cast(request, to: AnyRequest.self))
        #expect(erased === request && (erased as Any as? Pages<Witness>)?.page == 3)
        #expect(Pages<NSManagedObject>().page == 3)
    }
}
