// Variables, properties and constants.

import Foundation

extension PredicateExpressions.Variable: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(try translator.expression(for: key))
    }
}

extension PredicateExpressions.KeyPath: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let owner = try translator.expression(root)
        if let kind { return try translated(kind, of: owner) }
        if let path = keyPath as AnyKeyPath as? PartialKeyPath<NSSet>, path == \NSSet.count { return count(of: owner) }
        guard let name = keyPath._kvcKeyPathString else {
            throw PredicateTranslationError.unknownProperty(of: "\(Root.Output.self)")
        }
        return .expression(owner.appending(name))
    }

    private func count(of owner: NSExpression) -> TranslatedPart { .expression(size(of: owner)) }

    private func size(of owner: NSExpression) -> NSExpression {
        Root.Output.self is any StringProtocol.Type ? .function(.length, [owner]) : owner.appending("@count")
    }

    private func translated(_ kind: CommonKeyPathKind, of owner: NSExpression) throws -> TranslatedPart {
        switch kind {
        case .collectionCount: return count(of: owner)
        case .collectionIsEmpty:
            return .predicate(.comparing(size(of: owner), .equalTo, NSExpression(forConstantValue: 0)))
        case .collectionFirst, .bidirectionalCollectionLast:
            // A text has no member that a predicate could see.
            if Root.Output.self is any StringProtocol.Type { throw translatorError }
            let index = NSExpression(forConstantValue: kind == .collectionFirst ? "FIRST" : "LAST")
            return .expression(.function(.objectAtIndex, [owner, index]))
        @unknown default: throw translatorError
        }
    }

    private var translatorError: PredicateTranslationError { .unsupportedOperation("a character of a text") }
}

extension PredicateExpressions.Value: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(NSExpression(forConstantValue: try PredicateConstant.object(of: value)))
    }
}

extension PredicateExpressions.NilLiteral: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(NSExpression(forConstantValue: nil))
    }
}

/// The values that a predicate can hold.
enum PredicateConstant {
    /// The value as an expression has it; enumerations by their raw values.
    static func object(of value: Any) throws -> Any? {
        if let optional = value as? any OptionalLayer { return try optional.wrapped.flatMap(object) }
        switch value {
        case is NSObject: return value
        case is String, is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is Decimal: return value
        case is Date, is Data, is UUID, is URL: return value
        case let text as Substring: return String(text)
        case let character as Character: return String(character)
        case let members as any Collection: return try members.map { try object(of: $0) ?? NSNull() }
        case let value as any RawRepresentable: return try object(of: value.rawValue)
        default: throw PredicateTranslationError.unsupportedConstant("\(type(of: value))")
        }
    }
}
