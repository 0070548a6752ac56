// Numbers as JSON text.

enum NumberWriting {
    /// The shortest text that reads as the same double again.
    ///
    /// Integral values are written without a fraction (`5`, not `5.0`), as `JSONEncoder` and JavaScript do; negative zero
    /// is `-0.0`, because `-0` reads as an integer, which has no sign at zero. The value is finite.
    static func text(of value: Double) -> String {
        if let integer = integer(value) { return String(integer) }
        return value.description
    }

    /// The value as an integer, where that is how it is written: below 2^53, so that every digit is exact.
    @inline(__always)
    static func integer(_ value: Double) -> Int64? {
        guard abs(value) < 9_007_199_254_740_992, value == value.rounded(.towardZero) else { return nil }
        return value == 0 && value.sign == .minus ? nil : Int64(value)
    }
}
