// The inserted or updated objects by what their attributes equal. Whoever decodes or imports looks each object up by its identity first;
// without this, every look-up would go through all that has been changed before.

import Foundation

/// The objects in one of a context's lists of changes, by entity and by the values that somebody has looked for.
///
/// An object that has changed since is found under its older values, too: whoever asks evaluates the predicate as well.
struct ChangeIndex {
    /// The objects of an entity by one attribute.
    private struct Column {
        var objects: [OperandKey: [NSManagedObject]] = [:]
        private var known: Set<ObjectIdentifier> = []
        /// How much of the entity's log is entered.
        var count = 0

        mutating func enter(_ log: [NSManagedObject], _ path: NSExpression) {
            for object in log[count...] {
                object.state.insert(.indexed)
                let key = OperandKey(ExpressionEvaluator.operand(of: path, in: EvaluationScope(object: object)))
                let isNew = known.insert(ObjectIdentifier(object)).inserted
                let isThere = !isNew && objects[key]?.contains { $0 === object } ?? false
                if !isThere { objects[key, default: []].append(object) }
            }
            count = log.count
        }
    }

    private struct Table {
        /// The objects as they came, and each once more that has changed after it was entered.
        var log: [NSManagedObject] = []
        var columns: [String: Column] = [:]

        mutating func objects(_ equality: RequiredEquality) -> [NSManagedObject] {
            columns[equality.name, default: Column()].enter(log, equality.path)
            return columns[equality.name]?.objects[equality.key] ?? []
        }
    }

    private var tables: [ObjectIdentifier: Table] = [:]

    init(_ objects: [NSManagedObject]) {
        for object in objects { note(object) }
    }

    /// Notes an object that has come, or has changed.
    mutating func note(_ object: NSManagedObject) {
        object.state.remove(.indexed)
        tables[ObjectIdentifier(object.entity), default: Table()].log.append(object)
    }

    /// The objects of some entities among which are those that meet a condition.
    mutating func objects(of entities: [NSEntityDescription], _ equality: RequiredEquality) -> [NSManagedObject] {
        entities.flatMap { tables[ObjectIdentifier($0)]?.objects(equality) ?? [] }
    }
}

/// A comparison of an attribute with a constant that has to hold where a predicate holds.
struct RequiredEquality {
    let name: String
    let path: NSExpression
    let key: OperandKey

    init?(_ predicate: NSPredicate?, of entity: NSEntityDescription) {
        switch predicate {
        case let compound as NSCompoundPredicate where compound.compoundPredicateType == .and:
            guard let found = compound.subpredicates.lazy.compactMap({ Self($0, of: entity) }).first else { return nil }
            self = found
        case let comparison as NSComparisonPredicate:
            guard comparison.comparisonPredicateModifier == .direct, comparison.predicateOperatorType == .equalTo,
                comparison.options.isEmpty
            else { return nil }
            let sides = [comparison.leftExpression, comparison.rightExpression]
            guard let found = Self(sides[0], sides[1], entity) ?? Self(sides[1], sides[0], entity) else { return nil }
            self = found
        default: return nil
        }
    }

    private init?(_ path: NSExpression, _ value: NSExpression, _ entity: NSEntityDescription) {
        guard case .keyPath(let start, let steps) = path.node, case .evaluatedObject = start.node,
            steps.steps.count == 1, case .key(let name)? = steps.steps.first, entity.attributesByName[name] != nil,
            case .constant(let constant) = value.node
        else { return nil }
        self.name = name
        self.path = path
        key = OperandKey(constant.operand)
    }
}
