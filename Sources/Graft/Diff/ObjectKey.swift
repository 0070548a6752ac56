// What objects are called outside a context and a snapshot: by entity and identity, or, for objects without identity, by
// the way that leads to them.

/// The name of an object in a diff: its entity and its identity. Where the identity includes to-one relationships, the names of
/// the objects at their ends are part of it: the third line of order 7.
///
/// Where the objects of an entity are rows of one store and its copies, the number of the row takes the place of an identity. An
/// object of which nothing of that is known is known by its position: the place in an ordered relationship of an object that is
/// known, or at the end of a to-one relationship that owns it, or else by its contents.
public struct ObjectKey: Hashable, Sendable {
    /// The name of the object's own entity.
    public var entity: String
    /// The values of the identifying attributes in the order of their declaration; empty where a position stands instead.
    public var identity: [GraphValue]
    /// The objects that the identifying to-one relationships lead to, in the order of their declaration; nil for one that
    /// leads nowhere. Empty where the identity consists of attributes.
    public var owners: [ObjectKey?] = []
    /// Whether the identity is the row in a store: its number, or `12~` and a mark where two objects have the number.
    public var isRow = false
    /// How to find an object without identity.
    public var position: Position?

    /// The way to an object without identity.
    public struct Position: Hashable, Sendable {
        /// One relationship on the way.
        public struct Step: Hashable, Sendable, Codable {
            /// The name of the relationship.
            public var relationship: String
            /// The place among its members, from 0; 0 for a to-one relationship.
            public var index: Int

            /// Creates a step.
            public init(_ relationship: String, _ index: Int) {
                self.relationship = relationship
                self.index = index
            }
        }

        /// The entity of the object that the way begins with; nil where it begins with one that has no identity either.
        public var entity: String?
        /// The identity of the object that the way begins with.
        public var identity: [GraphValue]
        /// What its identifying relationships lead to, as in ``ObjectKey/owners``.
        public var owners: [ObjectKey?] = []
        /// Without such an object: the place among the objects that the snapshot is about, from 0; or among those with the same
        /// contents.
        public var root: Int
        /// The mark of the object's contents, where nothing leads to it.
        public var contents: String?
        /// Whether the identity is the row in a store, as in ``ObjectKey/isRow``.
        public var isRow = false
        /// The relationships that lead on.
        public var steps: [Step]

        /// Creates a way from an object with an identity.
        public init(entity: String, identity: [GraphValue], owners: [ObjectKey?] = [], steps: [Step]) {
            self.entity = entity
            self.identity = identity
            self.owners = owners
            root = 0
            self.steps = steps
        }

        /// Creates a way from one of the objects that a snapshot is about.
        public init(root: Int, steps: [Step] = []) {
            identity = []
            self.root = root
            self.steps = steps
        }

        /// Creates a way to one of the objects with some contents.
        init(contents: String, number: Int) {
            self.init(root: number)
            self.contents = contents
        }

        /// How many steps lead to an object at most. Beyond that, an entity needs an identity.
        static let maximumStepCount = 64
    }

    /// Creates the key of an object with an identity.
    public init(_ entity: String, _ identity: [GraphValue], of owners: [ObjectKey?] = []) {
        self.entity = entity
        self.identity = identity
        self.owners = owners
    }

    /// Creates the key of an object without identity.
    public init(_ entity: String, at position: Position) {
        self.entity = entity
        identity = []
        self.position = position
    }

    /// Whether two keys are the same. Texts are compared by their bytes, as a store compares them.
    public static func == (one: ObjectKey, other: ObjectKey) -> Bool {
        one.entity == other.entity && one.isRow == other.isRow && one.identity.hasSameValues(as: other.identity)
            && one.owners == other.owners && one.position == other.position
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        for value in identity { ExactValue(value).hash(into: &hasher) }
        if !owners.isEmpty { hasher.combine(owners) }
        hasher.combine(position)
    }
}

extension ObjectKey.Position {
    /// Whether two ways are the same.
    public static func == (one: Self, other: Self) -> Bool {
        one.entity == other.entity && one.root == other.root && one.identity.hasSameValues(as: other.identity)
            && one.owners == other.owners && one.steps == other.steps && one.contents == other.contents
            && one.isRow == other.isRow
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(root)
        hasher.combine(contents)
        for value in identity { ExactValue(value).hash(into: &hasher) }
        if !owners.isEmpty { hasher.combine(owners) }
        hasher.combine(steps)
    }
}

