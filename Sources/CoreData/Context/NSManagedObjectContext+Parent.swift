// What a context is built on: a coordinator, or a parent.

import Foundation

extension NSManagedObjectContext {
    /// The coordinator whose stores the context reads and writes; a child context answers its root's.
    ///
    /// Stops when it is set for a context with changes, or for one that has a parent.
    public var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { source?.rootCoordinator }
        set {
            guard parentContext == nil else {
                fatalError("The context '\(name ?? "unnamed")' has a parent and can't have a coordinator, too.")
            }
            guard !hasChanges else {
                fatalError("A context with changes can't get another coordinator. Save or reset it first.")
            }
            source = newValue
        }
    }

    /// The context that this one reads from and saves to; nil for a context with a coordinator of its own.
    ///
    /// A child sees the parent's unsaved changes. Its save hands its own to the parent, where they are unsaved changes until
    /// that one saves; new objects keep their temporary IDs until the root has saved. The parent may be on another queue: a
    /// child waits for it there, so the parent's queue must not wait for the child's.
    ///
    /// Stops when it is set for a context that has a coordinator or changes, and for a context above itself.
    public var parent: NSManagedObjectContext? {
        get { parentContext }
        set {
            guard newValue !== parentContext else { return }
            guard source == nil || parentContext != nil else {
                fatalError(
                    "The context '\(name ?? "unnamed")' has a coordinator and can't have a parent, too. Make a new one."
                )
            }
            guard !hasChanges else {
                fatalError("A context with changes can't get another parent. Save or reset it first.")
            }
            guard newValue?.concurrencyType != .confinementConcurrencyType else {
                fatalError("A context without a queue can't be a parent. Make the parent with a queue.")
            }
            var ancestor = newValue
            while let context = ancestor {
                if context === self { fatalError("A context can't be above itself. Give it another parent.") }
                ancestor = context.parentContext
            }
            parentContext?.settledIDs.loseChild()
            newValue?.settledIDs.gainChild()
            parentContext = newValue
            source = newValue
        }
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
