// The grammar of JSON (RFC 8259) as a state machine over a window of bytes. It never waits and never owns bytes: when
// the window ends inside a token, it returns nil with its state as it was before that token, and is called again with
// more. `JSONReader` moves the window. JSONLexer+Scanning.swift has strings, numbers and literals.

struct JSONLexer {
    /// What may come next.
    enum State: UInt8 {
        /// Nothing has been read yet; there may be a byte order mark.
        case beginning
        case value, valueOrEndOfArray, keyOrEndOfObject, key, colon, commaOrEnd
        /// In a sequence of values: another one or the end.
        case nextValueOrEnd
        /// The same after a number or literal, which needs white space behind it.
        case separator
        case endOfText
    }

    /// An open array or object.
    struct Frame {
        var isObject: Bool
        /// The number of elements or members that have begun.
        var count = 0
        /// The latest key.
        var key = JSONText(offset: 0, count: 0, isComplex: false, isASCII: true)
    }

    /// Offset in the window of what hasn't been consumed.
    var position = 0
    /// Offset of the window in the whole text.
    var windowOffset = 0
    /// Offset in the whole text of the latest token.
    var tokenOffset = 0
    var state = State.beginning
    /// The innermost open container; meaningful only if `depth` isn't 0.
    var frame = Frame(isObject: false)
    /// Its ancestors, the outermost first, behind one unused entry.
    var ancestors: [Frame] = []
    var depth = 0
    /// How far into an incomplete string the scan has come, counted from its quote, so that it isn't repeated.
    var resumeOffset = 0
    var resumeFlags: (isComplex: Bool, isASCII: Bool) = (false, true)

    let maximumDepth: Int
    /// Whether values may follow each other at the top level.
    var acceptsSequence: Bool

    init(maximumDepth: Int, acceptsSequence: Bool) {
        self.maximumDepth = maximumDepth
        self.acceptsSequence = acceptsSequence
    }

    /// Returns the next token, or nil where the window ends before it does.
    ///
    /// - Parameters:
    ///   - bytes: The window.
    ///   - isLast: Whether the text ends with the window; then nil isn't returned.
    mutating func next(in bytes: Span<UInt8>, isLast: Bool) throws(JSONSyntaxError) -> JSONToken? {
        var byte = skipWhiteSpace(bytes)
        if state == .commaOrEnd {
            guard byte == 0x2C else { return try endContainer(byte, in: bytes, isLast) }
            position &+= 1
            state = frame.isObject ? .key : .value
            byte = skipWhiteSpace(bytes)
        } else if state == .colon {
            guard byte == 0x3A else { return try missing(.colon, in: bytes, isLast) }
            position &+= 1
            state = .value
            byte = skipWhiteSpace(bytes)
        }
        tokenOffset = windowOffset &+ position
        switch state {
        case .key, .keyOrEndOfObject:
            if byte == 0x22 { return try key(in: bytes, isLast) }
            if byte == 0x7D, state == .keyOrEndOfObject { return endContainer() }
            return try missing(state == .key ? .key : .keyOrEndOfObject, in: bytes, isLast)
        case .beginning, .endOfText, .nextValueOrEnd, .separator:
            if state == .beginning {
                guard begin(in: bytes, isLast) else { return nil }
                byte = skipWhiteSpace(bytes)
                tokenOffset = windowOffset &+ position
            }
            if state != .value {
                if let token = try atTopLevel(in: bytes, isLast) { return token }
                guard position < bytes.count else { return nil }
            }
        default:
            break
        }
        return try value(byte, in: bytes, isLast)
    }

    /// Moves to the next byte that isn't white space and returns it; 0, which stands nowhere in JSON, at the window's end.
    @inline(__always)
    private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) -> UInt8 {
        var at = position
        while at < bytes.count {
            let byte = bytes[at]
            if byte > 0x20 {
                position = at
                return byte
            }
            switch byte {
            case 0x20: at = JSONStringScan.endOfSpaces(in: bytes, from: at)
            case 0x0A, 0x0D, 0x09: at &+= 1
            default:
                position = at
                return byte
            }
            // White space ends a number or literal at the top level.
            if state == .separator { state = .nextValueOrEnd }
        }
        position = at
        return 0
    }
}

// MARK: - Values and containers

