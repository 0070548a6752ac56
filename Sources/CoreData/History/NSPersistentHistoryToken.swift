// A place in the histories of stores.

public import Foundation

/// A place in the histories of a coordinator's stores: behind the last transaction that somebody has seen of each. Follows
/// Core Data's `NSPersistentHistoryToken`.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Safe to share: nothing changes after init.

    /// The number of the last transaction by the store's UUID.
    let numbers: [String: Int64]

    init(numbers: [String: Int64]) {
        self.numbers = numbers
        super.init()
    }

    /// Returns the token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    open override var hash: Int { numbers.hashValue }

    open override var description: String {
        let parts = numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken \(parts.joined(separator: ", "))>"
    }

    /// Which of two places comes first, by the stores that both know; nil where they know none in common, or each has seen
    /// more than the other somewhere.
    func order(relativeTo other: NSPersistentHistoryToken) -> ComparisonResult? {
        var found: ComparisonResult?
        for (store, number) in numbers {
            guard let otherNumber = other.numbers[store] else { continue }
            let order: ComparisonResult =
                number == otherNumber ? .orderedSame : number < otherNumber ? .orderedAscending : .orderedDescending
            if let before = found, before != .orderedSame {
                if order != .orderedSame, order != before { return nil }
            } else {
                found = order
            }
        }
        return found
    }

    // MARK: Archives

    /// Tokens are archived as texts.
    public class var supportsSecureCoding: Bool { true }

    /// A token from an archive; nil for what isn't one.
    public required init?(coder: NSCoder) {
        let classes: [AnyClass] = [NSArray.self, NSString.self]
        guard let entries = coder.decodeObject(of: classes, forKey: "transactions") as? [String] else { return nil }
        var numbers: [String: Int64] = [:]
        for entry in entries {
            let parts = entry.split(separator: " ")
            guard parts.count == 2, let number = Int64(parts[1]) else { return nil }
            numbers[String(parts[0])] = number
        }
        self.numbers = numbers
        super.init()
    }

    open func encode(with coder: NSCoder) {
        let entries = numbers.sorted { $0.key < $1.key }.map { NSString(string: "\($0.key) \($0.value)") }
        coder.encode(NSArray(array: entries), forKey: "transactions")
    }
}
