// Strings, numbers and literals. Everything is checked here, once: whoever decodes a text later can rely on it.

extension JSONLexer {
    /// Scans the string whose quote is at `position` and moves behind it.
    @inline(__always)
    mutating func string(in bytes: Span<UInt8>, _ isLast: Bool) throws(JSONSyntaxError) -> JSONText? {
        let start = position &+ 1
        let end = JSONStringScan.endOfPlainRun(in: bytes, from: start &+ resumeOffset)
        if end < bytes.count, bytes[end] == 0x22, resumeOffset == 0 {
            position = end &+ 1
            return JSONText(offset: windowOffset &+ start, count: end &- start, isComplex: false, isASCII: true)
        }
        return try complexString(from: end, in: bytes, isLast)
    }

    /// The rest of a string that has more than plain ASCII, or that the window cuts.
    private mutating func complexString(
        from offset: Int, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> JSONText? {
        let start = position &+ 1
        var at = offset
        var (isComplex, isASCII) = resumeFlags
        while true {
            guard at < bytes.count else { break }
            let byte = bytes[at]
            if byte >= 0x80 {
                isASCII = false
                let run = UTF8Check.skipMultibyteRun(in: bytes, from: at)
                at = run.offset
                if run.end == .truncated, !isLast { break }
                if run.end != .ascii { throw JSONSyntaxError(reason: .utf8, offset: at) }
            } else if byte == 0x22 {
                position = at &+ 1
                resumeOffset = 0
                resumeFlags = (false, true)
                return JSONText(
                    offset: windowOffset &+ start, count: at &- start, isComplex: isComplex, isASCII: isASCII)
            } else if byte == 0x5C {
                isComplex = true
                guard let end = try endOfEscape(at: at, in: bytes, isLast) else { break }
                at = end
            } else {
                throw JSONSyntaxError(reason: .noControlCharacter, offset: at)
            }
            at = JSONStringScan.endOfPlainRun(in: bytes, from: at)
        }
        if isLast { throw JSONSyntaxError(reason: .endOfString, offset: bytes.count) }
        resumeOffset = at &- start
        resumeFlags = (isComplex, isASCII)
        return nil
    }

    /// Returns the offset behind an escape sequence, or nil where the window cuts it.
    private func endOfEscape(
        at offset: Int, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> Int? {
        guard offset &+ 1 < bytes.count else { return try cut(bytes, isLast) }
        switch bytes[offset &+ 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return offset &+ 2
        case 0x75: break
        default: throw JSONSyntaxError(reason: .escape, offset: offset &+ 1)
        }
        guard let unit = try hexadecimal(at: offset &+ 2, in: bytes, isLast) else { return nil }
        guard unit & 0xF800 == 0xD800 else { return offset &+ 6 }
        // A surrogate: the high one first, the low one at once behind it.
        guard unit < 0xDC00 else { throw JSONSyntaxError(reason: .surrogatePair, offset: offset) }
        guard offset &+ 7 < bytes.count else { return try cut(bytes, isLast) }
        guard bytes[offset &+ 6] == 0x5C, bytes[offset &+ 7] == 0x75 else {
            throw JSONSyntaxError(reason: .surrogatePair, offset: offset)
        }
        guard let low = try hexadecimal(at: offset &+ 8, in: bytes, isLast) else { return nil }
        guard low & 0xFC00 == 0xDC00 else { throw JSONSyntaxError(reason: .surrogatePair, offset: offset) }
        return offset &+ 12
    }

    private func hexadecimal(
        at offset: Int, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> UInt16? {
        var unit: UInt16 = 0
        for index in offset..<(offset &+ 4) {
            guard index < bytes.count else {
                _ = try cut(bytes, isLast)
                return nil
            }
            guard let digit = JSONEscapes.hexadecimalValue(bytes[index]) else {
                throw JSONSyntaxError(reason: .hexadecimalDigit, offset: index)
            }
            unit = unit &<< 4 | digit
        }
        return unit
    }

    private func cut(_ bytes: Span<UInt8>, _ isLast: Bool) throws(JSONSyntaxError) -> Int? {
        if isLast { throw JSONSyntaxError(reason: .endOfString, offset: bytes.count) }
        return nil
    }
}

extension JSONLexer {
    /// Scans the number at `position` (RFC 8259, section 6) and moves behind it.
    @inline(__always)
    mutating func number(in bytes: Span<UInt8>, _ isLast: Bool) throws(JSONSyntaxError) -> JSONText? {
        var at = position
        var isComplex = false
        if bytes[at] == 0x2D { at &+= 1 }
        if at < bytes.count, bytes[at] == 0x30 {
            at &+= 1
        } else {
            guard let end = try digits(from: at, in: bytes, isLast) else { return nil }
            at = end
        }
        if at < bytes.count, bytes[at] == 0x2E {
            isComplex = true
            guard let end = try digits(from: at &+ 1, in: bytes, isLast) else { return nil }
            at = end
        }
        if at < bytes.count, bytes[at] | 0x20 == 0x65 {
            isComplex = true
            at &+= 1
            if at < bytes.count, bytes[at] == 0x2B || bytes[at] == 0x2D { at &+= 1 }
            guard let end = try digits(from: at, in: bytes, isLast) else { return nil }
            at = end
        }
        // More digits may be on their way.
        if at == bytes.count, !isLast { return nil }
        defer { position = at }
        return JSONText(offset: windowOffset &+ position, count: at &- position, isComplex: isComplex, isASCII: true)
    }

    /// Returns the offset behind one or more digits, or nil where the window ends before the first one.
    @inline(__always)
    private func digits(from start: Int, in bytes: Span<UInt8>, _ isLast: Bool) throws(JSONSyntaxError) -> Int? {
        var at = start
        while at < bytes.count, bytes[at] &- 0x30 < 10 { at &+= 1 }
        if at > start { return at }
        if at >= bytes.count, !isLast { return nil }
        throw JSONSyntaxError(reason: .digit, offset: at)
    }

    /// Scans `true`, `false` or `null`.
    mutating func literal(
        _ first: UInt8, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> JSONToken? {
        // The letters after the first one, the second one lowest.
        let (rest, count, token): (UInt32, Int, JSONToken) =
            switch first {
            case 0x74: (0x65_75_72, 3, .boolean(true))
            case 0x66: (0x65_73_6C_61, 4, .boolean(false))
            default: (0x6C_6C_75, 3, .null)
            }
        for index in 0..<count {
            let at = position &+ 1 &+ index
            if at >= bytes.count, !isLast { return nil }
            guard at < bytes.count, bytes[at] == UInt8(truncatingIfNeeded: rest &>> (8 &* UInt32(index))) else {
                throw JSONSyntaxError(reason: .literal, offset: at)
            }
        }
        position &+= count &+ 1
        return token
    }
}
