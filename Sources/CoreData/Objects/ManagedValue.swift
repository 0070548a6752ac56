// What a slot of a managed object holds. Everything inside the module works on these; `Any?` appears at the edge only
// (ManagedValue+Boxing.swift).

package import Foundation

/// The value of one property of a managed object or of a row.
package enum ManagedValue {
    /// No value: nil, or an empty to-one relationship.
    case null
    case boolean(Bool)
    /// Integer 16, 32 and 64.
    case integer(Int64)
    /// Double and Float.
    case double(Double)
    case string(String)
    /// Seconds since 2001-01-01T00:00:00Z, as Core Data stores them.
    case date(TimeInterval)
    case data(Data)
    case uuid(UUID)
    indirect case decimal(Decimal)
    case uri(URL)
    /// The value of a transformable or an undefined (transient) attribute.
    case transformable(TransformableValue)
    /// A to-one relationship whose destination is known by ID only.
    case objectID(NSManagedObjectID)
    /// A to-one relationship to a registered object.
    case object(NSManagedObject)
    /// A to-many relationship whose members are known.
    case objects(ToManyMembers)
    /// A to-many relationship that hasn't been read from the store, with the changes made to it meanwhile, if any.
    case unread(ToManyDelta?)
    /// A to-many relationship whose members are known by ID only; nothing has been changed.
    case memberIDs([NSManagedObjectID])
}

extension ManagedValue {
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether it is a to-many relationship that has no objects yet.
    var isRelationshipFault: Bool {
        switch self {
        case .unread, .memberIDs: true
        default: false
        }
    }
}

/// The object of a transformable attribute, together with the bytes that a store keeps for it.
///
/// A value read from a store is decoded at its first use; a value whose transformer isn't registered stays bytes, and
/// those are written back unchanged.
package final class TransformableValue {
    private var storage: Any?
    private var bytes: Data?
    private let transformerName: String?

    /// A value that was set by code.
    package init(object: Any, transformerName: String?) {
        storage = object
        self.transformerName = transformerName
    }

    /// A value as a store keeps it.
    package init(stored bytes: Data, transformerName: String?) {
        self.bytes = bytes
        self.transformerName = transformerName
    }

    /// The object; nil where the bytes can't be decoded (``hasUndecodableBytes``).
    package var object: Any? {
        if storage == nil, let bytes {
            storage = TransformableCoding.object(from: bytes, transformerName: transformerName)
        }
        return storage
    }

    /// The same with another object in the place of its own.
    func holding(_ object: Any) -> TransformableValue {
        TransformableValue(object: object, transformerName: transformerName)
    }

    /// Whether there are bytes that the attribute's transformer (or the lack of one) can't turn into an object.
    package var hasUndecodableBytes: Bool { bytes != nil && object == nil }

    /// The bytes for the store.
    ///
    /// - Throws: `CocoaError` (`.coderInvalidValue`) when the transformer refuses the object.
    package func storedBytes() throws -> Data {
        if let bytes { return bytes }
        guard let storage else { return Data() }
        let made = try TransformableCoding.bytes(from: storage, transformerName: transformerName)
        bytes = made
        return made
    }
}
