// `sum:(items.price)` of a group is of the items of all its rows. It becomes a function of what it is for each row, `sum:(sum:(items.price))`,
// which both stores compute like any other function of a group's rows.

import Foundation

extension TreeRewriter {
    /// Puts functions of all rows of a group in place of those of each row's members, except for what is the same for all rows.
    init(gatheringMembersOf entity: NSEntityDescription, groups: [NSExpression]) {
        self.init { expression, _ in
            if expression.isRowAggregate(of: entity) || groups.contains(where: { $0.isEqual(expression) }) {
                return expression
            }
            return MemberAggregate(expression, of: entity)?.ofAllRows
        }
    }
}

/// A function of the members of each row: `sum:(items.price)` or `items.@sum.price`, `count:(items)` or `items.@count`.
private struct MemberAggregate {
    let entity: NSEntityDescription
    let expression: NSExpression
    let function: PredefinedFunction
    /// From the row to the members' values.
    let keys: [String]

    init?(_ expression: NSExpression, of entity: NSEntityDescription) {
        switch expression.node {
        case .function(let call):
            guard call.target == nil, call.arguments.count == 1, let function = call.function, function.isAggregate,
                case .keyPath(let operand, let path) = call.arguments[0].node, case .evaluatedObject = operand.node,
                !path.computesCollections
            else { return nil }
            self.function = function
            keys = path.text.split(separator: ".").map(String.init)
        case .keyPath(let operand, let path):
            guard case .evaluatedObject = operand.node, let function = path.onlyFunction else { return nil }
            self.function = function
            keys = path.text.split(separator: ".").map(String.init).filter { $0.first != "@" }
        default: return nil
        }
        // What has one value for each row is a function of the rows.
        if NSExpression(forKeyPath: keys.joined(separator: ".")).isSingleValue(of: entity) { return nil }
        self.entity = entity
        self.expression = expression
    }

    /// Nil for what can't be put together from what each row gives.
    var ofAllRows: NSExpression? {
        switch function {
        case .sum, .count: Self.call(.sum, expression)
        case .min, .max: Self.call(function, expression)
        case .average: average
        default: nil
        }
    }

    /// Members without a value count in neither part.
    private var average: NSExpression? {
        let value = keysOfValue
        guard value.count < keys.count else { return nil }
        let sum = Self.call(.sum, NSExpression(forKeyPath: keys.joined(separator: ".")))
        let member = "member"
        let isThere = NSComparisonPredicate(
            leftExpression: NSExpression(
                node: .keyPath(
                    operand: NSExpression(forVariable: member), path: KeyPathSteps(value.joined(separator: ".")))),
            rightExpression: NSExpression(forConstantValue: nil), modifier: .direct, type: .notEqualTo, options: [])
        let members = NSExpression(
            node: .subquery(
                collection: NSExpression(forKeyPath: keys.dropLast(value.count).joined(separator: ".")),
                variable: member, predicate: isThere))
        let count = NSExpression(node: .keyPath(operand: members, path: KeyPathSteps("@count")))
        let exact = Self.call(.multiply, Self.call(.sum, sum), NSExpression(forConstantValue: 1.0))
        return Self.call(.divide, exact, Self.call(.sum, count))
    }

    /// From a member to its value: what comes after the last relationship.
    private var keysOfValue: ArraySlice<String> {
        var (owner, rest) = (entity, keys[...])
        while rest.count > 1, let destination = owner.relationshipsByName[rest[rest.startIndex]]?.destinationEntity {
            (owner, rest) = (destination, rest.dropFirst())
        }
        return rest
    }

    private static func call(_ function: PredefinedFunction, _ arguments: NSExpression...) -> NSExpression {
        NSExpression(forFunction: function.rawValue, arguments: arguments)
    }
}

extension KeyPathSteps {
    /// The function of the only operator in the path.
    fileprivate var onlyFunction: PredefinedFunction? {
        let functions = steps.compactMap { step -> PredefinedFunction? in
            guard case .collection(let collection, let rest) = step, !rest.computesCollections else { return nil }
            return switch collection {
            case .count: .count
            case .sum: .sum
            case .avg: .average
            case .min: .min
            case .max: .max
            default: nil
            }
        }
        return functions.count == 1 && text.count { $0 == "@" } == 1 ? functions[0] : nil
    }
}
