// The difference of two objects as a tree, after "Diff managed objects" (2012): attributes with old and new value, and the
// differences of what the objects own, nested.
//
//     {"attributes": {"city": {"new": "Sometown", "old": "Townsville"}}, "entityName": "Address", "guid": "123"}

/// The difference between two versions of an object and of what it owns.
///
/// Only relationships with the delete rule cascade are followed (and those that ``DiffOptions`` or the model include):
/// ownership gives the graph a direction, so the inverse isn't followed. Where an object can be reached in several ways, it
/// is described in the first place. One that has another owner than before is with the new one,
/// and one that has lost its owner is with that.
///
/// This is a ``GraphDiff`` in another form: which object is which, and what differs, is the same.
public struct ObjectDiff: Hashable, Sendable {
    /// What became of the object.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case inserted, deleted, changed
    }

    /// An identifying attribute.
    public struct Identity: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its value in the new object, else in the old one.
        public var value: GraphValue
    }

    /// An attribute whose values differ.
    public struct Attribute: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Null where there is none, or no such attribute.
        public var old: GraphValue
        /// Null where there is none, or no such attribute.
        public var new: GraphValue
    }

    /// A relationship with differences.
    public struct Relationship: Hashable, Sendable {
        /// What differs.
        public enum Content: Hashable, Sendable {
            /// The object that a to-one relationship owns.
            case object(ObjectDiff)
            /// Those members of a to-many relationship that differ; by key, in an ordered relationship by place. For a to-one
            /// relationship the object that it owned and another one that takes its place.
            case objects([ObjectDiff])
            /// Other objects than before, in a relationship that isn't followed.
            case references(old: PropertyValue, new: PropertyValue)
        }

        /// Its name.
        public var name: String
        /// What differs.
        public var content: Content
    }

    /// What became of the object: an inserted or deleted one is in the diff even if it has no value.
    public var kind: Kind
    /// The new object's entity, else the old one's.
    public var entityName: String
    /// Empty for an object without identity.
    public var identity: [Identity]
    /// By name.
    public var attributes: [Attribute]
    /// By name.
    public var relationships: [Relationship]

    /// How deep objects may be nested.
    static let maximumDepth = 128
}
