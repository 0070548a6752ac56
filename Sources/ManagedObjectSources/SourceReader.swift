// Finds the types and the @NSManaged members of a Swift file, and what its classes have written themselves.

package import ManagedObjectGenerator
import SwiftParser
import SwiftSyntax

extension TargetDeclarations {
    /// Reads a file's text.
    ///
    /// - Parameters:
    ///   - text: Its text.
    ///   - file: Its path, for messages.
    package mutating func read(_ text: String, file: String) {
        let tree = Parser.parse(source: text)
        let reader = SourceReader(SourceLocationConverter(fileName: file, tree: tree), file)
        reader.walk(tree)
        for path in reader.nominals { types.declare(path) }
        for alias in reader.aliases { types.declareAlias(alias.path, alias.type) }
        members += reader.members
        written += reader.written
        inherited.merge(reader.inherited) { $0 + $1 }
        hiddenTypes.formUnion(reader.hiddenTypes)
    }
}

private final class SourceReader: SyntaxVisitor {
    var nominals: [[NominalType.Step]] = []
    var aliases: [(path: [String], type: WrittenType)] = []
    var members: [ManagedMember] = []
    var written: [WrittenMember] = []
    var inherited: [String: [WrittenType]] = [:]
    var hiddenTypes: Set<String> = []
    private let locations: SourceLocationConverter
    private let file: String
    /// What surrounds the node: types, and extensions with the path that they name.
    private var scope: [[NominalType.Step]] = []
    /// Whether the members of the extensions around the node can't be named in other files, for each of them.
    private var hiding: [Bool] = []

    init(_ locations: SourceLocationConverter, _ file: String) {
        self.locations = locations
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    private var path: [NominalType.Step] { scope.flatMap { $0 } }

    private func enter(_ name: TokenSyntax, _ kind: NominalType.Kind) -> SyntaxVisitorContinueKind {
        scope.append([NominalType.Step(name: name.plainText, kind: kind)])
        nominals.append(path)
        return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .class)
        let isHidden = node.modifiers.makePrivate || node.genericParameterClause != nil || node.attributes.isMainActor
        note(node.inheritanceClause, isHidden: isHidden)
        return next
    }
    override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .struct)
        note(nil, isHidden: node.modifiers.makePrivate || node.genericParameterClause != nil)
        return next
    }
    override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        let next = enter(node.name, .enum)
        note(nil, isHidden: node.modifiers.makePrivate || node.genericParameterClause != nil)
        return next
    }
    override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }

    // Requirements aren't members of what surrounds the protocol.
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    /// Notes what the type that was entered last says of itself.
    private func note(_ clause: InheritanceClauseSyntax?, isHidden: Bool) {
        let name = path.map(\.name).joined(separator: ".")
        if let clause { inherited[name] = clause.inheritedTypes.map { WrittenType($0.type) } }
        if isHidden { hiddenTypes.insert(name) }
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard case .named(let names, _) = WrittenType(node.extendedType) else { return .skipChildren }
        // Of what kind the types are is known when all files have been read; members only need their names.
        scope.append(names.map { NominalType.Step(name: $0, kind: .class) })
        hiding.append(node.modifiers.makePrivate || node.attributes.isMainActor)
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) {
        guard case .named = WrittenType(node.extendedType) else { return }
        scope.removeLast()
        hiding.removeLast()
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.genericParameterClause == nil {
            aliases.append((path.map(\.name) + [node.name.plainText], WrittenType(node.initializer.value)))
        }
        return .skipChildren
    }

    // Nothing inside bodies can be seen from elsewhere.
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        // Only what is compiled here counts; the first clause that holds, or whose condition can't be known.
        for clause in node.clauses {
            guard BuildCondition.mayHold(clause.condition) else { continue }
            if let elements = clause.elements { walk(elements) }
            break
        }
        return .skipChildren
    }

    // MARK: Members

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !scope.isEmpty else { return .skipChildren }
        guard node.attributes.containsManaged else {
            if !hiding.contains(true) { written += WrittenMember.properties(node, of: path.map(\.name)) }
            return .skipChildren
        }
        // In `var a, b: Int16` the type stands behind the last name.
        var type: WrittenType?
        var found: [ManagedMember] = []
        for binding in node.bindings.reversed() {
            if let annotation = binding.typeAnnotation { type = WrittenType(annotation.type) }
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { continue }
            found.append(
                ManagedMember(
                    owner: path.map(\.name), name: name.plainText, kind: .property(type),
                    isPrivate: node.modifiers.makePrivate || hiding.contains(true), place: place(of: name)))
        }
        members += found.reversed()
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !scope.isEmpty else { return .skipChildren }
        guard node.attributes.containsManaged else {
            if !hiding.contains(true), let validation = WrittenMember.validation(node, of: path.map(\.name)) {
                written.append(validation)
            }
            return .skipChildren
        }
        let parameters = node.signature.parameterClause.parameters.map { parameter in
            let label = parameter.firstName.plainText
            return ManagedMember.Parameter(label: label == "_" ? nil : label, type: WrittenType(parameter.type))
        }
        members.append(
            ManagedMember(
                owner: path.map(\.name), name: node.name.plainText, kind: .method(parameters),
                isPrivate: node.modifiers.makePrivate || hiding.contains(true), place: place(of: node.name)))
        return .skipChildren
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
        contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == name }
    }
}

extension DeclModifierListSyntax {
    /// Whether the declaration as a whole is private; `private(set)` isn't.
    fileprivate var makePrivate: Bool {
        contains { ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil }
    }
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
