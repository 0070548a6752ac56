// Between the values of attributes and what stands for them in dictionaries. Reading accepts all forms, so whoever reads a
// dictionary needn't know how it was written.

import CoreData
import Foundation

enum DictionaryValue {
    // MARK: Writing

    /// What stands for an object's attribute in a dictionary; nil where it has no value.
    ///
    /// - Throws: ``GraftError`` with `notRepresentable` for a value that the form has no place for.
    static func object(
        for object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property, form: DictionaryOptions.ValueForm
    ) throws -> Any? {
        let value = try object.graphValue(number, property)
        switch value {
        case .null: return nil
        case .json(let tree): return try self.object(for: tree, of: object, property, form)
        case .encoded(let bytes):
            if form == .native { return object.value(forKeyPath: property.name) }
            return [AttributeConverter.bytesKey: bytes.base64EncodedString()]
        default:
            return try form == .native ? value.object : plain(value, isJSON: form == .json)
        }
    }

    /// What stands for a value in a dictionary; nil for null. What a transformable attribute holds is a tree or its bytes.
    ///
    /// - Throws: As ``object(for:_:_:form:)``.
    static func object(for value: GraphValue, form: DictionaryOptions.ValueForm) throws -> Any? {
        switch value {
        case .encoded(let bytes): [AttributeConverter.bytesKey: bytes.base64EncodedString()]
        case .json(let tree) where form == .propertyList && !tree.fitsPropertyLists:
            [AttributeConverter.treeKey: tree.description]
        case .json(let tree):
            AttributeConverter.needsWrapper(tree) ? [AttributeConverter.treeKey: tree.object] : tree.object
        default: try form == .native ? value.object : plain(value, isJSON: form == .json)
        }
    }

    private static func object(
        for tree: JSONValue, of object: NSManagedObject, _ property: GraphSchema.Property,
        _ form: DictionaryOptions.ValueForm
    ) throws -> Any? {
        // The text of the tree stands for what a property list can't hold. A string isn't wrapped otherwise.
        if form == .propertyList, !tree.fitsPropertyLists { return [AttributeConverter.treeKey: tree.description] }
        if AttributeConverter.needsWrapper(tree) { return [AttributeConverter.treeKey: tree.object] }
        return form == .native ? object.value(forKeyPath: property.name) : tree.object
    }

    /// From the beginning of the year 1 to that of 10000.
    private static let fourDigitYears = -63_113_904_000.0..<252_423_993_600.0

    /// A value that JSON or a property list can hold.
    private static func plain(_ value: GraphValue, isJSON: Bool) throws -> Any? {
        switch value {
        case .uuid(let value): return value.uuidString
        case .uri(let value): return value.absoluteString
        case .decimal(let value) where !isJSON: return value.description
        case .decimal(let value) where value.isNaN:
            throw GraftError(.notRepresentable(value: "NaN", format: "JSON"))
        case .double(let value) where isJSON && !value.isFinite:
            throw GraftError(.notRepresentable(value: "\(value)", format: "JSON"))
        // A property list in XML has dates to the second, in years of four digits; a text keeps the others.
        case .date(let seconds)
        where isJSON || seconds != seconds.rounded() || !fourDigitYears.contains(seconds):
            if let instant = Instant(seconds) { return instant.iso8601 }
            throw GraftError(.notRepresentable(value: "a date \(seconds) seconds from 2001", format: "ISO 8601"))
        case .data(let value) where isJSON: return value.base64EncodedString()
        default: return value.object
        }
    }

    // MARK: Reading

    /// The value of an attribute for what stands in a dictionary.
    ///
    /// Numbers and texts are converted as those of JSON (``AttributeConverter/value(of:in:)``); dates, data, UUIDs, URLs and
    /// decimals may also be themselves, and a transformable attribute takes any object.
    ///
    /// - Parameter transformerName: The transformer that a transformable attribute is stored with.
    /// - Throws: ``GraftError`` with `wrongType` or `outOfRange`, without a place.
    static func value(
        of object: Any, _ converter: AttributeConverter, transformerName: String? = nil
    ) throws -> GraphValue {
        if isContainer(object) {
            guard converter.kind == .transformable else { throw wrongType(object, converter) }
            try checkDepth(object)
            return try transformable(object, transformerName)
        }
        if object is NSNull { return .null }
        switch (converter.kind, object) {
        case (.string, let text as String): return .string(text)
        case (.date, let date as Date): return .date(date.timeIntervalSinceReferenceDate)
        case (.binary, let data as Data): return .data(data)
        case (.uuid, let uuid as UUID): return .uuid(uuid)
        case (.uri, let url as URL): return .uri(url)
        case (.decimal, let number as Decimal): return .decimal(number)
        case (.decimal, let number as NSDecimalNumber): return .decimal(number.decimalValue)
        case (.double, let number as Double) where isDouble(object): return .double(number)
        case (.float, let number as Double) where isDouble(object) && (Float(number).isFinite || !number.isFinite):
            return .double(number.keptByFloat)
        case (.transformable, _):
            return try transformable(object, transformerName)
        default: break
        }
        guard let json = JSONValue(object: object) else { throw wrongType(object, converter) }
        return try converter.value(of: json)
    }

