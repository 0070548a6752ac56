// From the names of types in a target's sources to what they mean: the target's own declarations, the standard library,
// Foundation and Core Data.

/// The declarations of some files of one target.
package struct TargetDeclarations {
    package var types: TypeNames
    /// What each file declares, in the files' order.
    package private(set) var files: [SourceDeclarations] = []
    /// What a class says it inherits and conforms to, by its dotted path.
    private(set) var inherited: [String: [WrittenType]] = [:]
    /// The types that other files can't name or extend, by their dotted paths.
    private(set) var hidden: [String: SourceDeclarations.Hiding] = [:]

    /// - Parameter module: The target's module.
    package init(module: String) { types = TypeNames(module: module) }

    var members: [ManagedMember] { files.flatMap(\.members) }
    /// What classes have written themselves.
    var written: [WrittenMember] { files.flatMap(\.written) }

    /// Adds the declarations of a file.
    package mutating func add(_ file: SourceDeclarations) {
        for path in file.nominals { types.declare(path) }
        for alias in file.aliases { types.declareAlias(alias.path, alias.type) }
        inherited.merge(file.inherited) { $0 + $1 }
        hidden.merge(file.hidden) { $1 }
        files.append(file)
    }

    /// Why a type, or one that it is in, can't be named or extended; nil where it can.
    func hiding(of path: [String]) -> SourceDeclarations.Hiding? {
        path.indices.lazy.compactMap { hidden[path[...$0].joined(separator: ".")] }.first
    }
}

