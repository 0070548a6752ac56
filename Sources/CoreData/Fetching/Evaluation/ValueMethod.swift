// The methods of Foundation's values that `FUNCTION(value, "selector", …)` can call by name without a runtime. Those without
// parameters are read like keys (ReadableObject+Keys.swift).

import Foundation

/// A method with parameters.
enum ValueMethod: String {
    case valueForKey = "valueForKey:"
    case valueForKeyPath = "valueForKeyPath:"
    case isEqual = "isEqual:"
    case compare = "compare:"
    case dateByAdding = "dateByAddingTimeInterval:"
    case secondsSince = "timeIntervalSinceDate:"
    case earlier = "earlierDate:"
    case later = "laterDate:"
    case appending = "stringByAppendingString:"
    case replacing = "stringByReplacingOccurrencesOfString:withString:"
    case from = "substringFromIndex:"
    case to = "substringToIndex:"
    case split = "componentsSeparatedByString:"
    case join = "componentsJoinedByString:"
    case contains = "containsString:"
    case hasPrefix = "hasPrefix:"
    case hasSuffix = "hasSuffix:"
    case containsObject = "containsObject:"
    case objectAtIndex = "objectAtIndex:"

    /// What a method gives; nil for one that the value doesn't have, or that takes other arguments.
    static func value(of name: String, _ target: Operand, _ arguments: [Operand]) -> Operand? {
        // A message to nothing gives nothing.
        if target.isNull { return .null }
        if arguments.isEmpty { return property(name, of: target) }
        guard let method = ValueMethod(rawValue: name), arguments.count == name.count(where: { $0 == ":" }) else {
            return nil
        }
        return method.value(target, arguments)
    }

    /// A method without parameters; nil where there is no such key.
    private static func property(_ name: String, of target: Operand) -> Operand? {
        if case .collection(let members) = target {
            return switch name {
            case "count": .integer(Int64(members.elements.count))
            case "firstObject": members.elements.first ?? .null
            case "lastObject": members.elements.last ?? .null
            case "allObjects": .collection(OperandCollection(elements: members.elements, isOrdered: true))
            default: nil
            }
        }
        let value = target.value(forKey: name)
        if !value.isNull { return value }
        return switch target {
        case .object(let object) where object.has(name): .null
        case .opaque(let value) where ReadableObject.reflected(value.base).has(name): .null
        default: nil
        }
    }

    private func value(_ target: Operand, _ arguments: [Operand]) -> Operand? {
        switch (self, target, arguments[0]) {
        case (.valueForKey, _, .string(let key)): target.value(forKey: key)
        case (.valueForKeyPath, _, .string(let path)): KeyPathEvaluator.value(at: KeyPathSteps(path), of: target)
        case (.isEqual, _, let other): .boolean(target.equals(other))
        case (.compare, _, let other): target.order(relativeTo: other).map { .integer(Int64($0.rawValue)) }
        case (_, .date(let date), let argument): Self.value(self, date, argument)
        case (_, .string(let text), let argument): Self.value(self, text, argument, arguments.dropFirst().first)
        case (_, .collection(let members), let argument): Self.value(self, members.elements, argument)
        default: nil
        }
    }

    private static func value(_ method: ValueMethod, _ date: TimeInterval, _ argument: Operand) -> Operand? {
        switch (method, argument) {
        case (.dateByAdding, _): Arithmetic.real(argument).map { .number(date: date + $0) }
        case (.secondsSince, .date(let other)): .number(date - other)
        case (.earlier, .date(let other)): .date(min(date, other))
        case (.later, .date(let other)): .date(max(date, other))
        default: nil
        }
    }

    private static func value(
        _ method: ValueMethod, _ text: String, _ argument: Operand, _ second: Operand?
    ) -> Operand? {
        if case .integer(let index) = argument {
            // As `NSString` counts, whose own methods stop the process within a character of two units. Half of one is U+FFFD.
            let units = text.utf16
            guard let index = Int(exactly: index), (0...units.count).contains(index) else { return nil }
            return switch method {
            case .from: .string(String(decoding: units.dropFirst(index), as: UTF16.self))
            case .to: .string(String(decoding: units.prefix(index), as: UTF16.self))
            default: nil
            }
        }
        guard case .string(let other) = argument else { return nil }
        switch (method, second) {
        case (.appending, _): return .string(text + other)
        case (.replacing, .string(let new)?): return .string(text.replacingOccurrences(of: other, with: new))
        case (.split, _):
            let parts = text.components(separatedBy: other)
            return .collection(OperandCollection(elements: parts.map(Operand.string), isOrdered: true))
        case (.contains, _): return .boolean(StringComparison.contains(text, other))
        case (.hasPrefix, _): return .boolean(StringComparison.begins(text, with: other))
        case (.hasSuffix, _): return .boolean(StringComparison.ends(text, with: other))
        default: return nil
        }
    }

    private static func value(_ method: ValueMethod, _ members: [Operand], _ argument: Operand) -> Operand? {
        switch (method, argument) {
        case (.containsObject, _): return .boolean(members.contains { $0.equals(argument) })
        case (.objectAtIndex, .integer(let index)):
            guard let index = Int(exactly: index), members.indices.contains(index) else { return nil }
            return members[index]
        case (.join, .string(let separator)):
            return .string(members.map { $0.boxed.map { "\($0)" } ?? "" }.joined(separator: separator))
        default: return nil
        }
    }
}
