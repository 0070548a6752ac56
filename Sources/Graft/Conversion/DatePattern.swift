// Dates in a format of somebody's own, by Foundation's formatter. Its locale is fixed, and so is its zone: the device has no
// say, and neither have its clock's 12 or 24 hours. The formatter knows milliseconds alone, and not to the last bit, so a
// fraction of a second behind a point is read here, digit by digit as in ISO 8601.

import Foundation

/// A Unicode date pattern (UTS 35) with the zone of texts that don't name one.
package struct DatePattern: Sendable {
    /// The pattern, such as `dd.MM.yyyy HH:mm`.
    package let text: String
    private let formatter: SharedFormatter

    /// A formatter that is set up once and only asked afterwards.
    private final class SharedFormatter: @unchecked Sendable {
        // Safe: the lock is held around each use, and nobody else has the formatter.
        private let lock = NSLock()
        private let formatter: DateFormatter

        init(_ pattern: String, _ zone: TimeZone?) {
            formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.calendar = Calendar(identifier: .gregorian)
            formatter.timeZone = zone ?? TimeZone(secondsFromGMT: 0)
            formatter.isLenient = false
            formatter.dateFormat = pattern
        }

        func withFormatter<R>(_ body: (DateFormatter) -> R) -> R { lock.withLock { body(formatter) } }
    }

    private let zone: TimeZone?
    /// What stands before the fraction of a second, and how many digits that has; nil where the pattern has none.
    private let fraction: (mark: Character, width: Int)?

    init(_ pattern: String, zone: TimeZone?) {
        text = pattern
        self.zone = zone
        formatter = SharedFormatter(pattern, zone)
        fraction = Self.fraction(of: pattern)
    }

    /// The last point or comma of a pattern, where digits of a fraction follow (`ss.SSSSSS`).
    private static func fraction(of pattern: String) -> (mark: Character, width: Int)? {
        guard let start = pattern.firstIndex(of: "S"), start > pattern.startIndex else { return nil }
        let mark = pattern.index(before: start)
        guard ".,".contains(pattern[mark]), pattern.lastIndex(of: pattern[mark]) == mark else { return nil }
        return (pattern[mark], pattern[start...].prefix { $0 == "S" }.count)
    }

    /// Where the digits of the fraction are in a text; nil where there are none.
    private func digits(in text: String) -> Range<String.Index>? {
        guard let start = fraction.flatMap({ text.lastIndex(of: $0.mark) }).map(text.index(after:)) else { return nil }
        let digits = text[start...].prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty ? nil : digits.startIndex..<digits.endIndex
    }

    /// The date that a text names, in seconds from 2001; nil for a text of another form.
    func date(_ text: String) -> Double? {
        let digits = digits(in: text)
        let whole = digits.map { text.replacingCharacters(in: $0, with: "0") } ?? text
        guard let date = formatter.withFormatter({ $0.date(from: whole) }) else { return nil }
        var seconds = date.timeIntervalSinceReferenceDate
        if let digits, let whole = Int64(exactly: seconds) {
            seconds = Instant(seconds: whole, fraction: Array(text[digits].utf8)).value
        } else if seconds != seconds.rounded() {
            seconds = (seconds * 1000).rounded() / 1000
        }
        // To the formatter, `20` is a year of the pattern `yyyy`, too: the year 20.
        return seconds < Self.firstLikelyDate && self.text(of: seconds) != text ? nil : seconds
    }

    /// The beginning of the year 1000, in seconds from 2001.
    private static let firstLikelyDate = -31_588_531_200.0

    func text(of seconds: Double) -> String {
        guard let width = fraction?.width, width > 3, let instant = Instant(seconds) else { return written(seconds) }
        let whole = written(Double(instant.seconds))
        guard let digits = digits(in: whole) else { return whole }
        let zeros = [UInt8](repeating: 0x30, count: width)
        let fraction = String(decoding: (instant.fraction + zeros).prefix(width), as: UTF8.self)
        return whole.replacingCharacters(in: digits, with: fraction)
    }

    private func written(_ seconds: Double) -> String {
        formatter.withFormatter { $0.string(from: Date(timeIntervalSinceReferenceDate: seconds)) }
    }
}

extension DatePattern: Hashable {
    /// Patterns with the same text and zone are equal.
    package static func == (one: DatePattern, other: DatePattern) -> Bool {
        one.text == other.text && one.zone == other.zone
    }

    /// Hashes text and zone.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(zone)
    }
}
