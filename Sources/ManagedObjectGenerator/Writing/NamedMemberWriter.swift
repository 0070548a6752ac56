// The class by which the runtime finds the names of a target's properties, and what its classes have written themselves
// (ManagedObjectAccessors in the module CoreData):
//
//     public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {
//         public override func register() {
//             modelled("name", \Person.name)
//             property("fullName", \Person.fullName)
//             property("nickname", \Person.nickname) { $0.nickname = $1 }
//             unsafe validation("Name", of: Person.self) { try unsafe $0.validateName($1) }
//         }
//     }

/// Names properties and `validate<Key>` methods for the runtime.
struct NamedMemberWriter {
    private let declarations: TargetDeclarations
    private let entityClasses: Set<String>
    private let generated: [(className: String, keys: [String])]
    private let members: [ManagedMember]
    /// The classes that have members with @NSManaged.
    private let owners: Set<[String]>

    /// - Parameters:
    ///   - entityClasses: The classes of the target's entities, without module.
    ///   - generated: The properties that are made from models, by class.
    init(
        declarations: TargetDeclarations, entityClasses: Set<String>,
        generated: [(className: String, keys: [String])]
    ) {
        self.declarations = declarations
        self.entityClasses = entityClasses
        self.generated = generated
        members = declarations.members
        owners = Set(members.map(\.owner))
    }

    /// The code; empty where there is nothing to name.
    var text: String {
        let made = generated.filter { isVisible([$0.className]) }.flatMap { entity in
            entity.keys.map { Self.modelled($0, of: [entity.className]) }
        }
        let managed = members.filter(isNamed).map {
            Self.modelled($0.name, of: $0.owner).compiled(where: $0.condition)
        }
        let writtenMembers = declarations.written
        let classes = Set(writtenMembers.map(\.owner)).filter { isVisible($0) && isManaged($0) }
        let written = writtenMembers.filter { classes.contains($0.owner) }
            .map { Self.call($0).compiled(where: $0.condition) }
        let lines = made + managed + written
        guard !lines.isEmpty else { return "" }
        return """
            /// What the runtime finds by its name.
            nonisolated public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {
                public override func register() {
                    let name: @MainActor (WrittenManagedObjectAccessors) -> Void = { $0.nameMembers() }
                    unsafe unsafeBitCast(name, to: ((WrittenManagedObjectAccessors) -> Void).self)(self)
                }
                // Names what may be the main actor's, where a module's classes are by default, and calls nothing of it: any thread may.
                @MainActor private func nameMembers() {
            \(lines.map { "        \($0)" }.joined(separator: "\n"))
                }
            }

            """
    }

    private static func modelled(_ key: String, of owner: [String]) -> String {
        "modelled(\"\(key)\", \\\(owner.map(\.escapedIdentifier).joined(separator: ".")).\(key.escapedIdentifier))"
    }

    /// Whether a member with @NSManaged is a property that a key path in another file may lead to.
    private func isNamed(_ member: ManagedMember) -> Bool {
        guard case .property = member.kind else { return false }
        return member.isFoundByKey && isVisible(member.owner)
    }

    private static func call(_ member: WrittenMember) -> String {
        let owner = member.owner.map(\.escapedIdentifier).joined(separator: ".")
        return switch member.kind {
        case .property(let isSettable):
            "property(\"\(member.name)\", \\\(owner).\(member.name.escapedIdentifier))"
                + (isSettable ? " { $0.\(member.name.escapedIdentifier) = $1 }" : "")
        case .validation:
            "unsafe validation(\"\(member.name)\", of: \(owner).self) { try unsafe $0.validate\(member.name)($1) }"
        }
    }

    /// Whether code in another file can name the class: neither it nor what it is in is private, generic or bound to an
    /// actor.
    private func isVisible(_ path: [String]) -> Bool { declarations.hiding(of: path) == nil }

    /// Whether objects of the class are managed objects for certain: by what it says it inherits, because an entity has it,
    /// or because it has members with @NSManaged.
    private func isManaged(_ path: [String]) -> Bool {
        guard let type = declarations.types.nominal(path), type.isClass else { return false }
        if path.count == 1, entityClasses.contains(path[0]) { return true }
        if owners.contains(path) { return true }
        return inherits(path, depth: 0)
    }

    private func inherits(_ path: [String], depth: Int) -> Bool {
        // Sources that don't compile may have circles.
        guard depth < 64 else { return false }
        for written in declarations.inherited[path.joined(separator: ".")] ?? [] {
            guard case .nominal(let type)? = try? declarations.types.resolved(written, within: path) else { continue }
            if type.text == "CoreData.NSManagedObject" { return true }
            guard type.isClass, type.module == declarations.types.module else { continue }
            let superclass = type.path.map(\.name)
            if entityClasses.contains(superclass.joined(separator: ".")) { return true }
            if owners.contains(superclass) { return true }
            if inherits(superclass, depth: depth + 1) { return true }
        }
        return false
    }
}
