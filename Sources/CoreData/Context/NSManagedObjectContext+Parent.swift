// What a context is built on: a coordinator, or a parent.

import Foundation

extension NSManagedObjectContext {
    func connect(to coordinator: NSPersistentStoreCoordinator?) {
        guard parentContext == nil else {
            fatalError("The context '\(name ?? "unnamed")' has a parent and can't have a coordinator, too.")
        }
        guard !hasAnyChanges else {
            fatalError("A context with changes can't get another coordinator. Save or reset it first.")
        }
        source = coordinator
    }

    func become(childOf newParent: NSManagedObjectContext?) {
        guard newParent !== parentContext else { return }
        guard source == nil || parentContext != nil else {
            fatalError(
                "The context '\(name ?? "unnamed")' has a coordinator and can't have a parent, too. Make a new one."
            )
        }
        guard !hasAnyChanges else {
            fatalError("A context with changes can't get another parent. Save or reset it first.")
        }
        guard newParent?.concurrencyType != .confinementConcurrencyType else {
            fatalError("A context without a queue can't be a parent. Make the parent with a queue.")
        }
        var ancestor = newParent
        while let context = ancestor {
            if context === self { fatalError("A context can't be above itself. Give it another parent.") }
            ancestor = context.parentContext
        }
        parentContext?.settledIDs.loseChild()
        newParent?.settledIDs.gainChild()
        parentContext = newParent
        source = newParent
    }

    /// The coordinator of the context or, for a child, of its root.
    ///
    /// Stops where there is none: everything that reads or writes needs one.
    var requiredCoordinator: NSPersistentStoreCoordinator {
        guard let persistentStoreCoordinator else { stopWithoutSource() }
        return persistentStoreCoordinator
    }

    /// The coordinator or the parent. Stops as ``requiredCoordinator`` does.
    var requiredSource: any ObjectSource {
        guard let source else { stopWithoutSource() }
        return source
    }

    private func stopWithoutSource() -> Never {
        fatalError("The context '\(name ?? "unnamed")' has no persistent store coordinator. Set one first.")
    }
}
