// Types as they are written.

extension TokenCursor {
    /// Reads a type; nil where none stands here.
    mutating func type() -> WrittenType? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        skipTypeAttributes()
        let start = current.range.lowerBound
        if at(anyOf: ["some", "any", "each", "repeat"]), isTypeStart(next) {
            advance()
            guard type() != nil else { return nil }
            return .unsupported(text(from: start))
        }
        guard var type = simpleType() else { return nil }
        while at("&"), !isAdjacentOperator(next) {
            advance()
            skipTypeAttributes()
            if at("any") || at("some") { advance() }
            guard simpleType() != nil else { break }
            type = .unsupported(text(from: start))
        }
        return isFunction() ? .unsupported(text(from: start)) : type
    }

    /// Passes the result of a function's type, and what stands before the arrow.
    private mutating func isFunction() -> Bool {
        let before = self
        while at(anyOf: ["async", "throws", "rethrows", "reasync"]) {
            advance()
            if at("(") { skipBalanced() }
        }
        if take("->"), type() != nil { return true }
        goBack(to: before)
        return false
    }

    private static let specifiers: Set = [
        "inout", "__owned", "__shared", "borrowing", "consuming", "isolated", "nonisolated", "_const", "sending",
        "dependsOn",
    ]
    /// The attributes of types that have arguments; a parenthesis after the others begins the type itself.
    private static let attributesWithArguments: Set = ["convention", "isolated", "differentiable", "lifetime"]

    /// Passes `@escaping`, `inout` and the like.
    private mutating func skipTypeAttributes() {
        while true {
            if at("@"), next.kind == .word {
                advance()
                let hasArguments = at(anyOf: Self.attributesWithArguments)
                advance()
                while at("."), next.kind == .word {
                    advance()
                    advance()
                }
                if hasArguments, at("(") { skipBalanced() }
            } else if at(anyOf: Self.specifiers), isTypeStart(next) {
                let hasDetail = at("nonisolated") || at("dependsOn")
                advance()
                if hasDetail, at("(") { skipBalanced() }
            } else {
                return
            }
        }
    }

    private func isTypeStart(_ token: SwiftToken) -> Bool {
        token.kind == .word || ["(", "[", "@", "~"].contains(token.text)
    }

    /// Whether a token goes on with the operator that the current token is of.
    func isAdjacentOperator(_ token: SwiftToken) -> Bool { token.kind == .operation && !token.hasSpaceBefore }

    // MARK: Without operators

    private mutating func simpleType() -> WrittenType? {
        let start = current.range.lowerBound
        guard var type = baseType() else { return nil }
        while true {
            if at("."), next.kind == .word {
                advance()
                let name = current.text
                let isMeta = ["Type", "Protocol"].contains(name) && !current.isEscaped
                advance()
                let arguments = genericArguments() ?? []
                if !isMeta, case .named(let path, let outer) = type, outer.isEmpty {
                    type = .named(path + [name], arguments)
                } else {
                    type = .unsupported(text(from: start))
                }
            } else if at("?") || at("!"), !current.hasSpaceBefore {
                advance()
                type = .optional(type)
            } else {
                return type
            }
        }
    }

    private mutating func baseType() -> WrittenType? {
        let start = current.range.lowerBound
        switch current.kind {
        case .word:
            guard current.isEscaped || !Self.noTypes.contains(current.text) else { return nil }
            let name = current.text
            advance()
            return .named([name], genericArguments() ?? [])
        case .punctuation where at("("): return tuple(start)
        case .punctuation where at("["): return collection(start)
        case .operation where at("~"):
            advance()
            guard simpleType() != nil else { return nil }
            return .unsupported(text(from: start))
        default: return nil
        }
    }

    /// Keywords that no type begins with.
    private static let noTypes: Set = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension",
        "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "internal", "is", "let", "nil", "operator",
        "private", "protocol", "public", "return", "static", "struct", "subscript", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while", "self", "super",
    ]

    /// One type in parentheses is that type.
    private mutating func tuple(_ start: Int) -> WrittenType? {
        advance()
        var elements: [WrittenType] = []
        while !isAtEnd, !at(")") {
            if current.kind == .word, next.kind == .word, afterNext.text == ":" { advance() }
            if current.kind == .word, next.text == ":" {
                advance()
                advance()
            }
            guard let element = type() else { return nil }
            elements.append(element)
            while at(".") || at("=") || current.kind == .operation { advance() }
            if !take(",") { break }
        }
        guard take(")") else { return nil }
        return elements.count == 1 ? elements[0] : .unsupported(text(from: start))
    }

    /// `[Element]` or `[Key: Value]`; `[4 of Element]` has no name of its own.
    private mutating func collection(_ start: Int) -> WrittenType? {
        advance()
        // Not the label of a tuple: `[(of: Int, key: Int)]`.
        if current.kind == .number || (current.kind == .word && next.text == "of") {
            advance()
            guard take("of") || take("x"), type() != nil, take("]") else { return nil }
            return .unsupported(text(from: start))
        }
        guard let first = type() else { return nil }
        if take("]") { return .named(["Array"], [first]) }
        guard take(":"), let second = type(), take("]") else { return nil }
        return .named(["Dictionary"], [first, second])
    }

    /// Reads `<A, B>`; nil, and nothing read, where the current token begins no such list.
    mutating func genericArguments() -> [WrittenType]? {
        guard at("<"), current.kind == .operation else { return nil }
        let before = self
        advance()
        var arguments: [WrittenType] = []
        while !isAtEnd, !at(">") {
            let start = current.range.lowerBound
            if current.kind == .number || (at("-") && next.kind == .number) {
                _ = take("-")
                advance()
                arguments.append(.unsupported(text(from: start)))
            } else if let type = type() {
                arguments.append(type)
            } else {
                break
            }
            if !take(",") { break }
        }
        guard take(">") else {
            goBack(to: before)
            return nil
        }
        return arguments
    }
}
