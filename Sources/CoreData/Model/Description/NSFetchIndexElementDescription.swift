// One property, or expression, of an index.

public import Foundation

/// How the elements of an index are compared.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// By value, in a tree.
    case binary = 0
    /// As a range of numbers, in a spatial tree; at most five of them.
    case rTree = 1
}

/// An element of an index.
open class NSFetchIndexElementDescription: NSObject, NSCopying {
    /// The index that has the element.
    public internal(set) weak var indexDescription: NSFetchIndexDescription?

    /// What is indexed: an attribute, a to-one relationship or an expression.
    public internal(set) var property: NSPropertyDescription?

    /// How values are compared.
    open var collationType: NSFetchIndexElementType {
        willSet { indexDescription?.willChange() }
    }

    /// Whether smaller values come first.
    open var isAscending: Bool = true {
        willSet { indexDescription?.willChange() }
    }

    /// The property's name as a compiled model has it, where the property itself isn't known.
    final var archivedPropertyName: String?

    /// The name of the property; nil for an expression without one.
    open var propertyName: String? { property?.name ?? archivedPropertyName }

    /// Creates an element.
    ///
    /// - Parameters:
    ///   - property: An attribute or to-one relationship of the entity, or an ``NSExpressionDescription``.
    ///   - collationType: How values are compared.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        super.init()
    }

    /// An element whose property isn't known yet.
    init(propertyName: String, collationType: NSFetchIndexElementType) {
        archivedPropertyName = propertyName
        self.collationType = collationType
        super.init()
    }

    /// Returns a copy that belongs to no index and refers to the same property.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    final func copied() -> NSFetchIndexElementDescription {
        let copy =
            property.map { NSFetchIndexElementDescription(property: $0, collationType: collationType) }
            ?? NSFetchIndexElementDescription(
                propertyName: archivedPropertyName ?? "", collationType: collationType)
        copy.isAscending = isAscending
        return copy
    }

    /// The property's name, for messages.
    open override var description: String { propertyName ?? "expression" }
}
