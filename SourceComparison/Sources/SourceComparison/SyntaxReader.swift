// Finds the types and the @NSManaged members of a Swift file, and what its classes have written themselves, as the scanner
// does, but with SwiftSyntax. What the two find must be the same.

import ManagedObjectGenerator
import SwiftParser
import SwiftSyntax

extension SourceDeclarations {
    /// Reads a file's text with SwiftSyntax.
    ///
    /// - Parameters:
    ///   - text: Its text.
    ///   - file: Its path.
    init(parsing text: String, file: String) {
        // Built for debugging it gives up at 20 levels.
        var parser = Parser(text, maximumNestingLevel: 256)
        let tree = SourceFileSyntax.parse(from: &parser)
        let reader = SyntaxReader(SourceLocationConverter(fileName: file, tree: tree), file)
        reader.walk(tree)
        self = reader.found
    }
}

private final class SyntaxReader: SyntaxVisitor {
    var found = SourceDeclarations()
    private let locations: SourceLocationConverter
    private let file: String
    /// What surrounds the node: types, and extensions with the path that they name.
    private var scope: [[NominalType.Step]] = []
    /// Whether the members of the extensions around the node can't be named in other files, for each of them.
    private var hiding: [Bool] = []
    /// How much surrounds the members of the extensions around the node that say how far these are seen.
    private var publicExtensions: [Int] = []
    private var privateExtensions: [Int] = []
    /// What has to hold for the clauses of `#if` around the node, as far as that can't be known.
    private var terms: [String] = []
    private var condition: String? { terms.isEmpty ? nil : terms.joined(separator: " && ") }

    init(_ locations: SourceLocationConverter, _ file: String) {
        self.locations = locations
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    private var path: [NominalType.Step] { scope.flatMap { $0 } }

    /// Whether what so much surrounds is known in its file or type only.
    private func isPrivate(_ modifiers: DeclModifierListSyntax, at depth: Int) -> Bool {
        modifiers.makePrivate || !modifiers.sayAccess && depth > 0 && privateExtensions.last == depth
    }

    /// Whether other modules see a member of the innermost type.
    private func isPublic(_ modifiers: DeclModifierListSyntax) -> Bool {
        modifiers.makePublic || !modifiers.sayAccess && publicExtensions.last == scope.count
    }

    private func enter(_ name: TokenSyntax, _ kind: NominalType.Kind) -> SyntaxVisitorContinueKind {
        scope.append([NominalType.Step(name: name.plainText, kind: kind)])
        found.nominals.append(path)
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .class)
        note(
            node.inheritanceClause, isPrivate: isPrivate(node.modifiers, at: scope.count - 1),
            isGeneric: node.genericParameterClause != nil,
            isActor: node.attributes.isMainActor)
        return next
    }
    override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .class)
        note(
            node.inheritanceClause, isPrivate: isPrivate(node.modifiers, at: scope.count - 1),
            isGeneric: node.genericParameterClause != nil,
            isActor: true)
        return next
    }
    override func visitPost(_ node: ActorDeclSyntax) { scope.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .struct)
        note(
            nil, isPrivate: isPrivate(node.modifiers, at: scope.count - 1),
            isGeneric: node.genericParameterClause != nil)
        return next
    }
    override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .enum)
        note(
            nil, isPrivate: isPrivate(node.modifiers, at: scope.count - 1),
            isGeneric: node.genericParameterClause != nil)
        return next
    }
    override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }

    // Requirements aren't members of what surrounds the protocol.
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    /// Notes what the type that was entered last says of itself.
    private func note(
        _ clause: InheritanceClauseSyntax?, isPrivate: Bool, isGeneric: Bool, isActor: Bool = false
    ) {
        let name = path.map(\.name).joined(separator: ".")
        if let clause { found.inherited[name] = clause.inheritedTypes.map { WrittenType($0.type) } }
        if isPrivate || isGeneric || isActor {
            found.hidden[name] = isPrivate ? .private : isGeneric ? .generic : .actor
        }
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard case .named(let names, _) = WrittenType(node.extendedType) else { return .skipChildren }
        // Of what kind the types are is known when all files have been read; members only need their names.
        scope.append(names.map { NominalType.Step(name: $0, kind: .class) })
        hiding.append(node.modifiers.makePrivate || node.attributes.isMainActor)
        if node.modifiers.makePublic { publicExtensions.append(scope.count) }
        if node.modifiers.makePrivate { privateExtensions.append(scope.count) }
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) {
        guard case .named = WrittenType(node.extendedType) else { return }
        if node.modifiers.makePublic { publicExtensions.removeLast() }
        if node.modifiers.makePrivate { privateExtensions.removeLast() }
        scope.removeLast()
        hiding.removeLast()
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.genericParameterClause == nil {
            let path = path.map(\.name) + [node.name.plainText]
            found.aliases.append(SourceDeclarations.Alias(path: path, type: WrittenType(node.initializer.value)))
        }
        return .skipChildren
    }

    // Nothing inside bodies can be seen from elsewhere.
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        // Only what may be compiled here counts.
        for (clause, own) in SyntaxCondition.compiled(node.clauses) {
            terms += own
            if let elements = clause.elements { walk(elements) }
            terms.removeLast(own.count)
        }
        return .skipChildren
    }

    // MARK: Members

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !scope.isEmpty else { return .skipChildren }
        guard node.attributes.containsManaged else {
            if !hiding.contains(true) { WrittenMember.properties(node, of: path.map(\.name)).forEach(note) }
            return .skipChildren
        }
        // In `var a, b: Int16` the type stands behind the last name.
        var type: WrittenType?
        var managed: [ManagedMember] = []
        for binding in node.bindings.reversed() {
            if let annotation = binding.typeAnnotation { type = WrittenType(annotation.type) }
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { continue }
            managed.append(
                ManagedMember(
                    owner: path.map(\.name), name: name.plainText, kind: .property(type),
                    isPrivate: isPrivate(node.modifiers, at: scope.count), isPublic: isPublic(node.modifiers),
                    isFoundByKey: node.modifiers.areFoundByKey && node.attributes.areFoundByKey
                        && !hiding.contains(true),
                    condition: condition, place: place(of: name)))
        }
        found.members += managed.reversed()
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !scope.isEmpty else { return .skipChildren }
        guard node.attributes.containsManaged else {
            if !hiding.contains(true), let validation = WrittenMember.validation(node, of: path.map(\.name)) {
                note(validation)
            }
            return .skipChildren
        }
        let parameters = node.signature.parameterClause.parameters.map { parameter in
            let label = parameter.firstName.plainText
            return ManagedMember.Parameter(label: label == "_" ? nil : label, type: WrittenType(parameter.type))
        }
        found.members.append(
            ManagedMember(
                owner: path.map(\.name), name: node.name.plainText, kind: .method(parameters),
                isPrivate: isPrivate(node.modifiers, at: scope.count), isPublic: isPublic(node.modifiers),
                isFoundByKey: node.modifiers.areFoundByKey && node.attributes.areFoundByKey && !hiding.contains(true),
                condition: condition, place: place(of: node.name)))
        return .skipChildren
    }

    private func note(_ written: WrittenMember) {
        var written = written
        written.condition = condition
        found.written.append(written)
    }

    private func place(of token: TokenSyntax) -> SourcePlace {
        let location = locations.location(for: token.positionAfterSkippingLeadingTrivia)
        return SourcePlace(file: file, line: location.line, column: location.column)
    }
}

