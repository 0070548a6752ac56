// Between values and the objects that key-value coding and value transformers deal in.

import Foundation

extension GraphValue {
    /// The value for an object: `NSNumber` and Swift's numbers, `String`, `Date` and so on; for a transformable
    /// attribute a tree where the object is one. Nil where the attribute's type has no place for it.
    ///
    /// Numbers and texts are converted as the importer converts those of JSON; a transformer may return either.
    init?(object: Any?, kind: AttributeKind) {
        guard let object, !DictionaryValue.isNull(object) else {
            self = .null
            return
        }
        switch (kind, object) {
        case (.date, let date as Date): self = .date(date.timeIntervalSinceReferenceDate)
        case (.binary, let data as Data): self = .data(data)
        case (.uuid, let uuid as UUID): self = .uuid(uuid)
        case (.uri, let url as URL): self = .uri(url)
        case (.decimal, let number as Decimal): self = .decimal(number)
        case (.decimal, let number as NSDecimalNumber): self = .decimal(number.decimalValue)
        // Also what JSON has no form for, and what a Float isn't.
        case (.double, let number as Double) where DictionaryValue.isDouble(object): self = .double(number)
        case (.float, let number as Double) where DictionaryValue.isDouble(object): self = .double(number.keptByFloat)
        default:
            guard let json = JSONValue(object: object) else { return nil }
            if kind == .transformable {
                self = .json(json)
            } else {
                // What is wrong with it, the caller says in words of its own.
                guard let value = try? AttributeConverter(kind).value(of: json) else { return nil }
                self = value
            }
        }
    }

    /// The value for an object that an attribute holds. Apple's Core Data keeps the number that it is given, whatever the attribute's type,
    /// as long as the object isn't read from the store again.
    init?(held object: Any?, kind: AttributeKind) {
        switch (kind, object) {
        case (.integer16, let number as NSNumber), (.integer32, let number as NSNumber),
            (.integer64, let number as NSNumber):
            self = .integer(number.int64Value)
        case (.boolean, let number as NSNumber): self = .boolean(number.boolValue)
        case (.double, let number as NSNumber) where number.isBoolean,
            (.float, let number as NSNumber) where number.isBoolean:
            self = .double(number.doubleValue)
        case (.decimal, let number as NSNumber) where number.isBoolean: self = .decimal(number.boolValue ? 1 : 0)
        default: self.init(object: object, kind: kind)
        }
    }

    /// The object for a value, as key-value coding takes it.
    package var object: Any? {
        switch self {
        case .null: nil
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let value), .encoded(let value): value
        case .uuid(let value): value
        case .uri(let value): value
        case .json(let value): value.object
        }
    }
}
