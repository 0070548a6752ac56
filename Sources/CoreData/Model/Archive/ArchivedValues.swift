// Plain values in archives: default values, user info, constants of expressions.

import Foundation

/// Reads values out of a keyed archive.
enum ArchivedValues {
    typealias Damage = KeyedArchive.Damage

    private static let deepest = KeyedArchiveBuilder.deepestTree

    /// A dictionary such as user info; empty where there is none. Values of classes that aren't plain data are left
    /// out: they are of no use without the classes.
    static func dictionary(
        _ field: PropertyListValue?, in archive: KeyedArchive, depth: Int = 0
    ) throws(Damage) -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for (key, value) in try archive.entries(field) ?? [] {
            if let value = try Self.value(value, in: archive, depth: depth) { result[key] = value }
        }
        return result
    }

    /// Any plain value: a text, number, date, data, UUID, URL, array, set or dictionary; nil for others and for `$null`.
    static func value(
        _ field: PropertyListValue?, in archive: KeyedArchive, depth: Int = 0
    ) throws(Damage) -> Any? {
        guard depth < deepest else { throw Damage(reason: "values are nested more than \(deepest) deep") }
        let found = try archive.value(field)
        if let scalar = found?.scalar { return scalar }
        guard case .dictionary? = found, let object = try archive.object(field) else { return nil }
        return try value(of: object, field, in: archive, depth: depth)
    }

    private static func value(
        of object: KeyedArchive.Object, _ field: PropertyListValue?, in archive: KeyedArchive, depth: Int
    ) throws(Damage) -> Any? {
        switch object.className {
        case "NSString", "NSMutableString": return try archive.text(field)
        case "NSData", "NSMutableData":
            guard case .data(let data)? = try archive.value(object["NS.data"]) else { return nil }
            return data
        case "NSDate":
            guard let seconds = try real(object["NS.time"], in: archive) else { return nil }
            if seconds.isNaN { throw Damage(reason: "a date isn't a number") }
            return Date(timeIntervalSinceReferenceDate: seconds)
        case "NSUUID":
            guard case .data(let data)? = try archive.value(object["NS.uuidbytes"]) else { return nil }
            return UUID(archivedBytes: data)
        case "NSURL":
            let base = try value(object["NS.base"], in: archive, depth: depth + 1) as? URL
            return try archive.text(object["NS.relative"]).flatMap { URL(string: $0, relativeTo: base) }
        case "NSNull": return NSNull()
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            return try ArchivedDecimal(object, in: archive).map { NSDecimalNumber(decimal: $0.value) }
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            var members: [Any] = []
            for member in try archive.members(field) ?? [] {
                if let value = try value(member, in: archive, depth: depth + 1) { members.append(value) }
            }
            return members
        default:
            return try archive.entries(field) == nil ? nil : try dictionary(field, in: archive, depth: depth + 1)
        }
    }

    /// An attribute's default value in the form that the attribute's type has everywhere.
    static func defaultValue(
        _ field: PropertyListValue?, of type: NSAttributeType, in archive: KeyedArchive
    ) throws(Damage) -> Any? {
        guard let value = try value(field, in: archive) else { return nil }
        switch (type, value) {
        case (.integer16AttributeType, let number as NSNumber), (.integer32AttributeType, let number as NSNumber),
            (.integer64AttributeType, let number as NSNumber):
            return NSNumber(value: number.int64Value)
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            return NSNumber(value: number.doubleValue)
        case (.booleanAttributeType, let number as NSNumber): return NSNumber(value: number.boolValue)
        case (.decimalAttributeType, let number as NSDecimalNumber): return number
        case (.decimalAttributeType, let number as NSNumber): return NSDecimalNumber(decimal: number.exactDecimal)
        default: return value
        }
    }

    static func real(_ field: PropertyListValue?, in archive: KeyedArchive) throws(Damage) -> Double? {
        switch try archive.value(field) {
        case .real(let value)?, .date(let value)?: value
        case .integer(let value)?: Double(value)
        default: nil
        }
    }
}

/// A decimal number as archives have it: up to 128 bits of mantissa, lowest byte first, and a power of ten.
struct ArchivedDecimal {
    let value: Decimal

    init(_ value: Decimal) { self.value = value }

    init?(_ object: KeyedArchive.Object, in archive: KeyedArchive) throws(KeyedArchive.Damage) {
        guard case .data(let mantissa)? = try archive.value(object["NS.mantissa"]), mantissa.count == 16,
            let length = try archive.integer(object["NS.length"]), (0...8).contains(length),
            let exponent = try archive.integer(object["NS.exponent"]), (-128...127).contains(exponent)
        else { throw KeyedArchive.Damage(reason: "a decimal number is damaged") }
        let isLittle = try archive.integer(object["NS.mantissa.bo"]) != 2
        let isNegative = try archive.flag(object["NS.negative"])
        // Length 0 with a sign is how "not a number" is kept.
        if length == 0, isNegative { return nil }
        var units: [Decimal] = []
        let bytes = [UInt8](mantissa)
        for unit in 0..<Int(length) {
            let (low, high) = isLittle ? (bytes[2 * unit], bytes[2 * unit + 1]) : (bytes[2 * unit + 1], bytes[2 * unit])
            units.append(Decimal(UInt16(high) << 8 | UInt16(low)))
        }
        let magnitude = units.reversed().reduce(Decimal(0)) { $0 * 65536 + $1 }
        value = Decimal(sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: magnitude)
    }

    /// The fields of an archived `NSDecimalNumber`.
    var fields: [KeyedArchiveBuilder.Field] {
        let units = Self.units(ofDigits: value.significand.description)
        let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return [
            .init("NS.exponent", .integer(Int64(value.exponent))), .init("NS.length", .integer(Int64(units.count))),
            .init("NS.negative", .boolean(value.sign == .minus)), .init("NS.compact", .boolean(true)),
            .init("NS.mantissa.bo", .integer(1)),
            .init("NS.mantissa", .data(Data(bytes + [UInt8](repeating: 0, count: 16 - bytes.count)))),
        ]
    }
}

extension ArchivedDecimal {
    /// A whole number in units of 16 bits, lowest first: the digits divided by 65536 again and again.
    private static func units(ofDigits text: String) -> [UInt16] {
        var digits = text.utf8.compactMap { (48...57).contains($0) ? Int($0 - 48) : nil }
        var units: [UInt16] = []
        while digits.contains(where: { $0 != 0 }), units.count < 8 {
            var remainder = 0
            for index in digits.indices {
                let value = remainder * 10 + digits[index]
                digits[index] = value / 65536
                remainder = value % 65536
            }
            units.append(UInt16(truncatingIfNeeded: remainder))
        }
        return units
    }
}

extension UUID {
    /// A UUID of 16 bytes, nil for another number of them.
    init?(archivedBytes data: Data) {
        guard data.count == 16 else { return nil }
        var text = ""
        for (index, byte) in data.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += String(byte >> 4, radix: 16) + String(byte & 0x0F, radix: 16)
        }
        self.init(uuidString: text)
    }
}
