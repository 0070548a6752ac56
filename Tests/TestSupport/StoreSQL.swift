// SQL on the file of a store, behind the store's back.

package import Foundation
import GRDB

package enum StoreSQL {
    /// Runs statements in a connection of its own, outside of a transaction.
    package static func run(_ sql: String, at url: URL) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
