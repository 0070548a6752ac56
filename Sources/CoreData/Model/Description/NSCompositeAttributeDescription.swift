// Attributes that are a group of attributes.

import Foundation

/// An attribute whose value is a dictionary with one entry per element.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes of the group, composite ones among them.
    public var elements: [NSAttributeDescription] = [] {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// Creates a composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    override func makeBlank() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        (copy as? NSCompositeAttributeDescription)?.elements = elements.compactMap {
            $0.copied() as? NSAttributeDescription
        }
    }
}
