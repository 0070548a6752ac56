// The names of objects in JSON archives:
//
//     Hero/12            the entity and the identity, so that the name stays when anything else changes
//     Place/de/Berlin    an identity of several attributes; "%" and "/" in its parts are %25 and %2F
//     Note#7             an object without identity: its row's number in the store
//     Note#+3            one that isn't saved yet, or whose number one of another store has: the third such

import CoreData
import Foundation

/// Names objects, each one differently.
struct ArchiveNames {
    /// The hashes of the names by identity. Where two names had one hash, the second object would be named by its row: names
    /// differ in any case, and their texts needn't be kept.
    private var taken: Set<UInt64> = []
    private var unsavedCount = 0
    /// The entity of the latest name. No other entity has such.
    private var entity = ""

    /// The name of an object. Objects of one entity come one after the other.
    ///
    /// - Parameter identity: The values that identify it; empty where it has no complete identity.
    mutating func name(_ id: NSManagedObjectID, _ entity: String, identity: [GraphValue]) -> String {
        if entity != self.entity {
            self.entity = entity
            taken.removeAll(keepingCapacity: true)
            unsavedCount = 0
        }
        let parts = identity.compactMap { Self.text($0) }
        if !parts.isEmpty, parts.count == identity.count {
            let name = "\(entity)/\(parts.count == 1 ? parts[0] : parts.map(Self.escaped).joined(separator: "/"))"
            // Without a constraint in the store, two objects can have one identity.
            if taken.insert(Self.hash(name)).inserted { return name }
        }
        if !id.isTemporaryID {
            let key = id.uriRepresentation().lastPathComponent.dropFirst()
            let name = "\(entity)#\(key)"
            // Rows of two stores have the same numbers.
            if !key.isEmpty, taken.insert(Self.hash(name)).inserted { return name }
        }
        unsavedCount += 1
        return "\(entity)#+\(unsavedCount)"
    }

    /// The same in each process, so that an archive is (64-bit FNV-1a, draft-eastlake-fnv).
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// The text of an identifying value; nil for one that has none that tells it from all others.
    private static func text(_ value: GraphValue) -> String? {
        switch value {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value), .date(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .data(let value): value.base64EncodedString()
        case .null, .json, .encoded: nil
        }
    }

    private static func escaped(_ part: String) -> String {
        part.utf8.contains { $0 == 0x25 || $0 == 0x2F }
            ? part.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F") : part
    }
}

/// From the names in an archive to numbers: in the order in which they are first mentioned. Keeps no texts, only 128 bits of
/// hash for each, with which no two names will ever be taken for one.
struct ArchiveNameTable {
    private struct Key: Hashable {
        var high: UInt64
        var low: UInt64
    }

    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private var numbers: [Key: Int32] = [:]
    private var isDefined: [Bool] = []
    private(set) var definedCount = 0

    /// How many names have been mentioned that no object has had.
    var undefinedCount: Int { isDefined.count - definedCount }

    /// The number of a name.
    mutating func number(_ name: Span<UInt8>) -> Int {
        let key = Self.key(name)
        if let number = numbers[key] { return Int(number) }
        let number = isDefined.count
        numbers[key] = Int32(truncatingIfNeeded: number)
        isDefined.append(false)
        return number
    }

    /// The number of an object's own name; nil where another object has had it.
    mutating func define(_ name: Span<UInt8>) -> Int? {
        let number = number(name)
        if isDefined[number] { return nil }
        isDefined[number] = true
        definedCount += 1
        return number
    }

    private static func key(_ name: Span<UInt8>) -> Key {
        var key = Key(high: seeds.0, low: seeds.1)
        func mix(_ state: inout UInt64, _ word: UInt64, _ factor: UInt64) {
            let product = (state ^ word).multipliedFullWidth(by: factor)
            state = product.high ^ product.low
        }
        func mix(_ word: UInt64) {
            mix(&key.high, word, 0x9E37_79B9_7F4A_7C15)
            mix(&key.low, word, 0xD6E8_FEB8_6659_FD93)
        }
        var offset = 0
        while offset &+ 8 <= name.count {
            mix(name.word(at: offset))
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < name.count {
            rest = rest &<< 8 | UInt64(name[offset])
            offset &+= 1
        }
        mix(rest)
        mix(UInt64(name.count))
        return key
    }
}
