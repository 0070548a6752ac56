// Conditions of `#if`, as the scanner's BuildCondition judges them.

import SwiftSyntax

enum SyntaxCondition {
    /// The clauses that may be compiled on Linux, each with what has to hold for it, as far as that can't be known.
    static func compiled(_ clauses: IfConfigClauseListSyntax) -> [(clause: IfConfigClauseSyntax, terms: [String])] {
        var failed: [String] = []
        var compiled: [(clause: IfConfigClauseSyntax, terms: [String])] = []
        for clause in clauses {
            let holds: Bool? = if let condition = clause.condition { value(condition) } else { true }
            if holds == false { continue }
            let text = clause.condition?.trimmedDescription ?? ""
            compiled.append((clause, failed + (holds == nil ? ["(\(text))"] : [])))
            if holds == true { break }
            failed.append("!(\(text))")
        }
        return compiled
    }

    /// Nil where it can't be known.
    private static func value(_ condition: ExprSyntax) -> Bool? {
        if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.text == "true" }
        if let tuple = condition.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
            return value(only.expression)
        }
        if let negated = condition.as(PrefixOperatorExprSyntax.self), negated.operator.text == "!" {
            return value(negated.expression).map { !$0 }
        }
        if let sequence = condition.as(SequenceExprSyntax.self) { return value(sequence.elements.map { $0 }) }
        if let call = condition.as(FunctionCallExprSyntax.self) { return value(call) }
        return nil
    }

    /// `a && b || c`: the terms are the elements at even places.
    private static func value(_ elements: [ExprSyntax]) -> Bool? {
        let operators = stride(from: 1, to: elements.count, by: 2).map { elements[$0].trimmedDescription }
        let terms = stride(from: 0, to: elements.count, by: 2).map { value(elements[$0]) }
        var groups: [[Bool?]] = [[]]
        for (index, term) in terms.enumerated() {
            if index > 0, operators[index - 1] == "||" { groups.append([]) }
            groups[groups.count - 1].append(term)
        }
        let values = groups.map { group -> Bool? in
            group.contains(false) ? false : group.contains { $0 == nil } ? nil : true
        }
        return values.contains(true) ? true : values.contains { $0 == nil } ? nil : false
    }

    private static func value(_ call: FunctionCallExprSyntax) -> Bool? {
        let argument = call.arguments.first?.expression.trimmedDescription ?? ""
        switch call.calledExpression.trimmedDescription {
        case "os": return argument == "Linux"
        case "canImport": return appleModules.contains(argument) ? false : argument == "CoreData" ? true : nil
        case "targetEnvironment": return false
        default: return nil
        }
    }

    /// Modules that are Apple's alone.
    private static let appleModules: Set = [
        "AppIntents", "AppKit", "AVFoundation", "CloudKit", "Cocoa", "Combine", "Contacts", "CoreGraphics", "CoreImage",
        "CoreLocation", "CoreSpotlight", "CryptoKit", "Darwin", "EventKit", "HealthKit", "Intents", "MapKit", "Network",
        "ObjectiveC", "OSLog", "Photos", "QuartzCore", "Security", "StoreKit", "SwiftData", "SwiftUI", "UIKit",
        "UserNotifications", "WatchKit", "WidgetKit", "os",
    ]
}
