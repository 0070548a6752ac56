// Finds the types and the @NSManaged members of a Swift file, and what its classes have written themselves. It reads
// declarations and passes everything else: bodies, expressions, statements. SourceComparison/ holds what it finds against
// what SwiftSyntax finds.

/// Reads the declarations of one file.
struct DeclarationScanner {
    var cursor: TokenCursor
    var found = SourceDeclarations()
    /// What surrounds the place: types, and extensions with the path that they name.
    private var scope: [[NominalType.Step]] = []
    /// Whether the members of the extensions around the place can't be named in other files, for each of them.
    private var hiding: [Bool] = []
    /// How deep the public extensions are that are open: what stands in one is public unless it says something else.
    private var publicExtensions: [Int] = []
    /// The same of the private extensions.
    private var privateExtensions: [Int] = []
    private let file: String
    private let lineStarts: [Int]
    private static let deepest = 64

    init(_ text: String, file: String) {
        let bytes = Array(text.utf8)
        cursor = TokenCursor(bytes: bytes, tokens: BuildCondition.compiled(SwiftLexer.tokens(of: bytes), bytes))
        self.file = file
        var starts = [0]
        for (index, byte) in bytes.enumerated() {
            let isReturn = byte == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A)
            if byte == 0x0A || isReturn { starts.append(index + 1) }
        }
        lineStarts = starts
    }

    var path: [NominalType.Step] { scope.flatMap { $0 } }
    var owner: [String] { path.map(\.name) }
    /// Whether what stands here can't be named in other files for what surrounds it.
    var isHidden: Bool { hiding.contains(true) }

    /// Whether other modules see a member of the innermost type.
    func isPublic(_ head: DeclarationHead) -> Bool {
        head.isPublic || !head.hasAccess && publicExtensions.last == scope.count
    }

    /// Whether a declaration at this place is known in its file or type only.
    func isPrivate(_ head: DeclarationHead) -> Bool {
        head.isPrivate || !head.hasAccess && !scope.isEmpty && privateExtensions.last == scope.count
    }
    var isInType: Bool { !scope.isEmpty }

    mutating func scan() -> SourceDeclarations {
        noteNames()
        while !cursor.isAtEnd {
            scanItems()
            // A brace that nothing opened.
            cursor.advance()
        }
        found.localMembers = Set(cursor.localManaged).sorted().map(place)
        return found
    }

    /// Up to the closing brace of what surrounds the place.
    private mutating func scanItems() {
        while !cursor.isAtEnd, !cursor.at("}") { scanItem() }
    }

    private mutating func scanItem() {
        let start = cursor.index
        let head = cursor.head()
        switch cursor.current.text {
        case _ where cursor.current.isEscaped || cursor.current.kind != .word: break
        case "class": return scanType(.class, head)
        case "struct": return scanType(.struct, head)
        case "enum": return scanType(.enum, head)
        case "actor" where cursor.next.kind == .word && ["{", ":", "<", "where"].contains(cursor.afterNext.text):
            return scanType(.class, head, isActor: true)
        case "protocol": return skipProtocol()
        case "extension": return scanExtension(head)
        case "typealias": return scanAlias()
        case "var", "let": return scanProperty(head)
        case "func": return scanFunction(head)
        case "import": return scanImport()
        case "case" where isInType: return skipCases()
        default: break
        }
        // Nothing that has a reader of its own, or nothing at all: the next token may begin something.
        if cursor.index == start || !cursor.at("}") { skipToken() }
    }

    private mutating func skipToken() {
        if cursor.at("(") || cursor.at("[") || cursor.at("{") { return cursor.skipBalanced() }
        let isDot = cursor.at(".")
        cursor.advance()
        // What follows a dot is a name, whatever it looks like: `Hero.self`, `.init`, `.default`.
        if isDot, cursor.current.kind == .word { cursor.advance() }
    }

    // MARK: Types

    private mutating func scanType(_ kind: NominalType.Kind, _ head: DeclarationHead, isActor: Bool = false) {
        cursor.advance()
        guard cursor.current.kind == .word else { return }
        let isPrivate = isPrivate(head)
        scope.append([NominalType.Step(name: cursor.current.text, kind: kind)])
        defer { scope.removeLast() }
        cursor.advance()
        let isGeneric = cursor.at("<")
        if isGeneric { cursor.skipAngles() }
        found.nominals.append(path)
        let name = owner.joined(separator: ".")
        let inherited = inheritedTypes()
        if kind == .class, found.inherited[name] == nil, let inherited { found.inherited[name] = inherited }
        if isActor || (kind == .class && head.has("MainActor")) { found.hidden[name] = .actor }
        if isGeneric { found.hidden[name] = .generic }
        if isPrivate { found.hidden[name] = .private }
        scanBody()
    }

    /// The types behind the colon, and passes what stands before the body; nil without a colon.
    private mutating func inheritedTypes() -> [WrittenType]? {
        var types: [WrittenType]?
        if cursor.take(":") {
            var list: [WrittenType] = []
            repeat {
                guard let type = cursor.type() else { break }
                list.append(type)
            } while cursor.take(",") && !cursor.at("{") && !cursor.at("where")
            types = list
        }
        cursor.skip(upTo: ["{", "}", ";"])
        return types
    }

    private mutating func scanBody() {
        guard cursor.at("{") else { return }
        guard scope.count < Self.deepest else { return cursor.skipBalanced() }
        cursor.advance()
        scanItems()
        _ = cursor.take("}")
    }

    /// Requirements aren't members of what surrounds the protocol.
    private mutating func skipProtocol() {
        cursor.skip(upTo: ["{", "}", ";"])
        if cursor.at("{") { cursor.skipBalanced() }
    }

    private mutating func scanExtension(_ head: DeclarationHead) {
        cursor.advance()
        let type = cursor.type()
        cursor.skip(upTo: ["{", "}", ";"])
        guard cursor.at("{") else { return }
        guard case .named(let names, _)? = type else { return cursor.skipBalanced() }
        // Of what kind the types are is known when all files have been read; members only need their names.
        scope.append(names.map { NominalType.Step(name: $0, kind: .class) })
        hiding.append(head.isPrivate || head.has("MainActor"))
        if head.isPublic { publicExtensions.append(scope.count) }
        if head.isPrivate { privateExtensions.append(scope.count) }
        scanBody()
        if head.isPublic { publicExtensions.removeLast() }
        if head.isPrivate { privateExtensions.removeLast() }
        scope.removeLast()
        hiding.removeLast()
    }

    private mutating func scanAlias() {
        cursor.advance()
        guard cursor.current.kind == .word else { return }
        let name = cursor.current.text
        cursor.advance()
        let isGeneric = cursor.at("<")
        if isGeneric { cursor.skipAngles() }
        guard cursor.take("="), let type = cursor.type(), !isGeneric else { return }
        found.aliases.append(SourceDeclarations.Alias(path: owner + [name], type: type))
    }

    private mutating func skipCases() {
        repeat {
            cursor.advance()
            if cursor.current.kind == .word { cursor.advance() }
            if cursor.at("(") { cursor.skipBalanced() }
            if cursor.take("=") { cursor.skipExpression() }
        } while cursor.at(",")
    }

    // MARK: Modules

    private mutating func scanImport() {
        cursor.advance()
        let kinds: Set = ["class", "struct", "enum", "protocol", "typealias", "func", "var", "let"]
        if cursor.at(anyOf: kinds), cursor.next.kind == .word { cursor.advance() }
        guard cursor.current.kind == .word else { return }
        found.imports.insert(cursor.current.text)
        cursor.advance()
        while cursor.take("."), cursor.current.kind == .word || cursor.current.kind == .operation { cursor.advance() }
    }

    /// Notes where the file first names something of Core Data's.
    private mutating func noteNames() {
        for (index, token) in cursor.tokens.enumerated() where token.kind == .word {
            if token.text == CoreDataNames.compound { found.namesCompounds = true }
            guard CoreDataNames.all.contains(token.text), found.coreDataUse == nil else { continue }
            if index > 0, cursor.tokens[index - 1].text == "." { continue }
            found.coreDataUse = SourceDeclarations.Use(name: token.text, place: place(token.range.lowerBound))
        }
    }

    // MARK: Places

    /// Line and column of a byte, both from 1; columns count bytes.
    func place(_ offset: Int) -> SourcePlace {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return SourcePlace(file: file, line: low + 1, column: offset - lineStarts[low] + 1)
    }
}

/// Names that are Core Data's; on Linux the predicates' are, too, which stand in Foundation on Apple's platforms.
enum CoreDataNames {
    static let all: Set = [
        "NSManagedObject", "NSManagedObjectContext", "NSManagedObjectID", "NSManagedObjectModel",
        "NSPersistentContainer",
        "NSPersistentStore", "NSPersistentStoreCoordinator", "NSPersistentStoreDescription", "NSFetchRequest",
        "NSFetchRequestResult", "NSFetchedResultsController", "NSEntityDescription", "NSAttributeDescription",
        "NSRelationshipDescription", "NSMergePolicy", "NSExpression", "NSComparisonPredicate",
    ]
    /// What Foundation declares on Linux as not available, so that the generated code says whose is meant.
    static let hiddenByFoundation = ["NSExpression", "NSComparisonPredicate"]
    /// What Foundation on Linux has in a form that neither prints nor compares.
    static let compound = "NSCompoundPredicate"
}
