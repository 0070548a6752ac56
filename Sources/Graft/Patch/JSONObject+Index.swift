// Finding members of large objects by their keys, byte by byte.

/// A key that is equal to another one where the bytes are, not where Unicode's normal forms are.
struct JSONKeyBytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: JSONKeyBytes, other: JSONKeyBytes) -> Bool { one.text.hasSameBytes(as: other.text) }

    // Strings with the same bytes have the same hash.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension JSONValue.Object {
    /// The number of the member that counts for each key: the last one where a key repeats.
    func indexByKey() -> [JSONKeyBytes: Int] {
        var index: [JSONKeyBytes: Int] = [:]
        index.reserveCapacity(members.count)
        for (number, member) in members.enumerated() { index[JSONKeyBytes(member.key)] = number }
        return index
    }

    /// The members that count, in their order: of those with a repeated key the last one.
    var uniqueMembers: [Member] {
        let index = indexByKey()
        if index.count == members.count { return members }
        return members.indices.filter { index[JSONKeyBytes(members[$0].key)] == $0 }.map { members[$0] }
    }
}
