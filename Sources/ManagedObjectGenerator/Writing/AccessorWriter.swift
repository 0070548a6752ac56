// The accessors of members with @NSManaged: functions under the symbols that the compiler leaves undefined. Methods of an
// extension pass `self` as accessors do, and `__owned` is how a setter passes the value.

/// Writes the bodies that @NSManaged members lack on Linux.
struct AccessorWriter {
    let declarations: TargetDeclarations
    /// By class, and then by capitalised name.
    let relationships: [String: [String: String]]

    private var types: TypeNames { declarations.types }

    /// What stands in one extension: members of a class that is there under the same condition as they are.
    private struct Group: Hashable {
        let owner: String
        let condition: String?
    }

    /// The code for the members, and what there can't be any for.
    func accessors(of members: [ManagedMember]) -> (text: String, problems: [GeneratorProblem]) {
        var problems: [GeneratorProblem] = []
        var groups: [Group] = []
        var bodies: [Group: [String]] = [:]
        for member in members {
            let group = Group(
                owner: member.owner.map(\.escapedIdentifier).joined(separator: "."), condition: member.condition)
            do throws(GeneratorProblem) {
                let body = try body(of: member)
                if bodies[group] == nil { groups.append(group) }
                bodies[group, default: []].append(body)
            } catch {
                problems.append(error)
            }
        }
        let extensions = groups.map { group in
            "extension \(group.owner) {\n\((bodies[group] ?? []).joined(separator: "\n"))\n}\n"
                .compiled(where: group.condition)
        }
        return (extensions.joined(separator: "\n"), problems)
    }

