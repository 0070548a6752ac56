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
    public weak var inverseRelationship: NSRelationshipDescription? {
        willSet { willChange() }
        didSet { didChange() }
    }

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

    override func makeBlank() -> NSPropertyDescription { NSRelationshipDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.destinationEntity = destinationEntity
        copy.inverseRelationship = inverseRelationship
        copy.maxCount = maxCount
        copy.minCount = minCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
    }
}
