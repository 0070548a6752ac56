// References to objects that weren't there: a result that can be kept, and tried again when more data has come.

public import Foundation

extension ImportReport.UnresolvedReference {
    /// An object's name outside any context: its entity and identity.
    public struct Object: Hashable, Sendable, Codable {
        /// The entity, or one that it inherits from.
        public var entity: String
        /// The values of the identifying attributes, in the order of their declaration.
        public var identity: [GraphValue]
    }
}

extension ImportReport {
    /// A reference from one object to another one that was neither in the data nor in the store.
    public struct UnresolvedReference: Hashable, Sendable, Codable {
        /// The object that refers. Without an identity it is known by its URI alone.
        public var owner: ImportReport.UnresolvedReference.Object
        /// The URI of that object's ID, once it has been saved.
        public var ownerURI: URL?
        /// The relationship.
        public var relationship: String
        /// The object that is missing.
        public var destination: ImportReport.UnresolvedReference.Object
        /// The place of the reference in its array; nil for to-one relationships.
        public var position: Int?
    }
}

extension ImportReport.UnresolvedReference: CustomStringConvertible {
    /// `Order [7].customer -> Customer ["c3"]`
    public var description: String {
        func words(_ name: ImportReport.UnresolvedReference.Object) -> String {
            "\(name.entity) [\(name.identity.words)]"
        }
        return "\(words(owner)).\(relationship) -> \(words(destination))"
    }
}
