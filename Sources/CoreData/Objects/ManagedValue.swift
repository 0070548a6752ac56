// What a slot of a managed object holds. Everything inside the module works on these; `Any?` appears at the edge only
// (ManagedValue+Boxing.swift).

package import Foundation
import Synchronization

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
/// those are written back unchanged. Contexts share the values that a store has read, so any queue may ask.
package final class TransformableValue {
    private struct Decoded {
        var object: Any?
        /// Whether the object can be changed in place, or has such in it.
        var isMutable: Bool
    }

    private let transformerName: String?
    /// Whether one managed object alone shows it.
    private let isShownByOne: Bool
    // All below only under the lock; what transformers of others do is done without.
    private let lock = Mutex<Void>(())
    private var bytes: Data?
    private var decoded: Decoded?
    /// The object as one managed object shows it, where it can be changed in place; what it is changed to counts when it is set.
    private var shown: Any?

    /// A value that was set by code.
    package init(object: Any, transformerName: String?) {
        decoded = Decoded(object: object, isMutable: false)
        isShownByOne = true
        self.transformerName = transformerName
    }

    /// A value as a store keeps it.
    package convenience init(stored bytes: Data, transformerName: String?) {
        self.init(bytes, isShownByOne: false, transformerName)
    }

    private init(_ bytes: Data, isShownByOne: Bool, _ transformerName: String?) {
        self.bytes = bytes
        self.isShownByOne = isShownByOne
        self.transformerName = transformerName
    }

    /// A value in the place of an older one: a tree, with ``MutableShape`` for what can be changed in place.
    package convenience init(shape tree: Any, plain: Any, transformerName: String?) {
        if let bytes = TransformableCoding.bytes(ofShape: tree, transformerName: transformerName) {
            self.init(stored: bytes, transformerName: transformerName)
        } else {
            self.init(object: plain, transformerName: transformerName)
        }
    }

    private func locked<T>(_ body: (TransformableValue) -> T) -> T {
        var result: T?
        lock.withLock { _ in result = body(self) }
        // The closure has been called.
        return result ?? body(self)
    }

    private var knownBytes: Data? { locked { $0.bytes } }

    private func decode(_ bytes: Data) -> Decoded {
        let (object, isMutable) = TransformableCoding.object(from: bytes, transformerName: transformerName)
        return Decoded(object: object, isMutable: isMutable)
    }

    /// What the bytes are; of two who decode at once, the first one's object counts.
    private var value: Decoded {
        let (known, bytes) = locked { ($0.decoded, $0.bytes) }
        if let known { return known }
        let made = bytes.map(decode) ?? Decoded(object: nil, isMutable: false)
        return locked { value in
            if let known = value.decoded { return known }
            // What nobody could decode may be decoded when its transformer is registered.
            if made.object != nil { value.decoded = made }
            return made
        }
    }

    /// The object; nil where the bytes can't be decoded (``hasUndecodableBytes``).
    package var object: Any? { value.object }

    /// The object for those outside: what can be changed in place, nobody else has.
    var shownObject: Any? {
        let value = value
        guard value.isMutable, let bytes = knownBytes else { return value.object }
        if isShownByOne, let known = locked({ $0.shown }) { return known }
        let made = decode(bytes).object
        guard isShownByOne else { return made }
        return locked { value in
            value.shown = value.shown ?? made
            return value.shown
        }
    }

    /// The same for one managed object, which always shows the same object; nil where it needn't be another.
    var ownValue: TransformableValue? {
        guard !isShownByOne, value.isMutable, let bytes = knownBytes else { return nil }
        return TransformableValue(bytes, isShownByOne: true, transformerName)
    }

    /// The tree that it is, with ``MutableShape`` for what can be changed in place; nil where nothing in it can, or where no bytes can
    /// be made of it.
    package var shape: Any? {
        // What no bytes can be made of fails the save, which says why.
        guard let object, TransformableCoding.hasMutableParts(object), let bytes = try? storedBytes() else {
            return nil
        }
        return TransformableCoding.shape(of: bytes)
    }

    /// The same with another object in the place of its own.
    func holding(_ object: Any) -> TransformableValue {
        TransformableValue(object: object, transformerName: transformerName)
    }

    /// Whether it holds an object equal to that of some bytes: archived twice, an object has bytes in another order.
    package func isSame(asStored bytes: Data) -> Bool {
        isSame(as: TransformableValue(stored: bytes, transformerName: transformerName))
    }

    /// Whether there are bytes that the attribute's transformer (or the lack of one) can't turn into an object.
    package var hasUndecodableBytes: Bool { knownBytes != nil && object == nil }

    /// The bytes for the store.
    ///
    /// - Throws: `CocoaError` (`.coderInvalidValue`) when the transformer refuses the object.
    package func storedBytes() throws -> Data {
        if let bytes = knownBytes { return bytes }
        guard let object else { return Data() }
        let made = try TransformableCoding.bytes(from: object, transformerName: transformerName)
        return locked { value in
            let bytes = value.bytes ?? made
            value.bytes = bytes
            return bytes
        }
    }
}
