// How an import behaves, in one value.

/// The options of an import.
public struct ImportOptions: Sendable {
    /// What a text may consist of.
    public enum Format: Sendable {
        /// One value: an object, or an array of objects.
        case document
        /// Any number of values that follow each other: one per line (NDJSON), or separated in another way or not at all.
        case sequence
        /// An array or a sequence, as its first byte says.
        case automatic
    }

    /// What becomes of an object without a complete identity: the entity declares none, or the data lacks it.
    public enum UnidentifiedObjects: String, Sendable, CaseIterable, Codable {
        /// It is the stored object that has no identity either and equals it in everything that the data says of it, if
        /// there is one; otherwise it is new. So importing the same data again changes nothing.
        ///
        /// Compared are attributes and to-one relationships; of several equal objects, it is one that has as many members
        /// as the data says. Two equal objects in the data are two objects. An object nested in another one is looked
        /// for only among those that the other one has.
        case matchContents
        /// It is new every time.
        case insert
    }

    /// What becomes of a call when part of its data can't be taken: a value is of a wrong type, or a rule of the model refuses
    /// it. Text that isn't JSON always ends an import.
    public enum FailurePolicy: String, Sendable, CaseIterable, Codable {
        /// It ends at once, with an error that names the first failure. Nothing is kept.
        case fail
        /// It goes on to find all failures, and then ends with ``ImportFailures``. Nothing is kept, so that the import is one save,
        /// also with ``ImportOptions/savesEachBatch``.
        case collect
        /// What can't be taken is left out, as if it weren't in the data, and ``ImportReport/failures`` says why: of an
        /// import the record with all that is nested in it, of a dictionary the value.
        case skip
    }

    /// What becomes of keys in the data that no property maps to. `{}` is never an error; reports count it.
    public enum UnknownKeys: String, Sendable, CaseIterable, Codable {
        /// Nothing. An object of which no key is known is one without values.
        case ignore
        /// The report counts them. An object of which no key is known is an error: it is none of the entity's, but an
        /// envelope around the objects (`JSONRootKeyPath`), a server's error message, or of other spelling.
        case report
        /// Each is an error.
        case fail
    }

    /// How many objects are taken from the text before they are looked up and written, nested ones included. More are
    /// faster up to some thousands, and take more memory.
    public var batchSize = 5000

    /// Whether each batch is saved before the next one is read, so that memory stays bounded; for imports that a container
    /// runs. Otherwise the whole import is one save, which fails or succeeds as a whole.
    ///
    /// With saved batches, what was saved before an error stays. ``checksInputFirst`` sees to it that syntax and types
    /// are no such errors. An archive is always saved at once.
    public var savesEachBatch = false

    /// Whether the whole input is read once before the first batch is saved, so that an error in the text or in the types of
    /// its values leaves the store untouched. Concerns imports with ``savesEachBatch``; costs reading twice.
    public var checksInputFirst = true

    /// How deep arrays and objects may be nested.
    public var maximumDepth = 512

    /// What the text consists of; by default an array, an object, or one object after the other (NDJSON), as it begins.
    public var format = Format.automatic

    /// What becomes of an import when a record can't be taken. Other policies than ``FailurePolicy/fail`` read the text
    /// twice. They don't apply to whole graphs (archives, stores, exported documents), which are taken whole or not at all.
    public var failurePolicy = FailurePolicy.fail

    /// How many failures may be collected or skipped; one more ends the import.
    public var failureLimit = 10_000

    /// What becomes of keys that no property maps to.
    public var unknownKeys = UnknownKeys.report

    /// What becomes of objects without a complete identity.
    public var unidentifiedObjects = UnidentifiedObjects.matchContents

    /// How entities and properties stand in JSON, where code decides it: goes before the model's annotations. What tells the
    /// objects of an entity apart is ``MappingOptions/Entity/identity``.
    public var mapping = MappingOptions()

    /// Whether an attribute called `id`, `uuid`, `identifier`, `guid` or `<entity>ID` tells the objects of an entity apart for
    /// which nothing is declared, where neither the store nor the data have a value of it twice, or none. The data are read once
    /// more for that, and again for each attribute that they speak against. An identity of `[]` turns it off for an entity.
    /// ``ImportReport/identification`` says what was guessed.
    public var guessesKeys = false

    /// References that earlier imports couldn't resolve: they are tried again, as if they had been said before the data.
    public var unresolvedReferences: [ImportReport.UnresolvedReference] = []

    /// Whether data without a single object of an entity is taken for all there is of it, so that the policy for orphans
    /// (``MappingOptions/Entity/orphanPolicy``) deletes them all. By default, such data deletes nothing.
    public var deletesOrphansOfEmptyInput = false

    /// Whether nothing is kept: the report says what the import would do. Takes memory for the whole input.
    public var isDryRun = false

    /// How many identities of an entity's stored objects are kept in memory; more go to temporary files.
    package var keptIdentities = StoredIdentities.limit

    /// How many objects of any entity may be deleted at once, beside what the mapping says.
    package var deletionCeiling: MappingOptions.DeletionLimit?

    /// The default options.
    public init() {}
}
