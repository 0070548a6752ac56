// What attributes, relationships, fetched properties and expressions of an entity have in common.

public import Foundation

/// One property of an entity.
///
/// Mutable until a coordinator uses the model; a later change stops the program.
open class NSPropertyDescription: NSObject, NSCopying, NSSecureCoding {
    /// The entity that declares the property; weak, because the entity owns its properties.
    package internal(set) final weak var owner: NSEntityDescription?

    /// The entity that declares the property.
    ///
    /// Stops the program where there is none: the property was never given to an entity, or the model is gone.
    open var entity: NSEntityDescription {
        guard let owner else {
            fatalError("The property '\(name)' has no entity. Put it in an entity's properties and keep the model.")
        }
        return owner
    }

    /// The name; unique among the entity's own and inherited properties.
    open var name: String = "" {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether an object may be saved without a value.
    open var isOptional: Bool = true {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether the value lives in memory only.
    open var isTransient: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// What the model's author noted; Graft's mapping annotations among it. Nothing is inherited. It may be changed while a
    /// coordinator uses the model.
    open var userInfo: [AnyHashable: Any]? = [:] {
        didSet { userInfoDidChange() }
    }

    /// What ``isIndexed`` was set to before there was an entity to have the index.
    final var wantsIndex = false

    /// Whether Spotlight indexes the property on Apple's platforms. Kept, without effect here.
    open var isIndexedBySpotlight: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether the property is also written to the external record file of old systems. Kept, without effect here.
    open var isStoredInExternalRecord: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// A text that changes the version hash, to tell versions apart that differ in nothing else.
    open var versionHashModifier: String? {
        willSet { willChange() }
        didSet { didChange() }
    }

    private final var renamingIdentifierStorage: String?

    /// By what a migration finds the property in another version of the model; the name where nothing else was set, if there is one.
    open var renamingIdentifier: String? {
        get { renamingIdentifierStorage ?? (name.isEmpty ? nil : name) }
        set {
            willChange()
            renamingIdentifierStorage = newValue
            didChange()
        }
    }

    /// The rules that a value has to keep, limits of the model among them, in order.
    package internal(set) final var validationRules: [ValidationRule] = [] {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Creates a property without a name.
    public override init() { super.init() }

    /// Whether the other object is a property of the same kind and settings, in an entity of the same name.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return other === self || (other.name == name && ModelSummary.text(self) == ModelSummary.text(other))
    }

    open override var hash: Int { name.hashValue }

    /// Returns a copy that belongs to no entity.
    ///
    /// A relationship's copy refers to the same destination and inverse.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// A property of the same kind with the same settings. A class of the program's own is copied as the class of this
    /// module that it derives from.
    package final func copied() -> NSPropertyDescription {
        let copy = makeBlank()
        copySettings(to: copy)
        return copy
    }

    /// A new instance of the class of this module that the property is of.
    func makeBlank() -> NSPropertyDescription { NSPropertyDescription() }

    /// Sets everything but the owner. Subclasses add what is theirs.
    func copySettings(to copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.userInfo = userInfo
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.isStoredInExternalRecord = isStoredInExternalRecord
        copy.versionHashModifier = versionHashModifier
        copy.renamingIdentifierStorage = renamingIdentifierStorage
        copy.validationRules = validationRules
    }

    // MARK: Archives

    /// What a property from an archive leads to.
    private final var archivedModel: NSManagedObjectModel?

    /// Properties are archived with the model that they belong to.
    open class var supportsSecureCoding: Bool { true }

    /// A property from an archive, which belongs to no entity and leads to those of the archive; nil, with the coder's error set, for
    /// one that can't be read.
    public required init?(coder: NSCoder) {
        super.init()
        guard let (property, model) = DescriptionArchive.property(coder) else { return nil }
        property.copySettings(to: self)
        archivedModel = model
    }

    /// Archives the property with its model. User info and default values that aren't plain data stop the program.
    open func encode(with coder: NSCoder) { DescriptionArchive.encode(self, coder) }

    final func willChange() { owner?.willChange() }
    final func didChange() { owner?.didChange() }
    private func userInfoDidChange() { owner?.userInfoDidChange() }

    /// The property's name after its entity's, for messages.
    open override var description: String { "\(owner?.name ?? "?").\(name)" }
}

extension NSPropertyDescription {
    /// What every value is checked against before a save, one result each (``validationWarnings``).
    public var validationPredicates: [NSPredicate] { validationRules.map(\.predicate) }

    /// The error text, or the error code as a number, for each of ``validationPredicates``.
    public var validationWarnings: [Any] { validationRules.map(\.boxedWarning) }

    /// Replaces the validation predicates.
    ///
    /// - Parameters:
    ///   - validationPredicates: Predicates on the value, which is `SELF` in them.
    ///   - validationWarnings: One error text each. Missing ones are left empty.
    public func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        let texts = validationWarnings ?? []
        validationRules = (validationPredicates ?? []).enumerated().map { index, predicate in
            ValidationRule(predicate: predicate, warning: index < texts.count ? .text(texts[index]) : .text(""))
        }
    }
}
