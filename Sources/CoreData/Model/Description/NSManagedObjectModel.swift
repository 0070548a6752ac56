// Models: the entities of an application's data. Reading one is in Reading/ and Archive/, its checks in Checking/, its
// version hashes in Versions/.

public import Foundation

/// A description of entities, their attributes and their relationships.
///
/// Mutable until a coordinator uses it; a later change stops the program.
open class NSManagedObjectModel: NSObject, NSCoding, NSCopying {
    /// How often a `userInfo` of the model has changed.
    package private(set) final var annotationVersion = 0

    /// Whether any entity may have something that was computed from the structure.
    final var hasStructure = false

    private final var configurationMembers: [String: [NSEntityDescription]] = [:]
    private final var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    private final var namedEntities: [String: NSEntityDescription]?

    /// Whether a coordinator uses the model.
    package private(set) final var isInUse = false

    /// Whether the entities' properties name the inherited ones, too: in models that were read from a file or are in use.
    final var isFlattened = false

    /// The entities, in declared order; by name where the model comes from an archive.
    open var entities: [NSEntityDescription] = [] {
        willSet {
            requireMutable()
            for entity in entities { entity.model = nil }
        }
        didSet {
            for entity in entities { entity.model = self }
            namesDidChange()
            // They may come with something.
            hasStructure = true
            structureDidChange()
        }
    }

    /// What the model's author calls this version; strings, as a rule.
    open var versionIdentifiers: Set<AnyHashable> = [] {
        willSet { requireMutable() }
    }

    /// Translations of names and validation messages. Kept, without effect here.
    open var localizationDictionary: [String: String]? {
        willSet { requireMutable() }
    }

    /// Version hashes that are taken as they are instead of being computed, by entity name.
    ///
    /// The hash of an entity with derived attributes can't be computed: how Core Data mixes the derivation in is not
    /// known. Reading a `.momd` fills this from its `VersionInfo.plist`; whoever opens a store whose model cache is
    /// the model's origin sets it from the store's metadata.
    package final var knownVersionHashes: [String: Data] = [:]

    /// The folders (`.momd`, `.xcdatamodeld`) that the model comes from, where a migration looks for its older versions.
    package final var versionFolders: [URL] = []

    /// Default values in the model's source that aren't of their attribute's type, and are taken as Xcode's compiler does.
    package final var readDefaults: [UnusualDefault] = []

    /// Creates a model without entities.
    public override init() { super.init() }

    /// The entities by name. Where two have the same name, the first one.
    open var entitiesByName: [String: NSEntityDescription] {
        if let namedEntities { return namedEntities }
        let made = Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
        namedEntities = made
        return made
    }

    /// Returns a model with copies of the entities and all that they have.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// A model from an archive; nil, with the coder's error set, for one that can't be read.
    public required init?(coder: NSCoder) {
        super.init()
        do {
            guard let archive = coder.decodeObject(of: NSData.self, forKey: Self.archiveKey) else {
                throw CocoaError(.coderValueNotFound)
            }
            try ModelUnarchiver.read(archive as Data, into: self)
            try validated()
        } catch {
            coder.failWithError(error)
            return nil
        }
    }

    /// Archives the model in the layout of compiled models. User info and default values that aren't plain data stop the
    /// program.
    open func encode(with coder: NSCoder) {
        do {
            coder.encode(try archived() as NSData, forKey: Self.archiveKey)
        } catch {
            fatalError("\(self) can't be archived: \(error)")
        }
    }

    /// What the archive in the model's own layout is called in an archive of `NSKeyedArchiver`.
    static let archiveKey = "archive"

    /// Whether the other object is a model with the same contents. The order of entities and properties doesn't count.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return other === self || ModelSummary(self).lines == ModelSummary(other).lines
    }

    /// The same for equal models.
    open override var hash: Int { entities.count }

    /// A short account for messages: the entities' names.
    open override var description: String {
        "model of \(entities.map { $0.name ?? "?" }.sorted().joined(separator: ", "))"
    }
}

// MARK: Configurations

extension NSManagedObjectModel {
    /// The names of the configurations, sorted.
    public var configurations: [String] { configurationMembers.keys.sorted() }

    /// Returns a configuration's entities; all entities for nil and for `Default`, as model editors call them, nil for an unknown name.
    public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != "PF_DEFAULT_CONFIGURATION_NAME" else { return entities }
        return configurationMembers[configuration] ?? (configuration == "Default" ? entities : nil)
    }

    /// Defines a configuration. The entities have to be the model's own.
    public func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        requireMutable()
        configurationMembers[configuration] = entities
    }
}

// MARK: Fetch request templates

extension NSManagedObjectModel {
    /// The stored fetch requests by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { templates }

    /// Returns a stored fetch request, nil for an unknown name. Copy it before changing it.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        templates[name]
    }

    /// Returns a copy of a stored fetch request in which variables of the predicate are replaced by values; nil for an
    /// unknown name.
    ///
    /// - Parameters:
    ///   - name: The fetch request's name.
    ///   - variables: The values, by the variables' names without the `$`.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        let copy = templates[name]?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        copy?.predicate = copy?.predicate?.withSubstitutionVariables(variables)
        return copy
    }

    /// Stores a fetch request under a name, or with nil removes it.
    public func setFetchRequestTemplate(
        _ template: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        requireMutable()
        templates[name] = template
    }
}

// MARK: Use and change

extension NSManagedObjectModel {
    /// Ends the time in which the model may be changed, and computes what would otherwise be computed at first use, so
    /// that several threads can read it. A coordinator calls this before it shows the model to anybody.
    package func markInUse() {
        isInUse = true
        isFlattened = true
        _ = entitiesByName
        for entity in entities { _ = entity.propertyLookup }
    }

    final func requireMutable() {
        if isInUse {
            fatalError("The \(self) can't be changed: a coordinator uses it. Change a copy of it before that.")
        }
    }

    final func userInfoDidChange() { annotationVersion += 1 }

    final func namesDidChange() { namedEntities = nil }

    /// A model is read by many changes in a row, of which each would otherwise look at all entities.
    final func structureDidChange() {
        guard hasStructure else { return }
        hasStructure = false
        for entity in entities {
            entity.layoutStorage = nil
            entity.lookup = nil
        }
    }
}

/// A default value that is read as another one than it says, such as `NO` of a number.
package struct UnusualDefault: Sendable {
    package let entity: String
    package let attribute: String
    package let text: String
    package let value: String
}
