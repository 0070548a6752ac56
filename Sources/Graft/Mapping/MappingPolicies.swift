// The choices that a mapping has, each with the names by which annotations call them. What each does is promised, with its
// test, in docs/import-contract.md.

extension MappingOptions {
    /// What null does to a property. Absent is something else: see ``MappingOptions/MissingPolicy``.
    public enum NullPolicy: String, Sendable, CaseIterable, Codable {
        /// It clears: an attribute and a to-one relationship become nil, a to-many relationship empty.
        case clear
        /// It is passed over, as if the key weren't there.
        case ignore
        /// An attribute gets the model's default value. A relationship, which has none, is cleared.
        case `default`
    }

    /// What it does to a property that its key isn't there.
    public enum MissingPolicy: String, Sendable, CaseIterable, Codable {
        /// Nothing: the value stays as it is.
        case keep
        /// The same as null under ``MappingOptions/NullPolicy/clear``.
        case clear
        /// An attribute gets the model's default value, in objects that have been there, too. A relationship stays as it is.
        case `default`
    }

    /// In which direction a property takes part.
    public enum Direction: String, Sendable, CaseIterable, Codable {
        case both
        /// Read from JSON, never written to it.
        case `import`
        /// Written to JSON, never read from it.
        case export
        /// Neither.
        case neither

        var isImported: Bool { self == .both || self == .import }
        var isExported: Bool { self == .both || self == .export }
    }

    /// What becomes of a reference to an object that is neither in the data nor in the store.
    public enum ReferencePolicy: String, Sendable, CaseIterable, Codable {
        /// The object is made, with its identity and nothing else.
        case stub
        /// The reference is left out, and reported.
        case link
        /// It waits for the end of the import, whichever text the object is in. What is still missing then is reported, and can
        /// be kept and tried again.
        case `defer`
        /// It waits for the end of the import, and is an error if the object is still missing.
        case fail
    }

    /// What becomes of what was in a relationship when the data names other objects.
    public enum MembersPolicy: String, Sendable, CaseIterable, Codable {
        /// Members that aren't named are unlinked. Owned ones without identity are deleted.
        case replace
        /// They stay; new ones are added, in an ordered relationship at the end. To-one relationships are replaced. Nothing is
        /// deleted. Annotations also call it `union`.
        case add
        /// They are unlinked and, if no relationship to an owner is left, deleted.
        case replaceAndDelete
        /// The data is an object with the lists `add` and `remove`. An array replaces.
        case delta
    }

    /// How several objects stand in JSON.
    public enum CollectionForm: String, Sendable, CaseIterable, Codable {
        /// As an array.
        case array
        /// As an array, or without one where it is a single object.
        case arrayOrSingle
        /// As an object that has them under their identifiers, which attributes read with `@key`: the one that identifies, if
        /// none says so.
        case keyed
    }

    /// What becomes of an object whose type has no entity.
    public enum UnknownEntityPolicy: String, Sendable, CaseIterable, Codable {
        /// It is passed over.
        case skip
        /// It is one of the entity asked for.
        case base
        /// It is an error.
        case fail
    }

    /// What happens where an object is found as one of another sub-entity than its type says.
    public enum EntityChangePolicy: String, Sendable, CaseIterable, Codable {
        /// It stays what it is, and gets what both entities have in common.
        case keep
        /// It is replaced by a new one of the right entity, with what both have in common.
        case replace
        /// It is an error.
        case fail
    }

    /// What becomes of stored objects that the data doesn't mention.
    public enum OrphanPolicy: String, Sendable, CaseIterable, Codable {
        /// They stay.
        case keep
        /// They are deleted at the end of an import that has read everything.
        case delete
    }
}
