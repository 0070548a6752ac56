// Whether a predicate or a sort key asks only for what an entity has. A store would refuse an unknown key too, but without a
// suggestion; here the key comes from a person who has mistyped it.

// CoreData shows Foundation too; importing both by name would leave open whose `NSExpression` is meant.
import CoreData
import Graft

/// Checks key paths against an entity.
struct KeyCheck {
    let entity: NSEntityDescription
    /// The option that the text was given with, for messages.
    let source: String

    /// Checks every key path in a predicate.
    ///
    /// - Throws: ``GraftError`` with the problem `unknownProperty`, or for a variable, which nothing gives a value to.
    func check(_ predicate: NSPredicate) throws {
        try check(predicate, variables: [:])
    }

    /// Checks a key path that objects are sorted by.
    ///
    /// - Throws: ``GraftError`` with the problem `unknownProperty`, or for a key path that has many values.
    func check(sortKey: String) throws {
        var current: NSEntityDescription? = entity
        for key in sortKey.split(separator: ".", omittingEmptySubsequences: false) {
            guard let owner = current else { throw unreachable(String(key), in: sortKey) }
            let property = try self.property(String(key), of: owner)
            let relationship = property as? NSRelationshipDescription
            guard relationship?.isToMany != true else {
                throw GraftError(
                    .other(
                        finding: "'\(sortKey)' leads to many objects, which have no order among them",
                        remedy: "Sort by an attribute or along to-one relationships."),
                    at: place(in: owner))
            }
            if let attribute = property as? NSAttributeDescription, attribute.hasParts { return }
            current = relationship?.destinationEntity
        }
    }

    // MARK: Predicates

    private typealias Variables = [String: NSEntityDescription?]

    /// Checks what is compared with; a name without quotes is mostly meant to be a text.
    private func check(value: NSExpression, variables: Variables) throws {
        do {
            _ = try destination(of: value, variables: variables)
        } catch let error as GraftError {
            guard case .unknownProperty(let key, let closest) = error.problem, value.expressionType == .keyPath,
                value.keyPath == key
            else { throw error }
            let meant = closest.map { "Did you mean '\($0)'? " } ?? ""
            let problem = GraftError.Problem.other(
                finding: "the model has no property '\(key)'", remedy: "\(meant)A text stands in quotes: \"\(key)\".")
            throw GraftError(problem, at: error.place)
        }
    }

    private func check(_ predicate: NSPredicate, variables: Variables) throws {
        switch predicate {
        case let compound as NSCompoundPredicate:
            // Apple declares the elements as `Any`.
            for case let part as NSPredicate in compound.subpredicates as [Any] {
                try check(part, variables: variables)
            }
        case let comparison as NSComparisonPredicate:
            _ = try destination(of: comparison.leftExpression, variables: variables)
            try check(value: comparison.rightExpression, variables: variables)
        default:
            break
        }
    }

    /// Checks an expression and returns the entity of the objects that it gives; nil where it gives something else.
    private func destination(of expression: NSExpression, variables: Variables) throws -> NSEntityDescription? {
        switch expression.expressionType {
        case .evaluatedObject:
            return entity
        case .variable:
            guard let known = variables[expression.variable] else { throw unknownVariable(expression.variable) }
            return known
        case .keyPath:
            return try follow(
                expression.keyPath, from: try destination(of: expression.operand, variables: variables))
        case .function:
            // Along the left side by a loop: a row of operators is as deep as it is long.
            var rest = expression
            while rest.expressionType == .function, let arguments = rest.arguments, let first = arguments.first {
                for argument in arguments.dropFirst() { _ = try destination(of: argument, variables: variables) }
                rest = first
            }
            if rest !== expression { _ = try destination(of: rest, variables: variables) }
            return nil
        case .aggregate:
            for element in expression.collection as? [NSExpression] ?? [] {
                _ = try destination(of: element, variables: variables)
            }
            return nil
        case .subquery:
            let members = try (expression.collection as? NSExpression).flatMap {
                try destination(of: $0, variables: variables)
            }
            let inner = variables.merging([expression.variable: members]) { $1 }
            try check(expression.predicate, variables: inner)
            return members
        case .conditional:
            try check(expression.predicate, variables: variables)
            _ = try destination(of: expression.true, variables: variables)
            return try destination(of: expression.false, variables: variables)
        case .unionSet, .intersectSet, .minusSet:
            _ = try destination(of: expression.right, variables: variables)
            return try destination(of: expression.left, variables: variables)
        default:
            return nil
        }
    }

    private func follow(_ keyPath: String, from start: NSEntityDescription?) throws -> NSEntityDescription? {
        guard var owner = start else { return nil }
        var isValue = false
        for key in keyPath.split(separator: ".") where key.first != "@" && key.lowercased() != "self" {
            if isValue { throw unreachable(String(key), in: keyPath) }
            if ["objectID", "entity"].contains(key) { return nil }
            let property = try property(String(key), of: owner)
            // What is in a transformable or composite value, nobody knows here.
            if let attribute = property as? NSAttributeDescription, attribute.hasParts { return nil }
            if let destination = (property as? NSRelationshipDescription)?.destinationEntity {
                owner = destination
            } else {
                isValue = true
            }
        }
        return isValue ? nil : owner
    }

    private func property(_ key: String, of owner: NSEntityDescription) throws -> NSPropertyDescription {
        let properties = owner.propertiesByName
        if let property = properties[key] { return property }
        let closest = NameSuggestion.closest(to: key, among: properties.keys)
        throw GraftError(.unknownProperty(key, closest: closest), at: place(in: owner))
    }

    private func unreachable(_ key: String, in keyPath: String) -> GraftError {
        GraftError(
            .other(finding: "'\(keyPath)' asks a value for its '\(key)'", remedy: "End the key path at the attribute."),
            at: place(in: entity))
    }

    private func unknownVariable(_ name: String) -> GraftError {
        GraftError(
            .other(finding: "nothing gives '$\(name)' a value", remedy: "Write the value itself."),
            at: place(in: entity))
    }

    private func place(in owner: NSEntityDescription) -> GraftError.Place {
        GraftError.Place(source: source, entity: owner.name)
    }
}

extension NSAttributeDescription {
    /// Whether a key path may go on behind the attribute.
    fileprivate var hasParts: Bool {
        switch attributeType {
        case .transformableAttributeType, .compositeAttributeType, .undefinedAttributeType: true
        default: false
        }
    }
}