extension JSONLexer {
    @inline(__always)
    private mutating func value(
        _ byte: UInt8, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> JSONToken? {
        switch byte {
        case 0x22:
            guard let text = try string(in: bytes, isLast) else { return nil }
            finishScalar()
            return .string(text)
        case 0x2D, 0x30...0x39:
            guard let text = try number(in: bytes, isLast) else { return nil }
            finishScalar()
            if depth == 0, acceptsSequence { state = .separator }
            return .number(text)
        case 0x7B:
            try beginContainer(isObject: true)
            return .beginObject
        case 0x5B:
            try beginContainer(isObject: false)
            return .beginArray
        case 0x5D where state == .valueOrEndOfArray:
            return endContainer()
        case 0x74, 0x66, 0x6E:
            guard let token = try literal(byte, in: bytes, isLast) else { return nil }
            finishScalar()
            if depth == 0, acceptsSequence { state = .separator }
            return token
        default:
            return try missing(state == .valueOrEndOfArray ? .valueOrEndOfArray : .value, in: bytes, isLast)
        }
    }

    @inline(__always)
    private mutating func key(in bytes: Span<UInt8>, _ isLast: Bool) throws(JSONSyntaxError) -> JSONToken? {
        guard let text = try string(in: bytes, isLast) else { return nil }
        frame.count &+= 1
        frame.key = text
        state = .colon
        return .key(text)
    }

    @inline(__always)
    private mutating func finishScalar() {
        if !frame.isObject { frame.count &+= 1 }
        state = stateAfterValue
    }

    private var stateAfterValue: State {
        @inline(__always) get { depth > 0 ? .commaOrEnd : acceptsSequence ? .nextValueOrEnd : .endOfText }
    }

    private mutating func beginContainer(isObject: Bool) throws(JSONSyntaxError) {
        guard depth < maximumDepth else { throw JSONSyntaxError(reason: .tooDeep, offset: position) }
        if !frame.isObject { frame.count &+= 1 }
        ancestors.append(frame)
        frame = Frame(isObject: isObject)
        depth &+= 1
        position &+= 1
        state = isObject ? .keyOrEndOfObject : .valueOrEndOfArray
    }

    /// Closes the innermost container; its bracket is at `position`.
    private mutating func endContainer() -> JSONToken {
        let token: JSONToken = frame.isObject ? .endObject : .endArray
        frame = ancestors.removeLast()
        depth &-= 1
        position &+= 1
        state = stateAfterValue
        return token
    }

    @inline(__always)
    private mutating func endContainer(
        _ byte: UInt8, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> JSONToken? {
        guard byte == (frame.isObject ? 0x7D : 0x5D) else {
            return try missing(frame.isObject ? .commaOrEndOfObject : .commaOrEndOfArray, in: bytes, isLast)
        }
        tokenOffset = windowOffset &+ position
        return endContainer()
    }

    /// Skips a byte order mark at the very beginning; false where the window doesn't show yet whether there is one.
    private mutating func begin(in bytes: Span<UInt8>, _ isLast: Bool) -> Bool {
        if windowOffset == 0, position == 0, bytes.isEmpty || bytes[0] == 0xEF {
            if bytes.count < 3, !isLast { return false }
            if bytes.count >= 3, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        }
        state = acceptsSequence ? .nextValueOrEnd : .value
        return true
    }

    /// The end of the text, or nil where a value has to follow.
    private mutating func atTopLevel(in bytes: Span<UInt8>, _ isLast: Bool) throws(JSONSyntaxError) -> JSONToken? {
        guard position < bytes.count else { return isLast ? .endOfInput : nil }
        if state == .endOfText { throw JSONSyntaxError(reason: .endOfText, offset: position) }
        if state == .separator, ![0x7B, 0x5B, 0x22].contains(bytes[position]) {
            throw JSONSyntaxError(reason: .separatedValue, offset: position)
        }
        return nil
    }

    /// Nil at the end of a window that isn't the last one; else the error.
    func missing(
        _ reason: JSONSyntaxError.Reason, in bytes: Span<UInt8>, _ isLast: Bool
    ) throws(JSONSyntaxError) -> JSONToken? {
        if position >= bytes.count, !isLast { return nil }
        throw JSONSyntaxError(reason: reason, offset: position)
    }
}
