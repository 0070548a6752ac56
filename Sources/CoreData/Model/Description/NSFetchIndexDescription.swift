// Indexes that a store keeps for an entity.

public import Foundation

/// An index of an entity.
open class NSFetchIndexDescription: NSObject, NSCopying {
    /// The entity that has the index; set when the index becomes one of its ``NSEntityDescription/indexes``.
    public internal(set) weak var entity: NSEntityDescription?

    /// The name; unique within the entity.
    open var name: String {
        willSet { willChange() }
    }

    /// What is indexed, in order of significance.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { willChange() }
        didSet { adoptElements() }
    }

    /// Which objects are in the index; nil for all.
    open var partialIndexPredicate: NSPredicate? {
        willSet { willChange() }
    }

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - name: A name that is unique within the entity.
    ///   - elements: What is indexed, in order of significance.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adoptElements()
    }

    /// Stops where the entity can't be changed; a copy is none of its indexes.
    final func willChange() {
        guard let entity, entity.indexes.contains(where: { $0 === self }) else { return }
        entity.willChange()
    }

    private func adoptElements() {
        for element in elements { element.indexDescription = self }
    }

    /// Returns a copy that names the same entity, without being one of its indexes; its elements refer to the same properties.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(name: name, elements: elements.map { $0.copied() })
        copy.partialIndexPredicate = partialIndexPredicate
        copy.entity = entity
        return copy
    }

    /// The name after the entity's, for messages.
    open override var description: String { "\(entity?.name ?? "?").\(name)" }
}
