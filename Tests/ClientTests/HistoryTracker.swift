// Persistent history: what others wrote is merged into the view context, and the token is kept in a file.

import CoreData

final class HistoryTracker {
    private let container: NSPersistentContainer
    private let tokenFile: URL
    private let viewContextAuthor: String

    init(container: NSPersistentContainer, tokenFile: URL, viewContextAuthor: String = "app") {
        self.container = container
        self.tokenFile = tokenFile
        self.viewContextAuthor = viewContextAuthor
        container.viewContext.transactionAuthor = viewContextAuthor
        if let tokenData = try? Data(contentsOf: tokenFile) {
            lastToken = try? NSKeyedUnarchiver.unarchivedObject(
                ofClass: NSPersistentHistoryToken.self, from: tokenData)
        }
    }

    private(set) var lastToken: NSPersistentHistoryToken? {
        didSet {
            guard let token = lastToken,
                let data = try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            else { return }
            try? data.write(to: tokenFile)
        }
    }

    /// Merges the transactions of others into the view context; answers their authors.
    func fetchPersistentHistory() throws -> [String] {
        let taskContext = container.newBackgroundContext()
        let transactions: [NSPersistentHistoryTransaction] = try taskContext.performAndWait {
            let changeRequest = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
            if let historyFetch = NSPersistentHistoryTransaction.fetchRequest {
                historyFetch.predicate = NSPredicate(format: "author != %@", viewContextAuthor)
                changeRequest.fetchRequest = historyFetch
            }
            let historyResult = try taskContext.execute(changeRequest) as? NSPersistentHistoryResult
            return historyResult?.result as? [NSPersistentHistoryTransaction] ?? []
        }
        let viewContext = container.viewContext
        for transaction in transactions {
            viewContext.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            lastToken = transaction.token
        }
        return transactions.map { $0.author ?? "unknown" }
    }

    func deleteHistory() throws {
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: lastToken)
        try container.newBackgroundContext().performAndWait {
            _ = try container.newBackgroundContext().execute(request)
        }
    }
}
