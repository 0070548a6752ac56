// The members of a JSON object, in the order in which they were written. Two objects are equal if they have the same
// members in any order, as JSON means them.

/// The members of a JSON object.
public struct JSONObject: Sendable {
    /// A key with its value.
    public struct Member: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// Creates a member.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// All members in their order. A key may repeat if the text repeats it.
    public var members: [Member]

    /// Creates an object.
    public init(members: [Member] = []) { self.members = members }

    /// Creates an object.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        members = pairs.map { Member(key: $0.0, value: $0.1) }
    }

    /// The value of a key, the last one where it repeats. Setting nil removes the member, a new key goes to the end.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(key: String) -> JSONValue? {
        get { members.last { $0.key == key }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.key == key } }
            if let index = members.lastIndex(where: { $0.key == key }) {
                members[index].value = newValue
            } else {
                members.append(Member(key: key, value: newValue))
            }
        }
    }

    /// The same members ordered by key (by UTF-8, as every sorted output here); repeated keys keep their order.
    public var sortedMembers: [Member] {
        members.enumerated().sorted { one, other in
            if one.element.key == other.element.key { return one.offset < other.offset }
            return one.element.key.utf8.lexicographicallyPrecedes(other.element.key.utf8)
        }.map(\.element)
    }
}

extension JSONObject: Hashable {
    /// Compares the members without regard to their order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        if one.members.count != other.members.count { return false }
        return one.members == other.members || one.sortedMembers == other.sortedMembers
    }

    /// Hashes the members without regard to their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        hasher.combine(members.reduce(0) { $0 ^ $1.hashValue })
    }
}
