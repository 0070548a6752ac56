// The values that predicates and sort descriptors compare, in memory and (through the functions of Stores/SQL) in SQLite.
// Both must give the same answers, so everything is reduced here to what SQLite tells apart:
//
//     Bool, Int, NSNumber, Decimal   integer or real, compared exactly across the two; NaN is null, as in SQLite
//     Date                           seconds since 2001
//     String, URL                    text, compared byte by byte in UTF-8 (SQLite's BINARY)
//     UUID, Data                     bytes
//     NSManagedObject and its ID     the ID

import Foundation

/// A value in a comparison.
enum Operand {
    case null
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(TimeInterval)
    case data(Data)
    case uuid(UUID)
    case object(ReadableObject)
    case collection(OperandCollection)
    /// Something that can only be compared by identity or by its own equality.
    case opaque(AnyHashable)
}

/// Something with keys.
enum ReadableObject {
    case managed(NSManagedObject)
    case keyed(any KeyValueReadable)
    case identifier(NSManagedObjectID)
    case dictionary(NSDictionary)
    case swiftDictionary([String: Any])
    /// Any other object or value; its stored properties are read by reflection.
    case reflected(Any)
}

/// The members of a collection.
struct OperandCollection {
    var elements: [Operand]
    /// False for sets: they are equal in any order.
    var isOrdered: Bool
}

extension Operand {
    /// Whether there is no value.
    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// A real number; NaN is no value, as in SQLite.
    static func number(_ value: Double) -> Operand { value.isNaN ? .null : .real(value) }

    static func boolean(_ value: Bool) -> Operand { .integer(value ? 1 : 0) }

    /// The operand for any value.
    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        if type(of: value) is AnyClass {
            self.init(object: value as AnyObject)
            return
        }
        switch value {
        case let value as String: self = .string(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Double: self = .number(value)
        case let value as Bool: self = .boolean(value)
        case let value as Date: self = .number(date: value.timeIntervalSinceReferenceDate)
        case let value as UUID: self = .uuid(value)
        case let value as Data: self = .data(value)
        case let value as URL: self = .string(value.absoluteString)
        case let value as Decimal: self.init(decimal: value)
        case let value as any FixedWidthInteger: self.init(integer: value)
        case let value as Float: self = .number(Double(value))
        case let value as [Any]: self = .collection(OperandCollection(ordered: value))
        case let value as [String: Any]: self = .object(.swiftDictionary(value))
        default: self.init(unusual: value)
        }
    }

    /// A date; one that is no point in time is no value.
    static func number(date seconds: TimeInterval) -> Operand { seconds.isNaN ? .null : .date(seconds) }

    private init(object: AnyObject) {
        switch object {
        case let object as NSManagedObject: self = .object(.managed(object))
        case let number as NSNumber: self.init(number: number)
        case let string as NSString: self = .string(String(string))
        case let object as any KeyValueReadable: self = .object(.keyed(object))
        case let id as NSManagedObjectID: self = .object(.identifier(id))
        case let set as NSSet: self = .collection(OperandCollection(unordered: set.allObjects))
        case let set as NSOrderedSet: self = .collection(OperandCollection(ordered: set.array))
        case let array as NSArray: self = .collection(OperandCollection(ordered: Array(array)))
        case is NSNull: self = .null
        case let dictionary as NSDictionary: self = .object(.dictionary(dictionary))
        case let date as NSDate: self = .number(date: date.timeIntervalSinceReferenceDate)
        case let data as NSData: self = .data(Data(referencing: data))
        case let uuid as NSUUID: self = .uuid(uuid as UUID)
        case let url as NSURL: self = .string(url.absoluteString)
        case let expression as NSExpression where expression.expressionType == .constantValue:
            // An element of a list that code has made: the bounds of BETWEEN.
            self.init(expression.constantValue)
        case let object as NSObject: self = .opaque(object)
        default: self = .object(.reflected(object))
        }
    }

    /// Sets, optionals, and whatever else there is.
    private init(unusual value: Any) {
        if let optional = value as? any OptionalLayer {
            self.init(optional.wrapped)
        } else if let collection = value as? any Collection {
            let isOrdered = !(value is any SetAlgebra)
            self = .collection(OperandCollection(elements: Self.elements(of: collection), isOrdered: isOrdered))
        } else if let hashable = value as? AnyHashable, Mirror(reflecting: value).children.isEmpty {
            self = .opaque(hashable)
        } else {
            self = .object(.reflected(value))
        }
    }

    private static func elements<C: Collection>(of collection: C) -> [Operand] { collection.map { Operand($0) } }

    private init(integer value: some FixedWidthInteger) {
        if let exact = Int64(exactly: value) { self = .integer(exact) } else { self = .number(Double(value)) }
    }

    private init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self.init(decimal: decimal.decimalValue)
            return
        }
        // Safe: the type code is a static string, and its first character says everything.
        switch UInt8(bitPattern: unsafe number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .number(number.doubleValue)
        case UInt8(ascii: "Q"): self.init(integer: number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    /// A decimal as SQLite keeps it: whole ones are integers, others the nearest double. Below 2⁵³ a double is as good as
    /// an integer in a comparison, and makes a division a real one.
    init(decimal: Decimal) {
        let text = decimal.description
        guard let double = Double(text), !double.isNaN else {
            self = .null
            return
        }
        if abs(double) >= 0x1p53, let whole = Int64(text) {
            self = .integer(whole)
        } else {
            self = .real(double)
        }
    }

    /// A slot of a managed object or of a row.
    init(_ value: ManagedValue) {
        switch value {
        case .null, .unread, .memberIDs: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .date(let value): self = .number(date: value)
        case .data(let value): self = .data(value)
        case .uuid(let value): self = .uuid(value)
        case .decimal(let value): self.init(decimal: value)
        case .uri(let value): self = .string(value.absoluteString)
        case .transformable(let value): self.init(value.object)
        case .objectID(let id): self = .object(.identifier(id))
        case .object(let object): self = .object(.managed(object))
        case .objects(let members):
            self = .collection(
                OperandCollection(elements: members.objects.map { .object(.managed($0)) }, isOrdered: true))
        }
    }
}

extension OperandCollection {
    init(ordered values: [Any]) { self.init(elements: values.map { Operand($0) }, isOrdered: true) }
    init(unordered values: [Any]) { self.init(elements: values.map { Operand($0) }, isOrdered: false) }
}
