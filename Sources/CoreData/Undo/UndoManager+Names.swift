// What a menu shows of an undo manager, and what it announces.

public import Foundation

/// In a notification: whether the group that was closed is discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

extension Notification.Name {
    /// A group is opened within another or closed, or somebody asks what there is: the time to register pending changes.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    /// A group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// A group is about to be closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// A group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// A group is about to be undone.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// A group was undone.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// A group is about to be redone.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// A group was redone.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
}

extension UndoManager {
    /// Names the open group, or else the last closed one, for a menu.
    public func setActionName(_ actionName: String) { currentGroup?.name = actionName }

    /// The name of what would be undone; empty where there is none.
    public var undoActionName: String { nextUndo?.name ?? "" }

    /// The name of what would be redone; empty where there is none.
    public var redoActionName: String { nextRedo?.name ?? "" }

    /// Says whether the open group, or else the last closed one, may be forgotten without loss.
    public func setActionIsDiscardable(_ discardable: Bool) { currentGroup?.isDiscardable = discardable }

    /// Whether what would be undone may be forgotten without loss.
    public var undoActionIsDiscardable: Bool { nextUndo?.isDiscardable ?? false }

    /// Whether what would be redone may be forgotten without loss.
    public var redoActionIsDiscardable: Bool { nextRedo?.isDiscardable ?? false }

    /// What the menu shows for undo, such as `Undo Delete`.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// What the menu shows for redo, such as `Redo Delete`.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// What a menu shows for undoing an action of that name.
    public func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// What a menu shows for redoing an action of that name.
    public func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
}
