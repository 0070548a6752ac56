// Finding and changing what a pointer leads to. Changes happen in place: the arrays and objects on the way are taken
// out of their parents for that time, so that they are copied once at most, and not for each operation.

/// Why a pointer leads nowhere: data for the error that names the operation, too.
struct PointerFault: Error {
    /// How many tokens lead to something.
    var depth: Int
    var found: String
    var expected: String
}

extension JSONValue {
    /// Returns the value that a pointer leads to.
    ///
    /// - Throws: ``GraftError`` with `inapplicablePatch` that says how far the pointer leads and what is there.
    public func value(at pointer: JSONPatch.Pointer) throws -> JSONValue {
        do {
            return try find(pointer.tokens[...])
        } catch {
            throw GraftError(error, operation: nil, pointer: pointer)
        }
    }

    /// The value that tokens lead to.
    func find(_ tokens: ArraySlice<String>) throws(PointerFault) -> JSONValue {
        var value = self
        for (depth, token) in tokens.enumerated() {
            let step = try value.step(token, depth)
            switch value {
            case .object(let object): value = object.members[step].value
            case .array(let elements): value = elements[step]
            default: break
            }
        }
        return value
    }

    /// Calls the closure with the array or object that holds what tokens lead to, and with the last token.
    mutating func withParent<R>(
        _ tokens: ArraySlice<String>, depth: Int = 0,
        _ body: (inout JSONValue, _ token: String, _ depth: Int) throws(PointerFault) -> R
    ) throws(PointerFault) -> R {
        guard let token = tokens.first, tokens.count > 1 else { return try body(&self, tokens.first ?? "", depth) }
        let step = try step(token, depth)
        let rest = tokens.dropFirst()
        switch self {
        case .object(var object):
            self = .null
            defer { self = .object(object) }
            return try object.members[step].value.withParent(rest, depth: depth + 1, body)
        case .array(var elements):
            self = .null
            defer { self = .array(elements) }
            return try elements[step].withParent(rest, depth: depth + 1, body)
        default:
            throw fault(depth, expected: "an array or object")
        }
    }

    /// The index of the member or element that a token names.
    private func step(_ token: String, _ depth: Int) throws(PointerFault) -> Int {
        switch self {
        case .object(let object):
            guard let index = object.index(of: token) else {
                throw PointerFault(depth: depth, found: "an object without it", expected: "the member '\(token)'")
            }
            return index
        case .array(let elements): return try Self.index(token, count: elements.count, depth)
        default: throw fault(depth, expected: "an array or object with '\(token)'")
        }
    }

    /// The index that a token is: digits without a leading zero (RFC 6901, section 4), and less than the count.
    private static func index(_ token: String, count: Int, _ depth: Int) throws(PointerFault) -> Int {
        let isCanonical = token.utf8.first != UInt8(ascii: "0") || token.utf8.count == 1
        let isNumber = token.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        if isCanonical, isNumber, let index = Int(token), index < count { return index }
        let range = count == 0 ? "no index" : count == 1 ? "the index 0" : "an index from 0 to \(count - 1)"
        throw PointerFault(depth: depth, found: "the step '\(token)'", expected: range)
    }

    private func fault(_ depth: Int, expected: String) -> PointerFault {
        PointerFault(depth: depth, found: description, expected: expected)
    }
}

// MARK: - Changes to one array or object

extension JSONValue {
    /// Adds a member, replacing one with the same key, or inserts an element; `-` is the end of an array.
    mutating func add(_ value: JSONValue, _ token: String, _ depth: Int) throws(PointerFault) {
        switch self {
        case .object(var object):
            self = .null
            object[token] = value
            self = .object(object)
        case .array(var elements):
            let index = token == "-" ? elements.count : try Self.index(token, count: elements.count + 1, depth)
            self = .null
            elements.insert(value, at: index)
            self = .array(elements)
        default:
            throw fault(depth, expected: "an array or object to add '\(token)' to")
        }
    }

    /// Removes a member or an element, and returns it.
    mutating func remove(_ token: String, _ depth: Int) throws(PointerFault) -> JSONValue {
        let step = try step(token, depth)
        switch self {
        case .object(var object):
            self = .null
            defer { self = .object(object) }
            let value = object.members[step].value
            object[token] = nil
            return value
        case .array(var elements):
            self = .null
            defer { self = .array(elements) }
            return elements.remove(at: step)
        default:
            throw fault(depth, expected: "an array or object")
        }
    }

    /// Replaces a member or an element.
    mutating func replace(_ value: JSONValue, _ token: String, _ depth: Int) throws(PointerFault) {
        let step = try step(token, depth)
        switch self {
        case .object(var object):
            self = .null
            object.members[step].value = value
            self = .object(object)
        case .array(var elements):
            self = .null
            elements[step] = value
            self = .array(elements)
        default:
            throw fault(depth, expected: "an array or object")
        }
    }
}

extension GraftError {
    /// The error for a pointer that leads nowhere.
    init(_ fault: PointerFault, operation: Int?, pointer: JSONPatch.Pointer) {
        let reached = JSONPatch.Pointer(Array(pointer.tokens.prefix(fault.depth)))
        let found = fault.depth < pointer.tokens.count ? "\(fault.found) at '\(reached)'" : fault.found
        self.init(
            .inapplicablePatch(
                operation: operation, pointer: pointer.description, found: found, expected: fault.expected))
    }
}
