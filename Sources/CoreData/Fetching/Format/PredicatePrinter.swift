// Predicates as formats. What is printed parses to an equal predicate, except for what has no literal: managed objects and
// closures.

import Foundation

enum PredicatePrinter {
    static func text(of predicate: NSPredicate) -> String {
        switch predicate {
        case let comparison as NSComparisonPredicate: text(of: comparison)
        case let compound as NSCompoundPredicate: text(of: compound)
        default: (predicate as any FoundationFormat).predicateFormat
        }
    }

    private static func text(of comparison: NSComparisonPredicate) -> String {
        let quantifier =
            switch comparison.comparisonPredicateModifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        let left = ExpressionPrinter.side(comparison.leftExpression)
        let right = ExpressionPrinter.side(comparison.rightExpression)
        let sign = comparison.predicateOperatorType.text + comparison.options.text
        return "\(quantifier)\(left) \(sign) \(right)"
    }

    private static func text(of compound: NSCompoundPredicate) -> String {
        let parts = compound.subpredicates
        switch compound.compoundPredicateType {
        case .not: return "NOT \(parts.first.map(groupedText) ?? "FALSEPREDICATE")"
        case .and where parts.isEmpty: return "TRUEPREDICATE"
        case .or where parts.isEmpty: return "FALSEPREDICATE"
        case .and, .or:
            if parts.count == 1 { return text(of: parts[0]) }
            return parts.map(groupedText).joined(separator: compound.compoundPredicateType == .and ? " AND " : " OR ")
        }
    }

    /// A compound in parentheses, everything else without.
    private static func groupedText(_ predicate: NSPredicate) -> String {
        predicate is NSCompoundPredicate ? "(\(text(of: predicate)))" : text(of: predicate)
    }
}

/// Foundation marks the format of its predicates as deprecated, because there it can't be parsed. Here it can.
private protocol FoundationFormat {
    var predicateFormat: String { get }
}

extension NSPredicate: FoundationFormat {}

