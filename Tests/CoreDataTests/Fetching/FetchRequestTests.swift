// Fetch requests by themselves; what a fetch returns is tested with contexts and stores.

import Testing

@testable import CoreData

@Suite struct FetchRequestTests {
    @Test func `a new request has Core Data's defaults`() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
        #expect(request.entityName == "Hero" && request.entity == nil)
        #expect(request.requestType == .fetchRequestType)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.resultType == .managedObjectResultType)
        #expect(request.includesSubentities && request.includesPendingChanges && request.includesPropertyValues)
        #expect(request.returnsObjectsAsFaults && !request.returnsDistinctResults)
        #expect(request.predicate == nil && request.sortDescriptors == nil)
    }

    // FreeCoreData, testRoundTripReproducesTheModel: Core Data reads the setting as NO there, whatever was set.
    @Test func `a request for dictionaries includes no pending changes`() {
        let request = NSFetchRequest<NSDictionary>(entityName: "Hero")
        request.resultType = .dictionaryResultType
        #expect(!request.includesPendingChanges)
        request.includesPendingChanges = true
        #expect(!request.includesPendingChanges)
    }

    private func full() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
        request.predicate = NSPredicate(format: "name ==[c] %@ AND age > 3", "x")
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: false, selector: "localizedCompare:"),
            NSSortDescriptor(key: "a.b", ascending: true),
        ]
        request.fetchLimit = 5
        request.fetchOffset = 2
        request.fetchBatchSize = 20
        request.resultType = .dictionaryResultType
        request.includesSubentities = false
        request.returnsDistinctResults = true
        request.propertiesToFetch = ["name"]
        request.relationshipKeyPathsForPrefetching = ["powers"]
        return request
    }

    @Test func `a request says what it wants, also where code has made its compound`() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [NSPredicate(format: "pages > 5"), NSPredicate(format: "title == 'a'")])
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        request.fetchLimit = 3
        #expect(
            request.description.hasSuffix(
                "(entity: Book; predicate: (pages > 5 AND title == \"a\"); sortDescriptors: (title descending); limit: 3)"
            ))
        #expect("\(NSFetchRequest<NSManagedObject>())".contains("(entity: none)"))
    }

    @Test func `a copy is equal and independent`() throws {
        let request = full()
        let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
        request.fetchLimit = 9
        request.predicate = nil
        #expect(copy.fetchLimit == 5)
        #expect(copy.predicate?.formatText == "name ==[c] \"x\" AND age > 3")
        #expect(copy.entityName == "Hero" && copy.sortDescriptors == request.sortDescriptors)
    }

    private func archived(_ request: NSFetchRequest<NSManagedObject>) throws -> NSFetchRequest<NSManagedObject> {
        // A generic class can't be the object of an archive on Linux, because Foundation can't name it.
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        request.encode(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        return try #require(NSFetchRequest<NSManagedObject>(coder: unarchiver))
    }

    @Test func `computed columns of a request survive an archive`() throws {
        let request = full()
        let length = NSExpressionDescription()
        (length.name, length.expressionResultType) = ("length", .integer64AttributeType)
        length.expression = NSExpression(format: "length:(name) + 1")
        request.propertiesToFetch = ["name", length]
        request.propertiesToGroupBy = [length]
        let copy = try archived(request)
        #expect(copy.propertiesToFetch?.first as? String == "name" && copy.propertiesToFetch?.count == 2)
        for column in [copy.propertiesToFetch?.last, copy.propertiesToGroupBy?.first] {
            let again = try #require(column as? NSExpressionDescription)
            #expect(again.name == "length" && again.expressionResultType == .integer64AttributeType)
            #expect(again.expression == length.expression)
        }
    }

    @Test func `a request survives an archive`() throws {
        let request = full()
        let copy = try archived(request)
        #expect(copy.entityName == "Hero")
        #expect(copy.predicate?.isEqual(request.predicate) == true)
        #expect(copy.sortDescriptors == request.sortDescriptors)
        #expect(copy.fetchLimit == 5 && copy.fetchOffset == 2 && copy.fetchBatchSize == 20)
        #expect(copy.resultType == .dictionaryResultType && !copy.includesSubentities && copy.returnsDistinctResults)
        #expect(copy.propertiesToFetch as? [String] == ["name"])
        #expect(copy.relationshipKeyPathsForPrefetching == ["powers"])
    }

    @Test func `an asynchronous request hands its result to its closure`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ann"])
        var received: [NSManagedObject]?
        let request = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author")) {
            received = $0.finalResult
        }
        #expect(request.requestType == .fetchRequestType && request.fetchState?.entityName == "Author")
        let result = request.finish(.success([author]), in: library.context)
        #expect(received == [author])
        #expect((result as? NSAsynchronousFetchResult<NSManagedObject>)?.finalResult == [author])
        let untyped = NSAsynchronousFetchRequest(
            fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Author"), completionBlock: nil)
        let second = untyped.finish(.success([author]), in: library.context)
        let objects = (second as? NSAsynchronousFetchResult<any NSFetchRequestResult>)?.finalResult
        #expect(objects?.first === author)
        let failed = request.finish(.failure(CocoaError(.coreData)), in: library.context)
        #expect((failed as? NSPersistentStoreAsynchronousResult)?.operationError is CocoaError)
        #expect(received == nil)
    }

    // Divergence 11.
    @Test func `an asynchronous request has called its closure when it returns`() throws {
        let library = try Library(.inMemory)
        _ = library.insert("Author", ["name": "Ann"])
        var count: Int?
        let request = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author")) {
            count = $0.finalResult?.count
        }
        _ = try library.context.execute(request)
        #expect(count == 1)
    }

    @Test func `who executes a request for a class that the results aren't of is stopped with a sentence`() async {
        let objects = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library(.inMemory)
            _ = library.insert("Author", ["name": "Ann"])
            _ = try library.context.execute(NSFetchRequest<Witness>(entityName: "Author"))
        }
        let dictionaries = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library(.inMemory)
            _ = library.insert("Author", ["name": "Ann"])
            try library.context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.resultType = .dictionaryResultType
            _ = try library.context.execute(NSAsynchronousFetchRequest(fetchRequest: request))
        }
        let controlled = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library(.inMemory)
            let request = NSFetchRequest<Witness>(entityName: "Author")
            request.sortDescriptors = []
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
            let listener = SilentListener()
            controller.delegate = listener
            try controller.performFetch()
            _ = library.insert("Author", ["name": "Ann"])
            library.context.processPendingChanges()
            withExtendedLifetime(listener) {}
        }
        let messages = [objects, dictionaries, controlled].map {
            String(decoding: $0?.standardErrorContent ?? [], as: UTF8.self)
        }
        #expect(messages[0].contains("A fetch of 'Author' gives NSManagedObject, not Witness."))
        #expect(messages[1].contains("A fetch of 'Author' gives ") && messages[1].contains(", not NSManagedObject."))
        #expect(messages[2].contains("A fetch of 'Author' gives NSManagedObject, not Witness."))
    }

    @Test(arguments: [0, 3])
    func `an asynchronous fetch is done as a part of the caller's progress, and has none without one`(
        _ count: Int
    ) throws {
        let library = try Library(.inMemory)
        for _ in 0..<count { _ = library.insert("Author", ["name": "Ann"]) }
        func progress() throws -> Progress? {
            let request = NSAsynchronousFetchRequest(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author"))
            return (try library.context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>)?.progress
        }
        #expect(try progress() == nil)
        let whole = Progress(totalUnitCount: 1)
        whole.becomeCurrent(withPendingUnitCount: 1)
        let part = try progress()
        whole.resignCurrent()
        #expect(part?.completedUnitCount == Int64(max(count, 1)) && part?.isFinished == true)
        #expect(whole.fractionCompleted == 1)
    }

    @Test func `every specialisation shows its contents without generics`() {
        let typed = full()
        let untyped = NSFetchRequest<any NSFetchRequestResult>(entityName: "Hero")
        for request: NSPersistentStoreRequest in [typed, untyped] {
            #expect(request.fetchState?.entityName == "Hero")
        }
        #expect(typed.fetchState?.fetchLimit == 5)
    }

    // Stream's chat client keeps fetched IDs by their request. Foundation's descriptors of Swift key paths equal only themselves.
    @Test func `requests that sort by the same Swift key paths are equal`() {
        final class Row: NSObject {
            var size = 1
            var shade = 2
        }
        KeyPathNames.register([\Row.size: "size", \Row.shade: "shade"])
        func request(_ descriptors: [NSSortDescriptor]?) -> NSFetchRequest<NSManagedObject> {
            let request = full()
            request.sortDescriptors = descriptors
            return request
        }
        let size = { NSSortDescriptor(keyPath: \Row.size, ascending: $0) }
        let shade = NSSortDescriptor(keyPath: \Row.shade, ascending: true)
        #expect(request([size(true), shade]) == request([size(true), shade]))
        #expect(request([size(true)]).hash == request([size(true)]).hash)
        let others: [[NSSortDescriptor]?] = [nil, [], [size(false)], [shade], [size(true), shade]]
        for other in others { #expect(request([size(true)]) != request(other)) }
        #expect(request(nil) != request([]) && request(nil) == request(nil))
    }
}

/// The delegate of a controller that nobody asks.
private final class SilentListener: NSFetchedResultsControllerDelegate {}
