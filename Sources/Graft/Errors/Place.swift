// Where an error is. A place starts with what is known first (a byte offset, a path) and is filled up on the way out.

extension GraftError {
    /// Where something is: source, line and column, JSON path, entity and property, each as far as it is known.
    public struct Place: Hashable, Sendable {
        /// One step of a JSON path.
        public enum PathComponent: Hashable, Sendable {
            /// A member of an object.
            case key(String)
            /// An element of an array, counted from 0.
            case index(Int)
        }

        /// The file's name, or another name of the text, such as `standard input`.
        public var source: String?
        /// The steps from the root of the JSON text; empty is the root itself, nil is unknown.
        public var path: [PathComponent]?
        /// The line, counted from 1.
        public var line: Int?
        /// The column, counted from 1 in UTF-8 bytes.
        public var column: Int?
        /// The offset in bytes from the beginning of the text.
        public var byteOffset: Int?
        /// The entity's name.
        public var entity: String?
        /// The property's name.
        public var property: String?

        /// Creates a place; an empty one says nothing.
        public init(
            source: String? = nil, path: [PathComponent]? = nil, line: Int? = nil, column: Int? = nil,
            byteOffset: Int? = nil, entity: String? = nil, property: String? = nil
        ) {
            self.source = source
            self.path = path
            self.line = line
            self.column = column
            self.byteOffset = byteOffset
            self.entity = entity
            self.property = property
        }

        /// Whether nothing is known.
        public var isEmpty: Bool { self == Place() }

        /// Whether it is where a text begins, so that the text may be none of JSON's.
        var isBeginning: Bool { path == [] && line == 1 && (column ?? 0) <= 3 }

        /// Takes over what this place doesn't say. Position and path belong together, so they come as a whole.
        mutating func fill(from outer: Place) {
            // A path that is empty tells no place.
            source = source ?? (outer.source == "" ? nil : outer.source)
            entity = entity ?? outer.entity
            property = property ?? outer.property
            if path == nil { path = outer.path }
            if line == nil, byteOffset == nil {
                line = outer.line
                column = outer.column
                byteOffset = outer.byteOffset
            }
        }
    }
}

extension GraftError.Place: CustomStringConvertible {
    /// For instance `heroes.json: $.powers[3].id, line 12, column 31 (Power.id)`; empty when nothing is known.
    public var description: String {
        var position: [String] = []
        if let path { position.append(Self.shortened(path)) }
        if let line {
            position.append("line \(line)")
            if let column { position.append("column \(column)") }
        } else if let byteOffset {
            position.append("byte \(byteOffset)")
        }
        var parts: [String] = []
        if let source = source.map(Self.shortened) { parts.append(position.isEmpty ? source : "\(source):") }
        if !position.isEmpty { parts.append(position.joined(separator: ", ")) }
        let property = [entity, property].compactMap { $0 }.joined(separator: ".")
        if !property.isEmpty { parts.append(parts.isEmpty ? property : "(\(property))") }
        return parts.joined(separator: " ")
    }

    /// Long paths lose their middle: what tells files apart is at the end.
    private static func shortened(_ source: String) -> String {
        let (start, end) = (40, 160)
        guard source.count > start + end else { return source }
        return "\(source.prefix(start))...\(source.suffix(end))"
    }

    /// So do deep paths: nobody counts hundreds of brackets.
    private static func shortened(_ path: [PathComponent]) -> String {
        let (start, end) = (12, 12)
        guard path.count > start + end else { return text(of: path) }
        return "\(text(of: Array(path.prefix(start))))...\(text(of: path.suffix(end)).dropFirst())"
    }

    /// The path in the notation of RFC 9535: `$.powers[3].id`, `$['a key']`.
    public static func text(of path: [PathComponent]) -> String {
        path.reduce(into: "$") { text, component in
            switch component {
            case .index(let index): text += "[\(index)]"
            case .key(let key) where isPlain(key): text += ".\(key)"
            case .key(let key): text += "['\(escaped(key))']"
            }
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        guard let first = key.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
        return key.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    }

    private static func escaped(_ key: String) -> String {
        key.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "'", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case _ where scalar.value < 0x20: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
