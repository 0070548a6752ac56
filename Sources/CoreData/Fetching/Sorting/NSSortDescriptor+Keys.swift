// Sort descriptors by key, which Foundation on Linux doesn't have. As with `NSPredicate(format:)`, the initialisers are in
// a protocol's extension, so that they can return a subclass.

public import Foundation

/// Gives `NSSortDescriptor` the initialisers with a key.
public protocol SortDescriptorKeyReading {}

extension NSSortDescriptor: SortDescriptorKeyReading {}

extension SortDescriptorKeyReading {
    /// Sorts by the values at a key path; nil means the objects themselves. Missing values come first when ascending.
    ///
    /// - Note: Strings are ordered by their UTF-8 bytes, in memory as in SQLite.
    public init(key: String?, ascending: Bool) {
        self = .descriptor(KeyedSortDescriptor(key: key, ascending: ascending))
    }

    /// Sorts by the values at a key path with a method of strings: `compare:`, `caseInsensitiveCompare:`,
    /// `localizedCompare:`, `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`.
    ///
    /// Without Objective-C no other method can be called: a SQLite store refuses it, in memory `compare:` takes its place.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        let name = selector?.name ?? SortComparison.standard.rawValue
        self = .descriptor(KeyedSortDescriptor(key: key, ascending: ascending, selectorName: name))
    }

    /// Sorts by the values at a key path with a closure. It isn't asked about missing values, which come first when
    /// ascending. A store can't evaluate it.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self = .descriptor(KeyedSortDescriptor(key: key, ascending: ascending, closure: cmptr))
    }

    /// Sorts by the values of a property of managed objects.
    ///
    /// The property's name comes from the accessors that `graft generate` makes; see ``KeyPathNames``.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(key: KeyPathNames.name(of: keyPath), ascending: ascending)
    }

    /// Sorts as a Swift sort descriptor does. The property's name comes from the accessors that `graft generate` makes; see
    /// ``KeyPathNames``.
    ///
    /// - Note: Texts are compared with `localizedStandardCompare:`, as a `SortDescriptor` of a text does on Apple's
    ///   platforms, unless the descriptor says `.lexical`.
    public init<Compared>(_ sort: SortDescriptor<Compared>) {
        guard let keyPath = sort.keyPath else {
            fatalError("A sort descriptor without a key path can't be made an NSSortDescriptor. Name a property.")
        }
        let valueType = type(of: keyPath).valueType
        let isText = valueType == String.self || valueType == String?.self
        let comparison: SortComparison =
            isText && sort.stringComparator != .lexical ? .localizedStandard : .standard
        self.init(
            key: KeyPathNames.name(of: keyPath), ascending: sort.order == .forward,
            selector: Selector(comparison.rawValue))
    }

    private static func descriptor(_ descriptor: KeyedSortDescriptor) -> Self {
        guard let typed = descriptor as? Self else {
            fatalError("A sort descriptor with a key can't be a \(Self.self). Make an NSSortDescriptor.")
        }
        return typed
    }
}

extension NSSortDescriptor {
    /// The key path that is sorted by; nil for the objects themselves, and for Swift key paths without a known name.
    public var key: String? {
        if let keyed = self as? KeyedSortDescriptor { return keyed.keyText }
        return keyPath._kvcKeyPathString
    }

    /// The method that compares two values; nil where a closure does.
    public var selector: Selector? {
        selectorName.map { Selector($0) }
    }

    /// The name of the method that compares two values; nil where a closure does.
    package var selectorName: String? {
        guard let keyed = self as? KeyedSortDescriptor else { return SortComparison.standard.rawValue }
        return keyed.closure == nil ? keyed.methodName : nil
    }

    /// Allows a descriptor that came from an archive to be used. Here all may.
    public func allowEvaluation() {}

    /// How values are compared; nil where a closure or an unknown method does that, which no store can call.
    var comparison: SortComparison? { selectorName.flatMap { SortComparison(rawValue: $0) } }
}

/// A sort descriptor by key.
final class KeyedSortDescriptor: NSSortDescriptor {
    let keyText: String?
    let steps: KeyPathSteps
    let methodName: String
    let closure: Comparator?
    private let method: SortComparison

    init(
        key: String?, ascending: Bool, selectorName: String = SortComparison.standard.rawValue,
        closure: Comparator? = nil
    ) {
        keyText = key
        steps = KeyPathSteps(key ?? "")
        methodName = selectorName
        method = SortComparison(rawValue: selectorName) ?? .standard
        self.closure = closure
        // Foundation's class wants a Swift key path; `compare(_:to:)` below doesn't use it.
        super.init(keyPath: \Any.self, ascending: ascending, comparator: { _, _ in .orderedSame })
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        order(
            KeyPathEvaluator.value(at: steps, of: Operand(object1)),
            KeyPathEvaluator.value(at: steps, of: Operand(object2)))
    }

    /// The order of two values of the key.
    func order(_ a: Operand, _ b: Operand) -> ComparisonResult {
        let result: ComparisonResult
        if let closure, let a = a.boxed, let b = b.boxed {
            result = closure(a, b)
        } else {
            result = method.order(a, b)
        }
        return ascending ? result : result.reversed
    }

    override var reversedSortDescriptor: Any {
        KeyedSortDescriptor(key: keyText, ascending: !ascending, selectorName: methodName, closure: closure)
    }

    override var comparator: Comparator {
        closure ?? { [method] in method.order(Operand($0), Operand($1)) }
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeyedSortDescriptor else { return false }
        if self === other { return true }
        return keyText == other.keyText && ascending == other.ascending && methodName == other.methodName
            && closure == nil && other.closure == nil
    }

    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(keyText)
        hasher.combine(ascending)
        hasher.combine(methodName)
        return hasher.finalize()
    }

    override var description: String {
        let how = closure == nil ? methodName : "a comparator"
        return "(\(keyText ?? "self"), \(ascending ? "ascending" : "descending"), \(how))"
    }
}
