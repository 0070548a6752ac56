// Plain values in a written archive: texts, numbers, dates, data, UUIDs, URLs, nulls, and lists and dictionaries of them.

import Foundation

/// A value of a class that isn't plain data, or one that is nested too deep.
struct UnarchivableValue: Error {
    /// The value and its type, for people.
    var text: String
    /// The keys that lead to it, the outermost first.
    var keys: [String] = []

    init(_ value: Any) { text = "\(String(describing: value).prefix(40)) (\(type(of: value)))" }
}

extension KeyedArchiveBuilder {
    /// How deep a tree of values may be: as deep as JSON that is read.
    static let deepestTree = 512

    /// Adds a plain value; nil becomes `$null`. Numbers keep their types: Foundation's archiver on Linux takes equal objects
    /// for the same one, so that 1 after `true` would come back as `true`.
    ///
    /// - Throws: ``UnarchivableValue``.
    mutating func add(plain value: Any?, deepest: Int) throws -> PropertyListValue {
        guard let value else { return Self.null }
        guard deepest > 0 else { throw UnarchivableValue(value) }
        // Not for values of Swift's: a cast of a list or a dictionary to a class makes objects of everything in it, each time anew.
        if type(of: value) is AnyClass, let made = try add(mutable: value, deepest: deepest) { return made }
        switch value {
        case let text as String: return self.text(text)
        case let array as [Any]:
            return self.array(try array.map { try add(plain: $0, deepest: deepest - 1) })
        case let dictionary as [AnyHashable: Any]: return try add(plainDictionary: dictionary, deepest: deepest)
        case is NSNull: return add(classes: ["NSNull", "NSObject"], [])
        case let number as NSDecimalNumber: return add(decimal: number.decimalValue)
        case let number as Decimal: return add(decimal: number)
        case let number as NSNumber: return add(number)
        case let date as Date:
            let seconds = date.timeIntervalSinceReferenceDate
            return add(classes: ["NSDate", "NSObject"], [Field("NS.time", .real(seconds))])
        case let data as Data: return plainValue(.data(data))
        case let uuid as UUID:
            let bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Data($0) }
            return add(classes: ["NSUUID", "NSObject"], [Field("NS.uuidbytes", .data(bytes))])
        case let url as URL:
            let fields = [Field("NS.base", Self.null), Field("NS.relative", text(url.absoluteString))]
            return add(classes: ["NSURL", "NSObject"], fields)
        default: throw UnarchivableValue(value)
        }
    }

    /// Adds what can be changed in place; nil for another object.
    private mutating func add(mutable object: Any, deepest: Int) throws -> PropertyListValue? {
        switch object {
        case let shape as MutableShape:
            switch shape.content {
            case let text as String: return mutableText(text)
            case let array as [Any]:
                return self.array(try array.map { try add(plain: $0, deepest: deepest - 1) }, isMutable: true)
            case let dictionary as [AnyHashable: Any]:
                return try add(plainDictionary: dictionary, deepest: deepest, isMutable: true)
            default: throw UnarchivableValue(object)
            }
        case let array as NSMutableArray:
            return self.array(try array.map { try add(plain: $0, deepest: deepest - 1) }, isMutable: true)
        case let dictionary as NSMutableDictionary:
            let plain = dictionary as? [AnyHashable: Any] ?? [:]
            return try add(plainDictionary: plain, deepest: deepest, isMutable: true)
        case let text as NSMutableString: return mutableText(text.substring(from: 0))
        case let data as NSMutableData:
            let field = Field("NS.data", .data(Data(referencing: data)))
            return add(classes: ["NSMutableData", "NSData", "NSObject"], [field])
        default: return nil
        }
    }

    private mutating func mutableText(_ text: String) -> PropertyListValue {
        add(classes: ["NSMutableString", "NSString", "NSObject"], [Field("NS.string", .string(text))])
    }

    /// Adds a dictionary with texts as keys, sorted by key.
    mutating func add(
        plainDictionary dictionary: [AnyHashable: Any], deepest: Int, isMutable: Bool = false
    ) throws -> PropertyListValue {
        var texts: [(key: String, value: Any)] = []
        for (key, value) in dictionary {
            guard let text = key.base as? String else { throw UnarchivableValue(key.base) }
            texts.append((text, value))
        }
        var entries: [(key: PropertyListValue, value: PropertyListValue)] = []
        for (key, value) in texts.sorted(by: { $0.key < $1.key }) {
            do {
                let added = try add(plain: value, deepest: deepest - 1)
                entries.append((text(key), added))
            } catch var error as UnarchivableValue {
                error.keys.insert(key, at: 0)
                throw error
            }
        }
        return self.dictionary(entries, isMutable: isMutable)
    }

    private mutating func add(decimal: Decimal) -> PropertyListValue {
        add(
            classes: ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            ArchivedDecimal(decimal).fields)
    }

    private mutating func add(_ number: NSNumber) -> PropertyListValue {
        switch unsafe String(cString: number.objCType) {
        case "c", "B": return boolean(number.boolValue)
        case "f", "d": return real(number.doubleValue)
        default:
            let isUnsigned = unsafe String(cString: number.objCType) == "Q"
            if isUnsigned, number.uint64Value > UInt64(Int64.max) { return plainValue(.unsigned(number.uint64Value)) }
            return integer(number.int64Value)
        }
    }
}