extension TokenSyntax {
    /// The name without backticks.
    var plainText: String { text.filter { $0 != "`" } }
}

extension AttributeListSyntax {
    fileprivate var containsManaged: Bool { containsAttribute("NSManaged") }

    /// Whether what the attributes are of is bound to the main actor.
    var isMainActor: Bool { containsAttribute("MainActor") }

    private func containsAttribute(_ name: String) -> Bool {
        compiled.contains { $0.attributeName.trimmedDescription == name }
    }

    /// The attributes, with those in clauses of `#if` that are compiled.
    var compiled: [AttributeSyntax] {
        flatMap { element -> [AttributeSyntax] in
            switch element {
            case .attribute(let attribute): return [attribute]
            case .ifConfigDecl(let config):
                return SyntaxCondition.compiled(config.clauses).flatMap { clause, _ -> [AttributeSyntax] in
                    guard case .attributes(let attributes)? = clause.elements else { return [] }
                    return attributes.compiled
                }
            }
        }
    }
}

extension DeclModifierListSyntax {
    /// Whether the declaration as a whole is private; `private(set)` isn't.
    fileprivate var makePrivate: Bool { say(["private", "fileprivate"]) }

    fileprivate var makePublic: Bool { say(["public", "open"]) }

    /// Whether the access is written out.
    fileprivate var sayAccess: Bool { makePrivate || makePublic || say(["internal", "package"]) }

    private func say(_ names: [String]) -> Bool { contains { names.contains($0.name.text) && $0.detail == nil } }
}

extension WrittenType {
    init(_ type: TypeSyntax) {
        if let optional = type.as(OptionalTypeSyntax.self) {
            self = .optional(WrittenType(optional.wrappedType))
        } else if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self = .optional(WrittenType(optional.wrappedType))
        } else if let array = type.as(ArrayTypeSyntax.self) {
            self = .named(["Array"], [WrittenType(array.element)])
        } else if let dictionary = type.as(DictionaryTypeSyntax.self) {
            self = .named(["Dictionary"], [WrittenType(dictionary.key), WrittenType(dictionary.value)])
        } else if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first
        {
            self = WrittenType(only.type)
        } else if let attributed = type.as(AttributedTypeSyntax.self) {
            self = WrittenType(attributed.baseType)
        } else if let name = type.as(IdentifierTypeSyntax.self) {
            self = .named([name.name.plainText], Self.arguments(name.genericArgumentClause))
        } else if let member = type.as(MemberTypeSyntax.self),
            case .named(let base, let arguments) = WrittenType(member.baseType), arguments.isEmpty
        {
            self = .named(base + [member.name.plainText], Self.arguments(member.genericArgumentClause))
        } else {
            self = .unsupported(type.trimmedDescription)
        }
    }

    private static func arguments(_ clause: GenericArgumentClauseSyntax?) -> [WrittenType] {
        (clause?.arguments ?? []).map { argument in
            guard case .type(let type) = argument.argument else {
                return .unsupported(argument.trimmedDescription)
            }
            return WrittenType(type)
        }
    }
}