enum ExpressionPrinter {
    static func text(of expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let constant): constant.isNSNull ? null : text(ofConstant: constant.value)
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .keyPath(let operand, let path): text(ofPath: path, from: operand)
        case .function(let call): ExpressionChain(expression).map(text) ?? text(of: call)
        case .aggregate(let elements): "{\(list(elements))}"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(text(of: collection)), $\(variable), \(PredicatePrinter.text(of: predicate)))"
        case .conditional(let predicate, let then, let otherwise):
            "TERNARY(\(PredicatePrinter.text(of: predicate)), \(text(of: then)), \(text(of: otherwise)))"
        case .set(let setOperator, let left, let right):
            "\(grouped(left)) \(setOperator.rawValue) \(grouped(right))"
        case .anyKey: "ANYKEY"
        case .fetch(let request, let context, let isCount):
            "FETCH(\(list([request, context])), \(isCount ? "YES" : "NO"))"
        case .block(_, let arguments): "BLOCK(\(list(arguments)))"
        }
    }

    /// One side of a comparison, or an expression that stands alone. A whole number needs no point there, as 20.0 and 20 compare
    /// alike; it does where it is calculated with, as 1 / 2 isn't 1.0 / 2.
    static func side(_ expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let constant): return constant.isNSNull ? null : text(ofConstant: constant.value, whole)
        case .aggregate(let elements): return "{\(elements.map(side).joined(separator: ", "))}"
        default: return text(of: expression)
        }
    }

    private static func list(_ expressions: [NSExpression]) -> String {
        expressions.map(text).joined(separator: ", ")
    }

    /// In parentheses, if it consists of two parts with an operator between them.
    private static func grouped(_ expression: NSExpression) -> String {
        switch expression.node {
        case .set: return "(\(text(of: expression)))"
        case .function(let call):
            return call.function?.sign == nil ? text(of: expression) : "(\(text(of: expression)))"
        default: return text(of: expression)
        }
    }

    private static func text(ofPath path: KeyPathSteps, from operand: NSExpression) -> String {
        if case .evaluatedObject = operand.node {
            let first = path.text.prefix { $0 != "." }
            return Keyword(word: String(first)) == nil ? path.text : "#\(path.text)"
        }
        return "\(grouped(operand)).\(path.text)"
    }

    private static func text(of call: FunctionCall) -> String {
        if let target = call.target {
            let parts = [text(of: target), quoted(call.name)] + call.arguments.map(text)
            return "FUNCTION(\(parts.joined(separator: ", ")))"
        }
        if let sign = call.function?.sign, call.arguments.count == 2 {
            return "\(grouped(call.arguments[0])) \(sign) \(grouped(call.arguments[1]))"
        }
        switch (call.function, call.arguments.count) {
        case (.objectAtIndex?, 2): return "\(grouped(call.arguments[0]))[\(indexText(call.arguments[1]))]"
        case (.cast?, 2): return "CAST(\(list(call.arguments)))"
        default: return "\(call.name)(\(list(call.arguments)))"
        }
    }

    /// A long row without the parentheses that mean nothing: nobody could read them back.
    private static func text(of chain: ExpressionChain) -> String {
        var opening: [String] = []
        var rest = grouped(chain.first)
        var before: PredefinedFunction?
        for link in chain.links {
            guard let sign = link.function.sign else {
                opening.append("\(link.call.name)(")
                rest += ", \(text(of: link.right)))"
                before = nil
                continue
            }
            // What binds less tightly, and a power of a power, would be read otherwise.
            if let before, before.level ?? -1 < link.function.level ?? .max {
                opening.append("(")
                rest += ")"
            }
            rest += " \(sign) \(grouped(link.right))"
            before = link.function
        }
        return opening.reversed().joined() + rest
    }

    private static func indexText(_ index: NSExpression) -> String {
        if case .constant(let constant) = index.node, let symbol = constant.value as? String,
            IndexSymbol(rawValue: symbol) != nil
        {
            return symbol
        }
        return text(of: index)
    }

    // MARK: Constants

    /// `NSNull`, also as a member of a collection.
    private static let null = "<null>"

    private static func text(ofConstant value: Any?, _ numberText: (NSNumber) -> String = text(of:)) -> String {
        switch value {
        case nil: "nil"
        case let string as String: quoted(string)
        case let decimal as NSDecimalNumber: "CAST(\(quoted(decimal.stringValue)), \"NSDecimalNumber\")"
        case let number as NSNumber: numberText(number)
        case let date as Date: "CAST(\(seconds(date.timeIntervalSinceReferenceDate)), \"NSDate\")"
        case let uuid as UUID: "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
        case let data as Data: "CAST(\"\(data.base64EncodedString())\", \"NSData\")"
        case let url as URL: "CAST(\(quoted(url.absoluteString)), \"NSURL\")"
        case let object as NSManagedObject: "CAST(\"\(object.objectID.uriRepresentation())\", \"NSManagedObjectID\")"
        case let id as NSManagedObjectID: "CAST(\"\(id.uriRepresentation())\", \"NSManagedObjectID\")"
        case let other?: text(ofCollection: other, numberText)
        }
    }

    /// Sets have no order; their members are printed sorted.
    private static func text(ofCollection value: Any, _ numberText: (NSNumber) -> String) -> String {
        guard case .collection(let members) = Operand(value) else { return quoted("\(value)") }
        let texts = members.elements.map { $0.boxed.map { text(ofConstant: $0, numberText) } ?? null }
        return "{\((members.isOrdered ? texts : texts.sorted()).joined(separator: ", "))}"
    }

    private static func text(of number: NSNumber) -> String {
        guard case .real(let value) = Operand(number) else { return number.stringValue }
        if value.isInfinite { return value < 0 ? "-1e999" : "1e999" }
        return "\(value)"
    }

    private static func whole(_ number: NSNumber) -> String {
        guard case .real(let value) = Operand(number), let whole = Int32(exactly: value) else {
            return text(of: number)
        }
        return "\(whole)"
    }

    /// With six digits, as Apple prints dates, if these are all.
    private static func seconds(_ seconds: TimeInterval) -> String {
        let text = String(format: "%.6f", seconds)
        return Double(text) == seconds ? text : self.text(of: NSNumber(value: seconds))
    }

    static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where scalar.value < 0x20:
                text +=
                    "\\u" + String(repeating: "0", count: scalar.value < 0x10 ? 3 : 2)
                    + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension PredefinedFunction {
    /// The sign that stands for the function in a format.
    var sign: String? {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .power: "**"
        case .bitAnd: "&"
        case .bitOr: "|"
        case .bitXor: "^"
        case .shiftLeft: "<<"
        case .shiftRight: ">>"
        default: nil
        }
    }
}

extension PredefinedFunction {
    /// How tightly an operator binds that is read from left to right; nil for others.
    var level: Int? {
        switch self {
        case .bitOr: 0
        case .bitXor: 1
        case .bitAnd: 2
        case .shiftLeft, .shiftRight: 3
        case .add, .subtract: 4
        case .multiply, .divide: 5
        default: nil
        }
    }
}

extension NSComparisonPredicate.Operator {
    var text: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .customSelector: "CUSTOMSELECTOR"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }
}

extension NSComparisonPredicate.Options {
    /// `[cd]`, or nothing.
    var text: String {
        let letters: [(NSComparisonPredicate.Options, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let text = letters.filter { contains($0.0) }.map(\.1).joined()
        return text.isEmpty ? "" : "[\(text)]"
    }
}
