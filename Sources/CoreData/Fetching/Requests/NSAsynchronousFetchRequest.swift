// A fetch whose result goes to a closure. The context that executes it does so at once: it fetches what `fetchState` says
// and calls `finish`, which makes the typed result.

public import Foundation

/// What an asynchronous fetch request calls with its result.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
    NSAsynchronousFetchResult<any NSFetchRequestResult>
) -> Void

/// A fetch request with a closure for its result. Follows Core Data's `NSAsynchronousFetchRequest`.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    /// What is fetched.
    open private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// Called with the result.
    open private(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// How many results are expected, for the progress.
    open var estimatedResultCount = 0

    /// A fetch that calls a closure when it is done.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init(fetchState: request.state)
    }

    /// The stores to ask; those of the request for objects where none are named here.
    open override var affectedStores: [NSPersistentStore]? {
        get { super.affectedStores ?? fetchRequest.affectedStores }
        set { super.affectedStores = newValue }
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let request = NSFetchRequest<ResultType>(copying: fetchRequest.state)
        request.affectedStores = fetchRequest.affectedStores
        let copy = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: completionBlock)
        copy.estimatedResultCount = estimatedResultCount
        copy.affectedStores = affectedStores
        return copy
    }

    override func finish(
        _ outcome: Result<any Collection, any Error>, in context: NSManagedObjectContext
    ) -> NSPersistentStoreResult? {
        let result: NSAsynchronousFetchResult<ResultType>
        switch outcome {
        case .success(let results):
            let typed = fetchRequest.state.typed(results, as: ResultType.self)
            result = NSAsynchronousFetchResult(
                request: self, context: context, finalResult: typed, error: nil, progress: progress(of: typed.count))
        case .failure(let error):
            result = NSAsynchronousFetchResult(
                request: self, context: context, finalResult: nil, error: error, progress: progress(of: 0))
        }
        completionBlock?(result)
        return result
    }

    /// The progress of a fetch that is done, as a part of the caller's current one; nil where there is none.
    private func progress(of count: Int) -> Progress? {
        guard Progress.current() != nil else { return nil }
        let progress = Progress(totalUnitCount: Int64(max(count, 1)))
        progress.completedUnitCount = progress.totalUnitCount
        return progress
    }
}

/// The result of an ``NSAsynchronousFetchRequest``.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult {
    /// The request.
    open private(set) var fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// What was fetched; nil if it failed.
    open private(set) var finalResult: [ResultType]?

    init(
        request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext, finalResult: [ResultType]?,
        error: (any Error)?, progress: Progress?
    ) {
        fetchRequest = request
        self.finalResult = finalResult
        super.init(context: context, error: error, progress: progress)
        ResultTypeCasts.link(
            NSAsynchronousFetchResult<ResultType>.self, of: ResultType.self,
            to: NSAsynchronousFetchResult<NSManagedObject>.self,
            and: NSAsynchronousFetchResult<any NSFetchRequestResult>.self,
            under: NSPersistentStoreAsynchronousResult.self)
    }
}
