// JSON Patch (RFC 6902): the operations as values. Reading and writing them is in JSONPatch+Coding.swift, applying in
// JSONPatch+Applying.swift, making them from two documents in JSONPatch+Generating.swift.

/// A JSON Patch (RFC 6902): operations that lead from one JSON document to another, in their order.
public struct JSONPatch: Hashable, Sendable {
    /// One operation (RFC 6902, section 4).
    public enum Operation: Hashable, Sendable {
        /// Adds a member, replacing one with the same key, or inserts an element; the index `-` is an array's end.
        case add(JSONPatch.Pointer, JSONValue)
        /// Removes a value that is there.
        case remove(JSONPatch.Pointer)
        /// Replaces a value that is there.
        case replace(JSONPatch.Pointer, JSONValue)
        /// Removes a value from one place and adds it at another, which isn't inside it.
        case move(from: JSONPatch.Pointer, to: JSONPatch.Pointer)
        /// Adds a value that is elsewhere, too.
        case copy(from: JSONPatch.Pointer, to: JSONPatch.Pointer)
        /// Demands that a value is there that is equal: numbers by value, objects in any order, texts byte by byte.
        case test(JSONPatch.Pointer, JSONValue)
    }

    /// The operations in the order in which they are applied.
    public var operations: [Operation]

    /// Creates a patch.
    public init(_ operations: [Operation] = []) { self.operations = operations }

    /// Whether the patch does nothing.
    public var isEmpty: Bool { operations.isEmpty }
}

extension JSONPatch.Operation {
    /// The name in JSON.
    public var name: String {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        case .copy: "copy"
        case .test: "test"
        }
    }

    /// The place that the operation changes or tests.
    public var path: JSONPatch.Pointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): path
        case .move(_, let path), .copy(_, let path): path
        }
    }

    /// The place that a value is taken from.
    public var from: JSONPatch.Pointer? {
        switch self {
        case .move(let from, _), .copy(let from, _): from
        default: nil
        }
    }

    /// The value that is added or tested.
    public var value: JSONValue? {
        switch self {
        case .add(_, let value), .replace(_, let value), .test(_, let value): value
        default: nil
        }
    }
}

extension JSONPatch: CustomStringConvertible {
    /// The patch as compact JSON.
    public var description: String { json.description }
}
