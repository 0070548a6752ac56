// From the text of a number to a number, exactly or not at all. `ParsedNumber` holds any decimal text up to 39 digits; the
// conversions differ only in what they accept of it.

import Foundation

/// Converts the text of numbers. All of it works on bytes and takes no notice of any locale.
enum NumberText {
    /// Why a text isn't the number that is wanted.
    enum Failure: Error { case notANumber, fraction, overflow }

    /// Returns the integer that a text stands for; `12.0` and `1.2e1` are integers.
    static func integer(_ bytes: Span<UInt8>) throws(Failure) -> Int64 {
        if let value = shortInteger(bytes) { return value }
        guard let number = ParsedNumber(bytes) else { throw .notANumber }
        if number.isZero { return 0 }
        guard number.exponent >= 0 else { throw .fraction }
        guard number.tailCount == 0, !number.isLonger, number.exponent < 19 else { throw .overflow }
        let (magnitude, overflows) = number.head.multipliedReportingOverflow(by: powersOfTen[number.exponent])
        guard !overflows else { throw .overflow }
        if number.isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { throw .overflow }
            return Int64(truncatingIfNeeded: 0 &- magnitude)
        }
        guard let value = Int64(exactly: magnitude) else { throw .overflow }
        return value
    }

    /// Up to 18 digits and nothing else but a minus sign: most integers.
    @inline(__always)
    private static func shortInteger(_ bytes: Span<UInt8>) -> Int64? {
        let isNegative = !bytes.isEmpty && bytes[0] == 0x2D
        var index = isNegative ? 1 : 0
        guard bytes.count &- index <= 18, bytes.count > index else { return nil }
        var value: Int64 = 0
        while index < bytes.count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
            index &+= 1
        }
        return isNegative ? 0 &- value : value
    }

    /// Returns the double closest to the number (ties to even); nil for no number and for one beyond the largest double.
    static func double(_ bytes: Span<UInt8>) -> Double? {
        guard let number = ParsedNumber(bytes) else { return nil }
        if number.isZero { return number.isNegative ? -0.0 : 0 }
        // Both operands are exact, so the one operation rounds correctly (Clinger 1990).
        if number.tailCount == 0, number.head <= 1 << 53, abs(number.exponent) <= 22 {
            let digits = Double(number.head)
            let power = doublePowersOfTen[abs(number.exponent)]
            let value = number.exponent < 0 ? digits / power : digits * power
            return number.isNegative ? -value : value
        }
        let value = Double(number.text(of: bytes))
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the closest single-precision number, rounded once.
    static func float(_ bytes: Span<UInt8>) -> Float? {
        guard let number = ParsedNumber(bytes) else { return nil }
        let value = Float(number.text(of: bytes))
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the decimal that a text stands for; nil for no number, for more digits than a `Decimal` has, and for an
    /// exponent that it doesn't have.
    static func decimal(_ bytes: Span<UInt8>) -> Decimal? {
        guard let number = ParsedNumber(bytes) else { return nil }
        if number.isZero { return 0 }
        guard let (digits, exponent) = number.wholeDigits, exponent >= -128 else { return nil }
        if exponent > 127 {
            // 2 × 10^128 is 20 × 10^127. Foundation's initialisers but that of a text take the zero away.
            guard exponent < 166 else { return nil }
            return Decimal(
                string: (number.isNegative ? "-" : "") + "\(digits)" + String(repeating: "0", count: exponent))
        }
        return Decimal(digits: digits, exponent: exponent, isNegative: number.isNegative)
    }

    static let powersOfTen: [UInt64] = (0..<20).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
    private static let doublePowersOfTen: [Double] = (0...22).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}

extension Decimal {
    /// digits × 10^exponent, exactly: an exponent between -128 and 127.
    fileprivate init(digits: UInt128, exponent: Int, isNegative: Bool) {
        let high = UInt64(truncatingIfNeeded: digits >> 64)
        var significand = Decimal(UInt64(truncatingIfNeeded: digits))
        if high > 0 { significand += Decimal(high) * (Decimal(UInt64.max) + 1) }
        self.init(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }
}

/// A decimal text, taken apart: ± digits × 10^exponent, the digits without zeros at either end.
struct ParsedNumber {
    private(set) var isNegative = false
    /// The first 19 digits.
    private(set) var head: UInt64 = 0
    /// The next 19 digits.
    private(set) var tail: UInt64 = 0
    private(set) var tailCount = 0
    /// The power of ten of the last digit.
    private(set) var exponent = 0
    /// How many digits there are beyond 38, and the first of them. They count in the exponent.
    private var restCount = 0
    private var rest: UInt64 = 0
    private var headCount = 0
    /// Zeros that count only if another digit follows.
    private var pendingZeros = 0
    /// The offset behind a sign.
    private var start = 0
    private var end: Int

    var isZero: Bool { head == 0 }

    /// Whether there are more than 38 digits.
    var isLonger: Bool { restCount > 0 }

    /// All digits, with the power of ten of the last one; nil from 2^128 on, up to which a `Decimal` has them: some of 39.
    var wholeDigits: (digits: UInt128, exponent: Int)? {
        let digits = UInt128(head) * UInt128(NumberText.powersOfTen[tailCount]) + UInt128(tail)
        if !isLonger { return (digits, exponent) }
        let (tenfold, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
        let (all, overflows) = tenfold.addingReportingOverflow(UInt128(rest))
        return restCount > 1 || isTooLarge || overflows ? nil : (all, exponent - 1)
    }

    /// The first 38 digits.
    var digits: String {
        guard tailCount > 0 else { return String(head) }
        let end = String(tail)
        return String(head) + String(repeating: "0", count: tailCount - end.utf8.count) + end
    }

    /// Takes a text apart: sign, digits, fraction, exponent, with at least one digit before the exponent. White space
    /// around it, a plus sign and leading zeros, which JSON doesn't have, are accepted: a text may come from a string.
    init?(_ bytes: Span<UInt8>) {
        end = bytes.count
        while end > 0, bytes[end &- 1].isWhiteSpace { end &-= 1 }
        var at = 0
        while at < end, bytes[at].isWhiteSpace { at &+= 1 }
        guard at < end else { return nil }
        isNegative = bytes[at] == 0x2D
        if isNegative || bytes[at] == 0x2B { at &+= 1 }
        start = at
        var digitCount = appendDigits(of: bytes, at: &at)
        if at < end, bytes[at] == 0x2E {
            at &+= 1
            let fraction = appendDigits(of: bytes, at: &at)
            exponent &-= fraction
            digitCount &+= fraction
        }
        guard digitCount > 0 else { return nil }
        if at < end, bytes[at] | 0x20 == 0x65 {
            guard let written = Self.exponent(of: bytes, from: at &+ 1, to: end) else { return nil }
            exponent &+= written
            at = end
        }
        guard at == end else { return nil }
        exponent = isZero ? 0 : exponent &+ pendingZeros
    }

    /// The text without white space and plus sign, as Swift's own conversions want it.
    func text(of bytes: Span<UInt8>) -> String {
        (isNegative ? "-" : "") + JSONEscapes.plainString(bytes.extracting(start..<end), isASCII: true)
    }

    private mutating func appendDigits(of bytes: Span<UInt8>, at offset: inout Int) -> Int {
        let first = offset
        while offset < end {
            let digit = bytes[offset] &- 0x30
            guard digit < 10 else { break }
            offset &+= 1
            if digit == 0 {
                if headCount > 0 { pendingZeros &+= 1 }
            } else {
                while pendingZeros > 0 {
                    append(0)
                    pendingZeros &-= 1
                }
                append(UInt64(digit))
            }
        }
        return offset &- first
    }

    private mutating func append(_ digit: UInt64) {
        if headCount < 19 {
            head = head &* 10 &+ digit
            headCount &+= 1
        } else if tailCount < 19 {
            tail = tail &* 10 &+ digit
            tailCount &+= 1
        } else {
            if restCount == 0 { rest = digit }
            restCount &+= 1
            exponent &+= 1
        }
    }

    /// The value behind an `e`, held to a billion either way, which no type reaches.
    private static func exponent(of bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        guard start < end else { return nil }
        let isNegative = bytes[start] == 0x2D
        var at = isNegative || bytes[start] == 0x2B ? start &+ 1 : start
        guard at < end else { return nil }
        var value = 0
        while at < end {
            let digit = bytes[at] &- 0x30
            guard digit < 10 else { return nil }
            value = min(value &* 10 &+ Int(digit), 1_000_000_000)
            at &+= 1
        }
        return isNegative ? -value : value
    }
}

extension UInt8 {
    /// Space, tab, line feed or carriage return.
    @inline(__always) var isWhiteSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
