// Conditions of `#if`, as far as they can be known without the compiler: generated accessors are for Linux. What can't be known, such
// as DEBUG, stays at the tokens, and the compiler decides it where code is made from them.

/// The tokens that are compiled.
enum BuildCondition {
    fileprivate struct Clauses {
        /// Whether an earlier clause is compiled, so that no later one is.
        var isSettled = false
        var isCompiled = false
        /// The conditions of the clauses before that can't be known; none of them holds here.
        var failed: [String] = []
        /// What has to hold for this clause, as far as it can't be known.
        var terms: [String] = []
    }

    /// The tokens without the directives and without the clauses that aren't compiled.
    ///
    /// Of an `#if` the first clause stays that holds, and those before it whose condition can't be known.
    static func compiled(_ tokens: [SwiftToken], _ bytes: [UInt8]) -> [SwiftToken] {
        guard tokens.contains(where: { $0.kind == .directive }) else { return tokens }
        var result: [SwiftToken] = []
        var open: [Clauses] = []
        var condition: String?
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            var next = index + 1 + token.innerCount
            switch token.kind {
            case .directive:
                next = end(ofDirective: index, tokens)
                follow(token.text, tokens[index + 1..<min(next, tokens.count)], bytes, &open)
                let terms = open.flatMap(\.terms)
                condition = terms.isEmpty ? nil : terms.joined(separator: " && ")
            case .end: result.append(token)
            default:
                guard open.allSatisfy(\.isCompiled) else { break }
                result += tokens[index..<min(next, tokens.count)].map { $0.compiled(where: condition) }
            }
            index = next
        }
        return result
    }

    /// Where the tokens of a directive end: with its line, but for what is in parentheses.
    private static func end(ofDirective index: Int, _ tokens: [SwiftToken]) -> Int {
        var next = index + 1
        var depth = 0
        while next < tokens.count, !tokens[next].isFirstOnLine || depth > 0, tokens[next].kind != .end {
            depth += tokens[next].text == "(" ? 1 : tokens[next].text == ")" ? -1 : 0
            next += 1
        }
        return next
    }

    private static func follow(
        _ directive: String, _ condition: ArraySlice<SwiftToken>, _ bytes: [UInt8], _ open: inout [Clauses]
    ) {
        if directive == "#endif" {
            _ = open.popLast()
        } else if directive == "#if" {
            open.append(Clauses())
            open[open.count - 1].enter(value(condition, depth: 0), text(of: condition, bytes))
        } else if !open.isEmpty {
            let holds = directive == "#else" ? true : value(condition, depth: 0)
            open[open.count - 1].enter(holds, text(of: condition, bytes))
        }
    }

    private static func text(of condition: ArraySlice<SwiftToken>, _ bytes: [UInt8]) -> String {
        guard let first = condition.first, let last = condition.last else { return "true" }
        return String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }

    /// Nil where it can't be known.
    private static func value(_ tokens: ArraySlice<SwiftToken>, depth: Int) -> Bool? {
        guard depth < 64, let first = tokens.first else { return nil }
        if let terms = split(tokens, at: "|") {
            let values = terms.map { value($0, depth: depth + 1) }
            return values.contains(true) ? true : values.contains(nil) ? nil : false
        }
        if let terms = split(tokens, at: "&") {
            let values = terms.map { value($0, depth: depth + 1) }
            return values.contains(false) ? false : values.contains(nil) ? nil : true
        }
        if first.text == "!" { return value(tokens.dropFirst(), depth: depth + 1).map { !$0 } }
        guard let last = tokens.last, last.text == ")" else { return tokens.count == 1 ? literal(first.text) : nil }
        if first.text == "(" { return value(tokens.dropFirst().dropLast(), depth: depth + 1) }
        let argument = tokens.dropFirst(2).dropLast().prefix { $0.text != "," }
        return call(first.text, argument.map(\.text).joined())
    }

    /// The terms between `||` or `&&`; nil where there is no such operator outside parentheses.
    private static func split(_ tokens: ArraySlice<SwiftToken>, at sign: String) -> [ArraySlice<SwiftToken>]? {
        var terms: [ArraySlice<SwiftToken>] = []
        var start = tokens.startIndex
        var depth = 0
        for index in tokens.indices {
            switch tokens[index].text {
            case "(": depth += 1
            case ")": depth -= 1
            case sign where depth == 0:
                guard index > start || terms.isEmpty, tokens.indices.contains(index + 1) else { continue }
                // The second character of the operator.
                if tokens[index + 1].text == sign {
                    terms.append(tokens[start..<index])
                    start = min(index + 2, tokens.endIndex)
                }
            default: break
            }
        }
        return terms.isEmpty ? nil : terms + [tokens[start...]]
    }

    private static func literal(_ word: String) -> Bool? { word == "true" ? true : word == "false" ? false : nil }

    private static func call(_ name: String, _ argument: String) -> Bool? {
        switch name {
        case "os": argument == "Linux"
        case "canImport": appleModules.contains(argument) ? false : argument == "CoreData" ? true : nil
        case "targetEnvironment": false
        default: nil
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

extension BuildCondition.Clauses {
    /// Begins a clause.
    ///
    /// - Parameter holds: Whether its own condition holds; nil where that can't be known.
    fileprivate mutating func enter(_ holds: Bool?, _ text: String) {
        isCompiled = !isSettled && holds != false
        terms = failed + (holds == nil ? ["(\(text))"] : [])
        isSettled = isSettled || holds == true
        if holds == nil { failed.append("!(\(text))") }
    }
}

extension SwiftToken {
    fileprivate func compiled(where condition: String?) -> SwiftToken {
        var token = self
        token.condition = condition
        return token
    }
}
