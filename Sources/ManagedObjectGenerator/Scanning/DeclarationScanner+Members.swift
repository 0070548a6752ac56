// Which members of a class count: those with @NSManaged, and those that key-value coding would find on Apple's platforms:
// instance properties with an accessor or storage of their own, and `validate<Key>` methods. `@objc` doesn't tell, since it
// doesn't compile on Linux.

extension DeclarationScanner {
    // MARK: Properties

    /// One name of `var a, b: Int16`.
    private struct Binding {
        /// Nil where it isn't one name alone.
        var name: SwiftToken?
        var type: WrittenType?
        var accessors: AccessorBlock?
    }

    mutating func scanProperty(_ head: DeclarationHead) {
        let isVariable = cursor.at("var")
        cursor.advance()
        var bindings: [Binding] = []
        repeat { bindings.append(binding()) } while cursor.take(",")
        guard isInType else { return }
        if head.has("NSManaged") {
            noteManaged(bindings, head)
        } else if !isHidden, head.isFoundByKey {
            for binding in bindings { noteWritten(binding, isSettable: isVariable && head.isSettableByOthers) }
        }
    }

    private mutating func binding() -> Binding {
        var binding = Binding()
        if cursor.at("(") {
            cursor.skipBalanced()
        } else if cursor.current.kind == .word {
            if cursor.current.isEscaped || cursor.current.text != "_" { binding.name = cursor.current }
            cursor.advance()
        }
        if cursor.take(":") { binding.type = cursor.type() }
        if cursor.take("=") { cursor.skipExpression() }
        if cursor.at("{") { binding.accessors = cursor.accessorBlock() }
        return binding
    }

    private mutating func noteManaged(_ bindings: [Binding], _ head: DeclarationHead) {
        // In `var a, b: Int16` the type stands behind the last name.
        var type: WrittenType?
        var members: [ManagedMember] = []
        for binding in bindings.reversed() {
            type = binding.type ?? type
            guard let name = binding.name else { continue }
            members.append(member(name, .property(type), head))
        }
        found.members += members.reversed()
    }

    private func member(_ name: SwiftToken, _ kind: ManagedMember.Kind, _ head: DeclarationHead) -> ManagedMember {
        ManagedMember(
            owner: owner, name: name.text, kind: kind, isPrivate: isPrivate(head), isPublic: isPublic(head),
            isFoundByKey: head.isFoundByKey && !isHidden, condition: name.condition,
            place: place(name.range.lowerBound))
    }

    private mutating func noteWritten(_ binding: Binding, isSettable: Bool) {
        guard let token = binding.name, token.text.utf8.allSatisfy({ $0 < 128 }) else { return }
        let name = token.text
        if let accessors = binding.accessors, accessors.hasEffects || accessors.asks(forKey: name, in: cursor.bytes) {
            return
        }
        let isSettable = isSettable && binding.accessors?.isSettable ?? true
        found.written.append(
            WrittenMember(
                owner: owner, name: name, kind: .property(isSettable: isSettable), condition: token.condition))
    }

    // MARK: Methods

    mutating func scanFunction(_ head: DeclarationHead) {
        cursor.advance()
        var name = cursor.current
        cursor.advance()
        if name.kind == .operation { finishOperator(&name) }
        let isGeneric = cursor.at("<")
        if isGeneric { cursor.skipAngles() }
        let isManaged = head.has("NSManaged")
        let validatedName = Self.validatedName(name.text)
        var parameters: [ManagedMember.Parameter] = []
        if cursor.at("(") {
            if isManaged || validatedName != nil { parameters = self.parameters() } else { cursor.skipBalanced() }
        }
        let effects = self.effects()
        let hasResult = cursor.take("->")
        if hasResult { _ = cursor.type() }
        if cursor.at("where") { cursor.skip(upTo: ["{", "}", ";"]) }
        if cursor.at("{") { cursor.skipBalanced() }
        guard isInType else { return }
        if isManaged {
            found.members.append(member(name, .method(parameters), head))
        } else if let validatedName, head.isFoundByKey, !isHidden, !isGeneric, !hasResult, effects == ["throws"],
            Self.isValidation(parameters)
        {
            found.written.append(
                WrittenMember(owner: owner, name: validatedName, kind: .validation, condition: name.condition))
        }
    }

