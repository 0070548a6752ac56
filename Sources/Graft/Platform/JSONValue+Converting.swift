// Objects that JSON has no form for, on their way to a mapping that will read them back: what transformers return, and the
// dictionaries of Groot's API, may have dates, bytes, UUIDs and URLs in them.

import Foundation

extension JSONValue {
    /// The tree of an object: as ``init(object:)``, with dates in ISO 8601, bytes in Base64, UUIDs and URLs as texts, and
    /// sets as arrays.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` and the path of the object that has no form.
    package init(convertingObject object: Any) throws {
        do {
            self = try Self.converted(object, depth: 0)
        } catch var error as GraftError {
            error.place.path = error.place.path?.reversed()
            throw error
        }
    }

    /// The path of an error is built from its end.
    private static func converted(_ object: Any, depth: Int) throws -> JSONValue {
        guard depth < maximumDepth else { throw GraftError(.tooDeep(limit: maximumDepth), at: .init(path: [])) }
        switch object {
        case let array as [Any]:
            return .array(try array.enumerated().map { try member($1, .index($0), depth) })
        case let dictionary as [String: Any]:
            let sorted = dictionary.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return .object(
                JSONValue.Object(members: try sorted.map { .init(key: $0, value: try member($1, .key($0), depth)) }))
        case let set as NSOrderedSet:
            return .array(try set.array.enumerated().map { try member($1, .index($0), depth) })
        case let set as NSSet:
            return .array(try set.allObjects.enumerated().map { try member($1, .index($0), depth) })
        default:
            if let value = text(of: object) ?? JSONValue(object: object) { return value }
            throw GraftError(
                .notRepresentable(value: "the \(type(of: object)) '\(object)'", format: "JSON"), at: .init(path: []))
        }
    }

    private static func member(
        _ object: Any, _ step: GraftError.Place.PathComponent, _ depth: Int
    ) throws -> JSONValue {
        do {
            return try converted(object, depth: depth + 1)
        } catch var error as GraftError {
            error.place.path = (error.place.path ?? []) + [step]
            throw error
        }
    }

    private static func text(of object: Any) -> JSONValue? {
        switch object {
        case let date as Date: Instant(date.timeIntervalSinceReferenceDate).map { .string($0.iso8601) }
        case let bytes as Data: .string(bytes.base64EncodedString())
        case let uuid as UUID: .string(uuid.uuidString)
        case let url as URL: .string(url.absoluteString)
        default: nil
        }
    }
}
