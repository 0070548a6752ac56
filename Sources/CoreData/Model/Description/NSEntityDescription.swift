// Entities: what objects there are, and what they have. The class methods that need a context are with the context.

public import Foundation
package import ModelDocuments
import Synchronization

/// An entity of a model.
///
/// Mutable until a coordinator uses the model; a later change stops the program.
open class NSEntityDescription: NSObject, NSCopying, NSSecureCoding {
    /// The model; weak, because the model owns its entities.
    package internal(set) final weak var model: NSManagedObjectModel?

    /// The slots of the entity's objects, built at first use (Objects/EntityLayout.swift); nil again after a change.
    final var layoutStorage: EntityLayout?
    final var lookup: PropertyLookup?
    /// The version hash, once it was asked for while the model is in use.
    final let versionHashOfUsedModel = Mutex<Data?>(nil)

    /// The model that the entity belongs to. Stops the program where there is none.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            fatalError("The entity '\(name ?? "")' has no model. Put it in a model's entities and keep the model.")
        }
        return model
    }

    /// The name; unique in the model.
    open var name: String? {
        willSet { willChange() }
        didSet {
            model?.namesDidChange()
            didChange()
        }
    }

    /// The name of the class of the entity's objects, perhaps with its module in front. `NSManagedObject` unless set.
    open var managedObjectClassName: String! = "NSManagedObject" {
        willSet { willChange() }
        didSet {
            // As `NSStringFromClass` has it here.
            if managedObjectClassName == "CoreData.NSManagedObject" { managedObjectClassName = "NSManagedObject" }
            didChange()
        }
    }

    /// What Xcode makes of the entity. A model's source alone says it; a compiled model doesn't.
    package final var codeGeneration: CodeGeneration = .manual
    /// Whether the class belongs to the module that the model is built in: the source's `.Hero`.
    package final var isClassOfBuiltModule = false

    /// Whether there are objects of sub-entities only.
    open var isAbstract: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The entities that inherit from this one directly. Setting them sets their ``superentity``.
    open var subentities: [NSEntityDescription] = [] {
        willSet {
            willChange()
            for entity in subentities where entity.superentity === self { entity.superentity = nil }
        }
        didSet {
            for entity in subentities { entity.superentity = self }
            // The others hear of it by what is said of this one.
            for entity in oldValue where entity.superentity !== self { entity.didChange() }
            for entity in subentities where entity.model !== model { entity.didChange() }
            didChange()
        }
    }

    /// The entity that this one inherits from; weak, because that one owns its sub-entities.
    public internal(set) final weak var superentity: NSEntityDescription?

    /// The properties: own ones in declared order, by name where the model comes from an archive. In a model that was read from a file
    /// or that a coordinator uses, the inherited ones come before them.
    ///
    /// Setting leaves out what super-entities have.
    open var properties: [NSPropertyDescription] {
        get {
            guard let model, model.isFlattened else { return ownProperties }
            return lineage.reversed().flatMap(\.ownProperties)
        }
        set {
            let ancestors = lineage.dropFirst()
            ownProperties = newValue.filter { property in !ancestors.contains { $0 === property.owner } }
        }
    }

    /// The properties without the inherited ones.
    package final var ownProperties: [NSPropertyDescription] = [] {
        willSet {
            willChange()
            for property in ownProperties { property.owner = nil }
        }
        didSet {
            for property in ownProperties { property.owner = self }
            addWantedIndexes()
            didChange()
        }
    }

    /// What the model's author noted; Graft's mapping annotations among it. Nothing is inherited. It may be changed while a
    /// coordinator uses the model.
    open var userInfo: [AnyHashable: Any]? = [:] {
        didSet { userInfoDidChange() }
    }

    /// A text that changes the version hash, to tell versions apart that differ in nothing else.
    open var versionHashModifier: String? {
        willSet { willChange() }
        didSet { didChange() }
    }

    private final var renamingIdentifierStorage: String?

    /// By what a migration finds the entity in another version of the model; the name where nothing else was set.
    open var renamingIdentifier: String? {
        get { renamingIdentifierStorage ?? name }
        set {
            willChange()
            renamingIdentifierStorage = newValue
            didChange()
        }
    }

    /// Combinations of properties that no two objects of a store may share; names or descriptions.
    open var uniquenessConstraints: [[Any]] = [] {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The indexes that a store keeps: all of them, also those made through the older ``compoundIndexes`` and
    /// ``NSPropertyDescription/isIndexed``.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet {
            willChange()
            for index in indexes { index.entity = nil }
        }
        didSet {
            for index in indexes { index.entity = self }
            didChange()
        }
    }

    /// What Spotlight shows for an object on Apple's platforms. Kept, without effect here.
    open var coreSpotlightDisplayNameExpression: NSExpression? {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Creates an entity without a name.
    public override init() { super.init() }

    /// Whether the other object is an entity with the same contents, of whichever model: the same properties and indexes, and the
    /// same super-entity's name.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return other === self || (other.name == name && ModelSummary.lines(of: self) == ModelSummary.lines(of: other))
    }

    open override var hash: Int { name.hashValue }

    /// Returns a copy with copies of the properties and indexes, that belongs to no model.
    ///
    /// It has no super-entity and no sub-entities; relationships refer to the same destinations.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    final func copied() -> NSEntityDescription {
        let copy = NSEntityDescription()
        copySettings(to: copy)
        return copy
    }

    private final func copySettings(to copy: NSEntityDescription) {
        copy.name = name
        copy.managedObjectClassName = managedObjectClassName
        copy.isAbstract = isAbstract
        copy.codeGeneration = codeGeneration
        copy.isClassOfBuiltModule = isClassOfBuiltModule
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.renamingIdentifierStorage = renamingIdentifierStorage
        copy.ownProperties = ownProperties.map { $0.copied() }
        copy.uniquenessConstraints = uniquenessConstraintNames
        copy.indexes = indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
        copy.coreSpotlightDisplayNameExpression = coreSpotlightDisplayNameExpression
        for element in copy.indexes.flatMap(\.elements) {
            guard let property = element.property, property.owner === self else { continue }
            element.property = copy.ownProperties.first { $0.name == property.name }
        }
    }

    // MARK: Archives

    /// What an entity from an archive leads to.
    private final var archivedModel: NSManagedObjectModel?

    /// Entities are archived with the model that they belong to.
    open class var supportsSecureCoding: Bool { true }

    /// An entity from an archive, with its super-entity and sub-entities, that belongs to no model; nil, with the coder's error set, for
    /// one that can't be read.
    public required init?(coder: NSCoder) {
        super.init()
        guard let (entity, model) = DescriptionArchive.entity(coder) else { return nil }
        entity.copySettings(to: self)
        superentity = entity.superentity
        subentities = entity.subentities
        archivedModel = model
    }

    /// Archives the entity with its model. User info and default values that aren't plain data stop the program.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(self, coder)
    }

    /// The entity's name, for messages.
    open override var description: String { name ?? "unnamed entity" }
}

extension NSEntityDescription {
    /// Stops the program where the model is in use already.
    final func willChange() { model?.requireMutable() }

    /// Drops what was computed from the structure of the entity, or of another one of its model.
    final func didChange() {
        if let model {
            model.structureDidChange()
        } else {
            forgetStructure()
        }
    }

    /// Lets whoever has read the annotations know that they aren't those any more.
    final func userInfoDidChange() { model?.userInfoDidChange() }

    /// Tells the model that there is something to be dropped.
    final func noteStructure() {
        // Once a coordinator uses the model, on any thread, nothing changes any more.
        if let model, !model.hasStructure { model.hasStructure = true }
    }

    /// Drops what was computed for the entity and all that inherit from it.
    final func forgetStructure() {
        var pending = [self]
        var seen: Set<ObjectIdentifier> = []
        while let entity = pending.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            entity.layoutStorage = nil
            entity.lookup = nil
            pending += entity.subentities
        }
    }
}
