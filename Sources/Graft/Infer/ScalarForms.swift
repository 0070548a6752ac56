// What the texts, numbers and booleans in one place have in common. A type fits when all values fit it, and when an export
// writes them as they were, or the same value in another form, which the report then says.

import Foundation

/// The forms of the values in one place, counted.
struct ScalarForms {
    private(set) var booleans = 0
    /// Numbers without fraction or exponent that fit 64 bits, and those of them that a double doesn't hold exactly.
    private(set) var integers = 0
    private(set) var longIntegers = 0
    /// Numbers that a double holds: their shortest text is the same number.
    private(set) var doubles = 0
    /// Whether one of them is none that a store keeps of a decimal.
    private(set) var hasPlainDouble = false
    /// Numbers that only a decimal holds, and those that neither does.
    private(set) var decimals = 0
    private(set) var longNumbers = 0
    private(set) var texts = 0
    private(set) var hasEmptyText = false
    private(set) var uuids = 0
    private(set) var hasSmallUUID = false
    private(set) var hasCapitalUUID = false
    private(set) var links = 0
    private(set) var dates = DateForms()

    static let capitalUUIDs = "UUIDs are written in upper case"

    var count: Int { booleans + numbers + texts }
    var numbers: Int { integers + doubles + decimals + longNumbers }

    mutating func noteBoolean() { booleans += 1 }

    /// Notes a number.
    ///
    /// - Throws: ``GraftError`` with `outOfRange` for a number that no type holds.
    mutating func note(number text: JSONText, _ reader: borrowing JSONReader) throws {
        if !text.isComplex, let value = reader.withBytes(of: text, { try? NumberText.integer($0) }) {
            integers += 1
            if value.magnitude > 1 << 53 { longIntegers += 1 }
            return
        }
        guard let double = reader.double(of: text), let shortest = JSONValue.Number(double) else {
            throw reader.error(
                .outOfRange(
                    found: "the number \(reader.string(of: text))", type: "\(AttributeKind.double)",
                    range: AttributeKind.double.range))
        }
        if shortest == JSONValue.Number(checkedText: reader.string(of: text)) {
            doubles += 1
            if reader.decimal(of: text).map({ $0.keptBySQLite != $0 }) ?? true { hasPlainDouble = true }
        } else if reader.decimal(of: text) != nil {
            decimals += 1
        } else {
            longNumbers += 1
        }
    }

    mutating func note(text: JSONText, _ reader: borrowing JSONReader) {
        texts += 1
        if text.count == 0 { hasEmptyText = true }
        if text.count == 36, reader.withContents(of: text, { EncodedText.uuid($0) }) != nil {
            uuids += 1
            let letters = reader.string(of: text).utf8.filter { $0 >= 0x41 }
            if letters.contains(where: { $0 >= 0x61 }) { hasSmallUUID = true }
            if letters.contains(where: { $0 < 0x61 }) { hasCapitalUUID = true }
        }
        if uuids == texts { return }
        if links == texts - 1, text.count >= 8, Self.isLink(reader.string(of: text)) { links += 1 }
        if dates.total == texts - 1, text.count >= 10 { dates.note(reader.string(of: text)) }
    }

    /// Whether a text is a URL with scheme and host that Foundation writes as it was.
    private static func isLink(_ text: String) -> Bool {
        guard text.contains("://"), let url = URL(string: text), url.scheme != nil, url.host != nil else {
            return false
        }
        return url.absoluteString.hasSameBytes(as: text)
    }
}

/// The type that a place's values have in common.
struct ScalarType: Equatable {
    var kind: AttributeKind
    var dateFormat: MappingOptions.DateFormat?
    /// How the values are written otherwise than they were; nil where they are the same.
    var otherForm: String?
}

extension ScalarForms {
    /// The type of the values; nil where no type keeps all of them, and each has to be kept as it is.
    ///
    /// - Parameter key: What the values are called: money is decimal.
    func type(named key: String) -> ScalarType? {
        guard count > 0 else { return nil }
        if booleans == count { return ScalarType(kind: .boolean) }
        if numbers == count { return numberType(named: key) }
        guard texts == count else { return nil }
        if uuids == count {
            return ScalarType(kind: .uuid, otherForm: hasSmallUUID ? Self.capitalUUIDs : nil)
        }
        if links == count { return ScalarType(kind: .uri) }
        if dates.count == count, let (format, otherForm) = dates.format {
            return ScalarType(kind: .date, dateFormat: format, otherForm: otherForm)
        }
        return ScalarType(kind: .string)
    }

    private func numberType(named key: String) -> ScalarType? {
        if integers == count { return ScalarType(kind: .integer64) }
        if longNumbers > 0 {
            return ScalarType(
                kind: .double, otherForm: "numbers of more digits than a Decimal has are rounded to a Double")
        }
        // A store keeps 15 digits of a decimal, and a tree all 38.
        guard decimals == 0, longIntegers == 0 else { return nil }
        return ScalarType(kind: Self.isMoney(key) && !hasPlainDouble ? .decimal : .double)
    }

    private static func isMoney(_ key: String) -> Bool {
        let words = EnglishNames.words(of: key).map { $0.lowercased() }
        return ["price", "amount", "cost", "fee", "balance", "salary", "tax"].contains { words.contains($0) }
    }

    /// Why texts that all are dates stay texts; nil where that isn't so.
    var dateObstacle: String? {
        guard texts > 0, texts == count, dates.total == texts, uuids < texts, links < texts else { return nil }
        if dates.count == texts, dates.format != nil { return nil }
        return dates.haveZones
            ? "dates with zones, which a Date doesn't keep"
            : "dates in several forms, and none writes all of them as they were"
    }

    /// The type in words, with numbers, as evidence.
    var evidence: String {
        let parts: [(Int, String, String)] = [
            (booleans, "boolean", ""), (integers, "integer", ""), (doubles, "number", " with fraction"),
            (decimals, "number", " that a Double doesn't hold"), (longNumbers, "number", " beyond a Decimal"),
            (texts, "text", ""),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")\($0.2)" }.joined(separator: ", ")
    }
}
