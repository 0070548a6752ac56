// Composite attributes in dictionaries: a dictionary for each, where the schema has an attribute for each element.

extension [String: Any] {
    /// Sets the value of an attribute, or of an element of a composite one by its path.
    mutating func set(_ value: Any, at path: String) {
        guard let dot = path.firstIndex(of: ".") else { return self[path] = value }
        let head = String(path[..<dot])
        var inner = self[head] as? [String: Any] ?? [:]
        inner.set(value, at: String(path[path.index(after: dot)...]))
        self[head] = inner
    }

    /// What stands for an attribute, or for an element of a composite one by its path: null where the composite is null.
    func value(at path: String) -> Any? {
        if let value = self[path] { return value }
        guard let dot = path.firstIndex(of: "."), let inner = self[String(path[..<dot])] else { return nil }
        if DictionaryValue.isNull(inner) { return inner }
        return (inner as? [String: Any])?.value(at: String(path[path.index(after: dot)...]))
    }
}

extension GraphSchema.Entity {
    /// The composite attribute that a property is an element of.
    static func composite(of property: GraphSchema.Property) -> String? {
        property.name.firstIndex(of: ".").map { String(property.name[..<$0]) }
    }

    /// The names of the composite attributes, with those of their elements.
    var composites: [String: [String]] {
        var composites: [String: [String]] = [:]
        for property in properties {
            guard let name = Self.composite(of: property) else { continue }
            composites[name, default: []].append(property.name)
        }
        return composites
    }
}

extension DictionaryReader {
    /// Refuses what is no value of a composite attribute, and takes note of what none of its elements is called.
    mutating func readComposite(_ key: String, _ value: Any?, _ known: [String], _ node: Int) throws {
        guard let value, !DictionaryValue.isNull(value) else { return }
        guard let dictionary = value as? [String: Any] else {
            throw misfit(value, "a dictionary of its elements", place(of: node, key: key))
        }
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            let path = "\(key).\(name)"
            if known.contains(path) { continue }
            let inner = known.filter { $0.hasPrefix(path + ".") }
            if !inner.isEmpty {
                try readComposite(path, value, inner, node)
                continue
            }
            try note(unknownKey: path, of: node)
        }
    }
}
