// Predicates, expressions and fetch requests in a written archive, in the layout that ArchivedPredicates.swift reads.

import Foundation

extension ModelArchiver {
    // MARK: Predicates

    mutating func add(_ predicate: NSPredicate?) throws -> PropertyListValue {
        guard let predicate else { return KeyedArchiveBuilder.null }
        switch predicate {
        case let comparison as NSComparisonPredicate: return try add(comparison)
        case let compound as NSCompoundPredicate:
            var parts: [PropertyListValue] = []
            for part in compound.subpredicates { parts.append(try add(part)) }
            return builder.add(
                classes: ["NSCompoundPredicate", "NSPredicate", "NSObject"],
                [
                    Field("NSCompoundPredicateType", .integer(Int64(compound.compoundPredicateType.rawValue))),
                    Field("NSSubpredicates", builder.array(parts)),
                ])
        default:
            guard let value = predicate.constantValue else {
                throw error(.badPredicate(text: predicate.formatText, reason: "closures can't be archived"))
            }
            return builder.add(
                classes: [value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], [])
        }
    }

    private mutating func add(_ comparison: NSComparisonPredicate) throws -> PropertyListValue {
        let type = comparison.predicateOperatorType
        let family = OperatorFamily(type)
        var fields = [
            Field("NSOperatorType", .integer(Int64(type.rawValue))),
            Field("NSModifier", .integer(Int64(comparison.comparisonPredicateModifier.rawValue))),
            Field(family.optionsKey, .integer(Int64(truncatingIfNeeded: comparison.options.rawValue))),
        ]
        if family == .equality { fields.append(Field("NSNegate", .boolean(type == .notEqualTo))) }
        if family == .substring { fields.append(Field("NSPosition", .integer(type == .endsWith ? 1 : 0))) }
        let sign = builder.add(classes: family.classes, fields)
        return builder.add(
            classes: ["NSComparisonPredicate", "NSPredicate", "NSObject"],
            [
                Field("NSLeftExpression", try add(comparison.leftExpression)),
                Field("NSRightExpression", try add(comparison.rightExpression)), Field("NSPredicateOperator", sign),
            ])
    }

    // MARK: Expressions

    mutating func add(_ expression: NSExpression?) throws -> PropertyListValue {
        guard let expression else { return KeyedArchiveBuilder.null }
        switch expression.node {
        case .constant(let constant):
            let value = try add(plain: constant.value, setting: "constant")
            return node("NSConstantValueExpression", 0, [Field("NSConstantValue", value)])
        case .evaluatedObject: return node("NSSelfExpression", 1, [])
        case .variable(let name):
            return node("NSVariableExpression", 2, [Field("NSVariable", builder.text(name))])
        case .keyPath(let operand, let path): return try add(path, from: operand)
        case .function(let call): return try add(call)
        case .aggregate(let elements):
            return node("NSAggregateExpression", 14, [Field("NSCollection", try add(list: elements))])
        case .subquery, .conditional, .set, .anyKey: return try add(rare: expression)
        case .fetch: throw error(.badExpression(text: "\(expression)", reason: "a fetch has no place in a model"))
        case .block: throw error(.badExpression(text: "\(expression)", reason: "closures can't be archived"))
        }
    }

    private mutating func node(_ name: String, _ type: Int64, _ fields: [Field]) -> PropertyListValue {
        var classes = [name, "NSExpression", "NSObject"]
        if name == "NSKeyPathExpression" { classes.insert("NSFunctionExpression", at: 1) }
        return builder.add(classes: classes, fields + [Field("NSExpressionType", .integer(type))])
    }

    private mutating func add(list: [NSExpression]) throws -> PropertyListValue {
        var members: [PropertyListValue] = []
        for expression in list { members.append(try add(expression)) }
        return builder.array(members)
    }

    /// A path from the evaluated object is a key path; from anything else, a call.
    private mutating func add(_ path: KeyPathSteps, from operand: NSExpression) throws -> PropertyListValue {
        let specifier = node("NSKeyPathSpecifierExpression", 10, [Field("NSKeyPath", builder.text(path.text))])
        let isOwn = operand.expressionType == .evaluatedObject
        let selector = path.text.contains(".") || !isOwn ? "valueForKeyPath:" : "valueForKey:"
        let fields = [
            Field("NSOperand", try add(operand)), Field("NSSelectorName", builder.text(selector)),
            Field("NSArguments", builder.array([specifier], isMutable: true)),
        ]
        return isOwn ? node("NSKeyPathExpression", 3, fields) : node("NSFunctionExpression", 4, fields)
    }

