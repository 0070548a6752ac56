// Asking a store's history what has happened, and cutting it off.

public import Foundation

/// What a request for the history returns.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded: `Bool`.
    case statusOnly = 0
    /// The IDs of the changed objects, each once: `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of transactions: `Int`.
    case count = 2
    /// `[NSPersistentHistoryTransaction]`, without their changes.
    case transactionsOnly = 3
    /// `[NSPersistentHistoryChange]`; each has its transaction.
    case changesOnly = 4
    /// `[NSPersistentHistoryTransaction]`; `[NSPersistentHistoryChange]` where a fetch request chooses changes.
    case transactionsAndChanges = 5
}

/// A request for the history of stores that keep one, to be executed by a context. Follows Core Data's
/// `NSPersistentHistoryChangeRequest`.
///
/// A store keeps a history if it is opened with `NSPersistentHistoryTrackingKey`, or has ever been.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Which transactions a request is about, from the place that it was made with.
    enum Place {
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    /// What the result is: for a fetch transactions and changes, for a deletion the status.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
    /// Which transactions, or changes, by predicate, in which order, and how many. A deletion, too, is one of the chosen transactions
    /// alone: an author's, for instance. It throws where changes are chosen: a transaction is deleted as a whole.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?
    private(set) var place: Place?
    private(set) var isDeletion = false

    /// A request for all of the history.
    public required override init() { super.init() }

    private class func make(_ place: Place?, deleting isDeletion: Bool = false) -> Self {
        let request = self.init()
        request.place = place
        request.isDeletion = isDeletion
        if isDeletion { request.resultType = .statusOnly }
        return request
    }

    /// The place that the request was made with; nil for a date, and for all of the history.
    open var token: NSPersistentHistoryToken? {
        if case .token(let token)? = place { token } else { nil }
    }

    // MARK: Fetching

    /// What was written after a moment.
    open class func fetchHistory(after date: Date) -> Self { make(.date(date)) }

    /// What was written after the transactions that a token has seen; nil for all.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { make(token.map(Place.token)) }

    /// What was written after a transaction; nil for all.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        make(transaction.map { .token($0.token) })
    }

    /// The transactions, or changes, that a request chooses; see ``NSPersistentHistoryTransaction/fetchRequest``.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self {
        let request = make(nil)
        request.fetchRequest = fetchRequest
        return request
    }

    // MARK: Deleting

    /// Deletes what was written before a moment.
    open class func deleteHistory(before date: Date) -> Self { make(.date(date), deleting: true) }

    /// Deletes the transactions before the last one that a token has seen; nil for all.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        make(token.map(Place.token), deleting: true)
    }

    /// Deletes the transactions before one; nil for all.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        make(transaction.map { .token($0.token) }, deleting: true)
    }

    /// What a store shall find or delete.
    func range(inStoreWithID storeID: String) -> StoreHistoryRange? {
        switch place {
        case nil: .all
        case .date(let date)?: isDeletion ? .beforeDate(date) : .afterDate(date)
        case .token(let token)?:
            // Of a store that the token has never seen everything is new, and nothing old.
            if let number = token.numbers[storeID] {
                isDeletion ? .before(number) : .after(number)
            } else {
                isDeletion ? nil : .all
            }
        }
    }

    /// There is no type of its own for it in Core Data's public list.
    open override var requestType: NSPersistentStoreRequestType {
        isDeletion ? .batchDeleteRequestType : .fetchRequestType
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.make(place, deleting: isDeletion)
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest
        copy.affectedStores = affectedStores
        return copy
    }
}

/// What a request for the history has found. Follows Core Data's `NSPersistentHistoryResult`.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// As the request's result type says.
    open private(set) var result: Any?
    /// What the result is.
    open private(set) var resultType: NSPersistentHistoryResultType

    /// The result of a request that nobody has made, for classes that say themselves what it is.
    public override init() {
        resultType = .transactionsAndChanges
        super.init()
    }

    init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
        self.result = result
        resultType = type
    }
}
