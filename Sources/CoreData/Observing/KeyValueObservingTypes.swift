// The vocabulary of key-value observing: Foundation on Linux has none of it.

public import Foundation

/// What an observer wants to be told.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static var new: NSKeyValueObservingOptions { .init(rawValue: 1) }
    /// The value before.
    public static var old: NSKeyValueObservingOptions { .init(rawValue: 2) }
    /// At once what there is.
    public static var initial: NSKeyValueObservingOptions { .init(rawValue: 4) }
    /// Each change before it, too.
    public static var prior: NSKeyValueObservingOptions { .init(rawValue: 8) }
}

/// What happens to a value.
public enum NSKeyValueChange: UInt, Sendable {
    /// It is set as a whole.
    case setting = 1
    /// Members come.
    case insertion = 2
    /// Members go.
    case removal = 3
    /// Members give way to others.
    case replacement = 4
}

/// What happens to a set.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Members come.
    case union = 1
    /// Members go.
    case minus = 2
    /// Members go that aren't in another set.
    case intersect = 3
    /// It is set as a whole.
    case set = 4
}

/// The keys of what an observer is told.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The key.
    public let rawValue: String

    /// A key.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An ``NSKeyValueChange`` as a number.
    public static var kindKey: NSKeyValueChangeKey { .init(rawValue: "kind") }
    /// The new value; of members that come, those alone.
    public static var newKey: NSKeyValueChangeKey { .init(rawValue: "new") }
    /// The value before; of members that go, those alone.
    public static var oldKey: NSKeyValueChangeKey { .init(rawValue: "old") }
    /// The positions of members of an ordered relationship that come or go.
    public static var indexesKey: NSKeyValueChangeKey { .init(rawValue: "indexes") }
    /// True before a change, absent after it.
    public static var notificationIsPriorKey: NSKeyValueChangeKey { .init(rawValue: "notificationIsPrior") }
}

/// What a closure that observes a key path is told.
public struct NSKeyValueObservedChange<Value> {
    /// What happens.
    public let kind: NSKeyValueChange
    /// The new value, if it was asked for.
    public let newValue: Value?
    /// The value before, if it was asked for.
    public let oldValue: Value?
    /// The positions of members of an ordered relationship that come or go.
    public let indexes: IndexSet?
    /// Whether the change is still to come.
    public let isPrior: Bool

    init(_ change: [NSKeyValueChangeKey: Any]) {
        kind = NSKeyValueChange(rawValue: change[.kindKey] as? UInt ?? 1) ?? .setting
        newValue = Self.typed(change[.newKey])
        oldValue = Self.typed(change[.oldKey])
        indexes = change[.indexesKey] as? IndexSet
        isPrior = change[.notificationIsPriorKey] != nil
    }

    private static func typed(_ value: Any?) -> Value? {
        guard let value else { return nil }
        if let typed = value as? Value, !(value is NSNull) || Value.self == Any.self { return typed }
        // An optional property without a value.
        return value is NSNull ? (Any?.none as Any) as? Value : nil
    }
}

/// An observation by a closure; it ends with its token.
public final class NSKeyValueObservation: NSObject {
    private var end: (() -> Void)?

    init(end: @escaping () -> Void) { self.end = end }

    deinit { end?() }

    /// Ends the observation.
    public func invalidate() {
        end?()
        end = nil
    }
}

/// An observer by key. On Apple's platforms every object is one.
///
/// - Note: Divergence 6: a class says that it is one, and doesn't override the method.
public protocol NSKeyValueObserver: AnyObject {
    /// Called for each change.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}
