// Which declarations of a class key-value coding would find on Apple's platforms: instance properties with an accessor or
// storage of their own, and `validate<Key>` methods. `@objc` doesn't tell, since it doesn't compile on Linux.

import ManagedObjectGenerator
import SwiftSyntax

extension WrittenMember {
    /// The properties that a declaration without @NSManaged has for key-value coding.
    static func properties(_ node: VariableDeclSyntax, of owner: [String]) -> [WrittenMember] {
        guard node.modifiers.areFoundByKey, node.attributes.areFoundByKey else { return [] }
        return node.bindings.compactMap { binding in
            guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { return nil }
            let name = token.plainText
            guard name.isASCII, !binding.hasEffects, !binding.asks(forKey: name) else { return nil }
            let isSettable = node.isSettableByOthers && binding.isSettable
            return WrittenMember(owner: owner, name: name, kind: .property(isSettable: isSettable))
        }
    }

    /// The method as a validation, where it has the name and the form of one.
    static func validation(_ node: FunctionDeclSyntax, of owner: [String]) -> WrittenMember? {
        let prefix = "validate"
        let name = node.name.plainText
        guard name.hasPrefix(prefix), let next = name.dropFirst(prefix.count).first, next.isUppercase, name.isASCII,
            node.modifiers.areFoundByKey, node.attributes.areFoundByKey, node.genericParameterClause == nil,
            node.signature.returnClause == nil, node.signature.effectSpecifiers?.asyncSpecifier == nil,
            node.signature.effectSpecifiers?.throwsClause != nil
        else { return nil }
        let parameters = node.signature.parameterClause.parameters
        guard parameters.count == 1, let only = parameters.first, only.firstName.text == "_",
            only.type.trimmedDescription.contains("UnsafeMutablePointer<AnyObject?>")
        else { return nil }
        return WrittenMember(owner: owner, name: String(name.dropFirst(prefix.count)), kind: .validation)
    }
}

extension VariableDeclSyntax {
    /// Whether other files may set it, as far as the declaration's head tells.
    fileprivate var isSettableByOthers: Bool {
        // What a property wrapper allows isn't written here.
        let isPlain = attributes.compiled.allSatisfy {
            ["objc", "available"].contains($0.attributeName.trimmedDescription)
        }
        let isPrivate = modifiers.contains {
            ["private", "fileprivate"].contains($0.name.text) && $0.detail?.detail.text == "set"
        }
        return isPlain && !isPrivate && bindingSpecifier.text == "var"
    }
}

extension DeclModifierListSyntax {
    /// Whether the declaration belongs to objects and can be named in another file.
    var areFoundByKey: Bool {
        !contains {
            ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil
                || ["static", "class"].contains($0.name.text)
        }
    }
}

extension AttributeListSyntax {
    /// Whether generated code can name the declaration, and key-value coding is to.
    var areFoundByKey: Bool {
        !compiled.contains { attribute in
            let text = attribute.trimmedDescription
            return switch attribute.attributeName.trimmedDescription {
            case "nonobjc", "MainActor": true
            // Naming it would be a warning or an error.
            case "available": ["deprecated", "unavailable", "obsoleted"].contains { text.contains($0) }
            default: false
            }
        }
    }
}

extension PatternBindingSyntax {
    /// Whether the getter is asynchronous or throws, so that no key path leads to it.
    fileprivate var hasEffects: Bool {
        guard case .accessors(let accessors)? = accessorBlock?.accessors else { return false }
        return accessors.contains { $0.effectSpecifiers != nil }
    }

    /// Whether there is a setter, or storage.
    fileprivate var isSettable: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.contains { ["set", "willSet", "didSet", "_modify"].contains($0.accessorSpecifier.text) }
        }
    }

    /// Whether the accessors ask the object for the property's own key, or one that isn't written out. With key-value
    /// coding calling the accessor, that would go round in circles; so the property can't be one that it calls.
    fileprivate func asks(forKey name: String) -> Bool {
        guard let accessorBlock else { return false }
        let finder = KeyFinder(name)
        finder.walk(accessorBlock)
        return finder.isFound
    }
}

/// Looks for `value(forKey:)` and `setValue(_:forKey:)`.
private final class KeyFinder: SyntaxVisitor {
    private(set) var isFound = false
    private let name: String

    init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let called = node.calledExpression.trimmedDescription
        let methods = ["value", "setValue"]
        let isOfObject = methods.contains { called == $0 || called == "self.\($0)" || called == "super.\($0)" }
        if isOfObject, let key = node.arguments.first(where: { $0.label?.text == "forKey" }) {
            let literal = key.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
            if literal == nil || literal == name { isFound = true }
        }
        return .visitChildren
    }
}

extension String {
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 128 } }
}
