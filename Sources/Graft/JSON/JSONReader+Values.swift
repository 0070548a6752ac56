// Whole values in memory. Built with a stack of our own, so that the depth of a text is never the depth of a recursion.

extension JSONReader {
    /// An array or object that isn't closed yet. A struct, because it is filled in place.
    private struct Partial {
        var elements: [JSONValue] = []
        /// Nil for an array.
        var members: [JSONValue.Object.Member]?
        var key = ""

        var value: JSONValue { members.map { .object(JSONValue.Object(members: $0)) } ?? .array(elements) }

        mutating func append(_ value: JSONValue) {
            if members?.append(.init(key: key, value: value)) == nil { elements.append(value) }
        }
    }

    /// Returns the value that the latest token begins, read to its end: after a key the value that belongs to it, after
    /// the beginning of an array or object the whole of it, else the latest token itself.
    ///
    /// - Throws: What ``next()`` throws, and ``GraftError`` with `tooDeep` for a value nested deeper than
    ///   ``JSONValue/maximumDepth``.
    package mutating func value() throws -> JSONValue {
        var open: [Partial] = []
        var token = latest
        if case .key = token { token = try next() }
        while true {
            var finished: JSONValue?
            switch token {
            case .beginObject: open.append(Partial(members: []))
            case .beginArray: open.append(Partial())
            case .key(let text): open[open.count - 1].key = string(of: text)
            case .endArray where !open.isEmpty, .endObject where !open.isEmpty: finished = open.popLast()?.value
            default: finished = scalar(token)
            }
            guard open.count <= JSONValue.maximumDepth else { throw error(.tooDeep(limit: JSONValue.maximumDepth)) }
            if let finished {
                if open.isEmpty { return finished }
                open[open.count - 1].append(finished)
            }
            token = try next()
        }
    }

    /// Returns the value that ``value()`` does, for who makes objects of it.
    ///
    /// - Throws: What that throws, and ``GraftError`` for a number or keys that objects can't hold as they are.
    mutating func heldValue() throws -> JSONValue {
        let offset = tokenOffset
        let value = try value()
        guard let part = value.unheldPart else { return value }
        throw GraftError(part.problem, at: place(offset: offset, path: path + part.path))
    }

    /// The value of a token that isn't an array or object.
    private func scalar(_ token: JSONToken) -> JSONValue {
        switch token {
        case .string(let text): .string(string(of: text))
        case .number(let text): .number(JSONValue.Number(checkedText: string(of: text)))
        case .boolean(let value): .bool(value)
        case .null: .null
        default:
            fatalError("JSONReader.value() was called after \(token). Call it after a token that begins a value.")
        }
    }
}
