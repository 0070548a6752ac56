// Relationships between entities.

import Foundation

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription {
    /// The entity at the other end; weak, because the model owns its entities.
    public weak var destinationEntity: NSEntityDescription? {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The relationship that leads back; set it on both sides. Weak, because its entity owns it.
    ///
    /// Where a copy of that one was given to the entity at the other end, it is the copy.
    public var inverseRelationship: NSRelationshipDescription? {
        get {
            let inverse = storedInverse
            if let inverse, inverse.owner != nil { return inverse }
            guard let name = inverse?.name ?? copiedInverseName else { return nil }
            return destinationEntity?.relationshipsByName[name] ?? inverse
        }
        set {
            willChange()
            storedInverse = newValue
            copiedInverseName = nil
            didChange()
        }
    }
    private weak var storedInverse: NSRelationshipDescription?
    /// What the original's inverse is called, which may be gone by now. Observed: CosmicMind Graph makes its model of copies alone.
    private var copiedInverseName: String?

    /// The largest number of objects at the other end; 0 for no limit. 1 makes the relationship a to-one.
    open var maxCount: Int = 0 {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The smallest number of objects at the other end, where there are any or the relationship isn't optional.
    open var minCount: Int = 0 {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// What becomes of the objects at the other end when an object is deleted.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether the objects at the other end have an order.
    open var isOrdered: Bool = false {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Whether there may be several objects at the other end: any maximum but 1.
    open var isToMany: Bool { maxCount != 1 }

    /// The inverse as stores have it, which keep none that is transient.
    var keptInverse: NSRelationshipDescription? { inverseRelationship.flatMap { $0.isTransient ? nil : $0 } }

    override func makeBlank() -> NSPropertyDescription { NSRelationshipDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.destinationEntity = destinationEntity
        copy.inverseRelationship = inverseRelationship
        copy.copiedInverseName = inverseRelationship?.name
        copy.maxCount = maxCount
        copy.minCount = minCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
    }
}
