// A constant of an expression: the value as translators read it, and as an operand. A collection's operands are made when
// they are first asked for, because the stores often don't need them, and a large one is searched by hashing.

import Foundation
import Synchronization

/// A constant.
final class ConstantValue {
    /// Numbers are `NSNumber`, `NSNull` is nil.
    let value: Any?
    /// Whether it was given as `NSNull`. It means nil, but is written otherwise.
    let isNSNull: Bool
    private let scalar: Operand?
    private let cache = Mutex<Collection?>(nil)

    init(_ value: Any?) {
        let normal = Self.normalized(value)
        self.value = normal
        isNSNull = value is NSNull
        scalar = Self.isCollection(normal) ? nil : Operand(normal)
    }

    /// The members of a constant collection.
    final class Collection: @unchecked Sendable {
        // Safe: nothing changes after init.
        let operand: Operand
        let members: OperandCollection
        let keys: Set<OperandKey>
        /// Those of whole numbers that are no real ones.
        let integerKeys: Set<OperandKey>

        fileprivate init(_ members: OperandCollection) {
            self.members = members
            operand = .collection(members)
            keys = Set(members.elements.map(OperandKey.init))
            let integers = members.elements.filter { if case .integer = $0 { true } else { false } }
            integerKeys =
                integers.count == members.elements.count ? keys : Set(integers.map(OperandKey.init))
        }
    }

    /// The members, if it is a collection.
    var collection: Collection? {
        if scalar != nil { return nil }
        return cache.withLock { cached in
            if let cached { return cached }
            guard case .collection(let members) = Operand(value) else { return nil }
            let made = Collection(members)
            cached = made
            return made
        }
    }

    var operand: Operand { scalar ?? collection?.operand ?? .null }

    private static func isCollection(_ value: Any?) -> Bool {
        switch value {
        case nil, is String, is NSNumber, is NSManagedObject: false
        case is NSArray, is NSSet, is NSOrderedSet: true
        case is NSDictionary, is any KeyValueReadable: false
        case let value as any Swift.Collection: !(value is Data) && !(value is [String: Any])
        default: false
        }
    }

    private static func normalized(_ value: Any?) -> Any? {
        guard let value else { return nil }
        // Objects first: a cast to `Int` would make an integer of an `NSNumber` that is a double.
        if type(of: value) is AnyClass {
            if value is NSNull { return nil }
            return (value as? NSString).map { String($0) } ?? value
        }
        switch value {
        case let string as String: return string
        case let number as Int: return NSNumber(value: number)
        case let number as Double: return NSNumber(value: number)
        case let optional as any OptionalLayer: return normalized(optional.wrapped)
        case let decimal as Decimal: return NSDecimalNumber(decimal: decimal)
        case is Bool, is any BinaryInteger, is any BinaryFloatingPoint: return value as? NSNumber ?? value
        default: return value
        }
    }
}
