// What stands before a declaration's keyword, and the accessors behind a property.

/// The attributes and modifiers of one declaration.
struct DeclarationHead {
    struct Attribute {
        /// Without `@` and arguments.
        var name: String
        /// As a whole.
        var text: String
    }

    var attributes: [Attribute] = []
    /// With what stands in parentheses: `set` of `private(set)`.
    var modifiers: [(name: String, detail: String?)] = []

    func has(_ attribute: String) -> Bool { attributes.contains { $0.name == attribute } }

    /// Whether the declaration as a whole is private; `private(set)` isn't.
    var isPrivate: Bool {
        modifiers.contains { ["private", "fileprivate"].contains($0.name) && $0.detail == nil }
    }

    /// Whether it says that other modules may see it.
    var isPublic: Bool { modifiers.contains { ["public", "open"].contains($0.name) && $0.detail == nil } }

    /// Whether the access is written out.
    var hasAccess: Bool {
        modifiers.contains {
            ["private", "fileprivate", "internal", "package", "public", "open"].contains($0.name) && $0.detail == nil
        }
    }

    /// Whether key-value coding is to find what is declared, and generated code can name it.
    var isFoundByKey: Bool {
        if isPrivate || modifiers.contains(where: { ["static", "class"].contains($0.name) }) { return false }
        return !attributes.contains { attribute in
            switch attribute.name {
            case "nonobjc", "MainActor": true
            // Naming it would be a warning or an error.
            case "available": ["deprecated", "unavailable", "obsoleted"].contains { attribute.text.contains($0) }
            default: false
            }
        }
    }

    /// Whether other files may set it, as far as the head tells.
    var isSettableByOthers: Bool {
        // What a property wrapper allows isn't written here.
        let isPlain = attributes.allSatisfy { ["objc", "available"].contains($0.name) }
        return isPlain && !modifiers.contains { ["private", "fileprivate"].contains($0.name) && $0.detail == "set" }
    }
}

/// The accessors behind a property.
struct AccessorBlock {
    /// `get`, `set`, `willSet` and so on; empty for a getter alone.
    var specifiers: [String] = []
    /// Whether one is asynchronous or throws, so that no key path leads to it.
    var hasEffects = false
    /// All tokens, with the braces.
    var tokens: ArraySlice<SwiftToken> = []

    var isSettable: Bool { specifiers.contains { ["set", "willSet", "didSet", "_modify"].contains($0) } }
}

extension TokenCursor {
    static let modifiers: Set = [
        "private", "fileprivate", "internal", "package", "public", "open", "static", "class", "final", "lazy", "weak",
        "unowned", "optional", "required", "convenience", "override", "mutating", "nonmutating", "dynamic", "indirect",
        "prefix", "postfix", "infix", "consuming", "borrowing", "isolated", "nonisolated", "distributed", "__consuming",
        "_const", "sending", "__setter_access", "_resultDependsOnSelf",
    ]

    /// Reads attributes and modifiers.
    mutating func head() -> DeclarationHead {
        var head = DeclarationHead()
        while true {
            if at("@"), let attribute = attribute() {
                head.attributes.append(attribute)
            } else if at(anyOf: Self.modifiers), !isClassDeclaration {
                let name = current.text
                advance()
                var detail: String?
                if at("("), !current.isFirstOnLine {
                    detail = next.text
                    skipBalanced()
                }
                head.modifiers.append((name, detail))
            } else {
                return head
            }
        }
    }

    /// Whether the keyword `class` begins a class here; it is a modifier, too.
    private var isClassDeclaration: Bool {
        guard at("class"), next.kind == .word else { return false }
        return ["{", ":", "<", "where"].contains(afterNext.text)
    }

    /// The attributes whose arguments may stand behind a space.
    private static let spacedAttributes: Set = [
        "available", "objc", "_silgen_name", "_spi", "backDeployed", "freestanding",
    ]

    /// Reads an attribute; nil where `@` stands alone.
    mutating func attribute() -> DeclarationHead.Attribute? {
        let start = current.range.lowerBound
        guard next.kind == .word else {
            advance()
            return nil
        }
        advance()
        let nameStart = current.range.lowerBound
        advance()
        _ = genericArguments()
        while at("."), next.kind == .word {
            advance()
            advance()
            _ = genericArguments()
        }
        let name = text(from: nameStart)
        if at("("), !current.hasSpaceBefore || Self.spacedAttributes.contains(name) { skipBalanced() }
        return DeclarationHead.Attribute(name: name, text: text(from: start))
    }

    private static let accessors: Set = [
        "get", "set", "willSet", "didSet", "init", "_read", "_modify", "read", "modify", "unsafeAddress",
        "unsafeMutableAddress", "mutableAddressWithOwner", "addressWithNativeOwner", "addressWithOwner",
        "mutableAddressWithNativeOwner", "borrow", "mutate",
    ]

    /// Reads the accessors in the braces at the current token.
    mutating func accessorBlock() -> AccessorBlock {
        var block = AccessorBlock()
        let start = index
        var ahead = self
        ahead.advance()
        while let specifier = ahead.accessor() {
            block.specifiers.append(specifier)
            while ahead.at(anyOf: ["async", "throws", "rethrows", "reasync"]) {
                block.hasEffects = true
                ahead.advance()
                if ahead.at("(") { ahead.skipBalanced() }
            }
            if ahead.at("{") { ahead.skipBalanced() }
        }
        skipBalanced()
        block.tokens = passed(from: start)
        return block
    }

    /// Passes an accessor's name, and the name of its value: `set(newTitle)`.
    private mutating func accessor() -> String? {
        while at("@") { _ = attribute() }
        if at(anyOf: ["mutating", "nonmutating", "__consuming", "consuming", "borrowing", "yielding"]) { advance() }
        guard at(anyOf: Self.accessors) else { return nil }
        let follows = next.kind == .word || ["{", "(", "}", "@"].contains(next.text)
        guard follows else { return nil }
        let name = current.text
        advance()
        if at("(") { skipBalanced() }
        return name
    }
}
