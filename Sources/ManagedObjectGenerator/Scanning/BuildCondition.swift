// Conditions of `#if`, as far as they can be known without the compiler: generated accessors are for Linux.

/// The tokens that are compiled.
enum BuildCondition {
    private struct Clauses {
        /// Whether an earlier clause is compiled, so that no later one is.
        var isSettled: Bool
        var isCompiled: Bool
    }

    /// The tokens without the directives and without the clauses that aren't compiled.
    ///
    /// Of an `#if` the first clause stays that holds, or whose condition can't be known.
    static func compiled(_ tokens: [SwiftToken]) -> [SwiftToken] {
        guard tokens.contains(where: { $0.kind == .directive }) else { return tokens }
        var result: [SwiftToken] = []
        var open: [Clauses] = []
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            var next = index + 1 + token.innerCount
            switch token.kind {
            case .directive:
                while next < tokens.count, !tokens[next].isFirstOnLine, tokens[next].kind != .end { next += 1 }
                follow(token.text, tokens[index + 1..<min(next, tokens.count)], &open)
            case .end: result.append(token)
            default: if open.allSatisfy(\.isCompiled) { result += tokens[index..<min(next, tokens.count)] }
            }
            index = next
        }
        return result
    }

    private static func follow(_ directive: String, _ condition: ArraySlice<SwiftToken>, _ open: inout [Clauses]) {
        switch directive {
        case "#if":
            let holds = mayHold(condition)
            open.append(Clauses(isSettled: holds, isCompiled: holds))
        case "#endif": _ = open.popLast()
        default:
            guard let last = open.popLast() else { return }
            let holds = !last.isSettled && (directive == "#else" || mayHold(condition))
            open.append(Clauses(isSettled: last.isSettled || holds, isCompiled: holds))
        }
    }

    /// Whether the clause may be compiled on Linux. What can't be known, such as a flag of the target, may.
    private static func mayHold(_ condition: ArraySlice<SwiftToken>) -> Bool { value(condition, depth: 0) ?? true }

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
        case "canImport": !appleModules.contains(argument)
        case "targetEnvironment": false
        default: nil
        }
    }

    /// Modules that are Apple's alone. `canImport(CoreData)` holds here.
    private static let appleModules: Set = [
        "AppKit", "CloudKit", "Cocoa", "Combine", "CoreGraphics", "CoreLocation", "Darwin", "ObjectiveC", "SwiftUI",
        "UIKit",
        "WatchKit", "WidgetKit", "os",
    ]
}
