// Where a property's value stands: a key path in the object's own JSON, or something that the object's surroundings know.
//
//     name                 the value of the object's key "name"
//     location.latitude    "latitude" of the object under "location"
//     a\.b                 the key "a.b"
//     @parent.id           "id" of the object that this one is nested in
//     @root.version        "version" of the record that this one is part of
//     @index               the place in the array, from 0
//     @key                 the key under which the object stands, where a collection is an object itself
//     \@key                the key "@key"

/// A place in JSON, seen from one object.
struct SourcePath: Hashable, Sendable {
    /// Where the keys begin.
    enum Origin: String, Sendable, CaseIterable {
        case object = ""
        case parent = "@parent"
        case root = "@root"
        case index = "@index"
        case key = "@key"
    }

    var origin = Origin.object
    var keys: [String]

    init(origin: Origin = .object, keys: [String]) {
        self.origin = origin
        self.keys = keys
    }

    /// Reads a key path; nil where it leads nowhere: a key is empty, `@index` or `@key` go on, `@parent` or `@root` don't.
    init?(_ text: String) {
        var keys = Annotation.keys(ofPath: text)
        guard !keys.contains("") else { return nil }
        if let origin = Origin(rawValue: keys[0]) {
            keys.removeFirst()
            let goesOn = origin == .parent || origin == .root
            guard keys.isEmpty != goesOn else { return nil }
            self.origin = origin
        }
        self.keys = keys.map { $0.hasPrefix("\\@") ? String($0.dropFirst()) : $0 }
    }
}

extension SourcePath: CustomStringConvertible {
    /// The path as an annotation has it.
    var description: String {
        var keys = keys.map { $0.replacing("\\", with: "\\\\").replacing(".", with: "\\.") }
        if origin != .object { return ([origin.rawValue] + keys).joined(separator: ".") }
        if keys[0].hasPrefix("@") { keys[0] = "\\" + keys[0] }
        return keys.joined(separator: ".")
    }
}
