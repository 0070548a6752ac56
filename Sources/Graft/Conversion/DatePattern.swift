// Dates in a format of somebody's own, by Foundation's formatter. Its locale is fixed, and so is its zone: the device has no
// say, and neither have its clock's 12 or 24 hours.

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

    init(_ pattern: String, zone: TimeZone?) {
        text = pattern
        self.zone = zone
        formatter = SharedFormatter(pattern, zone)
    }

    /// The date that a text names, in seconds from 2001; nil for a text of another form.
    func date(_ text: String) -> Double? {
        guard let seconds = formatter.withFormatter({ $0.date(from: text) })?.timeIntervalSinceReferenceDate else {
            return nil
        }
        // To the formatter, `20` is a year of the pattern `yyyy`, too: the year 20.
        return seconds < Self.firstLikelyDate && self.text(of: seconds) != text ? nil : seconds
    }

    /// The beginning of the year 1000, in seconds from 2001.
    private static let firstLikelyDate = -31_588_531_200.0

    func text(of seconds: Double) -> String {
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
