// Operands in sets: two keys are equal exactly where the operands are.

import Foundation

/// What operands are hashed by.
enum OperandKey: Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case string(ByteString)
    case date(TimeInterval)
    case data(Data)
    case uuid(UUID)
    case identifier(RowIdentity)
    case other(AnyHashable)
    case collection([OperandKey])
    /// No equality that hashing could rely on: every one is its own.
    case unique(ObjectIdentifier)

    init(_ operand: Operand) {
        switch operand {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .real(let value):
            // A whole number is the same key as the integer that equals it.
            if let whole = Int64(exactly: value) { self = .integer(whole) } else { self = .real(value) }
        case .string(let value): self = .string(ByteString(value))
        case .date(let value): self = .date(value)
        case .data(let value): self = .data(value)
        case .uuid(let value): self = .uuid(value)
        case .object(let object): self.init(object)
        case .collection(let collection): self = .collection(collection.elements.map(OperandKey.init))
        case .opaque(let value): self = .other(value)
        }
    }

    private init(_ object: ReadableObject) {
        if let id = object.objectID {
            self = .identifier(RowIdentity(id))
            return
        }
        switch object {
        case .dictionary(let dictionary): self = .other(dictionary)
        case .swiftDictionary(let dictionary): self = .other(NSDictionary(dictionary: dictionary))
        case .reflected(let value as any Hashable): self = .other(AnyHashable(value))
        case .reflected(let value): self = .unique(ObjectIdentifier(value as AnyObject))
        case .keyed(let object): self = .unique(ObjectIdentifier(object))
        case .managed(let object): self = .identifier(RowIdentity(object.objectID))
        case .identifier(let id): self = .identifier(RowIdentity(id))
        }
    }
}

/// A string that equals another only if the bytes do; Swift's own equality sees through normal forms.
struct ByteString: Hashable {
    let string: String

    init(_ string: String) { self.string = string }

    static func == (a: ByteString, b: ByteString) -> Bool { StringComparison.sameBytes(a.string, b.string) }

    func hash(into hasher: inout Hasher) {
        // Equal bytes make equal strings, whose hashes are equal.
        hasher.combine(string)
    }
}

extension SlotValues {
    /// What rows that a uniqueness constraint on some slots forbids have in common; nil where a value is missing: as in SQLite, that
    /// makes rows different.
    func uniqueKey(_ slots: [Int]) -> [OperandKey]? {
        var key: [OperandKey] = []
        for slot in slots {
            let operand = Operand(self[slot])
            if operand.isNull { return nil }
            key.append(OperandKey(operand))
        }
        return key
    }
}
