// How archives are written and restored, in one value each.

extension GraphArchive {
    /// The options of writing an archive.
    public struct WritingOptions: Sendable {
        /// The encoding.
        public var encoding = Encoding.json

        /// Whether the model is in the archive, so that a store can be made of it without another file.
        public var includesModel = true

        /// Whether the blocks of a binary archive are compressed.
        public var isCompressed = true

        /// How many objects are read from the store at a time.
        public var batchSize = 2000

        /// Is told of what the store says and can't be archived: links to objects that aren't there, binary data whose file is
        /// missing. It is left out then. Nil makes the first one an error.
        public var onDamage: (@Sendable (GraftError) -> Void)?

        /// Is told in sentences what keeps the archive from being restored.
        package var onLoss: (@Sendable (String) -> Void)?

        /// The default options.
        public init() {}
    }

    /// How much the model of the archive and that of the store may differ.
    public enum ModelFit: String, Sendable, CaseIterable, Codable {
        /// Every entity has the same version hash: the models are the same, as Core Data sees it.
        case exact
        /// All that the archive has fits into the model: its entities and properties are there, with the same types or wider
        /// ones (Integer 32 for Integer 16, Double for Float). What the model has besides gets its default.
        case compatible
        /// What the model has no place for is left out.
        case partial
    }

    /// The options of restoring an archive.
    public struct RestoringOptions: Sendable {
        /// How much the models may differ. If they differ more, nothing is restored, and the error lists the differences.
        public var fit = ModelFit.exact

        /// What becomes of objects without identity in a store that has some already.
        public var unidentifiedObjects = ImportOptions.UnidentifiedObjects.matchContents

        /// How many objects are made before their relationships are set.
        public var batchSize = 5000

        /// Whether each batch is saved before the next one is made, so that memory stays bounded; for restoring by a
        /// container. The whole archive is verified first. Otherwise all is one save, which fails or succeeds as a whole.
        ///
        /// What was saved before an error stays. To be all or nothing and bounded, restore into a new store beside the
        /// right place and move it there, as `graft restore` does. Objects that must refer to ones that come later, in
        /// a circle, are saved together with these. Where the store has objects that only their contents and their owners tell, and
        /// owners may come later in the archive, all is one batch.
        public var savesEachBatch = false

        /// Whether the objects are checked against the rules of the model, and what breaks them is an error that lists it.
        ///
        /// By default a store gets what the archive says, as a store of Apple's apps may hold it: nulls in mandatory attributes,
        /// numbers beyond their limits. Into a context of the caller's, and on Apple's platforms, objects are always checked.
        public var validates = false

        /// Whether nothing is kept: the report says what restoring would do.
        public var isDryRun = false

        /// The default options.
        public init() {}
    }
}
