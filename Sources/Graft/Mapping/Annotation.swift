// The keys of the user info by which a model says how it maps to JSON.

import Foundation

enum Annotation {
    /// On attributes and relationships: where in the JSON object the value stands.
    static let keyPath = "JSONKeyPath"
    /// On attributes: the name of a registered value transformer.
    static let transformerName = "JSONTransformerName"
    /// On relationships: how an export writes their objects, one of ``ExportOptions/RelationshipForm``.
    static let exportForm = "JSONExportForm"
    /// On entities: the names of the attributes that identify an object.
    static let identityAttributes = "identityAttributes"
    /// The same in models of old.
    static let identityAttribute = "identityAttribute"
    /// The same as the article on diffing managed objects has it.
    static let diffIdentity = "id"

    /// The text of an annotation; nil where there is none.
    static func text(_ key: String, of userInfo: [AnyHashable: Any]?) -> String? {
        userInfo?[key] as? String
    }

    /// The keys of a key path: `location.latitude` is two. A dot that belongs to a key has a backslash before it.
    static func keys(ofPath path: String) -> [String] {
        var keys: [String] = []
        var key = ""
        var isEscaped = false
        for character in path {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else if !isEscaped, character == "." {
                keys.append(key)
                key = ""
            } else {
                if isEscaped, character != ".", character != "\\" { key.append("\\") }
                key.append(character)
                isEscaped = false
            }
        }
        if isEscaped { key.append("\\") }
        return keys + [key]
    }
}
