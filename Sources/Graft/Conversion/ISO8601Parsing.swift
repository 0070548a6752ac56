// Reading dates in ISO 8601, all forms of a date with or without a time: calendar dates (2013-03-22, 20130322, 2013-03,
// 2013), ordinal dates (2013-081), week dates (2013-W12-5), times to the hour, minute or second with any number of
// fraction digits, with Z, an offset or without a zone, which means UTC. Also what is often written for it: a space
// instead of the T, or in front of the zone, and UTC or GMT for Z. The device's locale and zone play no part. Second 60 is there at the
// end of a day in UTC alone (RFC 3339, section 5.6 and appendix D), and is the next day's first one, as in POSIX.

import Foundation

extension Instant {
    /// The instant that a text in ISO 8601 names; nil for any other text and for days and times that don't exist.
    ///
    /// - Parameter zone: The zone of a text that doesn't name one; nil for UTC.
    init?(iso8601 bytes: Span<UInt8>, zone: TimeZone? = nil) {
        var cursor = 0
        var end = bytes.count
        while end > 0, bytes[end - 1].isWhiteSpace { end -= 1 }
        while cursor < end, bytes[cursor].isWhiteSpace { cursor += 1 }
        let text = bytes.extracting(cursor..<end)
        cursor = 0
        guard let date = ISO8601.date(text, &cursor) else { return nil }
        var time = ISO8601.Time()
        var isLocal = true
        if cursor < text.count {
            guard date.isComplete, ISO8601.skip(text, &cursor, 0x54, 0x74, 0x20),
                let read = ISO8601.time(text, &cursor)
            else { return nil }
            time = read
            isLocal = ISO8601.isAtEnd(text, cursor)
            guard let offset = ISO8601.offset(text, &cursor), cursor == text.count else { return nil }
            time.seconds -= offset
        }
        let (midnight, overflows) = date.daysSince2001.multipliedReportingOverflow(by: 86_400)
        guard !overflows else { return nil }
        let (seconds, isTooFar) = midnight.addingReportingOverflow(time.seconds)
        guard !isTooFar else { return nil }
        self.init(seconds: seconds, fraction: time.fraction)
        if isLocal, let zone, !move(from: zone) { return nil }
        if time.isLeapSecond, self.seconds % 86_400 != 0 { return nil }
    }
}

extension Instant {
    /// Takes the instant, which was read as one in UTC, for a local time of a zone. Of a time that a clock has twice, or
    /// passes over, it is one of the two instants that it may mean.
    ///
    /// - Returns: Whether its seconds fit into 64 bits.
    private mutating func move(from zone: TimeZone) -> Bool {
        let local = Double(seconds)
        var offset = zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: local))
        offset = zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: local - Double(offset)))
        let (moved, isTooFar) = seconds.subtractingReportingOverflow(Int64(offset))
        seconds = moved
        return !isTooFar
    }
}

/// The parts of a text in ISO 8601. Each function reads at the cursor and moves it, or returns nil.
private enum ISO8601 {
    struct Time {
        var seconds: Int64 = 0
        var fraction: [UInt8] = []
        var isLeapSecond = false
    }

    static func date(_ text: Span<UInt8>, _ at: inout Int) -> (daysSince2001: Int64, isComplete: Bool)? {
        let start = at
        let isSigned = skip(text, &at, 0x2B, 0x2D)
        let isNegative = isSigned && text[start] == 0x2D
        let run = digitCount(text, at)
        // A sign announces a year of more digits than four (expanded representation).
        let yearDigits = isSigned ? run : [4, 7, 8].contains(run) ? 4 : 0
        guard (4...12).contains(yearDigits), let digits = number(text, &at, yearDigits) else { return nil }
        let year = isNegative ? -digits : digits
        if run == 8, !isSigned {
            guard let month = number(text, &at, 2), let day = number(text, &at, 2) else { return nil }
            return calendarDate(year, month, day)
        }
        if run == 7, !isSigned { return number(text, &at, 3).flatMap { ordinalDate(year, $0) } }
        if skip(text, &at, 0x57) { return weekDate(year, text, &at, isExtended: false) }
        guard skip(text, &at, 0x2D) else {
            // A sign and other digits alone are a number: `-1234567890` is of seconds.
            guard !isSigned || [4, 6].contains(run) else { return nil }
            return (CivilDate(year: year, month: 1, day: 1).daysSince2001, false)
        }
        if skip(text, &at, 0x57) { return weekDate(year, text, &at, isExtended: true) }
        if digitCount(text, at) == 3 { return number(text, &at, 3).flatMap { ordinalDate(year, $0) } }
        guard let month = number(text, &at, 2) else { return nil }
        guard skip(text, &at, 0x2D) else {
            return calendarDate(year, month, 1).map { ($0.daysSince2001, false) }
        }
        guard let day = number(text, &at, 2) else { return nil }
        return calendarDate(year, month, day)
    }

