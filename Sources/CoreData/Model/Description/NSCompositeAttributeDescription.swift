// Attributes that are a group of attributes.

import Foundation

/// An attribute whose value is a dictionary with one entry per element.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes of the group, composite ones among them.
    open var elements: [NSAttributeDescription] = [] {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Creates a composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// A composite attribute from an archive, as any property.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    override func makeBlank() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        (copy as? NSCompositeAttributeDescription)?.elements = elements.compactMap {
            $0.copied() as? NSAttributeDescription
        }
    }
}

extension NSPropertyDescription {
    /// What a store keeps of a property, by name: the elements of a composite attribute, each with the path that leads to it
    /// (`location.x`), or else the property itself.
    package var storedParts: [(name: String, property: NSPropertyDescription)] { storedParts(name, depth: 0) }

    private func storedParts(_ name: String, depth: Int) -> [(name: String, property: NSPropertyDescription)] {
        guard let composite = self as? NSCompositeAttributeDescription else { return [(name, self)] }
        // A composite attribute within itself is an error of the model, which is found elsewhere.
        if depth > ModelLimits.compositeDepth { return [] }
        return composite.elements.flatMap { $0.storedParts("\(name).\($0.name)", depth: depth + 1) }
    }
}
