// What an undo manager keeps: actions in groups, and groups in groups.

/// Actions that are undone together, in the reverse order.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var entries: [Entry] = []
    var name = ""
    var isDiscardable = false
    /// Whether nobody opened it: it ends with the turn of the run loop, or with the next undo.
    let isAutomatic: Bool
    /// Whether the turn has ended while another group was open in this one.
    var isOverdue = false

    init(isAutomatic: Bool = false) { self.isAutomatic = isAutomatic }

    /// Whether there is neither an action nor a group in it; a group counts without actions, too.
    var isEmpty: Bool { entries.isEmpty }

    /// Runs the actions, the last one first.
    func run() {
        for entry in entries.reversed() {
            switch entry {
            case .action(let action): action.run()
            case .group(let group): group.run()
            }
        }
    }

    /// Returns whether there was nothing else in the group.
    @discardableResult
    func removeActions(of target: AnyObject) -> Bool {
        if isEmpty { return false }
        entries.removeAll { entry in
            switch entry {
            case .action(let action): action.target === target
            case .group(let group): group.removeActions(of: target)
            }
        }
        return isEmpty
    }
}

/// What takes one change back.
struct UndoAction {
    /// Not kept alive: an action whose target is gone does nothing.
    weak var target: AnyObject?
    let perform: (AnyObject) -> Void

    func run() {
        if let target { perform(target) }
    }
}
