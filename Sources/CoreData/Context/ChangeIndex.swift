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

        /// What isn't entered yet. From now on it counts as entered: who gets it enters it.
        mutating func takeNew(_ log: [NSManagedObject]) -> [NSManagedObject] {
            defer { count = log.count }
            return Array(log[count...])
        }

        mutating func enter(_ object: NSManagedObject, _ key: OperandKey) {
            let isNew = known.insert(ObjectIdentifier(object)).inserted
            let isThere = !isNew && objects[key]?.contains { $0 === object } ?? false
            if !isThere { objects[key, default: []].append(object) }
        }
    }

    private struct Table {
        /// The objects as they came, and each once more that has changed after it was entered.
        var log: [NSManagedObject] = []
        var columns: [String: Column] = [:]

        mutating func takeNew(_ equality: RequiredEquality) -> [NSManagedObject] {
            columns[equality.name, default: Column()].takeNew(log)
        }

        func objects(_ equality: RequiredEquality) -> [NSManagedObject] {
            columns[equality.name]?.objects[equality.key] ?? []
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

    /// The objects of some entities that aren't entered by the attribute of a condition yet.
    mutating func takeNew(of entities: [NSEntityDescription], _ equality: RequiredEquality) -> [NSManagedObject] {
        entities.flatMap { tables[ObjectIdentifier($0)]?.takeNew(equality) ?? [] }
    }

    /// Enters an object by the value that the attribute of a condition had.
    mutating func enter(_ object: NSManagedObject, _ equality: RequiredEquality, _ value: OperandKey) {
        tables[ObjectIdentifier(object.entity)]?.columns[equality.name]?.enter(object, value)
    }

    /// The objects of some entities among which are those that meet a condition, once all have been entered.
    func objects(of entities: [NSEntityDescription], _ equality: RequiredEquality) -> [NSManagedObject] {
        entities.flatMap { tables[ObjectIdentifier($0)]?.objects(equality) ?? [] }
    }
}

extension NSManagedObjectContext {
    /// The objects of a list and of some entities among which are those that meet a condition: where the condition is none that an index
    /// can answer, all of them.
    ///
    /// Objects are asked for their values between two uses of the list: one that was refreshed is read then, which may change others and
    /// with them the list.
    func changes(
        in list: ReferenceWritableKeyPath<NSManagedObjectContext, ChangeList>, of entities: [NSEntityDescription],
        _ equality: RequiredEquality?
    ) -> [NSManagedObject] {
        guard let equality else {
            return self[keyPath: list].objects.filter { object in entities.contains { $0 === object.entity } }
        }
        while true {
            let new = self[keyPath: list].takeNew(of: entities, equality)
            if new.isEmpty { return self[keyPath: list].objects(of: entities, equality) }
            for object in new {
                object.state.insert(.indexed)
                let scope = EvaluationScope(object: object)
                let value = OperandKey(ExpressionEvaluator.operand(of: equality.path, in: scope))
                self[keyPath: list].enter(object, equality, value)
            }
        }
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
            steps.steps.count == 1, case .key(let name)? = steps.steps.first,
            let attribute = entity.attributesByName[name],
            case .constant(let constant) = value.node
        else { return nil }
        let kind = SQLKind(of: attribute)
        // Such an attribute may hold a number here and its text there, and both equal the constant.
        if case .opaque = kind { return nil }
        self.name = name
        self.path = path
        // Compared as an attribute's values are: a number that is looked for in a text is its text.
        key = OperandKey(constant.operand.respelled(asText: kind == .string))
    }
}