    /// Whether what can be cast to a Double is one. Foundation's booleans can, and so can its decimals, which JSONSerialization
    /// makes of numbers with 17 digits and more: the cast isn't exact then.
    static func isDouble(_ object: Any) -> Bool {
        // Most are Swift's, which needn't become objects for that.
        if type(of: object) == Double.self { return true }
        guard let number = object as? NSNumber else { return true }
        return !number.isBoolean && !(number is NSDecimalNumber)
    }

    /// Whether an attribute's value, as the store keeps it, has fewer digits than what stood in a dictionary.
    static func isRounded(_ kept: GraphValue, _ value: GraphValue, from object: Any) -> Bool {
        switch (kept, value) {
        case (.decimal(let kept), .decimal(let exact)): return kept != exact
        // All smaller whole numbers are exact.
        case (.double(let closest), _) where abs(closest) >= 16_777_216:
            let whole: Int128? =
                switch JSONValue(object: object) {
                case .number(let number): number.int64.map { Int128($0) } ?? (object as? UInt64).map { Int128($0) }
                case .string(let text): Int128(text)
                default: nil
                }
            return whole.map { Int128(exactly: closest) != $0 } ?? false
        default: return false
        }
    }

    private static func transformable(_ object: Any, _ transformerName: String?) throws -> GraphValue {
        guard let tree = JSONValue(object: object) else { return try GraphValue(archiving: object, transformerName) }
        try tree.requireHeld()
        if AttributeConverter.needsWrapper(tree), case .string(let text)? = tree[AttributeConverter.treeKey] {
            let parsed = try JSONValue(parsing: text)
            try parsed.requireHeld()
            return .json(parsed)
        }
        return AttributeConverter.unwrapped(tree)
    }

    // MARK: Collections

    // Foundation on Linux converts a dictionary or an array with all that is nested in it, recursively, as soon as it is cast
    // to any class, and be it to find out that it is no NSNull. So nothing is cast to a class before it is known to be
    // neither.

    /// Whether this is a dictionary or an array.
    private static func isContainer(_ object: Any) -> Bool { object is [String: Any] || object is [Any] }

    /// Whether this is null.
    static func isNull(_ object: Any) -> Bool { !isContainer(object) && object is NSNull }

    /// The elements of a collection; nil for anything else.
    static func elements(_ object: Any) -> [Any]? {
        if let array = object as? [Any] { return array }
        if object is [String: Any] { return nil }
        return switch object {
        case let set as Set<AnyHashable>: Array(set)
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: set.array
        case let array as NSArray: array.map { $0 }
        default: nil
        }
    }

    /// Refuses a tree that is nested deeper than the value of an attribute may be.
    private static func checkDepth(_ object: Any) throws {
        var level = [object]
        for _ in 0...JSONValue.maximumDepth {
            level = level.flatMap { object -> [Any] in
                if let dictionary = object as? [String: Any] { return Array(dictionary.values) }
                return object as? [Any] ?? []
            }
            if level.isEmpty { return }
        }
        throw GraftError(.tooDeep(limit: JSONValue.maximumDepth))
    }

    static func wrongType(_ object: Any, _ converter: AttributeConverter) -> GraftError {
        GraftError(.wrongType(found: words(for: object), expected: "\(converter.kind)"))
    }

    /// An object as errors name it.
    static func words(for object: Any) -> String {
        switch object {
        // First, because a dictionary that is asked for a class is converted with all that is in it.
        case is [String: Any]: "a dictionary"
        case is [Any]: "a collection"
        case let text as String: "the string \"\(text)\""
        case is NSNull: "null"
        case let number as JSONValue.Number: "the number \(number)"
        case let number as NSNumber: "the number \(number)"
        case is NSDictionary: "a dictionary"
        case is NSArray, is NSSet, is NSOrderedSet: "a collection"
        case let data as Data: "\(data.count) bytes"
        default: "the \(type(of: object)) \(object)"
        }
    }
}

extension JSONValue {
    /// Whether a property list can hold the tree as it is: it knows no null, and integers of 64 bits and doubles alone.
    fileprivate var fitsPropertyLists: Bool {
        switch self {
        case .null: false
        case .number(let number): !(number.object is NSDecimalNumber)
        case .array(let elements): elements.allSatisfy(\.fitsPropertyLists)
        case .object(let object): object.members.allSatisfy { $0.value.fitsPropertyLists }
        case .bool, .string: true
        }
    }
}
