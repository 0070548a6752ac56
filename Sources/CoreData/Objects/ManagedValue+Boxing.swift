// The edge between slots and `Any?`: what `value(forKey:)` hands out and what `setValue(_:forKey:)` takes in.

import Foundation

extension ManagedValue {
    /// The slot value for an object given by code; nil if the attribute can't hold it.
    ///
    /// Numbers of any class fit any number attribute (as `NSNumber` does on Apple's platforms); nothing is converted
    /// between numbers, strings and dates.
    package init?(boxed value: Any?, for attribute: NSAttributeDescription) {
        guard let value = flattened(value) else {
            self = .null
            return
        }
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            guard let number = Self.integer(value) else { return nil }
            self = .integer(number)
        case .booleanAttributeType:
            if let boolean = value as? Bool {
                self = .boolean(boolean)
            } else if let number = value as? NSNumber {
                self = .boolean(number.boolValue)
            } else {
                return nil
            }
        case .doubleAttributeType, .floatAttributeType:
            guard let number = Self.double(value) else { return nil }
            self = .double(number)
        case .decimalAttributeType:
            guard let number = Self.decimal(value) else { return nil }
            self = .decimal(number)
        case .stringAttributeType:
            guard let string = value as? String else { return nil }
            self = .string(string)
        case .dateAttributeType:
            guard let date = value as? Date else { return nil }
            self = .date(date.timeIntervalSinceReferenceDate)
        case .binaryDataAttributeType:
            guard let data = value as? Data else { return nil }
            self = .data(data)
        case .UUIDAttributeType:
            guard let uuid = value as? UUID else { return nil }
            self = .uuid(uuid)
        case .URIAttributeType:
            guard let url = value as? URL else { return nil }
            self = .uri(url)
        default:
            self = .transformable(
                TransformableValue(object: value, transformerName: attribute.valueTransformerName))
        }
    }

    /// The value as the outside sees it: `NSNumber`, `NSDecimalNumber`, `String`, `Date`, `Data`, `UUID`, `URL`, or the
    /// transformable's object; nil for none and for relationships, which need a context.
    package var boxedAttribute: Any? {
        switch self {
        case .null, .objectID, .object, .objects, .unread, .memberIDs: nil
        case .boolean(let boolean): NSNumber(value: boolean)
        case .integer(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        case .string(let string): string
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): data
        case .uuid(let uuid): uuid
        case .decimal(let decimal): HashableDecimalNumber(decimal: decimal)
        case .uri(let url): url
        case .transformable(let value): value.shownObject
        }
    }

    /// Whether it is what isn't a number, of which SQL makes no value.
    var isNaN: Bool {
        switch self {
        case .double(let number), .date(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }

    /// The ID of the destination of a to-one relationship.
    package var referencedID: NSManagedObjectID? {
        switch self {
        case .objectID(let id): id
        case .object(let object): object.objectID
        default: nil
        }
    }

    private static func integer(_ value: Any) -> Int64? {
        switch value {
        case let number as Int: Int64(number)
        case let number as Int64: number
        case let number as Int32: Int64(number)
        case let number as Int16: Int64(number)
        // The bits, as `NSNumber` has them.
        case let number as UInt64: Int64(bitPattern: number)
        case let number as UInt: Int64(bitPattern: UInt64(number))
        case let number as any BinaryInteger: Int64(exactly: number)
        case let number as NSNumber: number.int64Value
        default: nil
        }
    }

    private static func double(_ value: Any) -> Double? {
        switch value {
        case let number as Double: number
        case let number as Float: Double(number)
        case let number as NSNumber: number.doubleValue
        case let number as any BinaryFloatingPoint: Double(number)
        case let number as any BinaryInteger: Double(number)
        default: nil
        }
    }

    private static func decimal(_ value: Any) -> Decimal? {
        switch value {
        case let number as Decimal: number
        case let number as NSNumber: number.exactDecimal
        case let number as any BinaryInteger: Decimal(string: String(number))
        default: nil
        }
    }
}

extension ManagedValue {
    /// Whether two slots hold the same value. Two to-many slots are the same if their members are, in any order.
    package func isSame(as other: ManagedValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)): a == b || (a.isNaN && b.isNaN)
        case (.string(let a), .string(let b)): Self.sameScalars(a, b)
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.uri(let a), .uri(let b)): a == b
        case (.transformable(let a), .transformable(let b)): a.isSame(as: b)
        case (.object(let a), .object(let b)): a === b
        case (.objectID, .objectID), (.objectID, .object), (.object, .objectID): referencedID == other.referencedID
        case (.objects(let a), .objects(let b)): a.hasSameMembers(as: b, ordered: false)
        case (.unread(let a), .unread(let b)): (a?.isEmpty ?? true) && (b?.isEmpty ?? true)
        case (.unread(let delta), .memberIDs), (.memberIDs, .unread(let delta)): delta?.isEmpty ?? true
        case (.memberIDs, .memberIDs): true
        default: false
        }
    }

    /// Strings are compared by their bytes: `é` in two normal forms are two values to a store.
    fileprivate static func sameScalars(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8)
    }
}

extension TransformableValue {
    /// Whether both hold equal objects or, where a class has no equality, the same bytes.
    func isSame(as other: TransformableValue) -> Bool {
        if self === other { return true }
        // What is one object may have been changed in place since its bytes were made.
        if let object, let twin = other.object, !isOne(object, twin) {
            if let mine = object as? NSObject, let theirs = twin as? NSObject {
                return mine.isEqual(theirs) && Self.haveSameScalars(object, twin)
            }
            if let mine = object as? any Hashable, let theirs = twin as? any Hashable {
                return AnyHashable(mine) == AnyHashable(theirs) && Self.haveSameScalars(object, twin)
            }
        }
        guard let mine = try? storedBytes(), let theirs = try? other.storedBytes() else {
            // Objects that can't be encoded have no equality that could be relied on; the save will report them.
            return false
        }
        return mine == theirs
    }

    private func isOne(_ object: Any, _ twin: Any) -> Bool {
        type(of: object) is AnyClass && type(of: twin) is AnyClass && object as AnyObject === twin as AnyObject
            && TransformableCoding.hasMutableParts(object)
    }

    /// Whether the texts in equal trees have the same bytes, too, and the numbers the same digits: Foundation on Linux takes `é` in two
    /// normal forms as equal, `true` and 1, and numbers that are one double.
    private static func haveSameScalars(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as String, let other as String): return ManagedValue.sameScalars(one, other)
        case (let one as [Any], let other as [Any]):
            return zip(one, other).allSatisfy { haveSameScalars($0, $1) }
        case (let one as [AnyHashable: Any], let other as [AnyHashable: Any]):
            return one.allSatisfy { key, value in
                guard let twin = other.index(forKey: key) else { return false }
                return haveSameScalars(key.base, other[twin].key.base) && haveSameScalars(value, other[twin].value)
            }
        case (let one as NSNumber, let other as NSNumber): return isSameNumber(one, other)
        default: return true
        }
    }

    private static func isSameNumber(_ one: NSNumber, _ other: NSNumber) -> Bool {
        // Foundation has booleans of a class of its own.
        func isBoolean(_ number: NSNumber) -> Bool { type(of: number) == type(of: NSNumber(value: true)) }
        guard isBoolean(one) == isBoolean(other) else { return false }
        if one.stringValue == other.stringValue { return true }
        // A Float has other digits than the double that it is.
        return !(one is NSDecimalNumber || other is NSDecimalNumber) && one.doubleValue == other.doubleValue
            && one.int64Value == other.int64Value
    }
}
