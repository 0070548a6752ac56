// What is declared with @NSManaged.

/// A place in a source file.
package struct SourcePlace: Hashable, Sendable {
    package var file: String
    package var line: Int
    package var column: Int

    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}

/// A property or method without a body.
package struct ManagedMember: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case property(WrittenType?)
        case method([Parameter])
    }

    package struct Parameter: Equatable, Sendable {
        /// Nil for `_`.
        package var label: String?
        package var type: WrittenType

        package init(label: String?, type: WrittenType) {
            self.label = label
            self.type = type
        }
    }

    /// The class, after the types that it is declared in.
    package var owner: [String]
    package var name: String
    package var kind: Kind
    /// Whether the name is known in its file or type only, which the symbol's name says.
    package var isPrivate: Bool
    /// Whether other modules see it, so that its type is one that they see.
    package var isPublic: Bool
    /// Whether key-value coding is to find it, and generated code can name it.
    package var isFoundByKey: Bool
    /// The condition of the `#if` around it, where only the compiler knows whether it holds.
    package var condition: String?
    package var place: SourcePlace

    package init(
        owner: [String], name: String, kind: Kind, isPrivate: Bool, isPublic: Bool, isFoundByKey: Bool,
        condition: String? = nil, place: SourcePlace
    ) {
        self.owner = owner
        self.name = name
        self.kind = kind
        self.isPrivate = isPrivate
        self.isPublic = isPublic
        self.isFoundByKey = isFoundByKey
        self.condition = condition
        self.place = place
    }
}

/// What keeps code from being made, or is likely not meant.
package struct GeneratorProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var place: SourcePlace?
    package var message: String
    /// Whether code is made all the same.
    package var isWarning: Bool

    package init(place: SourcePlace? = nil, message: String, isWarning: Bool = false) {
        self.place = place
        self.message = message
        self.isWarning = isWarning
    }

    /// In the form of the compiler's own errors, which editors and build logs understand.
    package var description: String {
        let kind = isWarning ? "warning" : "error"
        guard let place else { return "\(kind): \(message)" }
        return "\(place.file):\(place.line):\(place.column): \(kind): \(message)"
    }
}
