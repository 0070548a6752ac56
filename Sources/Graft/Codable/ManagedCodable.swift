// Codable for managed objects without a line of code: the entity's description says what there is to encode.

public import CoreData

/// A class of managed objects that any coder encodes and decodes, by the description of its entity.
///
///     final class TodoItem: NSManagedObject, ManagedCodable { ... }
///
///     let decoder = JSONDecoder()
///     decoder.managedObjectContext = context
///     let items = try decoder.decode([TodoItem].self, from: data)
///
/// All attributes and relationships take part, under their names; ``ManagedCodingOptions`` has the choices, and a coder's
/// strategies for dates, data and keys apply. Related objects are nested, whatever their classes are; the inverse of the
/// relationship that leads to an object is left out. An object that has an identity is decoded into the one that the context
/// or the store has with it, so that decoding twice doesn't duplicate anything. Nothing is saved.
///
/// An object is decoded as a whole or not at all: where it can't be, what was made and changed for it is taken back. In an
/// array, the objects before it stay; `NSManagedObjectContext.decode(_:from:with:)` takes those back as well.
///
/// Values have the types of their attributes: a coder that finds a text for an integer throws `DecodingError`, as it does for
/// a struct.
public protocol ManagedCodable: NSManagedObject, Codable {}

extension Decodable {
    /// Becomes the given object, which may be there already. An initialiser of a class can't do that, one of a protocol can.
    fileprivate init(becoming object: Self) { self = object }
}

extension ManagedCodable {
    /// Decodes an object into the decoder's context: a new one, or the one that has its identity.
    ///
    /// - Throws: ``GraftError`` with the coding path where there is no context, for an abstract entity and what the options
    ///   refuse; `DecodingError` for values.
    public init(from decoder: any Decoder) throws {
        self.init(becoming: try ManagedObjectDecoder.decode(Self.self, from: decoder))
    }

    /// Encodes the object with all that it leads to.
    ///
    /// - Throws: ``GraftError`` for objects nested too deep; what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        // Of an array's objects, the class is that of the array, which is the one that decoding will know.
        try withFaultsAsErrors { try ManagedObjectEncoder.encode(self, as: Self.self, to: encoder) }
    }
}

/// A managed object as a value to encode, whether or not its class conforms to anything.
///
///     let json = try JSONEncoder().encode(EncodableGraph(hero))
///
/// The form is that of ``ManagedCodable``.
public struct EncodableGraph: Encodable {
    private let object: NSManagedObject

    /// Wraps an object. Encode it on the queue of its context.
    public init(_ object: NSManagedObject) { self.object = object }

    /// Encodes the object with all that it leads to.
    ///
    /// - Throws: As ``ManagedCodable/encode(to:)``.
    public func encode(to encoder: any Encoder) throws {
        try object.withFaultsAsErrors {
            try ManagedObjectEncoder.encode(object, as: type(of: object), to: encoder)
        }
    }
}
