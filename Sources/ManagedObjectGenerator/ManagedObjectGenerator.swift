// From a target's models and sources to the Swift code that Xcode and the Objective-C runtime make on Apple's platforms:
//
//     entities with code generation "class" or "category"  -> classes, properties, fetchRequest()   (Writing/)
//     members with @NSManaged in the sources                -> accessors under their symbols' names  (Mangling/)
//     properties and validate<Key> methods with a body      -> a class that names them for the runtime

package import CoreData
import Foundation

/// Makes the Swift code of one target's managed objects.
package struct ManagedObjectGenerator {
    /// What was made.
    package struct Output {
        /// The code; compiles in the target's module.
        package var code: String
        /// What couldn't be made.
        package var problems: [GeneratorProblem]
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
    package func output(models: [NSManagedObjectModel]) -> Output {
        var problems: [GeneratorProblem] = []
        var parts = [
            """
            // Made by the plugin ManagedObjectClasses. Changes are lost.

            #if hasFeature(InternalImportsByDefault)
            public import CoreData
            #else
            import CoreData
            import Foundation
            #endif

            """
        ]
        var declarations = declarations
        for entity in models.flatMap(\.entities) where entity.codeGeneration != .manual {
            guard let names = EntityNames(entity) else { continue }
            if entity.codeGeneration == .class {
                if declarations.types.nominal([names.className]) != nil {
                    problems.append(twice(names))
                    continue
                }
                declarations.types.declare([.init(name: names.className, kind: .class)])
                parts.append(ClassWriter(entity, names, .linux).classDeclaration)
            }
            parts.append(ClassWriter(entity, names, .linux).properties)
        }
        let writer = AccessorWriter(types: declarations.types, relationships: Self.relationships(models))
        let (text, found) = writer.accessors(of: declarations.members)
        if !text.isEmpty { parts.append(text) }
        let classes = Set(models.flatMap(\.entities).compactMap { EntityNames($0)?.className })
        let written = WrittenAccessorWriter(declarations: declarations, entityClasses: classes).text
        if !written.isEmpty { parts.append(written) }
        return Output(code: parts.joined(separator: "\n"), problems: problems + found)
    }

    /// Gives the entities the classes by which the program finds them: with the module in front.
    package func nameClasses(of model: NSManagedObjectModel) {
        for entity in model.entities {
            guard let names = EntityNames(entity) else { continue }
            let isOfTarget =
                entity.isClassOfBuiltModule || entity.codeGeneration != .manual
                || declarations.types.nominal([names.className])?.isClass == true
            if isOfTarget, entity.managedObjectClassName == names.className {
                entity.managedObjectClassName = "\(module).\(names.className)"
            }
        }
    }

    private func twice(_ names: EntityNames) -> GeneratorProblem {
        GeneratorProblem(
            message:
                "The class \(names.className) is in the sources, and the model's entity '\(names.entityName)' has the code "
                + "generation \"Class Definition\". Set it to \"Category/Extension\", or to \"Manual/None\".")
    }

    /// The to-many relationships by the name of the class and `addTo` and the like put before them: `Addresses`.
    private static func relationships(_ models: [NSManagedObjectModel]) -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for entity in models.flatMap(\.entities) {
            guard let names = EntityNames(entity) else { continue }
            for name in entity.relationshipsByName.keys {
                result[names.className, default: [:]][name.capitalizedFirst] = name
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
    init?(_ entity: NSEntityDescription) {
        guard let name = entity.name, let written = entity.managedObjectClassName else { return nil }
        let className = written.split(separator: ".").last.map(String.init) ?? ""
        guard !className.isEmpty, className != "NSManagedObject" else { return nil }
        entityName = name
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
