// Columns of a fetch, and elements of an index, that are computed by an expression.

import Foundation

/// A named expression: a column of a fetch with dictionary results, or an element of a fetch index.
open class NSExpressionDescription: NSPropertyDescription {
    /// What is computed.
    open var expression: NSExpression? {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType {
        willSet { willChange() }
        didSet { didChange() }
    }

    /// The type of the result, as newer code spells it. A number that is no ``NSAttributeType`` stops the program.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                fatalError("\(newValue.rawValue) is no attribute type. Use one of AttributeType's constants.")
            }
            expressionResultType = type
        }
    }

    /// An expression without a name.
    public override init() { super.init() }

    /// An expression from an archive; nil, with the coder's error set, for one that can't be read.
    public required init?(coder: NSCoder) {
        super.init()
        name = coder.decodeObject(of: NSString.self, forKey: "name") as String? ?? ""
        expression = coder.decodeObject(of: NSExpression.self, forKey: "expression")
        let number = UInt(bitPattern: coder.decodeInteger(forKey: "type"))
        guard coder.error == nil, let type = NSAttributeType(rawValue: number) else {
            coder.failWithError(coder.error ?? CocoaError(.coderReadCorrupt))
            return nil
        }
        expressionResultType = type
    }

    /// Archives the name, the expression and the type.
    open override func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(expression, forKey: "expression")
        coder.encode(Int(bitPattern: expressionResultType.rawValue), forKey: "type")
    }

    override func makeBlank() -> NSPropertyDescription { NSExpressionDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.expression = expression
        copy.expressionResultType = expressionResultType
    }
}