    private mutating func add(_ call: FunctionCall) throws -> PropertyListValue {
        // It would be nested as deep in the archive.
        guard call.chainLength <= PredicateParser.depthLimit else {
            let reason = "\(call.chainLength) operators in a row are more than \(PredicateParser.depthLimit)"
            throw error(.badExpression(text: "…\(call.name)…", reason: reason))
        }
        let target: PropertyListValue
        if let operand = call.target {
            target = try add(operand)
        } else {
            let name = builder.text(ArchivedPredicates.functionClass)
            target = node("NSConstantValueExpression", 0, [Field("NSConstantValueClassName", name)])
        }
        return node(
            "NSFunctionExpression", 4,
            [
                Field("NSOperand", target), Field("NSSelectorName", builder.text(call.name)),
                Field("NSArguments", try add(list: call.arguments)),
            ])
    }

    private mutating func add(rare expression: NSExpression) throws -> PropertyListValue {
        switch expression.node {
        case .subquery(let collection, let variable, let predicate):
            return node(
                "NSSubqueryExpression", 13,
                [
                    Field("NSCollectionExpression", try add(collection)),
                    Field("NSVariableExpression", try add(NSExpression(forVariable: variable))),
                    Field("NSPredicate", try add(predicate)),
                ])
        case .conditional(let predicate, let then, let otherwise):
            return node(
                "NSTernaryExpression", 20,
                [
                    Field("NSPredicate", try add(predicate)), Field("NSTrueExpression", try add(then)),
                    Field("NSFalseExpression", try add(otherwise)),
                ])
        case .set(let setOperator, let left, let right):
            let (name, type): (String, Int64) =
                switch setOperator {
                case .union: ("NSUnionSetExpression", 5)
                case .intersect: ("NSIntersectSetExpression", 6)
                case .minus: ("NSMinusSetExpression", 7)
                }
            let sides = [Field("NSLeftExpression", try add(left)), Field("NSRightExpression", try add(right))]
            return node(name, type, sides)
        default: return node("NSAnyKeyExpression", 15, [])
        }
    }

    // MARK: Fetch requests

    mutating func add(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> PropertyListValue {
        let entity = request.entityName.flatMap { model.entitiesByName[$0] }
        var descriptors: [PropertyListValue] = []
        for descriptor in request.sortDescriptors ?? [] {
            guard let selector = descriptor.selector else {
                let text = "a sort descriptor of the fetch request"
                throw error(.badExpression(text: text, reason: "closures can't be archived"))
            }
            let fields = [
                Field("NSKey", builder.text(descriptor.key)), Field("NSAscending", .boolean(descriptor.ascending)),
                Field("NSSelector", builder.text(selector.name)),
            ]
            descriptors.append(builder.add(classes: ["NSSortDescriptor", "NSObject"], fields))
        }
        return builder.add(
            classes: ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
            [
                Field("NSEntity", reference(entity)), Field("NSPredicate", try add(request.predicate)),
                Field("NSSortDescriptors", descriptors.isEmpty ? KeyedArchiveBuilder.null : builder.array(descriptors)),
                Field("NSFetchLimit", .integer(Int64(request.fetchLimit))),
                Field("NSFetchOffset", .integer(Int64(request.fetchOffset))),
                Field("NSBatchSize", .integer(Int64(request.fetchBatchSize))),
                Field("NSResultType", .integer(Int64(truncatingIfNeeded: request.resultType.rawValue))),
            ] + ArchivedRequestFlag.fields(of: request))
    }
}

/// The classes of archived operators, and under which key each keeps its options.
private enum OperatorFamily {
    case order, equality, matching, like, substring, membership, range, custom

    init(_ type: NSComparisonPredicate.Operator) {
        self =
            switch type {
            case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: .order
            case .equalTo, .notEqualTo: .equality
            case .matches: .matching
            case .like: .like
            case .beginsWith, .endsWith: .substring
            case .in, .contains: .membership
            case .between: .range
            case .customSelector: .custom
            }
    }

    var optionsKey: String { self == .order || self == .equality ? "NSOptions" : "NSFlags" }

    var classes: [String] {
        let own =
            switch self {
            case .order: ["NSComparisonPredicateOperator"]
            case .equality: ["NSEqualityPredicateOperator"]
            case .matching: ["NSMatchingPredicateOperator", "NSStringPredicateOperator"]
            case .like: ["NSLikePredicateOperator", "NSMatchingPredicateOperator", "NSStringPredicateOperator"]
            case .substring: ["NSSubstringPredicateOperator", "NSStringPredicateOperator"]
            case .membership: ["NSInPredicateOperator"]
            case .range: ["NSBetweenPredicateOperator"]
            case .custom: ["NSCustomPredicateOperator"]
            }
        return own + ["NSPredicateOperator", "NSObject"]
    }
}
