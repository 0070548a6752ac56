// The address of a value in a JSON document (RFC 6901). Looking one up is in JSONValue+Pointer.swift.
//
//     /powers/3/name      the member `powers`, its fourth element, the member `name`
//     /a~1b/m~0n          the members `a/b` and `m~n`
//     (nothing)           the document itself

extension JSONPatch {
    /// A JSON Pointer (RFC 6901): the steps from a document to a value in it.
    public struct Pointer: Sendable {
        /// The steps: keys of objects and indexes of arrays, without escapes. Which of the two a step is, the document
        /// decides.
        public var tokens: [String]

        /// Creates a pointer; without tokens it is the whole document's.
        public init(_ tokens: [String] = []) { self.tokens = tokens }

        /// Reads the text form.
        ///
        /// - Throws: ``GraftError`` with `invalidPointer`.
        public init(parsing text: String) throws {
            tokens = []
            guard let first = text.utf8.first else { return }
            guard first == UInt8(ascii: "/") else {
                throw GraftError(.invalidPointer(text, reason: "it doesn't begin with '/'"))
            }
            tokens = try text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map
            {
                guard let token = Self.unescaped($0) else {
                    throw GraftError(.invalidPointer(text, reason: "a '~' is followed by neither '0' nor '1'"))
                }
                return token
            }
        }

        /// Returns the pointer that goes one step further.
        public func appending(_ token: String) -> JSONPatch.Pointer { JSONPatch.Pointer(tokens + [token]) }

        /// Returns the pointer to an element of the array that this one points to.
        public func appending(_ index: Int) -> JSONPatch.Pointer { appending(String(index)) }

        /// Whether the other pointer leads to the same value or to one inside it.
        public func contains(_ other: JSONPatch.Pointer) -> Bool {
            tokens.count <= other.tokens.count && zip(tokens, other.tokens).allSatisfy { $0.hasSameBytes(as: $1) }
        }

        /// The contents of a token; nil where a tilde escapes nothing.
        private static func unescaped(_ token: Substring.UTF8View.SubSequence) -> String? {
            guard token.contains(UInt8(ascii: "~")) else { return String(Substring(token)) }
            var bytes: [UInt8] = []
            var rest = token
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "~") else {
                    bytes.append(byte)
                    continue
                }
                switch rest.popFirst() {
                case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
                default: return nil
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension JSONPatch.Pointer: CustomStringConvertible {
    /// The text form.
    public var description: String {
        tokens.reduce(into: "") { text, token in
            text += "/"
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}

extension JSONPatch.Pointer: Hashable {
    /// Compares tokens byte by byte (RFC 6901, section 4: without normalization).
    public static func == (one: JSONPatch.Pointer, other: JSONPatch.Pointer) -> Bool {
        one.tokens.count == other.tokens.count && one.contains(other)
    }

    /// Hashes the tokens.
    public func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
}

extension JSONPatch.Pointer: Codable {
    /// Decodes the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        try self.init(parsing: container.decode(String.self))
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
