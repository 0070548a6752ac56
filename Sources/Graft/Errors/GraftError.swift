// The one error type of Graft: data about what is wrong and where. GraftError+Words.swift turns it into sentences.

public import Foundation

/// An error that names the place, what was found there, what was expected, and the remedy.
public struct GraftError: Error, Equatable, Sendable {
    /// What is wrong, as data.
    @nonexhaustive
    public enum Problem: Equatable, Sendable {
        /// The text isn't JSON (RFC 8259).
        case invalidJSON(found: String, expected: String)
        /// Arrays and objects nested deeper than the reader or writer allows.
        case tooDeep(limit: Int)
        /// A text, a number or a batch larger than the limit, in the unit that `what` names.
        case tooLarge(what: String, limit: Int)
        /// A value of a type that the property can't hold.
        case wrongType(found: String, expected: String)
        /// A value of the right type that the property's type can't represent.
        case outOfRange(found: String, type: String, range: String)
        /// A value that has no form in the format that is being written, such as NaN in JSON.
        case notRepresentable(value: String, format: String)
        /// The model has no entity of this name.
        case unknownEntity(String, closest: String?)
        /// An entity has to be named, because several are possible.
        case ambiguousEntity(candidates: [String])
        /// The entity has no property of this name.
        case unknownProperty(String, closest: String?)
        /// An object without the attributes that identify it.
        case missingIdentity(attributes: [String])
        /// Two objects with one identity where only one can be.
        case duplicateIdentity(String)
        /// A reference to an object that is neither in the data nor in the store.
        case unresolvedReference(entity: String, identity: String)
        /// A managed object that is gone, by the URI of its ID: it was deleted, or its context is no more.
        case missingObject(String)
        /// A file that can't be read.
        case unreadableFile(reason: String)
        /// A file that can't be written.
        case unwritableFile(reason: String)
        /// A file or a text of another kind than the call needs: a diff where records are needed, for instance.
        case wrongKind(found: String, expected: String, remedy: String)
        /// An object in the data of which no key is known or, in a strict import, one that has an unknown key; with the names
        /// that were probably meant, those that the entity has in JSON, and whether it has no other keys.
        case unknownKeys([String], closest: [String], known: [String], areAll: Bool)
        /// A file that isn't a store.
        case notAStore(reason: String)
        /// There is no model: neither in the store nor given.
        case missingModel(reason: String)
        /// A store and a model that don't belong together.
        case modelMismatch(reason: String)
        /// An archive that isn't as it was written.
        case damagedArchive(found: String, expected: String)
        /// An archive that was made with another model: one phrase for each difference.
        case otherModel(differences: [String])
        /// A model that contradicts itself or can't be read.
        case invalidModel(reason: String)
        /// A mapping annotation that can't be followed.
        case invalidMapping(reason: String, remedy: String)
        /// A value or an object that the model's rules refuse; the code is Core Data's.
        case validation(code: Int, reason: String)
        /// The store's rows were changed by someone else meanwhile.
        case conflict(reason: String)
        /// The store is damaged, as its own error says.
        case damagedStore(reason: String)
        /// The store failed: disk full, locked.
        case storeFailure(reason: String)
        /// A text that isn't a JSON Pointer (RFC 6901).
        case invalidPointer(String, reason: String)
        /// JSON that isn't a JSON Patch (RFC 6902).
        case invalidPatch(found: String, expected: String)
        /// A pointer that leads nowhere in a document, or an operation that doesn't fit one: its number in the patch from
        /// 0 (nil for a pointer alone), what was found in the document, and what was expected.
        case inapplicablePatch(operation: Int?, pointer: String, found: String, expected: String)
        /// The work was cancelled; nothing has changed.
        case cancelled
        /// Changes that don't fit what they are applied to.
        case changesDoNotFit([GraphDiff.Conflict])
        /// More objects of an entity would be deleted than a limit allows (``MappingOptions/DeletionLimit``).
        case tooManyDeletions(count: Int, of: Int, limit: Int)
        /// Anything else, in words.
        case other(finding: String, remedy: String)
    }

    /// What is wrong.
    public var problem: Problem

    /// Where.
    public var place: Place

    /// The description of the error that caused this one.
    public var underlying: String?

    /// What else is wrong, where a call names everything at once.
    public internal(set) var others: [GraftError] = []

    /// Creates an error.
    public init(_ problem: Problem, at place: Place = Place(), underlying: (any Error)? = nil) {
        self.problem = problem
        self.place = place
        self.underlying = underlying.map(Self.describe)
    }

    /// Returns the same error with what its place doesn't say yet taken from another place.
    public func located(in outer: Place) -> GraftError {
        var error = self
        error.place.fill(from: outer)
        return error
    }

    /// An error's own words.
    private static func describe(_ error: any Error) -> String {
        if let error = error as? GraftError { return error.description }
        if let error = error as? any LocalizedError, let text = error.errorDescription { return text }
        return words(of: error)
    }
}

extension GraftError {
    /// The error for the name of an entity that there isn't.
    package static func unknownEntity(
        _ name: String, among known: some Sequence<String>, at place: Place
    ) -> GraftError {
        GraftError(.unknownEntity(name, closest: NameSuggestion.closest(to: name, among: known)), at: place)
    }

    /// The error for the name of a property that an entity doesn't have.
    static func unknownProperty(_ name: String, among known: some Sequence<String>, at place: Place) -> GraftError {
        GraftError(.unknownProperty(name, closest: NameSuggestion.closest(to: name, among: known)), at: place)
    }

    /// The error for an object that would be of an abstract entity.
    static func abstractEntity(remedy: String, at place: Place) -> GraftError {
        GraftError(
            .other(finding: "the entity is abstract, so there can't be a new object of it", remedy: remedy), at: place)
    }
}

extension GraftError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Place, finding, remedy and cause in one line, long values shortened.
    public var description: String { sentence(wholeValues: false) }

    /// The same with whole values.
    public var debugDescription: String { sentence(wholeValues: true) }
}

extension GraftError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
    /// What was found, without place and remedy.
    public var failureReason: String? { Self.oneLine(words(wholeValues: false).finding) }
    /// What to do about it.
    public var recoverySuggestion: String? { Self.oneLine(words(wholeValues: false).remedy) }
}
