// An expression whose value is what a fetch gives; mapping models say with it which objects a mapping is for.

public import Foundation

/// The objects, or their number, that a fetch request gives in a context: `FETCH(request, context, NO)`.
open class NSFetchRequestExpression: NSExpression {
    /// Makes an expression.
    ///
    /// - Parameters:
    ///   - fetch: Gives the fetch request.
    ///   - context: Gives the context.
    ///   - countFlag: Whether the value is the number of objects.
    public class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(request: fetch, context: context, isCount: countFlag)
    }

    init(request: NSExpression, context: NSExpression, isCount: Bool) {
        super.init(node: .fetch(request: request, context: context, isCount: isCount))
    }

    /// An expression from an archive; nil, with the coder's error set, for one that is no fetch.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        guard case .fetch = node else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
    }

    private var fetch: (request: NSExpression, context: NSExpression, isCount: Bool) {
        guard case .fetch(let request, let context, let isCount) = node else {
            fatalError("\(self) is no fetch, which neither initialiser allows.")
        }
        return (request, context, isCount)
    }

    /// Gives the fetch request.
    open var requestExpression: NSExpression { fetch.request }

    /// Gives the context.
    open var contextExpression: NSExpression { fetch.context }

    /// Whether the value is the number of objects.
    open var isCountOnlyRequest: Bool { fetch.isCount }
}

/// Fetches for expressions.
enum FetchEvaluator {
    /// What a request gives in a context, whatever class it is of; nil for what is no request or no context.
    static func value(_ request: Any?, in context: Any?, isCount: Bool) throws -> Any? {
        guard let context = context as? NSManagedObjectContext, let request = request as? NSPersistentStoreRequest,
            var state = request.fetchState
        else { return nil }
        if isCount {
            state = FetchRequestState(copying: state)
            state.resultType = .countResultType
        }
        let results = try context.results(of: state, affectedStores: request.affectedStores)
        if isCount { return results.first }
        return results
    }
}