// MARK: - Order

extension ObjectKey: Comparable {
    /// Orders by entity, then owners, identity and position.
    public static func < (one: ObjectKey, other: ObjectKey) -> Bool {
        if one.entity != other.entity { return one.entity.precedesInBytes(other.entity) }
        if let isLess = one.owners.precedes(other.owners) { return isLess }
        if one.isRow, other.isRow, let isLess = one.precedesAsRow(other) { return isLess }
        if let isLess = one.identity.precedes(other.identity) { return isLess }
        switch (one.position, other.position) {
        case (nil, nil), (.some, nil): return false
        case (nil, .some): return true
        case (let one?, let other?): return one < other
        }
    }

    /// Which of two rows comes first by its number; nil where both have the same.
    private func precedesAsRow(_ other: ObjectKey) -> Bool? {
        guard let number = rowNumber, let otherNumber = other.rowNumber, number != otherNumber else { return nil }
        return number < otherNumber
    }

    /// The number of the object's row, where that is its identity.
    var rowNumber: Int64? { isRow ? identity.first.flatMap(GraphSnapshot.RowName.number) : nil }
}

extension ObjectKey.Position: Comparable {
    /// Orders by where the ways begin, then step by step.
    public static func < (one: Self, other: Self) -> Bool {
        if one.entity != other.entity { return (one.entity ?? "").precedesInBytes(other.entity ?? "") }
        if let isLess = one.owners.precedes(other.owners) { return isLess }
        if let isLess = one.identity.precedes(other.identity) { return isLess }
        if one.contents != other.contents { return (one.contents ?? "").precedesInBytes(other.contents ?? "") }
        if one.root != other.root { return one.root < other.root }
        for (step, otherStep) in zip(one.steps, other.steps) where step != otherStep {
            if step.relationship != otherStep.relationship {
                return step.relationship.precedesInBytes(otherStep.relationship)
            }
            return step.index < otherStep.index
        }
        return one.steps.count < other.steps.count
    }
}

extension [ObjectKey?] {
    /// Which owners come first; nil where they are the same.
    fileprivate func precedes(_ other: [ObjectKey?]) -> Bool? {
        for (one, other) in zip(self, other) where one != other {
            guard let one, let other else { return one == nil }
            return one < other
        }
        return count == other.count ? nil : count < other.count
    }
}

extension Sequence<GraphValue> {
    /// The values as errors show those of an identity.
    var words: String { map(\.description).joined(separator: ", ") }
}

extension [GraphValue] {
    /// Whether two identities are the same.
    func hasSameValues(as other: [GraphValue]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where !self[index].isSameValue(as: other[index]) { return false }
        return true
    }

    /// Which of two identities comes first; nil where they are the same.
    func precedes(_ other: [GraphValue]) -> Bool? {
        for (one, other) in zip(self, other) {
            if let isLess = one.precedes(other) { return isLess }
        }
        return count == other.count ? nil : count < other.count
    }
}

extension ObjectKey: CustomStringConvertible {
    /// For instance `Hero 7`, `Place "DE", 3`, `Line 3 of Order 7`, `Line at Order 7 lines[2]`, `Note row 12` or
    /// `Note with contents 8f3a0c21`.
    public var description: String {
        if isRow {
            let name = if case .string(let text)? = identity.first { text } else { identity.first?.description ?? "" }
            return "\(entity) row \(name)"
        }
        guard let position else { return Self.text(entity, identity, owners) }
        if let contents = position.contents {
            return "\(entity) with contents \(contents)" + (position.root > 0 ? " (\(position.root + 1))" : "")
        }
        let start =
            position.start?.description ?? "object \(position.root)"
        let steps = position.steps.map { " \($0.relationship)[\($0.index)]" }.joined()
        return "\(entity) at \(start)\(steps)"
    }

    private static func text(_ entity: String, _ identity: [GraphValue], _ owners: [ObjectKey?]) -> String {
        let values = identity.words
        let ends = owners.map { $0?.description ?? "nothing" }.joined(separator: " and ")
        return entity + (values.isEmpty ? "" : " \(values)") + (ends.isEmpty ? "" : " of \(ends)")
    }
}
