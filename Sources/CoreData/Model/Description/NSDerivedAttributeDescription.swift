// Attributes whose value the store computes.

import Foundation

/// An attribute that is computed from others when an object is saved.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    private var derivation: NSExpression?

    /// How the value is computed: a key path (`author.name`), a count (`pages.@count`), `canonical:(name)`, `now()`.
    ///
    /// A key path that ends in `@count` becomes the function `count:`, as in Core Data's compiled models.
    open var derivationExpression: NSExpression? {
        get { derivation }
        set {
            willChange()
            derivation = newValue.map(Self.normalized)
            didChange()
        }
    }

    private static func normalized(_ expression: NSExpression) -> NSExpression {
        let ending = ".@count"
        guard expression.expressionType == .keyPath, expression.operand.expressionType == .evaluatedObject,
            expression.keyPath.hasSuffix(ending)
        else { return expression }
        let path = String(expression.keyPath.dropLast(ending.count))
        return NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: path)])
    }

    override func makeBlank() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        (copy as? NSDerivedAttributeDescription)?.derivationExpression = derivationExpression
    }
}
