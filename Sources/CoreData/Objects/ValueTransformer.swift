// Foundation on Linux has no value transformers; models name them, so the runtime brings them.

public import Foundation
import Synchronization

/// The name under which a transformer is registered.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a model's `valueTransformerName` has it.
    public let rawValue: String

    /// A name by its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A name by its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The transformer between property-list-like objects and keyed archives, the default of transformable attributes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    /// The oldest name of a transformer that does the same.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// The older name of a transformer that does the same.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// `true` for `false` and the reverse.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Whether a value isn't nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
}

/// Turns one value into another, and back where it can. Follows Foundation's `ValueTransformer`.
open class ValueTransformer: NSObject, ValueTransformerLookup {
    /// A transformer that hands values on unchanged; subclasses do better.
    public override init() {}

    /// Registers a transformer for the process, or with nil takes it out.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        Registry.shared.transformers.withLock { $0[name.rawValue] = transformer.map(Registry.Entry.init) }
    }

    /// The names of all registered transformers, sorted.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        Registry.shared.transformers.withLock { $0.keys.sorted() }.map(NSValueTransformerName.init(rawValue:))
    }

    /// The class of what ``transformedValue(_:)`` returns.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether ``reverseTransformedValue(_:)`` works.
    open class func allowsReverseTransformation() -> Bool { false }

    /// The transformed value; nil for one that can't be transformed.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that transforms into this one; nil where there is none.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        type(of: self).allowsReverseTransformation() ? transformedValue(value) : nil
    }

    /// The very instance that was registered under a name.
    package static func transformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        Registry.shared.transformers.withLock { $0[name.rawValue]?.transformer } ?? builtIn(name)
    }

    private static func builtIn(_ name: NSValueTransformerName) -> ValueTransformer? {
        switch name {
        // Core Data looks for a class of a name that nobody has registered; the last one is such a class's.
        case .secureUnarchiveFromDataTransformerName, .keyedUnarchiveFromDataTransformerName,
            NSValueTransformerName("NSSecureUnarchiveFromDataTransformer"):
            NSSecureUnarchiveFromDataTransformer()
        case .negateBooleanTransformerName:
            ClosureTransformer {
                !(($0 as? NSNumber)?.boolValue ?? false)
            } reverse: {
                !(($0 as? NSNumber)?.boolValue ?? false)
            }
        case .isNilTransformerName: ClosureTransformer { $0 == nil }
        case .isNotNilTransformerName: ClosureTransformer { $0 != nil }
        default: nil
        }
    }
}

/// Lets an initialiser return the registered instance, as Foundation's `ValueTransformer(forName:)` does: only a protocol's
/// extension may assign `self`.
public protocol ValueTransformerLookup {}

extension ValueTransformerLookup {
    /// The registered transformer of that name; nil for an unknown one.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = ValueTransformer.transformer(forName: name) as? Self else { return nil }
        self = transformer
    }
}

/// Transformers by name; everything is behind the lock.
private final class Registry: Sendable {
    struct Entry: @unchecked Sendable {
        // Safe: a transformer is registered to be called from any thread, as on Apple's platforms.
        let transformer: ValueTransformer
    }

    static let shared = Registry()
    let transformers = Mutex<[String: Entry]>([:])
}

/// A transformer made from closures.
private final class ClosureTransformer: ValueTransformer {
    private let forward: (Any?) -> Any?
    private let backward: ((Any?) -> Any?)?

    init(_ forward: @escaping (Any?) -> Any?, reverse: ((Any?) -> Any?)? = nil) {
        self.forward = forward
        backward = reverse
    }

    override func transformedValue(_ value: Any?) -> Any? { forward(value) }
    override func reverseTransformedValue(_ value: Any?) -> Any? { backward?(value) }
    override class func allowsReverseTransformation() -> Bool { true }
}

/// Data to object by a keyed archive; the reverse direction makes the archive.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that may stand at the top of an archive.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// The classes of an application's own that a subclass allows. Those of data are always read, and never by Foundation.
    private var registeredClasses: [AnyClass] {
        Self.allowedTopLevelClasses.filter { allowed in
            !NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses.contains { $0 == allowed }
        }
    }

    open override class func allowsReverseTransformation() -> Bool { true }

    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return TransformableCoding.unarchived(data, allowing: registeredClasses)
    }

    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        return TransformableCoding.archived(value, allowing: registeredClasses)
    }
}
