// Which method of a to-many relationship a declaration is, told by its name, its labels and whether it takes one object or
// several. Xcode writes the longer names; the shorter ones are those of key-value coding, which people write for an NSSet:
//
//     addToItems(_: Item)    addItemsObject(_: Item)       removeFromItems(_: Item)    removeItemsObject(_: Item)
//     addToItems(_: NSSet)   addItems(_: NSSet)            removeFromItems(_: NSSet)   removeItems(_: NSSet)
//     insertIntoItems(_: Item, at: Int)   removeFromItems(at: Int)   replaceItems(at: Int, with: Item)

/// A method that changes a to-many relationship.
struct RelationshipMethod {
    fileprivate enum Change {
        case add, remove, insert, removeAt, replace
    }

    fileprivate struct Form {
        var change: Change
        var prefix: String
        var suffix = ""
        var labels: [String?] = [nil]
        /// Whether it takes several objects; nil for either.
        var takesMany: Bool?
    }

    private static let forms = [
        Form(change: .add, prefix: "addTo"), Form(change: .remove, prefix: "removeFrom"),
        Form(change: .removeAt, prefix: "removeFrom", labels: ["at"]),
        Form(change: .insert, prefix: "insertInto", labels: [nil, "at"]),
        Form(change: .replace, prefix: "replace", labels: ["at", "with"]),
        Form(change: .add, prefix: "add", suffix: "Object", takesMany: false),
        Form(change: .remove, prefix: "remove", suffix: "Object", takesMany: false),
        Form(change: .add, prefix: "add", takesMany: true), Form(change: .remove, prefix: "remove", takesMany: true),
    ]

    private let change: Change
    private let key: String
    private let types: [ResolvedType]

    /// Nil for a declaration that is none.
    ///
    /// - Parameter relationships: The class's relationships as far as they are known, by capitalised name.
    init?(_ name: String, _ parameters: [(label: String?, type: ResolvedType)], of relationships: [String: String]) {
        let labels = parameters.map(\.label)
        let fitting = Self.forms.compactMap { form -> (change: Change, key: String)? in
            guard form.labels == labels, let key = form.key(in: name),
                form.takesMany == nil || form.takesMany == parameters[0].type.isMany
            else { return nil }
            return (form.change, key)
        }
        // `addToDos` may be of the relationship `dos` or of `toDos`.
        let known = fitting.first { relationships[$0.key] != nil }
        guard let found = known ?? fitting.first else { return nil }
        change = found.change
        key = relationships[found.key] ?? found.key.loweredFirst
        types = parameters.map(\.type)
    }

    /// The call that does it.
    ///
    /// - Parameter names: The names of the parameters.
    func call(_ names: [String]) -> String {
        let values = zip(types, names).map { $0.list($1) }
        return switch change {
        case .add: "addModelled(\(values[0]), forKey: \"\(key)\")"
        case .remove: "removeModelled(\(values[0]), forKey: \"\(key)\")"
        case .insert: "insertModelled(\(values[0]), at: \(values[1]), forKey: \"\(key)\")"
        case .removeAt: "removeModelled(at: \(values[0]), forKey: \"\(key)\")"
        case .replace: "replaceModelled(at: \(values[0]), with: \(values[1]), forKey: \"\(key)\")"
        }
    }
}

extension RelationshipMethod.Form {
    /// The capitalised key in a method's name; nil for another form's.
    fileprivate func key(in name: String) -> String? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let key = name.dropFirst(prefix.count).dropLast(suffix.count)
        return key.first.map(\.isLowercase) == false ? String(key) : nil
    }
}

extension ResolvedType {
    /// Whether it holds several objects.
    fileprivate var isMany: Bool {
        switch self {
        case .standard("a", _), .standard("h", _): true
        case .nominal(let type): ["Foundation.NSSet", "Foundation.NSOrderedSet"].contains(type.text)
        default: false
        }
    }

    /// An argument as a list of objects or a set of indexes.
    fileprivate func list(_ name: String) -> String {
        switch self {
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
