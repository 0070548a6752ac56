// Plain values in a written archive: user info, default values, constants.

import Foundation

extension ModelArchiver {
    private static let deepest = 32

    /// Adds a text, number, date, data, UUID, URL, array or dictionary; nil becomes `$null`.
    ///
    /// - Parameter setting: What the value belongs to, for the error.
    mutating func add(plain value: Any?, setting: String, depth: Int) throws -> PropertyListValue {
        guard let value else { return KeyedArchiveBuilder.null }
        guard depth < Self.deepest else { throw unarchivable(value, setting) }
        switch value {
        case let text as String: return builder.text(text)
        case let number as NSDecimalNumber: return add(decimal: number.decimalValue)
        case let number as Decimal: return add(decimal: number)
        case let number as NSNumber: return try add(number, setting)
        case let date as Date:
            let seconds = date.timeIntervalSinceReferenceDate
            return builder.add(classes: ["NSDate", "NSObject"], [Field("NS.time", .real(seconds))])
        case let data as Data: return builder.plainValue(.data(data))
        case let uuid as UUID:
            let bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Data($0) }
            return builder.add(classes: ["NSUUID", "NSObject"], [Field("NS.uuidbytes", .data(bytes))])
        case let url as URL:
            let fields = [
                Field("NS.base", KeyedArchiveBuilder.null), Field("NS.relative", builder.text(url.absoluteString)),
            ]
            return builder.add(classes: ["NSURL", "NSObject"], fields)
        case let array as [Any]:
            var members: [PropertyListValue] = []
            for member in array { members.append(try add(plain: member, setting: setting, depth: depth + 1)) }
            return builder.array(members)
        case let dictionary as [AnyHashable: Any]:
            return try add(plainDictionary: dictionary, setting: setting, depth: depth + 1)
        default: throw unarchivable(value, setting)
        }
    }

    /// Adds a dictionary with texts as keys, sorted by key.
    mutating func add(
        plainDictionary dictionary: [AnyHashable: Any], setting: String, depth: Int = 0
    ) throws -> PropertyListValue {
        var texts: [(key: String, value: Any)] = []
        for (key, value) in dictionary {
            guard let text = key.base as? String else { throw unarchivable(key.base, "key of the \(setting)") }
            texts.append((text, value))
        }
        var entries: [(key: PropertyListValue, value: PropertyListValue)] = []
        for (key, value) in texts.sorted(by: { $0.key < $1.key }) {
            let added = try add(plain: value, setting: "\(setting) '\(key)'", depth: depth + 1)
            entries.append((builder.text(key), added))
        }
        return builder.dictionary(entries)
    }

    private mutating func add(decimal: Decimal) -> PropertyListValue {
        builder.add(
            classes: ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            ArchivedDecimal(decimal).fields)
    }

    private mutating func add(_ number: NSNumber, _ setting: String) throws -> PropertyListValue {
        switch unsafe String(cString: number.objCType) {
        case "c", "B": return builder.boolean(number.boolValue)
        case "f", "d": return builder.real(number.doubleValue)
        default:
            guard number.uint64Value <= UInt64(Int64.max) || number.int64Value < 0 else {
                throw unarchivable(number, setting)
            }
            return builder.integer(number.int64Value)
        }
    }

    private func unarchivable(_ value: Any, _ setting: String) -> ModelError {
        error(
            .badValue(
                of: setting, text: "\(String(describing: value).prefix(40)) (\(type(of: value)))",
                expected: "a text, number, date, data, UUID, URL, or a list or dictionary of them"))
    }
}
