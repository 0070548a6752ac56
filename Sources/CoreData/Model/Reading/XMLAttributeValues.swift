// The texts of default values and limits in an .xcdatamodel. Dates have a second, exact attribute beside the displayed
// text; only that one counts.

import Foundation
import ModelDocuments

/// The values of one `<attribute>` element.
struct XMLAttributeValues {
    /// A text that isn't what its setting takes.
    struct Unreadable: Error {
        let setting: String
        let text: String
        let expected: String
    }

    let element: XMLElementNode
    let type: NSAttributeType

    func defaultValue() throws(Unreadable) -> Any? {
        if type == .dateAttributeType {
            return try seconds("defaultDateTimeInterval").map(Date.init(timeIntervalSinceReferenceDate:))
        }
        let setting = "defaultValueString"
        guard let text = element[setting] else { return nil }
        if let value = Self.value(text, of: type) ?? Self.flagAsNumber(text, of: type) { return value }
        throw Unreadable(setting: setting, text: text, expected: type.expectedValue)
    }

    /// The limits, smallest before largest before the pattern.
    func limits() throws(Unreadable) -> [AttributeLimit] {
        var limits: [AttributeLimit] = []
        switch type {
        case .dateAttributeType:
            if let seconds = try seconds("minDateTimeInterval") { limits.append(.earliest(seconds)) }
            if let seconds = try seconds("maxDateTimeInterval") { limits.append(.latest(seconds)) }
        case .stringAttributeType:
            if let length = try length("minValueString") { limits.append(.minimumLength(length)) }
            if let length = try length("maxValueString") { limits.append(.maximumLength(length)) }
            if let pattern = element["regularExpressionString"], !pattern.isEmpty { limits.append(.pattern(pattern)) }
        default:
            if let number = try number("minValueString") { limits.append(.minimum(number)) }
            if let number = try number("maxValueString") { limits.append(.maximum(number)) }
        }
        return limits
    }

    // MARK: Limits

    private func seconds(_ setting: String) throws(Unreadable) -> TimeInterval? {
        guard let text = element[setting], !text.isEmpty else { return nil }
        if let seconds = Double(text), seconds.isFinite { return seconds }
        throw Unreadable(setting: setting, text: text, expected: "a number of seconds since 2001")
    }

    private func length(_ setting: String) throws(Unreadable) -> Int? {
        guard let text = element[setting], !text.isEmpty else { return nil }
        if let length = Self.whole(text), let count = Int(exactly: length), count >= 0 { return count }
        throw Unreadable(setting: setting, text: text, expected: "a length")
    }

    private func number(_ setting: String) throws(Unreadable) -> LimitNumber? {
        guard let text = element[setting], !text.isEmpty else { return nil }
        let number: LimitNumber? =
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                // A fraction is a sensible limit of a whole number too.
                Self.whole(text).map(LimitNumber.integer) ?? Self.real(text).map(LimitNumber.double)
            case .decimalAttributeType: Self.decimal(text).map(LimitNumber.decimal)
            default: Self.real(text).map(LimitNumber.double)
            }
        if let number { return number }
        throw Unreadable(setting: setting, text: text, expected: "a number")
    }

    // MARK: Texts

    private static func value(_ text: String, of type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            whole(text).map { NSNumber(value: $0) }
        case .doubleAttributeType, .floatAttributeType: real(text).map { NSNumber(value: $0) }
        case .decimalAttributeType: decimal(text).map { NSDecimalNumber(decimal: $0) }
        case .booleanAttributeType: boolean(text).map { NSNumber(value: $0) }
        case .stringAttributeType: text
        case .UUIDAttributeType: UUID(uuidString: text)
        case .URIAttributeType: URL(string: text)
        default: nil
        }
    }

    /// The default as it is written, where it isn't one of the attribute's type and is taken all the same.
    var unusualDefault: String? {
        guard let text = element["defaultValueString"], Self.value(text, of: type) == nil else { return nil }
        return Self.flagAsNumber(text, of: type) == nil ? nil : text
    }

    /// What an attribute has kept of the time when it was a Boolean: `NO` and `YES` as the default of a number. Xcode's compiler
    /// takes them. Assumed: as 0 and 1.
    private static func flagAsNumber(_ text: String, of type: NSAttributeType) -> Any? {
        guard !text.isEmpty, text.allSatisfy(\.isLetter), let flag = boolean(text) else { return nil }
        return value(flag ? "1" : "0", of: type)
    }

    /// A whole number, also written with a fraction of zeros (`0.0`, as old editors do).
    private static func whole(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        guard let dot = text.firstIndex(of: "."), text[dot...].dropFirst().allSatisfy({ $0 == "0" }) else { return nil }
        return Int64(text[..<dot])
    }

    private static func real(_ text: String) -> Double? {
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }

    private static func decimal(_ text: String) -> Decimal? {
        // `Decimal(string:)` reads as far as it can; only a text that is a number as a whole will do.
        guard real(text) != nil, text.allSatisfy({ $0.isASCII && !"xXpP".contains($0) }) else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "YES", "TRUE", "1": true
        case "NO", "FALSE", "0": false
        default: nil
        }
    }
}
