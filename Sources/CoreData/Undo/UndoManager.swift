// Undo and redo: Foundation on Linux has no undo manager, and a context needs one. Names, notifications and the menu's words
// are in UndoManager+Names.swift.

public import Foundation

/// Keeps what takes changes back, in groups, and does it. Follows Foundation's `UndoManager` of Apple's platforms.
///
/// Actions are closures with a target; those named by a selector need Objective-C and aren't there. An undo manager belongs
/// to one queue, that of its context.
open class UndoManager: NSObject {
    private var openGroups: [UndoGroup] = []
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var disabledCount = 0

    /// Whether actions are being undone.
    open private(set) var isUndoing = false
    /// Whether actions are being redone.
    open private(set) var isRedoing = false

    /// Whether a group is opened by itself for the first action, or around the first group, up to the end of the run loop's turn.
    ///
    /// A thread that runs no run loop has no such end: there the group goes on until ``undo()`` or ``endUndoGrouping()``.
    open var groupsByEvent = true

    /// How many groups are kept; 0 for all.
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// The modes in which a run loop's turn ends a group.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// An undo manager without actions.
    public override init() { super.init() }

    // MARK: Registering

    /// Says how a change is taken back. Called during an undo it says how to redo.
    ///
    /// Stops where there is no open group and ``groupsByEvent`` is off.
    ///
    /// - Parameters:
    ///   - target: What the closure gets. It isn't kept alive.
    ///   - handler: Takes the change back.
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            guard groupsByEvent else {
                fatalError("An action can't be registered outside a group. Call beginUndoGrouping() before.")
            }
            openGroupOfEvent()
        }
        let action = UndoAction(target: target) { target in
            if let target = target as? TargetType { handler(target) }
        }
        openGroups.last?.entries.append(.action(action))
        if !isUndoing, !isRedoing { redoStack.removeAll() }
    }

    /// Whether actions are taken: as many calls of ``enableUndoRegistration()`` as of ``disableUndoRegistration()``.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Takes no actions from now on. Calls nest.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Ends what one ``disableUndoRegistration()`` began. Stops where there was none.
    open func enableUndoRegistration() {
        guard disabledCount > 0 else { fatalError("enableUndoRegistration() without disableUndoRegistration().") }
        disabledCount -= 1
    }

    /// Forgets all actions, and takes new ones again.
    open func removeAllActions() {
        openGroups.forEach { $0.entries.removeAll() }
        undoStack.removeAll()
        redoStack.removeAll()
        disabledCount = 0
    }

    /// Forgets a target's actions.
    open func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        for group in openGroups { group.removeActions(of: target) }
        undoStack.removeAll { $0.removeActions(of: target) }
        redoStack.removeAll { $0.removeActions(of: target) }
    }

    // MARK: Groups

    /// How many groups are open.
    open var groupingLevel: Int { openGroups.count }

    /// Opens a group, in the open one if there is one; where ``groupsByEvent`` is on, in that of the event.
    open func beginUndoGrouping() {
        if openGroups.isEmpty, groupsByEvent { openGroupOfEvent() }
        if !openGroups.isEmpty { post(.NSUndoManagerCheckpoint) }
        openGroups.append(UndoGroup())
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the innermost open group. Stops where there is none. A group that somebody has opened counts without actions, too.
    open func endUndoGrouping() {
        guard !openGroups.isEmpty else { fatalError("endUndoGrouping() without beginUndoGrouping().") }
        post(.NSUndoManagerCheckpoint)
        post(.NSUndoManagerWillCloseUndoGroup)
        let group = openGroups.removeLast()
        if !group.isEmpty || !group.isAutomatic {
            if let outer = openGroups.last {
                outer.entries.append(.group(group))
                if outer.name.isEmpty { outer.name = group.name }
            } else {
                undoStack.append(group)
                trim()
            }
        }
        post(.NSUndoManagerDidCloseUndoGroup)
        if openGroups.count == 1, openGroups[0].isOverdue { endUndoGrouping() }
    }

    /// The group that would be undone next.
    var lastGroup: UndoGroup? { undoStack.last }

    /// Opens a group again that was the last one to be closed.
    func reopen(_ group: UndoGroup) -> Bool {
        guard openGroups.isEmpty, !isUndoing, !isRedoing, undoStack.last === group else { return false }
        openGroups.append(undoStack.removeLast())
        post(.NSUndoManagerDidOpenUndoGroup)
        return true
    }

    /// Opens a group by itself, and closes it when the run loop that is running comes round.
    private func openGroupOfEvent() {
        openGroups.append(UndoGroup(isAutomatic: true))
        post(.NSUndoManagerDidOpenUndoGroup)
        guard RunLoop.current.currentMode != nil, let group = openGroups.last else { return }
        let end = EndOfTurn(manager: self, group: group)
        RunLoop.current.perform(inModes: runLoopModes) { end.close() }
    }

    fileprivate func close(_ group: UndoGroup) {
        guard openGroups.first === group else { return }
        if openGroups.count == 1 { endUndoGrouping() } else { group.isOverdue = true }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
        if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
    }

    // MARK: Undo and redo

    /// Whether there is something to undo.
    open var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } }

    /// Whether there is something to redo.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// The number of groups that can be undone.
    open var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    open var redoCount: Int { redoStack.count }

    /// Closes the open group, if there is one, and takes the last group back. Stops where groups are nested.
    open func undo() {
        post(.NSUndoManagerCheckpoint)
        if groupingLevel == 1 { endUndoGrouping() }
        guard openGroups.isEmpty else {
            fatalError("undo() with \(groupingLevel) open groups. Close them, or call undoNestedGroup().")
        }
        undoNestedGroup()
    }

    /// Takes the last closed group back, also one within an open group.
    open func undoNestedGroup() {
        guard !isUndoing, !isRedoing else { return }
        if let outer = openGroups.last {
            guard case .group(let group) = outer.entries.last else { return }
            outer.entries.removeLast()
            undo(group)
        } else if let group = undoStack.popLast() {
            undo(group)
        }
    }

    private func undo(_ group: UndoGroup) {
        post(.NSUndoManagerWillUndoChange)
        isUndoing = true
        redoStack.append(opposite(of: group))
        isUndoing = false
        trim()
        post(.NSUndoManagerDidUndoChange)
    }

    /// Does again what was undone last. Stops while a group is open, other than that of the event.
    open func redo() {
        post(.NSUndoManagerCheckpoint)
        guard !isUndoing, !isRedoing else { return }
        guard let group = redoStack.popLast() else { return }
        guard openGroups.allSatisfy(\.isAutomatic) else { fatalError("redo() with an open group. Close it first.") }
        post(.NSUndoManagerWillRedoChange)
        isRedoing = true
        let opposite = opposite(of: group)
        if let outer = openGroups.last { outer.entries.append(.group(opposite)) } else { undoStack.append(opposite) }
        isRedoing = false
        trim()
        post(.NSUndoManagerDidRedoChange)
    }

    /// Runs a group and returns what takes that back, be it nothing.
    private func opposite(of group: UndoGroup) -> UndoGroup {
        let opposite = UndoGroup()
        opposite.name = group.name
        opposite.isDiscardable = group.isDiscardable
        openGroups.append(opposite)
        group.run()
        while let last = openGroups.popLast(), last !== opposite { opposite.entries.append(.group(last)) }
        return opposite
    }

    // MARK: What the groups say of themselves

    /// The group that names and marks are given to.
    var currentGroup: UndoGroup? { openGroups.last ?? undoStack.last }
    /// The groups that would be undone and redone next.
    var nextUndo: UndoGroup? { openGroups.first.flatMap { $0.isEmpty ? nil : $0 } ?? undoStack.last }
    var nextRedo: UndoGroup? { redoStack.last }

    func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }
}

/// Closes a group at the end of a turn, on the thread that opened it.
private final class EndOfTurn: @unchecked Sendable {
    // Safe to share: it is used by the run loop of the thread that made it.

    private weak var manager: UndoManager?
    private let group: UndoGroup

    init(manager: UndoManager, group: UndoGroup) {
        self.manager = manager
        self.group = group
    }

    func close() { manager?.close(group) }
}
