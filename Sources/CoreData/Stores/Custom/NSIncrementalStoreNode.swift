// The values of one object, as a custom store gives them.

import Foundation

/// A row of a custom store. Follows Core Data's `NSIncrementalStoreNode`.
open class NSIncrementalStoreNode: NSObject {
    /// The object's ID.
    public let objectID: NSManagedObjectID
    /// The number of the row's version.
    public private(set) var version: UInt64
    private var values: [String: Any]

    /// A row.
    ///
    /// - Parameters:
    ///   - objectID: The object's ID.
    ///   - values: Attributes by name, and the IDs of to-one relationships. A missing or `NSNull` value is nil; a to-one
    ///     relationship that is missing is asked for apart.
    ///   - version: The number of the row's version.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
    }

    /// Replaces some of the values; the others stay.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values.merge(values) { _, new in new }
        self.version = version
    }

    /// The value of a property; nil where the row doesn't have it, `NSNull` where it has none there.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
