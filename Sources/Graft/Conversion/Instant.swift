// A point in time as a decimal number of seconds, and how it becomes a double and comes from one without loss.
//
// A date attribute is a double, seconds since 2001. Its shortest decimal text that reads as the same double again
// (385604710.123) is a decimal number; ISO 8601 can write exactly that number (...T12:31:50.123Z); and reading it gives
// the decimal number back, whose closest double is the one we began with. So every date survives, to the last bit, and
// has as few fraction digits as possible. Binary arithmetic on the fraction would lose both.

/// Seconds since 2001-01-01T00:00:00Z, exactly: a whole number and decimal digits of a fraction.
struct Instant: Equatable {
    /// The largest whole second not after the instant.
    var seconds: Int64
    /// The digits behind the decimal point (ASCII), without zeros at the end.
    var fraction: [UInt8] = []

    /// Seconds from 1970 to 2001.
    static let unixEpoch: Int64 = -978_307_200

    init(seconds: Int64, fraction: [UInt8] = []) {
        self.seconds = seconds
        self.fraction = fraction
        while self.fraction.last == 0x30 { self.fraction.removeLast() }
    }

    /// The instant of a date attribute's value; nil where its whole seconds don't fit into 64 bits.
    init?(_ value: Double) {
        if value == value.rounded(.down), abs(value) < 9e15 {
            self.init(seconds: Int64(value))
        } else {
            guard value.isFinite else { return nil }
            self.init(parsing: Array(value.description.utf8).span, decimalPlaces: 0)
        }
    }

    /// The instant of a number of seconds since 2001, divided by a power of ten.
    ///
    /// - Parameter decimalPlaces: 3 for milliseconds.
    init?(parsing text: Span<UInt8>, decimalPlaces: Int) {
        guard let number = ParsedNumber(text), !number.isLonger else { return nil }
        let exponent = number.exponent - decimalPlaces
        guard exponent < 0 else {
            guard exponent < 19, number.tailCount == 0 else { return nil }
            let (magnitude, overflows) = number.head.multipliedReportingOverflow(by: NumberText.powersOfTen[exponent])
            guard !overflows, let seconds = Int64(exactly: magnitude) else { return nil }
            self.init(seconds: number.isNegative ? -seconds : seconds)
            return
        }
        let digits = number.digits.utf8
        let places = -exponent
        guard places <= 2000 else { return nil }
        let whole = digits.count > places ? String(digits.dropLast(places)) ?? "0" : "0"
        guard let seconds = Int64(whole) else { return nil }
        let zeros = [UInt8](repeating: 0x30, count: max(0, places - digits.count))
        self.init(seconds: seconds, fraction: zeros + digits.suffix(places))
        if number.isNegative { negate() }
    }

    /// The instant moved by whole seconds; nil where that doesn't fit.
    func advanced(by distance: Int64) -> Instant? {
        let (sum, overflows) = seconds.addingReportingOverflow(distance)
        return overflows ? nil : Instant(seconds: sum, fraction: fraction)
    }

    private mutating func negate() {
        guard !fraction.isEmpty else {
            seconds = -seconds
            return
        }
        seconds = -seconds - 1
        fraction = Self.complement(of: fraction)
    }

    /// The digits of 1 - 0.ddd, where the last digit isn't 0.
    private static func complement(of digits: [UInt8]) -> [UInt8] {
        // '0' + '9' is 0x69; the last digit counts from ten.
        digits.dropLast().map { 0x69 - $0 } + digits.suffix(1).map { 0x6A - $0 }
    }
}

extension Instant {
    /// The closest double.
    var value: Double {
        if fraction.isEmpty { return Double(seconds) }
        if fraction.count <= 9, seconds.magnitude < 9_000_000_000 {
            let scale = Int64(NumberText.powersOfTen[fraction.count])
            let digits = fraction.reduce(0) { $0 &* 10 &+ Int64($1 &- 0x30) }
            let scaled = seconds * scale + digits
            // Both are exact, so the one division rounds correctly.
            if abs(scaled) <= 1 << 53 { return Double(scaled) / Double(scale) }
        }
        return Double(decimalText) ?? 0
    }

    /// The number of seconds as decimal text, multiplied by a power of ten.
    func decimalText(movingPointBy places: Int) -> String {
        let text = decimalText
        guard places > 0, seconds != 0 || !fraction.isEmpty else { return text }
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = text.dropFirst(sign.count).split(separator: ".")
        let fraction = parts.count > 1 ? parts[1] : ""
        let moved = fraction.prefix(places) + String(repeating: "0", count: max(0, places - fraction.count))
        let whole = (parts[0] + moved).drop { $0 == "0" }
        let rest = fraction.dropFirst(places)
        return "\(sign)\(whole.isEmpty ? "0" : whole)\(rest.isEmpty ? "" : ".")\(rest)"
    }

    /// The number of seconds as decimal text.
    var decimalText: String {
        if fraction.isEmpty { return "\(seconds)" }
        if seconds >= 0 { return "\(seconds).\(String(decoding: fraction, as: UTF8.self))" }
        return "-\(-(seconds + 1)).\(String(decoding: Self.complement(of: fraction), as: UTF8.self))"
    }
}
