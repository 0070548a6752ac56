// Writing dates in ISO 8601: 2013-03-22T00:25:10.5Z. Always UTC, to the second, with the fraction digits that the value
// has. Years outside 0 to 9999 have a sign and at least six digits.

extension Instant {
    /// The instant in ISO 8601.
    var iso8601: String { String(decoding: iso8601Bytes, as: UTF8.self) }

    /// The instant in ISO 8601, as ASCII.
    var iso8601Bytes: [UInt8] {
        var day = seconds / 86_400
        if seconds % 86_400 < 0 { day -= 1 }
        // Fits: the difference is less than a day, even where the product alone would overflow.
        let secondOfDay = Int(seconds &- day &* 86_400)
        let date = CivilDate(daysSince2001: day)
        var text: [UInt8] = []
        text.reserveCapacity(21 + fraction.count)
        if (0...9999).contains(date.year) {
            Self.append(Int(date.year), digits: 4, to: &text)
        } else {
            text.append(date.year < 0 ? 0x2D : 0x2B)
            let digits = String(date.year.magnitude).utf8
            text.append(contentsOf: repeatElement(0x30, count: max(0, 6 - digits.count)))
            text.append(contentsOf: digits)
        }
        let parts = [
            (0x2D, date.month), (0x2D, date.day), (0x54, secondOfDay / 3600), (0x3A, secondOfDay / 60 % 60),
            (0x3A, secondOfDay % 60),
        ]
        for (separator, value) in parts {
            text.append(UInt8(separator))
            Self.append(value, digits: 2, to: &text)
        }
        if !fraction.isEmpty {
            text.append(0x2E)
            text.append(contentsOf: fraction)
        }
        text.append(0x5A)
        return text
    }

    private static func append(_ value: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = digits == 4 ? 1000 : 10
        while divisor > 0 {
            text.append(UInt8(value / divisor % 10) + 0x30)
            divisor /= 10
        }
    }
}
