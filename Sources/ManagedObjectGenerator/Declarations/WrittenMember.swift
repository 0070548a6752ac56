// What classes have written themselves and key-value coding finds by name on Apple's platforms.

/// A property with an accessor or storage of its own, or a `validate<Key>` method.
package struct WrittenMember: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case property(isSettable: Bool)
        /// `validateName(_:)`; the name is `Name`.
        case validation
    }

    /// The class, after the types that it is declared in.
    package var owner: [String]
    package var name: String
    package var kind: Kind
    /// The condition of the `#if` around it, where only the compiler knows whether it holds.
    package var condition: String?

    package init(owner: [String], name: String, kind: Kind, condition: String? = nil) {
        self.owner = owner
        self.name = name
        self.kind = kind
        self.condition = condition
    }
}
