// A patch as JSON: an array of objects with `op`, `path`, and `value` or `from`. Members that RFC 6902 doesn't name are
// ignored, as it says; of a repeated member the last one counts.

extension JSONPatch {
    /// Reads a patch from its text.
    ///
    /// - Throws: ``GraftError`` with `invalidJSON`, `tooDeep`, or what ``init(_:)-(JSONValue)`` throws.
    public init(parsing text: String) throws { try self.init(JSONValue(parsing: text)) }

    /// Reads a patch.
    ///
    /// - Throws: ``GraftError`` with `invalidPatch` or `invalidPointer`, and the path in the patch.
    public init(_ json: JSONValue) throws {
        guard case .array(let elements) = json else {
            throw GraftError(
                .invalidPatch(found: json.description, expected: "an array of operations"), at: .init(path: []))
        }
        operations = try elements.enumerated().map { try Operation($1, at: [.index($0)]) }
    }

    /// The patch as JSON, in the order `op`, `from`, `path`, `value`.
    public var json: JSONValue { .array(operations.map(\.json)) }
}

extension JSONPatch.Operation {
    fileprivate typealias Path = [GraftError.Place.PathComponent]

    fileprivate init(_ json: JSONValue, at path: Path) throws {
        guard case .object(let object) = json else {
            throw Self.invalid(json, "an operation, which is an object", path)
        }
        let name = try Self.text("op", object, path)
        let target = try Self.pointer("path", object, path)
        switch name {
        case "add": self = .add(target, try Self.value(object, path))
        case "remove": self = .remove(target)
        case "replace": self = .replace(target, try Self.value(object, path))
        case "move": self = .move(from: try Self.pointer("from", object, path), to: target)
        case "copy": self = .copy(from: try Self.pointer("from", object, path), to: target)
        case "test": self = .test(target, try Self.value(object, path))
        default:
            throw Self.invalid(
                .string(name), "one of 'add', 'remove', 'replace', 'move', 'copy', 'test'", path + [.key("op")])
        }
        if case .move(let from, let to) = self, from != to, from.contains(to) {
            throw Self.invalid(.string(to.description), "a place outside of what is moved", path + [.key("path")])
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONValue.Object = JSONValue.Object([("op", .string(name))])
        if let from { object["from"] = .string(from.description) }
        object["path"] = .string(path.description)
        if let value { object["value"] = value }
        return .object(object)
    }

    private static func text(_ key: String, _ object: JSONValue.Object, _ path: Path) throws -> String {
        guard case .string(let text)? = object[key] else {
            throw invalid(object[key], "the member '\(key)', a string,", path + [.key(key)])
        }
        return text
    }

    private static func pointer(_ key: String, _ object: JSONValue.Object, _ path: Path) throws -> JSONPatch.Pointer {
        do {
            return try JSONPatch.Pointer(parsing: text(key, object, path))
        } catch let error as GraftError {
            throw error.located(in: .init(path: path + [.key(key)]))
        }
    }

    private static func value(_ object: JSONValue.Object, _ path: Path) throws -> JSONValue {
        guard let value = object["value"] else { throw invalid(nil, "the member 'value'", path + [.key("value")]) }
        return value
    }

    private static func invalid(_ found: JSONValue?, _ expected: String, _ path: Path) -> GraftError {
        GraftError(
            .invalidPatch(found: found?.description ?? "nothing", expected: expected), at: .init(path: path))
    }
}

extension JSONPatch: Codable {
    /// Decodes a patch.
    public init(from decoder: any Decoder) throws { try self.init(JSONValue(from: decoder)) }

    /// Encodes the patch.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
