// The check that a context and its objects are used on their queue alone. Off unless the program is started with
// `-com.apple.CoreData.ConcurrencyDebug 1`, as on Apple's platforms.

import Foundation
import Synchronization

/// Whether use on a wrong queue stops the program.
package enum ConcurrencyDebug {
    private static let switchName = "-com.apple.CoreData.ConcurrencyDebug"

    private static let state = Atomic<Bool>(isRequested(by: ProcessInfo.processInfo.arguments))

    /// As the program was started; tests set it.
    package static var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    /// Whether a program's arguments ask for the check: the switch, followed by 1 or more.
    package static func isRequested(by arguments: [String]) -> Bool {
        guard let position = arguments.lastIndex(of: switchName), position + 1 < arguments.count else { return false }
        return Int(arguments[position + 1]).map { $0 > 0 } ?? ["YES", "true"].contains(arguments[position + 1])
    }
}

extension NSManagedObjectContext {
    /// Stops, if checks are on, a caller that isn't on the context's queue.
    @inline(__always)
    func checkQueue(_ caller: StaticString = #function) {
        if ConcurrencyDebug.isOn { stopIfOffQueue(caller) }
    }

    private func stopIfOffQueue(_ caller: StaticString) {
        guard !isOnQueue else { return }
        fatalError(
            "\(caller) on the context '\(name ?? "unnamed")' or one of its objects off its queue. Wrap it in perform { } or "
                + "performAndWait { }.")
    }
}
