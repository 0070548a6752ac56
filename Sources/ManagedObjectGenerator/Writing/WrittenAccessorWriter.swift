// The class by which the runtime finds what a target's classes have written themselves (ManagedObjectAccessors in the
// module CoreData):
//
//     public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {
//         public override func register() {
//             property("fullName", \Person.fullName)
//             property("nickname", \Person.nickname) { $0.nickname = $1 }
//             unsafe validation("Name", of: Person.self) { try unsafe $0.validateName($1) }
//         }
//     }

/// Names written properties and `validate<Key>` methods for the runtime.
struct WrittenAccessorWriter {
    let declarations: TargetDeclarations
    /// The classes of the target's entities, without module.
    let entityClasses: Set<String>

    /// The code; empty where nothing was written.
    var text: String {
        let members = declarations.written.filter { isVisible($0.owner) && isManaged($0.owner) }
        guard !members.isEmpty else { return "" }
        return """
            /// What the runtime calls by its name.
            public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {
                public override func register() {
            \(members.map { "        \(Self.call($0))" }.joined(separator: "\n"))
                }
            }

            """
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

    /// Whether code in another file can name the class: neither it nor what it is in is private or generic.
    private func isVisible(_ path: [String]) -> Bool {
        !path.indices.contains { declarations.hiddenTypes.contains(path[...$0].joined(separator: ".")) }
    }

    /// Whether objects of the class are managed objects for certain: by what it says it inherits, because an entity has it,
    /// or because it has members with @NSManaged.
    private func isManaged(_ path: [String]) -> Bool {
        guard let type = declarations.types.nominal(path), type.isClass else { return false }
        if path.count == 1, entityClasses.contains(path[0]) { return true }
        if declarations.members.contains(where: { $0.owner == path }) { return true }
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
            if declarations.members.contains(where: { $0.owner == superclass }) { return true }
            if inherits(superclass, depth: depth + 1) { return true }
        }
        return false
    }
}
