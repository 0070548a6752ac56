// CAST(value, "type"). The printer writes constants that have no literal this way, and the parser reads them back.
//
//     CAST(694224000.5, "NSDate")                             seconds since 2001
//     CAST("2023-01-01T00:00:00Z", "NSDate")                  ISO 8601
//     CAST("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "NSUUID")
//     CAST("AAEC", "NSData")                                  Base64
//     CAST("1.10", "NSDecimalNumber")
//     CAST(date, "NSNumber")                                  seconds since 2001

import Foundation

/// The types that values can be converted to.
enum Casting: String, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case uuid = "NSUUID"
    case url = "NSURL"
    case data = "NSData"

    /// What an argument is that can't be converted: equal to no value, and before or behind none.
    final class Unfit: NSObject {
        private let text: String

        init(_ value: Any?, _ casting: Casting) {
            text = "CAST(\(value ?? "nil"), \(ExpressionPrinter.quoted(casting.rawValue)))"
        }

        override var description: String { text }
    }

    /// The value as another type; null where it can't be converted.
    static func cast(_ value: Operand, to type: String) -> Operand {
        guard let casting = Casting(rawValue: type) else { return .null }
        return casting.cast(value)
    }

    private func cast(_ value: Operand) -> Operand {
        switch self {
        case .date: Self.date(value)
        case .number, .decimal: Self.number(value)
        case .string: Self.string(value)
        case .uuid: Self.uuid(value)
        case .url: Self.url(value)
        case .data: Self.data(value)
        }
    }

    /// The constant as translators read it: a `Date`, a `UUID`, an `NSDecimalNumber`; nil where it can't be converted.
    func constant(_ value: Any?) -> Any? {
        switch self {
        case .decimal:
            guard let text = value as? String ?? (value as? NSNumber)?.stringValue else { return nil }
            let decimal = NSDecimalNumber(string: text)
            return decimal == .notANumber ? nil : decimal
        case .url: return (value as? String).flatMap { URL(string: $0) }
        default: return cast(Operand(value)).boxed
        }
    }

    private static func date(_ value: Operand) -> Operand {
        switch value {
        case .date: return value
        case .string(let text):
            guard let date = isoDate(text) else { return .null }
            return .date(date.timeIntervalSinceReferenceDate)
        default: return Arithmetic.real(value).map { .date($0) } ?? .null
        }
    }

    /// A date with time and zone, or a day, which begins at midnight UTC.
    private static func isoDate(_ text: String) -> Date? {
        let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Three notations are tried; a text in none of them is no date.
        return (try? Date(text, strategy: .iso8601)) ?? (try? withFraction.parse(text))
            ?? (try? Date(text + "T00:00:00Z", strategy: .iso8601))
    }

    private static func number(_ value: Operand) -> Operand {
        switch value {
        case .integer, .real: value
        case .date(let seconds): .real(seconds)
        case .string(let text): Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) } ?? .null
        default: .null
        }
    }

    /// From the beginning of the year 1 to the end of the year 9999. ISO 8601 has no text for other dates that all can read, and
    /// Foundation none that is right.
    private static let fourDigitYears = -63_114_076_800.0..<252_423_993_600

    private static func string(_ value: Operand) -> Operand {
        switch value {
        case .string: value
        case .integer(let number): .string(String(number))
        case .real(let number): .string(NSNumber(value: number).stringValue)
        case .uuid(let uuid): .string(uuid.uuidString)
        case .data(let data): .string(data.base64EncodedString())
        case .date(let seconds) where fourDigitYears.contains(seconds):
            .string(Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format())
        default: .null
        }
    }

    private static func uuid(_ value: Operand) -> Operand {
        switch value {
        case .uuid: value
        case .string(let text): UUID(uuidString: text).map { .uuid($0) } ?? .null
        default: .null
        }
    }

    private static func url(_ value: Operand) -> Operand {
        if case .string = value { return value }
        return .null
    }

    private static func data(_ value: Operand) -> Operand {
        switch value {
        case .data: value
        case .string(let text): Data(base64Encoded: text).map { .data($0) } ?? .null
        default: .null
        }
    }
}
