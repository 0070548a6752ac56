// The accessors of members with @NSManaged: functions under the symbols that the compiler leaves undefined. Methods of an
// extension pass `self` as accessors do, and `__owned` is how a setter passes the value.

/// Writes the bodies that @NSManaged members lack on Linux.
struct AccessorWriter {
    let declarations: TargetDeclarations
    /// By class, and then by capitalised name.
    let relationships: [String: [String: String]]

    private var types: TypeNames { declarations.types }

    /// The code for the members, and what there can't be any for.
    func accessors(of members: [ManagedMember]) -> (text: String, problems: [GeneratorProblem]) {
        var problems: [GeneratorProblem] = []
        var owners: [String] = []
        var bodies: [String: [String]] = [:]
        for member in members {
            let owner = member.owner.map(\.escapedIdentifier).joined(separator: ".")
            do throws(GeneratorProblem) {
                let body = try body(of: member)
                if bodies[owner] == nil { owners.append(owner) }
                bodies[owner, default: []].append(body)
            } catch {
                problems.append(error)
            }
        }
        let extensions = owners.map { owner in
            "extension \(owner) {\n\((bodies[owner] ?? []).joined(separator: "\n"))\n}\n"
        }
        return (extensions.joined(separator: "\n"), problems)
    }

    private func body(of member: ManagedMember) throws(GeneratorProblem) -> String {
        guard !member.isPrivate else {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)' is private, so nothing outside its file can supply its accessors on Linux. "
                    + "Make it internal.")
        }
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
        let getter = MemberSymbol.getter(member.name, type, of: owner)
        let setter = MemberSymbol.setter(member.name, type, of: owner)
        let text = types.qualified(written, within: member.owner).text
        let (key, isPrimitive) = key(of: member.name)
        let (get, set) =
            isPrimitive
            ? ("primitiveModelledValue", "setPrimitiveModelledValue") : ("modelledValue", "setModelledValue")
        let access = Self.access(of: member)
        return """
                @_silgen_name("\(getter)")
                \(access) func __get_\(member.name)() -> \(text) { \(get)(forKey: "\(key)") }
                @_silgen_name("\(setter)")
                \(access) func __set_\(member.name)(_ value: __owned \(text)) { \(set)(value, forKey: "\(key)") }
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
        do throws(UnknownType) {
            return try types.resolved(type, within: member.owner)
        } catch {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)': the type '\(error.text)' isn't declared in this target, nor known of "
                    + "Foundation and Core Data. Write the property with modelledValue(forKey:) and "
                    + "setModelledValue(_:forKey:), or use a type that is.")
        }
    }

    // MARK: Methods

    /// The methods of to-many relationships, by what their names begin with.
    private static let forms: [(prefix: String, labels: [String?])] = [
        ("addTo", [nil]), ("removeFrom", [nil]), ("removeFrom", ["at"]), ("insertInto", [nil, "at"]),
        ("replace", ["at", "with"]),
    ]

    private func method(
        _ member: ManagedMember, _ parameters: [ManagedMember.Parameter], _ owner: NominalType
    ) throws(GeneratorProblem) -> String {
        let labels = parameters.map(\.label)
        guard let form = Self.forms.first(where: { member.name.hasPrefix($0.prefix) && $0.labels == labels }) else {
            throw GeneratorProblem(
                place: member.place,
                message:
                    "@NSManaged '\(member.name)' isn't one of the methods of a to-many relationship: addTo<Key>(_:), "
                    + "removeFrom<Key>(_:), insertInto<Key>(_:at:), removeFrom<Key>(at:), replace<Key>(at:with:). Write its body."
            )
        }
        var types: [(label: String?, type: ResolvedType)] = []
        for parameter in parameters { types.append((parameter.label, try resolved(parameter.type, member))) }
        let symbol = MemberSymbol.method(member.name, types, of: owner)
        let suffix = String(member.name.dropFirst(form.prefix.count))
        let key = relationships[owner.path.last?.name ?? ""]?[suffix] ?? suffix.loweredFirst
        let names = zip(parameters, ["first", "second"]).map { parameter, name in
            "\(parameter.label.map { "\($0) " } ?? "_ ")\(name): \(self.types.qualified(parameter.type, within: member.owner).text)"
        }
        let values = zip(types, ["first", "second"]).map { Self.list($0.type, $1) }
        return """
                @_silgen_name("\(symbol)")
                \(Self.access(of: member)) func __\(member.name)(\(names.joined(separator: ", "))) { \(Self.call(form.prefix, labels, values, key)) }
            """
    }

    private static func call(_ prefix: String, _ labels: [String?], _ values: [String], _ key: String) -> String {
        switch (prefix, labels.count) {
        case ("addTo", _): "addModelled(\(values[0]), forKey: \"\(key)\")"
        case ("insertInto", _): "insertModelled(\(values[0]), at: \(values[1]), forKey: \"\(key)\")"
        case ("replace", _): "replaceModelled(at: \(values[0]), with: \(values[1]), forKey: \"\(key)\")"
        default:
            labels == ["at"]
                ? "removeModelled(at: \(values[0]), forKey: \"\(key)\")"
                : "removeModelled(\(values[0]), forKey: \"\(key)\")"
        }
    }

    /// An argument as a list of objects or a set of indexes.
    private static func list(_ type: ResolvedType, _ name: String) -> String {
        switch type {
        case .standard("a", _): name
        case .standard("h", _): "Array(\(name))"
        case .standard: "IndexSet(integer: \(name))"
        case .nominal(let type) where type.text == "Foundation.NSSet":
            "\(name).allObjects.compactMap { $0 as? NSManagedObject }"
        case .nominal(let type) where type.text == "Foundation.NSOrderedSet":
            "\(name).array.compactMap { $0 as? NSManagedObject }"
        case .nominal(let type) where type.text == "Foundation.NSIndexSet": "IndexSet(\(name))"
        default: "[\(name)]"
        }
    }
}
