// JSON Merge Patch (RFC 7396): a document with the members that change, null for those that go.
//
// It is short and easy to write by hand, and can't say everything: an array is replaced as a whole, nothing is tested,
// and a member can't be set to null, because null removes it. `difference(from:to:)` names the places where that
// matters.

/// A JSON Merge Patch (RFC 7396).
public struct JSONMergePatch: Hashable, Sendable {
    /// The patch itself, any JSON value.
    public var json: JSONValue

    /// Takes a value as a patch. Every value is one; one that isn't an object replaces the whole document.
    public init(_ json: JSONValue) { self.json = json }

    /// Reads a patch from its text.
    ///
    /// - Throws: ``GraftError`` with `invalidJSON` or `tooDeep`.
    public init(parsing text: String) throws { json = try JSONValue(parsing: text) }

    /// Returns the document that the patch leads to (RFC 7396, section 2). There is no document that it doesn't fit.
    public func applying(to document: JSONValue) -> JSONValue { Self.merge(json, into: document) }

    /// Replaces a document by the one that the patch leads to.
    public func apply(to document: inout JSONValue) { document = applying(to: document) }

    private static func merge(_ patch: JSONValue, into target: JSONValue?) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var result = JSONValue.Object()
        if case .object(let object)? = target { result = object }
        let index = result.indexByKey()
        var removed: Set<JSONKeyBytes> = []
        for change in changes.uniqueMembers {
            let key = JSONKeyBytes(change.key)
            if change.value.isNull {
                removed.insert(key)
            } else if let number = index[key] {
                result.members[number].value = merge(change.value, into: result.members[number].value)
            } else {
                result.members.append(.init(key: change.key, value: merge(change.value, into: nil)))
            }
        }
        if !removed.isEmpty { result.members.removeAll { removed.contains(JSONKeyBytes($0.key)) } }
        return .object(result)
    }
}

extension JSONMergePatch {
    /// Returns the patch from one document to another, and what it can't say.
    ///
    /// - Returns: The patch, and pointers to the nulls of the new document that it loses: members that are null there
    ///   and absent after the patch was applied. Without losses, applying the patch to the old document gives the new
    ///   one.
    public static func difference(
        from old: JSONValue, to new: JSONValue
    ) -> (patch: JSONMergePatch, losses: [JSONPatch.Pointer]) {
        var losses: [JSONPatch.Pointer] = []
        let patch = change(from: old, to: new, JSONPatch.Pointer(), &losses)
        return (JSONMergePatch(patch), losses)
    }

    private static func change(
        from old: JSONValue?, to new: JSONValue, _ path: JSONPatch.Pointer, _ losses: inout [JSONPatch.Pointer]
    ) -> JSONValue {
        guard case .object(let wanted) = new else { return new }
        var current = JSONValue.Object()
        if case .object(let object)? = old { current = object }
        var changes = JSONValue.Object()
        let (currentIndex, wantedIndex) = (current.indexByKey(), wanted.indexByKey())
        for member in current.uniqueMembers where wantedIndex[JSONKeyBytes(member.key)] == nil {
            changes.members.append(.init(key: member.key, value: .null))
        }
        for member in wanted.uniqueMembers {
            let before = currentIndex[JSONKeyBytes(member.key)].map { current.members[$0].value }
            if before == member.value { continue }
            let place = path.appending(member.key)
            if member.value.isNull { losses.append(place) }
            if member.value.isNull, before == nil { continue }
            let value = change(from: before, to: member.value, place, &losses)
            changes.members.append(.init(key: member.key, value: value))
        }
        return .object(changes)
    }
}

extension JSONMergePatch: CustomStringConvertible {
    /// The patch as compact JSON.
    public var description: String { json.description }
}

extension JSONMergePatch: Codable {
    /// Decodes a patch.
    public init(from decoder: any Decoder) throws { json = try JSONValue(from: decoder) }

    /// Encodes the patch.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