    private static func calendarDate(
        _ year: Int64, _ month: Int64, _ day: Int64
    ) -> (daysSince2001: Int64, isComplete: Bool)? {
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        return date.exists ? (date.daysSince2001, true) : nil
    }

    private static func ordinalDate(_ year: Int64, _ day: Int64) -> (daysSince2001: Int64, isComplete: Bool)? {
        guard day >= 1, day <= (CivilDate.isLeap(year) ? 366 : 365) else { return nil }
        return (CivilDate(year: year, month: 1, day: 1).daysSince2001 + day - 1, true)
    }

    private static func weekDate(
        _ year: Int64, _ text: Span<UInt8>, _ at: inout Int, isExtended: Bool
    ) -> (daysSince2001: Int64, isComplete: Bool)? {
        guard let week = number(text, &at, 2), week >= 1 else { return nil }
        var day: Int64 = 1
        var hasDay = false
        if isExtended ? skip(text, &at, 0x2D) : digitCount(text, at) == 1 {
            guard let read = number(text, &at, 1), (1...7).contains(read) else { return nil }
            (day, hasDay) = (read, true)
        }
        // Week 1 is the one with January 4th, weeks begin on Monday, and so did 2001.
        func firstMonday(_ year: Int64) -> Int64 {
            let fourth = CivilDate(year: year, month: 1, day: 4).daysSince2001
            return fourth - ((fourth % 7) + 7) % 7
        }
        let monday = firstMonday(year) + (week - 1) * 7
        return monday < firstMonday(year + 1) ? (monday + day - 1, hasDay) : nil
    }

    static func time(_ text: Span<UInt8>, _ at: inout Int) -> Time? {
        guard let hour = number(text, &at, 2), hour <= 24 else { return nil }
        var time = Time(seconds: hour * 3600)
        let isExtended = at < text.count && text[at] == 0x3A
        var unit: Int64 = 3600
        for limit: Int64 in [59, 60] {
            guard isExtended ? skip(text, &at, 0x3A) : digitCount(text, at) >= 2 else { break }
            guard let value = number(text, &at, 2), value <= limit else { return nil }
            unit /= 60
            time.seconds += value * unit
            time.isLeapSecond = value == 60
        }
        if skip(text, &at, 0x2E, 0x2C) {
            let count = digitCount(text, at)
            guard count > 0 else { return nil }
            time.fraction = (at..<(at + count)).map { text[$0] }
            at += count
            if unit > 1 { time.seconds += time.takeWholeSeconds(of: unit) }
        }
        // 24:00 is the end of the day, and nothing comes after it.
        return hour < 24 || (time.seconds == 86_400 && time.fraction.allSatisfy { $0 == 0x30 }) ? time : nil
    }

    /// Whether nothing but white space follows: the text names no zone.
    static func isAtEnd(_ text: Span<UInt8>, _ at: Int) -> Bool { at == text.count }

    /// The distance from UTC in seconds; 0 where the text ends.
    static func offset(_ text: Span<UInt8>, _ at: inout Int) -> Int64? {
        _ = skip(text, &at, 0x20)
        if at == text.count || skip(text, &at, 0x5A, 0x7A) { return 0 }
        for name in ["UTC", "GMT"] where at + 3 == text.count {
            if name.utf8.enumerated().allSatisfy({ text[at + $0.offset] == $0.element }) {
                at += 3
                return 0
            }
        }
        let start = at
        guard skip(text, &at, 0x2B, 0x2D), let hours = number(text, &at, 2), hours < 24 else { return nil }
        var seconds = hours * 3600
        if at < text.count {
            _ = skip(text, &at, 0x3A)
            guard let minutes = number(text, &at, 2), minutes < 60 else { return nil }
            seconds += minutes * 60
        }
        return text[start] == 0x2D ? -seconds : seconds
    }
}

extension ISO8601.Time {
    /// Reads the fraction as one of a minute or an hour; keeps what is a fraction of a second and returns the rest.
    fileprivate mutating func takeWholeSeconds(of unit: Int64) -> Int64 {
        var carry = 0
        let product = fraction.reversed().map { digit in
            carry += Int(digit &- 0x30) * Int(unit)
            defer { carry /= 10 }
            return UInt8(carry % 10) + 0x30
        }
        fraction = product.reversed()
        return Int64(carry)
    }
}

extension ISO8601 {
    /// Moves behind a byte that is one of these.
    @inline(__always)
    static func skip(_ text: Span<UInt8>, _ at: inout Int, _ wanted: UInt8...) -> Bool {
        guard at < text.count, wanted.contains(text[at]) else { return false }
        at += 1
        return true
    }

    static func digitCount(_ text: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
        return at - start
    }

    static func number(_ text: Span<UInt8>, _ at: inout Int, _ count: Int) -> Int64? {
        guard at + count <= text.count else { return nil }
        var value: Int64 = 0
        for index in at..<(at + count) {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        at += count
        return value
    }
}
