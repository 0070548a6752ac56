// Why an object has got other values without anybody setting them.

/// What has given an object the values of an earlier or another state. Follows Core Data's `NSSnapshotEventType`.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Events by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The object's insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// The object's deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change of the object was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy has settled a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}

extension NSManagedObject {
    /// Tells the class of other values; what it sets then is no change.
    func awake(from event: NSSnapshotEventType) {
        guard hasLifeCycle, context != nil, !state.contains(.awakening) else { return }
        state.insert(.awakening)
        awake(fromSnapshotEvents: event)
        state.remove(.awakening)
    }
}
