// What a binary property list holds. Foundation reads these too, but on Linux it gives the references of a keyed archive
// (UIDs) a private type, and its order of dictionary entries is that of a hash.

package import Foundation

/// A value of a property list.
package indirect enum PropertyListValue: Equatable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    /// A whole number beyond 63 bits; smaller ones are ``integer(_:)``.
    case unsigned(UInt64)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(TimeInterval)
    case data(Data)
    case string(String)
    /// A reference to an object of a keyed archive.
    case uid(Int)
    case array([PropertyListValue])
    /// Entries in the file's order.
    case dictionary([Entry])

    /// A single value as an object; nil for a reference, an array and a dictionary.
    var scalar: Any? {
        switch self {
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): data
        case .string(let text): text
        case .uid, .array, .dictionary: nil
        }
    }

    package struct Entry: Equatable, Sendable {
        package var key: String
        package var value: PropertyListValue

        package init(_ key: String, _ value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value of a dictionary's key; nil for other values.
    package subscript(key: String) -> PropertyListValue? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }
}

extension PropertyListValue {
    /// The value in Foundation's classes.
    ///
    /// - Throws: ``PropertyListError`` for a reference of a keyed archive, which has no class, and for two keys that Swift takes
    ///   for one.
    func object() throws(PropertyListError) -> Any {
        switch self {
        case .boolean(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .unsigned(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): return data
        case .string(let text): return text
        case .uid: throw PropertyListError(description: "it has references in it, as a keyed archive")
        case .array(let values):
            var objects: [Any] = []
            for value in values { objects.append(try value.object()) }
            return objects
        case .dictionary(let entries):
            var objects: [String: Any] = [:]
            for entry in entries {
                guard objects.updateValue(try entry.value.object(), forKey: entry.key) == nil else {
                    throw PropertyListError(description: "a dictionary has the key '\(entry.key)' twice")
                }
            }
            return objects
        }
    }
}

/// A property list that can't be read.
package struct PropertyListError: Error, CustomStringConvertible {
    package var description: String
}
