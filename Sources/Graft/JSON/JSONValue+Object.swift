// The members of a JSON object, in the order in which they were written. Two objects are equal if they have the same
// members in any order, as JSON means them. Keys are the same if their bytes are: RFC 8259 knows no normal forms.

extension JSONValue {
    /// The members of a JSON object.
    public struct Object: Sendable {
        /// A key with its value.
        public struct Member: Sendable {
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
            get { index(of: key).map { members[$0].value } }
            set {
                guard let newValue else { return members.removeAll { $0.key.hasSameBytes(as: key) } }
                if let index = index(of: key) {
                    members[index].value = newValue
                } else {
                    members.append(Member(key: key, value: newValue))
                }
            }
        }

        /// The number of the member with a key, the last one where it repeats.
        func index(of key: String) -> Int? { members.lastIndex { $0.key.hasSameBytes(as: key) } }

        /// The same members ordered by key (by UTF-8, as every sorted output here); repeated keys keep their order.
        public var sortedMembers: [Member] {
            members.enumerated().sorted { one, other in
                if one.element.key.hasSameBytes(as: other.element.key) { return one.offset < other.offset }
                return one.element.key.utf8.lexicographicallyPrecedes(other.element.key.utf8)
            }.map(\.element)
        }
    }
}

extension JSONValue.Object.Member: Hashable {
    /// Compares key and value; the key byte by byte.
    public static func == (one: Self, other: Self) -> Bool {
        one.key.hasSameBytes(as: other.key) && one.value == other.value
    }

    /// Hashes key and value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(value)
    }
}

extension JSONValue.Object: Hashable {
    /// Compares the members without regard to their order.
    public static func == (one: JSONValue.Object, other: JSONValue.Object) -> Bool {
        if one.members.count != other.members.count { return false }
        // Keys first: comparing values twice at each level would take a time that doubles with each level.
        if one.hasSameKeys(in: other.members) { return one.members == other.members }
        let (first, second) = (
            JSONValue.Object(members: one.sortedMembers), JSONValue.Object(members: other.sortedMembers)
        )
        return first.hasSameKeys(in: second.members) && first.members == second.members
    }

    private func hasSameKeys(in others: [Member]) -> Bool {
        zip(members, others).allSatisfy { $0.key.hasSameBytes(as: $1.key) }
    }

    /// Hashes the members without regard to their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        hasher.combine(members.reduce(0) { $0 ^ $1.hashValue })
    }
}