/// The types that names stand for.
package struct TypeNames {
    /// What a name is declared as in the target.
    private enum Declaration {
        case nominal(NominalType)
        case alias(WrittenType)
    }

    package let module: String
    /// By the dotted path within the module.
    private var declarations: [String: Declaration] = [:]

    package init(module: String) { self.module = module }

    /// Notes a nominal type of the target.
    package mutating func declare(_ path: [NominalType.Step]) {
        let type = NominalType(module: module, path: path)
        note(.nominal(type), path.map(\.name))
    }

    /// Notes a type alias of the target.
    package mutating func declareAlias(_ path: [String], _ type: WrittenType) {
        note(.alias(type), path)
    }

    /// Of what stands in several clauses of an `#if` that only the compiler can judge, the first counts.
    private mutating func note(_ declaration: Declaration, _ path: [String]) {
        let name = path.joined(separator: ".")
        if declarations[name] == nil { declarations[name] = declaration }
    }

    /// Whether the target itself declares a name outside all types.
    func declares(_ name: String) -> Bool { declarations[name] != nil }

    /// A written type as code outside the type that it was written in has to name it: `Child` within `Outer` is
    /// `Outer.Child`. An extension of `Outer.Parent` doesn't look into `Outer`.
    func qualified(_ type: WrittenType, within scope: [String]) -> WrittenType {
        switch type {
        case .optional(let wrapped): return .optional(qualified(wrapped, within: scope))
        case .unsupported: return type
        case .named(let path, let arguments):
            let arguments = arguments.map { qualified($0, within: scope) }
            let isOwnModule = path.count > 1 && path[0] == module
            guard let found = declaration(path, scope), !isOwnModule else { return .named(path, arguments) }
            return .named(found.scope + path, arguments)
        }
    }

    /// The nominal type at a path of the target.
    func nominal(_ path: [String]) -> NominalType? {
        guard case .nominal(let type) = declarations[path.joined(separator: ".")] else { return nil }
        return withKinds(type)
    }

    /// The first type around a path that the target extends and doesn't declare. The symbols of what is in it name another module.
    func foreignType(around path: [String]) -> String? {
        path.indices.dropLast().map { Array(path[...$0]) }.first { nominal($0) == nil }?.joined(separator: ".")
    }

    /// An extension doesn't say of what kind the types are that it names; their declarations do.
    private func withKinds(_ type: NominalType) -> NominalType {
        var type = type
        for index in type.path.indices {
            let path = type.path[...index].map(\.name).joined(separator: ".")
            guard case .nominal(let declared) = declarations[path], let last = declared.path.last else { continue }
            type.path[index].kind = last.kind
        }
        return type
    }

    /// What a written type means, seen from within a type of the target.
    ///
    /// - Throws: ``UnknownType``.
    func resolved(_ type: WrittenType, within scope: [String]) throws(UnknownType) -> ResolvedType {
        try resolved(type, scope, depth: 0)
    }

    private func resolved(_ type: WrittenType, _ scope: [String], depth: Int) throws(UnknownType) -> ResolvedType {
        // Aliases may lead to each other.
        guard depth < 64 else { throw UnknownType(text: type.text) }
        switch type {
        case .optional(let wrapped): return .optional(try resolved(wrapped, scope, depth: depth + 1))
        case .unsupported(let text): throw UnknownType(text: text)
        case .named(let path, let arguments):
            var meanings: [ResolvedType] = []
            for argument in arguments { meanings.append(try resolved(argument, scope, depth: depth + 1)) }
            if arguments.isEmpty, let declaration = declaration(path, scope) {
                switch declaration.found {
                case .nominal(let type): return .nominal(withKinds(type))
                case .alias(let aliased): return try resolved(aliased, declaration.scope, depth: depth + 1)
                }
            }
            if let known = Self.known(path, meanings) { return known }
            throw UnknownType(text: type.text)
        }
    }

    /// The innermost declaration that a path may mean.
    private func declaration(_ path: [String], _ scope: [String]) -> (found: Declaration, scope: [String])? {
        for depth in stride(from: scope.count, through: 0, by: -1) {
            let outer = Array(scope.prefix(depth))
            if let found = declarations[(outer + path).joined(separator: ".")] { return (found, outer) }
        }
        guard path.count > 1, path[0] == module else { return nil }
        return declarations[path.dropFirst().joined(separator: ".")].map { ($0, []) }
    }

    // MARK: Types of other modules

    private static func known(_ path: [String], _ arguments: [ResolvedType]) -> ResolvedType? {
        let module = path.count > 1 ? path[0] : nil
        guard let name = path.last, path.count <= 2 else { return nil }
        func isOf(_ modules: String...) -> Bool { module == nil || modules.contains(module ?? "") }
        if isOf("Swift") {
            if name == "Optional", arguments.count == 1 { return .optional(arguments[0]) }
            if name == "Any", arguments.isEmpty { return .any }
            if name == "AnyObject", arguments.isEmpty { return .anyObject }
            if let letter = standardLetters[name], arguments.count == (argumentCounts[name] ?? 0) {
                return .standard(letter, arguments: arguments)
            }
            if arguments.isEmpty, fixedWidthIntegers.contains(name) || name == "AnyHashable" {
                return value(name, .struct, "Swift")
            }
        }
        guard arguments.isEmpty else { return nil }
        if isOf("Foundation", "FoundationEssentials") {
            if let letter = aliases[name] { return .standard(letter, arguments: []) }
            if name == "NSRange" { return value("_NSRange", .struct, "Foundation") }
            if structs.contains(name) { return value(name, .struct, "Foundation") }
            if essentials.contains(name) { return value(name, .struct, "FoundationEssentials") }
            if classes.contains(name) { return value(name, .class, "Foundation") }
        }
        if isOf("CoreData"), name == "NSManagedObject" || name == "NSManagedObjectID" {
            return value(name, .class, "CoreData")
        }
        return nil
    }

    private static func value(_ name: String, _ kind: NominalType.Kind, _ module: String) -> ResolvedType {
        .nominal(NominalType(module: module, path: [.init(name: name, kind: kind)]))
    }

    private static let standardLetters: [String: Character] = [
        "Array": "a", "Bool": "b", "Dictionary": "D", "Double": "d", "Float": "f", "Set": "h", "Int": "i",
        "String": "S",
        "UInt": "u",
    ]
    private static let argumentCounts = ["Array": 1, "Dictionary": 2, "Set": 1]
    private static let fixedWidthIntegers: Set = [
        "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
    ]
    private static let essentials: Set = [
        "Data", "Date", "Decimal", "URL", "UUID", "IndexPath", "Locale", "TimeZone", "DateComponents", "Calendar",
    ]
    private static let aliases: [String: Character] = ["TimeInterval": "d", "Float64": "d", "Float32": "f"]
    private static let structs: Set = ["CGFloat", "CGPoint", "CGRect", "CGSize", "IndexSet", "PersonNameComponents"]
    private static let classes: Set = [
        "NSArray", "NSAttributedString", "NSData", "NSDate", "NSDecimalNumber", "NSDictionary", "NSError", "NSIndexSet",
        "NSLocale", "NSMutableArray", "NSMutableAttributedString", "NSMutableData", "NSMutableDictionary",
        "NSMutableIndexSet", "NSMutableOrderedSet", "NSMutableSet", "NSMutableString", "NSNull", "NSNumber", "NSObject",
        "NSOrderedSet", "NSPredicate", "NSSet", "NSString", "NSTimeZone", "NSURL", "NSUUID", "NSValue", "UnitLength",
    ]
}

/// A type as it is written.
package indirect enum WrittenType: Equatable, Sendable {
    case named([String], [WrittenType])
    case optional(WrittenType)
    case unsupported(String)

    package var text: String {
        switch self {
        case .named(let path, let arguments):
            path.joined(separator: ".")
                + (arguments.isEmpty ? "" : "<\(arguments.map(\.text).joined(separator: ", "))>")
        case .optional(let wrapped): "\(wrapped.text)?"
        case .unsupported(let text): text
        }
    }
}

/// A type whose declaration isn't known.
struct UnknownType: Error {
    var text: String
}