    private func body(of member: ManagedMember) throws(GeneratorProblem) -> String {
        guard let owner = types.nominal(member.owner), owner.isClass else {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)' is in '\(member.owner.joined(separator: "."))', which isn't a class of "
                    + "this target. Declare it in the class, or in an extension within the class's target.")
        }
        switch declarations.hiding(of: member.owner) {
        case .private?:
            throw hidden(member, "is in a private type, which no other file can name", "Make the type internal")
        case .generic?: throw hidden(member, "is in a generic type", "Take the class out of it")
        case .actor?, nil: break
        }
        if let outer = types.foreignType(around: member.owner) {
            throw hidden(
                member, "is in a class within an extension of '\(outer)', which isn't a type of this target",
                "Move the class out of it")
        }
        guard member.name.utf8.allSatisfy({ $0 < 128 }), owner.text.utf8.allSatisfy({ $0 < 128 }) else {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)': names outside ASCII aren't supported here. Rename it, or write the "
                    + "property with modelledValue(forKey:) and setModelledValue(_:forKey:).")
        }
        switch member.kind {
        case .property(let type): return try property(member, type, owner)
        case .method(let parameters): return try method(member, parameters, owner)
        }
    }

    private func discriminator(of member: ManagedMember) -> String? {
        member.isPrivate ? FileDiscriminator.of(file: member.place.file, module: types.module) : nil
    }

    private func hidden(_ member: ManagedMember, _ reason: String, _ remedy: String) -> GeneratorProblem {
        GeneratorProblem(
            place: member.place,
            message:
                "@NSManaged '\(member.name)' \(reason), so its accessors can't be made on Linux. \(remedy), or write the "
                + "property with modelledValue(forKey:) and setModelledValue(_:forKey:).")
    }

    /// Other modules call the accessors of what they see; of the rest, the types may be such as they don't.
    private static func access(of member: ManagedMember) -> String { member.isPublic ? "public final" : "final" }

    // MARK: Properties

    private func property(
        _ member: ManagedMember, _ written: WrittenType?, _ owner: NominalType
    ) throws(GeneratorProblem) -> String {
        guard let written else {
            throw GeneratorProblem(
                place: member.place, message: "@NSManaged '\(member.name)' has no type. Write one behind the name.")
        }
        let type = try resolved(written, member)
        let discriminator = discriminator(of: member)
        let symbol = MemberSymbol(owner: owner, name: member.name, discriminator: discriminator)
        let text = types.qualified(written, within: member.owner).text
        let (key, isPrimitive) = key(of: member.name)
        let (get, set) =
            isPrimitive
            ? ("primitiveModelledValue", "setPrimitiveModelledValue") : ("modelledValue", "setModelledValue")
        let access = Self.access(of: member)
        // Private members of two files may have one name.
        let name = member.name + (discriminator ?? "")
        return """
                @_silgen_name("\(symbol.getter(type))")
                \(access) func __get_\(name)() -> \(text) { \(get)(forKey: "\(key)") }
                @_silgen_name("\(symbol.setter(type))")
                \(access) func __set_\(name)(_ value: __owned \(text)) { \(set)(value, forKey: "\(key)") }
            """
    }

    /// `primitiveName` is the value of `name` without notification.
    private func key(of name: String) -> (key: String, isPrimitive: Bool) {
        let prefix = "primitive"
        guard name.hasPrefix(prefix), let next = name.dropFirst(prefix.count).first, next.isUppercase else {
            return (name, false)
        }
        return (String(name.dropFirst(prefix.count)).loweredFirst, true)
    }

    private func resolved(_ type: WrittenType, _ member: ManagedMember) throws(GeneratorProblem) -> ResolvedType {
        let resolved: ResolvedType
        do throws(UnknownType) {
            resolved = try types.resolved(type, within: member.owner)
        } catch {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)': the type '\(error.text)' isn't declared in this target, nor known of "
                    + "Foundation and Core Data. Write the property with modelledValue(forKey:) and "
                    + "setModelledValue(_:forKey:), or use a type that is.")
        }
        if let type = resolved.nominals.first(where: { isPrivate($0) }) {
            throw hidden(
                member, "has the type '\(type.text)', which is private and can't be named in another file",
                "Make the type internal")
        }
        for type in resolved.nominals where type.module == types.module {
            guard let outer = types.foreignType(around: type.path.map(\.name)) else { continue }
            throw hidden(
                member,
                "has the type '\(type.text)', which is in an extension of '\(outer)', and that isn't a type of this target",
                "Move the type out of it")
        }
        return resolved
    }

    private func isPrivate(_ type: NominalType) -> Bool {
        type.module == types.module && declarations.hiding(of: type.path.map(\.name)) == .private
    }

    // MARK: Methods

    private func method(
        _ member: ManagedMember, _ parameters: [ManagedMember.Parameter], _ owner: NominalType
    ) throws(GeneratorProblem) -> String {
        var types: [(label: String?, type: ResolvedType)] = []
        for parameter in parameters { types.append((parameter.label, try resolved(parameter.type, member))) }
        let relationships = relationships[owner.path.last?.name ?? ""] ?? [:]
        guard let method = RelationshipMethod(member.name, types, of: relationships) else {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)' isn't one of the methods of a to-many relationship: addTo<Key>(_:), "
                    + "removeFrom<Key>(_:), insertInto<Key>(_:at:), removeFrom<Key>(at:), replace<Key>(at:with:), "
                    + "add<Key>Object(_:), remove<Key>Object(_:), add<Key>(_:), remove<Key>(_:). Write its body.")
        }
        let discriminator = discriminator(of: member)
        let symbol = MemberSymbol(owner: owner, name: member.name, discriminator: discriminator).method(types)
        let names = zip(parameters, ["first", "second"]).map { parameter, name in
            "\(parameter.label.map { "\($0) " } ?? "_ ")\(name): \(self.types.qualified(parameter.type, within: member.owner).text)"
        }
        let signature = "__\(member.name)\(discriminator ?? "")(\(names.joined(separator: ", ")))"
        return """
                @_silgen_name("\(symbol)")
                \(Self.access(of: member)) func \(signature) { \(method.call(["first", "second"])) }
            """
    }
}

extension String {
    /// Code within the condition of the `#if` that it was made from.
    func compiled(where condition: String?) -> String { condition.map { "#if \($0)\n\(self)\n#endif" } ?? self }
}
