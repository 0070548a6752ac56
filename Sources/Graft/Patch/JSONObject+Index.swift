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

    fileprivate var hasRepeatedKeys: Bool {
        if members.count > 8 { return indexByKey().count < members.count }
        return members.indices.contains { number in
            members[..<number].contains { $0.key.hasSameBytes(as: members[number].key) }
        }
    }
}

extension JSONValue {
    /// The tree with the members that count.
    ///
    /// - Parameter passedOver: Gets the keys of the others.
    func keepingLast(of passedOver: inout [String]) -> JSONValue {
        hasRepeatedKeys ? rebuilt(&passedOver) : self
    }

    /// Where the members are that don't count.
    var passedOver: [[GraftError.Place.PathComponent]] {
        var places: [[GraftError.Place.PathComponent]] = []
        if hasRepeatedKeys { collectPassedOver(below: [], &places) }
        return places
    }

    private func collectPassedOver(
        below path: [GraftError.Place.PathComponent], _ places: inout [[GraftError.Place.PathComponent]]
    ) {
        switch self {
        case .null, .bool, .number, .string: return
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                element.collectPassedOver(below: path + [.index(index)], &places)
            }
        case .object(let object):
            let index = object.indexByKey()
            for (number, member) in object.members.enumerated() {
                let place = path + [.key(member.key)]
                if index[JSONKeyBytes(member.key)] == number {
                    member.value.collectPassedOver(below: place, &places)
                } else {
                    places.append(place)
                }
            }
        }
    }

    private var hasRepeatedKeys: Bool {
        switch self {
        case .null, .bool, .number, .string: false
        case .array(let elements): elements.contains(where: \.hasRepeatedKeys)
        case .object(let object): object.hasRepeatedKeys || object.members.contains { $0.value.hasRepeatedKeys }
        }
    }

    private func rebuilt(_ passedOver: inout [String]) -> JSONValue {
        switch self {
        case .null, .bool, .number, .string: return self
        case .array(let elements): return .array(elements.map { $0.rebuilt(&passedOver) })
        case .object(let object):
            let index = object.indexByKey()
            var members: [JSONValue.Object.Member] = []
            for (number, member) in object.members.enumerated() {
                if index[JSONKeyBytes(member.key)] == number {
                    members.append(.init(key: member.key, value: member.value.rebuilt(&passedOver)))
                } else {
                    passedOver.append(member.key)
                }
            }
            return .object(JSONValue.Object(members: members))
        }
    }
}
