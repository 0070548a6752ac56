// Expressions of an archive.

import Foundation

extension ArchivedPredicates {
    private static let deepestExpression = 64
    /// The class that the predefined functions are methods of.
    static let functionClass = "_NSPredicateUtilities"

    /// - Returns: Nil for `$null`.
    static func expression(
        _ field: PropertyListValue?, in archive: KeyedArchive, depth: Int = 0
    ) throws(Damage) -> NSExpression? {
        guard depth < deepestExpression else {
            throw Damage(reason: "an expression is nested more than \(deepestExpression) deep")
        }
        guard let object = try archive.object(field) else { return nil }
        switch object.className {
        case "NSConstantValueExpression":
            if let name = try archive.text(object["NSConstantValueClassName"]) {
                return NSExpression(forConstantValue: name)
            }
            return NSExpression(forConstantValue: try ArchivedValues.value(object["NSConstantValue"], in: archive))
        case "NSSelfExpression": return .evaluatedObjectExpression
        case "NSVariableExpression", "NSVariableAssignmentExpression":
            return NSExpression(forVariable: try text("NSVariable", of: object, archive))
        case "NSKeyPathSpecifierExpression":
            return NSExpression(forKeyPath: try text("NSKeyPath", of: object, archive))
        case "NSKeyPathExpression" where object["NSKeyPath"] != nil:
            return NSExpression(forKeyPath: try text("NSKeyPath", of: object, archive))
        case "NSKeyPathExpression", "NSFunctionExpression": return try function(object, archive, depth)
        case "NSAggregateExpression":
            return NSExpression(forAggregate: try list(object["NSCollection"], archive, depth))
        case "NSSubqueryExpression": return try subquery(object, archive, depth)
        case "NSTernaryExpression": return try conditional(object, archive, depth)
        case "NSAnyKeyExpression": return NSExpression.expressionForAnyKey()
        case "NSUnionSetExpression", "NSIntersectSetExpression", "NSMinusSetExpression":
            return try set(object, archive, depth)
        default: throw Damage(reason: "an expression is of the unknown class \(object.className)")
        }
    }

    private static func text(
        _ key: String, of object: KeyedArchive.Object, _ archive: KeyedArchive
    ) throws(Damage) -> String {
        guard let text = try archive.text(object[key]) else {
            throw Damage(reason: "an expression of the class \(object.className) has no \(key)")
        }
        return text
    }

    private static func required(
        _ key: String, of object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSExpression {
        guard let expression = try expression(object[key], in: archive, depth: depth + 1) else {
            throw Damage(reason: "an expression of the class \(object.className) has no \(key)")
        }
        return expression
    }

    private static func list(
        _ field: PropertyListValue?, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> [NSExpression] {
        var expressions: [NSExpression] = []
        for member in try archive.members(field) ?? [] {
            if let expression = try expression(member, in: archive, depth: depth + 1) { expressions.append(expression) }
        }
        return expressions
    }

    // MARK: Functions and key paths

    private static func function(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSExpression {
        let selector = try text("NSSelectorName", of: object, archive)
        let arguments = try list(object["NSArguments"], archive, depth)
        if selector == "valueForKeyPath:" || selector == "valueForKey:", let path = keyPath(arguments) {
            return NSExpression(
                node: .keyPath(
                    operand: try required("NSOperand", of: object, archive, depth), path: KeyPathSteps(path)))
        }
        let target = try archive.object(object["NSOperand"])
        if try archive.text(target?["NSConstantValueClassName"]) == functionClass {
            guard let function = PredefinedFunction(rawValue: selector),
                function.arity.contains(arguments.count)
            else { throw Damage(reason: "there is no function '\(selector)' of \(arguments.count) arguments") }
            return .function(function, arguments)
        }
        return NSExpression(
            forFunction: try required("NSOperand", of: object, archive, depth), selectorName: selector,
            arguments: arguments)
    }

    /// The key path that a single argument specifies.
    private static func keyPath(_ arguments: [NSExpression]) -> String? {
        guard arguments.count == 1 else { return nil }
        switch arguments[0].expressionType {
        case .keyPath: return arguments[0].keyPath
        case .constantValue: return arguments[0].constantValue as? String
        default: return nil
        }
    }

    // MARK: The rarer kinds

    // No archive with one of these was at hand; the keys are those of the classes' properties.

    private static func subquery(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSExpression {
        let variable = try required("NSVariableExpression", of: object, archive, depth)
        guard variable.expressionType == .variable,
            let condition = try predicate(object["NSPredicate"], in: archive, depth: depth + 1)
        else { throw Damage(reason: "a subquery lacks its variable or predicate") }
        return NSExpression(
            forSubquery: try required("NSCollectionExpression", of: object, archive, depth),
            usingIteratorVariable: variable.variable, predicate: condition)
    }

    private static func conditional(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSExpression {
        guard let condition = try predicate(object["NSPredicate"], in: archive, depth: depth + 1) else {
            throw Damage(reason: "a conditional expression has no predicate")
        }
        return NSExpression(
            forConditional: condition, trueExpression: try required("NSTrueExpression", of: object, archive, depth),
            falseExpression: try required("NSFalseExpression", of: object, archive, depth))
    }

    private static func set(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive, _ depth: Int
    ) throws(Damage) -> NSExpression {
        let left = try required("NSLeftExpression", of: object, archive, depth)
        let right = try required("NSRightExpression", of: object, archive, depth)
        return switch object.className {
        case "NSUnionSetExpression": NSExpression(forUnionSet: left, with: right)
        case "NSIntersectSetExpression": NSExpression(forIntersectSet: left, with: right)
        default: NSExpression(forMinusSet: left, with: right)
        }
    }
}