    /// An operator's name goes on; a `<` at its end begins the generic parameters.
    private mutating func finishOperator(_ name: inout SwiftToken) {
        while cursor.isAdjacentOperator(cursor.current), !(cursor.at("<") && cursor.next.kind == .word) {
            name.text += cursor.current.text
            cursor.advance()
        }
    }

    private mutating func effects() -> Set<String> {
        var effects: Set<String> = []
        while cursor.at(anyOf: ["async", "reasync", "throws", "rethrows"]) {
            effects.insert(cursor.current.text == "rethrows" ? "throws" : cursor.current.text)
            cursor.advance()
            if cursor.at("(") { cursor.skipBalanced() }
        }
        return effects
    }

    private mutating func parameters() -> [ManagedMember.Parameter] {
        var parameters: [ManagedMember.Parameter] = []
        cursor.advance()
        while !cursor.isAtEnd, !cursor.at(")") {
            while cursor.at("@") { _ = cursor.attribute() }
            let start = cursor.index
            let label = cursor.current.text
            cursor.skip(upTo: [":", ",", ")", "}"])
            if cursor.take(":"), let type = cursor.type() {
                parameters.append(ManagedMember.Parameter(label: label == "_" ? nil : label, type: type))
            }
            while cursor.current.kind == .operation, !cursor.at("=") { cursor.advance() }
            if cursor.take("=") { cursor.skipExpression() }
            if !cursor.take(","), !cursor.at(")"), cursor.index == start || cursor.at("}") { break }
        }
        _ = cursor.take(")")
        return parameters
    }

    /// `Name` of `validateName`.
    private static func validatedName(_ name: String) -> String? {
        let prefix = "validate"
        guard name.hasPrefix(prefix), let next = name.dropFirst(prefix.count).first, next.isUppercase,
            name.utf8.allSatisfy({ $0 < 128 })
        else { return nil }
        return String(name.dropFirst(prefix.count))
    }

    private static func isValidation(_ parameters: [ManagedMember.Parameter]) -> Bool {
        guard parameters.count == 1, parameters[0].label == nil else { return false }
        return parameters[0].type.text.contains("UnsafeMutablePointer<AnyObject?>")
    }
}

extension AccessorBlock {
    /// Whether the accessors ask the object for the property's own key, or one that isn't written out. With key-value
    /// coding calling the accessor, that would go round in circles; so the property can't be one that it calls.
    fileprivate func asks(forKey name: String, in bytes: [UInt8]) -> Bool {
        tokens.indices.contains { index in
            guard ["value", "setValue"].contains(tokens[index].text), isOfObject(index),
                tokens.indices.contains(index + 1), tokens[index + 1].text == "("
            else { return false }
            return keyIsOwn(name, after: index + 1, bytes)
        }
    }

    /// Whether what is called is a method of the object: nothing stands before it, or `self.` or `super.`.
    private func isOfObject(_ index: Int) -> Bool {
        guard tokens.indices.contains(index - 1), tokens[index - 1].text == "." else { return true }
        guard tokens.indices.contains(index - 2), ["self", "super"].contains(tokens[index - 2].text) else {
            return false
        }
        return !(tokens.indices.contains(index - 3) && tokens[index - 3].text == ".")
    }

    /// Looks through the arguments for `forKey`.
    private func keyIsOwn(_ name: String, after open: Int, _ bytes: [UInt8]) -> Bool {
        var depth = 0
        for index in open..<tokens.endIndex {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "forKey" where depth == 1 && tokens.indices.contains(index + 2) && tokens[index + 1].text == ":":
                let key = tokens[index + 2]
                let isWhole = tokens.indices.contains(index + 3) && [",", ")"].contains(tokens[index + 3].text)
                guard key.kind == .string, isWhole else { return true }
                let text = String(decoding: bytes[key.range], as: UTF8.self)
                return text == "\"\(name)\"" || text.hasPrefix("#") || text.hasPrefix("\"\"\"") || text.contains("\\")
            default: break
            }
            if depth == 0 { return false }
        }
        return false
    }
}
