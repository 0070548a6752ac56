// Waiting for a store that somebody else has locked. A wait of more than two seconds is told, if anybody wants to know.

import Foundation
import GRDB
package import Synchronization

package enum StoreLock {
    /// Is called with a store's path when it is still locked after two seconds.
    package static let notice = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// How a thread waits for a turn at writing.
    package struct Patience: Sendable {
        /// Whether it waits as long as it takes, whatever the store's timeout is.
        package var isEndless: Bool
        package var keepsWaiting: @Sendable () -> Bool
    }

    /// The patience of what this thread does; nil for the store's timeout.
    @TaskLocal package static var patience: Patience?

    /// Does work that waits for locks only as long as the closure says so, and no longer than the stores' timeouts.
    package static func waiting<T>(
        while keepsWaiting: @escaping @Sendable () -> Bool, _ body: () throws -> T
    ) rethrows -> T {
        try $patience.withValue(Patience(isEndless: false, keepsWaiting: keepsWaiting), operation: body)
    }

    package static let noticeDelay = 2.0

    /// Tries again and again, in intervals that grow from 1 to 50 ms.
    ///
    /// - Parameter timeout: After how many seconds to give up.
    static func busyMode(path: String, timeout: TimeInterval) -> Database.BusyMode {
        .callback { count in
            let waited = (0..<min(count, 50)).reduce(Double(max(count - 50, 0)) * 0.05) { $0 + Double($1 + 1) / 1000 }
            let pause = Double(min(count + 1, 50)) / 1000
            if let patience, !patience.keepsWaiting() { return false }
            if waited >= timeout, !(patience?.isEndless ?? false) { return false }
            if waited < noticeDelay, waited + pause >= noticeDelay { notice.withLock { $0 }?(path) }
            Thread.sleep(forTimeInterval: pause)
            return true
        }
    }
}
