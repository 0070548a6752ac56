// An expression whose value is what a fetch gives; mapping models say with it which objects a mapping is for.

public import Foundation

/// The objects, or their number, that a fetch request gives in a context: `FETCH(request, context, NO)`.
open class NSFetchRequestExpression: NSExpression {
    /// Gives the fetch request.
    public let requestExpression: NSExpression
    /// Gives the context.
    public let contextExpression: NSExpression
    /// Whether the value is the number of objects.
    public let isCountOnlyRequest: Bool

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
        requestExpression = request
        contextExpression = context
        isCountOnlyRequest = isCount
        super.init(
            node: .block(
                { _, values, _ in Self.value(values[0], in: values[1], isCount: isCount) },
                arguments: [request, context]))
    }

    /// The expression isn't archived.
    public required init?(coder: NSCoder) {
        coder.failWithError(CocoaError(.coderReadCorrupt))
        return nil
    }

    /// Fetching has no way to throw here; what can't be fetched is no value, as wherever an expression has none.
    private static func value(_ request: Any, in context: Any, isCount: Bool) -> Any {
        guard let context = context as? NSManagedObjectContext else { return NSNull() }
        do {
            switch request {
            case let request as NSFetchRequest<NSManagedObject>:
                return isCount ? try context.count(for: request) : try context.fetch(request)
            case let request as NSFetchRequest<any NSFetchRequestResult>:
                return isCount ? try context.count(for: request) : try context.fetch(request)
            default: return NSNull()
            }
        } catch {
            fatalError("The fetch of \(requestWords(request)) failed: \(error)")
        }
    }

    private static func requestWords(_ request: Any) -> String {
        (request as? NSFetchRequest<NSManagedObject>)?.entityName ?? "an expression"
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequestExpression else { return false }
        return requestExpression == other.requestExpression && contextExpression == other.contextExpression
            && isCountOnlyRequest == other.isCountOnlyRequest
    }

    open override var hash: Int { requestExpression.hash ^ contextExpression.hash }

    open override var description: String {
        "FETCH(\(requestExpression), \(contextExpression), \(isCountOnlyRequest ? "YES" : "NO"))"
    }
}
