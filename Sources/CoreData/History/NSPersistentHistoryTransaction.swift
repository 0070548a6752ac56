// One transaction of a store's history.

public import Foundation

/// A save or a batch, as a store's history has kept it. Follows Core Data's `NSPersistentHistoryTransaction`.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
    /// When it was written.
    open private(set) var timestamp: Date
    /// Its number in the store.
    open private(set) var transactionNumber: Int64
    /// The UUID of the store.
    open private(set) var storeID: String
    /// The program that wrote it.
    open private(set) var bundleID: String
    /// The process that wrote it.
    open private(set) var processID: String
    /// The name of the context that wrote it.
    open private(set) var contextName: String?
    /// The `transactionAuthor` of the context that wrote it.
    open private(set) var author: String?
    /// What it changed; nil where the request asked for transactions alone.
    open private(set) var changes: [NSPersistentHistoryChange]?

    /// A transaction that nobody has written, for classes that say themselves what it is.
    public override init() {
        timestamp = .distantPast
        transactionNumber = 0
        storeID = ""
        bundleID = ""
        processID = ""
        super.init()
    }

    private init(_ transaction: NSPersistentHistoryTransaction, changes: [NSPersistentHistoryChange]) {
        timestamp = transaction.timestamp
        transactionNumber = transaction.transactionNumber
        storeID = transaction.storeID
        bundleID = transaction.bundleID
        processID = transaction.processID
        contextName = transaction.contextName
        author = transaction.author
        self.changes = changes
        super.init()
    }

    /// The same transaction with its changes. These have the one without, so that the two don't keep each other alive.
    final func with(changes: [NSPersistentHistoryChange]) -> NSPersistentHistoryTransaction {
        NSPersistentHistoryTransaction(self, changes: changes)
    }

    init(_ transaction: StoreTransaction, storeID: String) {
        timestamp = transaction.timestamp
        transactionNumber = transaction.number
        self.storeID = storeID
        bundleID = transaction.bundleID ?? ""
        processID = transaction.processID ?? ""
        contextName = transaction.contextName
        author = transaction.author
        changes = nil
        super.init()
    }

    /// Whether the other one is the same transaction of the same store.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryTransaction else { return false }
        return other.storeID == storeID && other.transactionNumber == transactionNumber
    }

    open override var hash: Int { transactionNumber.hashValue }

    /// The place behind this transaction.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken(numbers: [storeID: transactionNumber]) }

    /// What the transaction changed as a notification that `mergeChanges(fromContextDidSave:)` takes.
    open func objectIDNotification() -> Notification {
        let keys: [(NSPersistentHistoryChangeType, String)] = [
            (.insert, NSInsertedObjectIDsKey), (.update, NSUpdatedObjectIDsKey), (.delete, NSDeletedObjectIDsKey),
        ]
        var info: [AnyHashable: Any] = [:]
        for (type, key) in keys {
            let ids = Set((changes ?? []).filter { $0.changeType == type }.map(\.changedObjectID))
            if !ids.isEmpty { info[key] = ids }
        }
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: info)
    }

    /// Returns the transaction itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Choosing transactions

    /// An entity with the keys that a predicate on transactions can use.
    open class var entityDescription: NSEntityDescription? { HistoryEntity.transaction.description }

    /// ``entityDescription``, whatever the context.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// A request for transactions, to be given a predicate, an order and a limit and handed to
    /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)`` or set as its `fetchRequest`.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { HistoryEntity.transaction.request }
}

extension NSPersistentHistoryTransaction: KeyValueReadable {
    func readableValue(forKey key: String) -> Any? {
        switch key {
        case "timestamp": timestamp
        case "transactionNumber": NSNumber(value: transactionNumber)
        case "storeID": storeID
        case "bundleID": bundleID
        case "processID": processID
        case "contextName": contextName
        case "author": author
        case "token": token
        default: nil
        }
    }
}

/// The entities of history requests. They are in no model and in no store.
enum HistoryEntity: String {
    case transaction = "Transaction"
    case change = "Change"

    private var attributes: [(String, NSAttributeType)] {
        switch self {
        case .transaction:
            [
                ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
                ("token", .integer64AttributeType), ("transactionNumber", .integer64AttributeType),
            ]
        case .change:
            [
                ("changeID", .integer64AttributeType), ("changeType", .integer64AttributeType),
                ("changedEntity", .stringAttributeType), ("changedObjectID", .objectIDAttributeType),
            ]
        }
    }

    var description: NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = rawValue
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    var request: NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = description
        return request
    }
}
