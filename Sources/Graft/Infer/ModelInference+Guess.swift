// What was concluded from data, and from what.

extension ModelInference {
    /// One conclusion about the model of some data.
    public struct Guess: Sendable, Hashable, Codable {
        /// The entity.
        public var entity: String
        /// The property; nil for the entity itself.
        public var property: String?
        /// What it was made: `Integer 64, optional`, `to-one Publisher, shared`.
        public var guess: String
        /// What was seen in the data.
        public var evidence: String
        /// How an export differs from the data there; nil where it is the same.
        public var difference: String?
    }
}

extension ModelInference.Guess: CustomStringConvertible {
    /// The guess in one line.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        return "\(name): \(guess) (\(evidence))" + (difference.map { "; \($0)" } ?? "")
    }
}
