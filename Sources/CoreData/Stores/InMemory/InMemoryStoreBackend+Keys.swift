// Keys that an entity doesn't have or doesn't store, and variables without a value, in the predicates, sort descriptors and columns of
// fetches from the in-memory store: an error, as in SQL, where evaluating would find nil. As there, an entity has no keys of those that inherit from it.

import Foundation

extension InMemoryStoreBackend {
    /// - Throws: `CocoaError` (`.persistentStoreOperation`) naming the key, for a query with one that no row has.
    func checkKeys(of query: StoreQuery, selection: StoreSelection? = nil) throws {
        var check = KeyCheck(entity: query.entity)
        if let predicate = query.predicate {
            check.check(predicate, [:])
            try check.finish { "The predicate '\(predicate.formatText)'" }
        }
        for descriptor in query.sortDescriptors {
            guard let key = descriptor.key, selection?.computedColumn(named: key, of: query.entity) == nil else {
                continue
            }
            check.check(NSExpression(forKeyPath: key), [:])
            // A closure may order lists, too.
            if descriptor.comparison != nil { check.requireOrder(of: key) }
            try check.finish { "The sort descriptor \(descriptor)" }
        }
        guard let selection else { return }
        for column in selection.columns + selection.groups {
            check.check(column.expression, [:])
            try check.finish { "The expression '\(column.expression)'" }
        }
        if let having = selection.having {
            check.check(having, [:])
            try check.finish { "The predicate '\(having.formatText)'" }
        }
    }
}

/// A walk through predicates and expressions that knows of which entity the objects are whose keys are read.
private struct KeyCheck {
    let entity: NSEntityDescription
    private var problem: String?
    /// Whether the path that was followed last leads through a to-many relationship.
    private var isToMany = false
    /// What that path ends with, where it is a plain key.
    private var last: NSPropertyDescription?

    init(entity: NSEntityDescription) { self.entity = entity }

    /// - Parameter key: The path that was checked last.
    mutating func requireOrder(of key: String) {
        if isToMany, !KeyPathSteps(key).computesCollections {
            problem = problem ?? "'\(key)' leads to many values, which have no order"
        }
        if last == nil, key.split(separator: ".").last == "entity" { problem = problem ?? "entities have no order" }
        // What SQL has no order for.
        if let attribute = last as? NSAttributeDescription, case .opaque = SQLKind(of: attribute) {
            problem = problem ?? "the values of '\(key)' have no order"
        }
    }

    func finish(_ subject: () -> String) throws {
        guard let problem else { return }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "\(subject()) on '\(entity.name ?? "")' can't be evaluated: \(problem). Correct it.")
    }

    /// - Parameter variables: The entities of the members that variables of subqueries stand for; nil where that isn't known.
    mutating func check(_ predicate: NSPredicate, _ variables: [String: NSEntityDescription?]) {
        switch predicate {
        case let comparison as NSComparisonPredicate:
            check(comparison.leftExpression, variables)
            check(comparison.rightExpression, variables)
        case let compound as NSCompoundPredicate:
            for part in compound.subpredicates { check(part, variables) }
        default: break
        }
    }

    /// - Returns: The entity of the objects that the expression gives; nil where it gives none, or of what entity isn't known.
    @discardableResult
    mutating func check(
        _ expression: NSExpression, _ variables: [String: NSEntityDescription?]
    ) -> NSEntityDescription? {
        switch expression.node {
        case .evaluatedObject: return entity
        case .variable(let name):
            if let entity = variables[name] { return entity }
            problem =
                problem
                ?? "the variable $\(name) has no value; give it one with withSubstitutionVariables(_:)"
            return nil
        case .keyPath(let operand, let path): return follow(path, from: check(operand, variables))
        case .function(let call):
            if let chain = ExpressionChain(expression) {
                check(chain.first, variables)
                for link in chain.links { check(link.right, variables) }
                return nil
            }
            if let target = call.target { checkMethod(call, of: check(target, variables)) }
            let entities = call.arguments.map { check($0, variables) }
            return call.function == .objectAtIndex ? entities.first ?? nil : nil
        case .aggregate(let elements), .block(_, let elements):
            for element in elements { check(element, variables) }
            return nil
        case .subquery(let collection, let variable, let predicate):
            var inner = variables
            let members = check(collection, variables)
            inner.updateValue(members, forKey: variable)
            check(predicate, inner)
            return members
        case .conditional(let predicate, let then, let otherwise):
            check(predicate, variables)
            check(then, variables)
            check(otherwise, variables)
            return nil
        case .set(_, let left, let right):
            check(right, variables)
            return check(left, variables)
        case .fetch(let request, let context, _):
            check(request, variables)
            check(context, variables)
            return nil
        case .constant, .anyKey: return nil
        }
    }

    /// A method without parameters reads like a key; the others are those that values have.
    private mutating func checkMethod(_ call: FunctionCall, of owner: NSEntityDescription?) {
        if call.arguments.isEmpty {
            _ = follow(KeyPathSteps(call.name), from: owner)
        } else if ValueMethod(rawValue: call.name) == nil {
            problem = problem ?? "the method '\(call.name)' can't be called"
        }
    }

    private mutating func follow(_ path: KeyPathSteps, from start: NSEntityDescription?) -> NSEntityDescription? {
        var current = start
        var keys = CompositeKeys()
        isToMany = false
        last = nil
        for step in path.steps {
            guard let owner = current else { return nil }
            switch step {
            case .collection(.count, _), .unknownOperator: return nil
            case .collection(_, let rest): current = follow(keys.completing(rest), from: owner)
            case .key(let name):
                guard let key = keys.name(name, of: owner) else { continue }
                guard let slot = owner.layout.slot(named: key), !owner.layout.slots[slot].isTransient else {
                    if !["objectID", "entity"].contains(key) {
                        let stored = owner.layout.slots.filter { !$0.isTransient }.map(\.name).sorted()
                        problem =
                            problem
                            ?? "the property '\(key)' of '\(owner.name ?? "")' \(owner.reasonAgainst(key)); stored are "
                            + stored.joined(separator: ", ")
                    }
                    return nil
                }
                let property = owner.layout.slots[slot].property
                // What an attribute's value answers to isn't the model's concern.
                last = property
                let relationship = property as? NSRelationshipDescription
                if relationship?.isToMany ?? false { isToMany = true }
                current = relationship?.destinationEntity
            }
        }
        return current
    }
}
