// From a target's models and sources to the Swift code that Xcode and the Objective-C runtime make on Apple's platforms:
//
//     entities with code generation "class" or "category"  -> classes, properties, fetchRequest()   (Writing/)
//     members with @NSManaged in the sources                -> accessors under their symbols' names  (Mangling/)
//     properties and validate<Key> methods with a body      -> a class that names them for the runtime

import Foundation
package import ModelDocuments

/// Makes the Swift code of one target's managed objects.
package struct ManagedObjectGenerator {
    /// What was made.
    package struct Output {
        /// The code; compiles in the target's module.
        package var code: String
        /// What couldn't be made.
        package var problems: [GeneratorProblem]
        /// What is likely not meant.
        package var warnings: [GeneratorProblem]
    }

    private let module: String
    private let declarations: TargetDeclarations

    /// - Parameter declarations: What the target's sources declare.
    package init(_ declarations: TargetDeclarations) {
        module = declarations.types.module
        self.declarations = declarations
    }

    /// The code for the target.
    ///
    /// - Parameter models: The current versions of its models.
    package func output(models: [ModelOutline]) -> Output {
        var problems = declarations.files.flatMap(\.localMembers).map(Self.local)
        var parts = [Self.header + aliases]
        var declarations = declarations
        var generated: [(className: String, keys: [String])] = []
        var owners: [String: EntityNames] = [:]
        for model in models {
            for entity in model.entities where entity.codeGeneration != .manual {
                guard let names = EntityNames(entity) else { continue }
                if let owner = owners[names.className] {
                    problems.append(Self.shared(owner, names))
                    continue
                }
                owners[names.className] = names
                let writer = ClassWriter(entity, names, of: model, for: .linux)
                if entity.codeGeneration == .class {
                    if declarations.types.nominal([names.className]) != nil {
                        problems.append(twice(names))
                        continue
                    }
                    declarations.types.declare([.init(name: names.className, kind: .class)])
                    parts.append(writer.classDeclaration)
                }
                parts.append(writer.properties)
                generated.append((names.className, writer.keys))
            }
        }
        let entities = models.flatMap(\.entities)
        let writer = AccessorWriter(declarations: declarations, relationships: Self.relationships(entities))
        let (text, found) = writer.accessors(of: declarations.members)
        if !text.isEmpty { parts.append(text) }
        let classes = Set(entities.compactMap { EntityNames($0)?.className })
        let names = NamedMemberWriter(declarations: declarations, entityClasses: classes, generated: generated).text
        if !names.isEmpty { parts.append(names) }
        return Output(
            code: parts.joined(separator: "\n"), problems: problems + found,
            warnings: declarations.files.compactMap(leakedImport))
    }

    private static let header = """
        // Made by the plugin ManagedObjectClasses. Changes are lost.

        #if hasFeature(InternalImportsByDefault)
        public import CoreData
        #else
        import CoreData
        import Foundation
        #endif

        """

    /// Says whose the types are that Foundation has, too, as not available on Linux, or not as they should be. The latter only where
    /// the name is used: whoever imports the target and Foundation would find two of it.
    private var aliases: String {
        var meant = CoreDataNames.hiddenByFoundation.map { ($0, $0) }
        if declarations.files.contains(where: \.namesCompounds) {
            meant.append((CoreDataNames.compound, "CompoundPredicate"))
        }
        return meant.filter { !declarations.types.declares($0.0) }
            .map { "public typealias \($0) = CoreData.\($1)\n" }.joined()
    }

    /// The class by which the program finds an entity's objects, with the target's module in front where it is the target's.
    package func className(of entity: EntityOutline) -> String {
        guard let names = EntityNames(entity), entity.className == names.className else { return entity.className }
        let isOfTarget =
            entity.isClassOfBuiltModule || entity.codeGeneration != .manual
            || declarations.types.nominal([names.className])?.isClass == true
        return isOfTarget ? "\(module).\(names.className)" : entity.className
    }

    private static func local(_ place: SourcePlace) -> GeneratorProblem {
        GeneratorProblem(
            place: place,
            message:
                "@NSManaged is in a class within the body of a function or closure, which nothing outside can name, so its "
                + "accessors can't be made on Linux. Move the class out of the body, or write the property with "
                + "modelledValue(forKey:) and setModelledValue(_:forKey:).")
    }

    /// A file that sees Core Data only because another file of the target imports it.
    private func leakedImport(_ file: SourceDeclarations) -> GeneratorProblem? {
        guard let use = file.coreDataUse, !file.imports.isEmpty, !declarations.types.declares(use.name),
            file.imports.isSubset(of: ["Foundation", "Swift", "Dispatch", "FoundationEssentials"])
        else { return nil }
        return GeneratorProblem(
            place: use.place,
            message:
                "'\(use.name)' is Core Data's, and this file imports \(file.imports.sorted().joined(separator: ", ")) alone: it "
                + "sees Core Data only through another file's import. Where the compiler says that something is \"not available "
                + "in swift-corelibs-foundation\" or not in scope, write 'import CoreData' here.",
            isWarning: true)
    }

    private static func shared(_ one: EntityNames, _ other: EntityNames) -> GeneratorProblem {
        GeneratorProblem(
            message:
                "The entities '\(one.entityName)' and '\(other.entityName)' have one class, \(one.className), and code is made "
                + "for both. Give each a class of its own, or set the code generation of one to \"Manual/None\".")
    }

    private func twice(_ names: EntityNames) -> GeneratorProblem {
        GeneratorProblem(
            message:
                "The class \(names.className) is in the sources, and the model's entity '\(names.entityName)' has the code "
                + "generation \"Class Definition\". Set it to \"Category/Extension\", or to \"Manual/None\".")
    }

    /// The to-many relationships by the name of the class and `addTo` and the like put before them: `Addresses`.
    private static func relationships(_ entities: [EntityOutline]) -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for entity in entities {
            guard let names = EntityNames(entity) else { continue }
            for property in entity.properties {
                guard case .relationship = property.form else { continue }
                result[names.className, default: [:]][property.name.capitalizedFirst] = property.name
            }
        }
        return result
    }
}

/// What an entity and its class are called.
struct EntityNames {
    let entityName: String
    /// Without module.
    let className: String

    /// Nil for an entity without a class of its own.
    init?(_ entity: EntityOutline) {
        let className = entity.className.split(separator: ".").last.map(String.init) ?? ""
        guard !entity.name.isEmpty, !className.isEmpty, className != "NSManagedObject" else { return nil }
        entityName = entity.name
        self.className = className
    }
}

extension String {
    /// `addresses` is `Addresses`.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// `Addresses` is `addresses`.
    var loweredFirst: String { prefix(1).lowercased() + dropFirst() }

    /// With backticks where Swift would take it for a keyword.
    var escapedIdentifier: String { Self.keywords.contains(self) ? "`\(self)`" : self }

    private static let keywords: Set = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in",
        "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true",
        "try", "typealias", "var", "where", "while",
    ]
}
