// The forms of dates among the texts in one place. A text is a date when it has year, month and day with hyphens between them
// and is written again as it was, by one format for all of them; or in UTC, where only zeros at the end of the fraction differ.
// Texts with other zones stay texts: a date doesn't keep its zone.

import Foundation

/// Which formats all the texts have in common.
struct DateForms {
    /// A form by its outline (digits as 9) and the format that writes it.
    private static let patterns: [(outline: String, pattern: String)] = [
        ("9999-99-99", "yyyy-MM-dd"),
        ("9999-99-99T99:99:99", "yyyy-MM-dd'T'HH:mm:ss"),
        ("9999-99-99 99:99:99", "yyyy-MM-dd HH:mm:ss"),
        ("9999-99-99T99:99", "yyyy-MM-dd'T'HH:mm"),
        ("9999-99-99 99:99", "yyyy-MM-dd HH:mm"),
        ("9999-99-99T99:99:99.999Z", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"),
    ]
    private static let formatters = patterns.map { DatePattern($0.pattern, zone: nil) }

    /// How many texts are dates, in whatever form.
    private(set) var total = 0
    /// Whether one of them names a zone other than UTC by `Z`.
    private(set) var haveZones = false
    /// How many texts are dates in UTC; the type is a date only where all are.
    private(set) var count = 0
    private var isISO8601 = true
    private var fits = [Bool](repeating: true, count: patterns.count)
    private var isInUTC = true

    /// Notes a text, if it is a date.
    mutating func note(_ text: String) {
        let outline = String(decoding: text.utf8.map { 0x30...0x39 ~= $0 ? 0x39 : $0 }, as: UTF8.self)
        guard outline.hasPrefix("9999-99-99") else { return }
        let instant = text.withUTF8Span { Instant(iso8601: $0, zone: nil) }
        // A Date is a double, which doesn't hold each nanosecond.
        let kept = instant.flatMap { Instant($0.value) }
        let written = kept?.iso8601 == text
        var (isKnown, isExact) = (written, false)
        for (index, form) in Self.patterns.enumerated() {
            let isWritten = form.outline == outline && Self.formatters[index].isExact(text)
            isExact = isExact || isWritten
            fits[index] = fits[index] && isWritten
            isKnown = isKnown || fits[index]
        }
        isISO8601 = isISO8601 && written
        isInUTC = isInUTC && kept != nil && kept == instant && kept?.iso8601 == Self.withoutZeros(text)
        if isKnown || isInUTC { count += 1 }
        if isExact || instant != nil { total += 1 }
        let time = outline.dropFirst("9999-99-99".count)
        haveZones = haveZones || instant != nil && time.contains { $0 == "+" || $0 == "-" }
    }

    /// A text in UTC without the zeros at the end of its fraction.
    private static func withoutZeros(_ text: String) -> String? {
        guard text.last == "Z" else { return nil }
        guard text.contains(".") else { return text }
        let digits = text.dropLast().reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits).reversed()) + "Z"
    }

    /// The format of all texts, and how it writes them where that isn't as they were.
    var format: (format: MappingOptions.DateFormat, otherForm: String?)? {
        if isISO8601 { return (.iso8601, nil) }
        if let index = fits.firstIndex(of: true) { return (.pattern(Self.patterns[index].pattern), nil) }
        return isInUTC ? (.iso8601, "dates are written with as many fraction digits as they need") : nil
    }
}

extension DatePattern {
    /// Whether a text is a date that is written as it was.
    fileprivate func isExact(_ text: String) -> Bool { date(text).map { self.text(of: $0) } == text }
}
