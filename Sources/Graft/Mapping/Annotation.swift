// The keys of the user info by which a model says how it maps to JSON: Groot's and Graft's own. Those of other libraries are
// in Dialects/. What they come to is MappingOptions; docs/import-contract.md has the table for readers.

import Foundation

enum Annotation {
    // MARK: Groot's

    /// On attributes and relationships: where in the JSON object the value stands. With `.1` to `.9` behind it: where else.
    static let keyPath = "JSONKeyPath"
    /// On attributes: the name of a registered value transformer.
    static let transformerName = "JSONTransformerName"
    /// On entities: the names of the properties that identify an object.
    static let identityAttributes = "identityAttributes"
    /// The same in models of old.
    static let identityAttribute = "identityAttribute"
    /// The same as the article on diffing managed objects has it.
    static let diffIdentity = "id"
    /// On entities: the transformer that makes an entity's name of an object.
    static let entityMapperName = "entityMapperName"
    /// On entities: the transformer that makes another object of an object, before anything else.
    static let dictionaryTransformerName = "JSONDictionaryTransformerName"

    // MARK: On properties

    /// One of ``MappingOptions/NullPolicy``.
    static let nullPolicy = "JSONNullPolicy"
    /// One of ``MappingOptions/MissingPolicy``.
    static let missingPolicy = "JSONMissingPolicy"
    /// One of ``MappingOptions/Direction``.
    static let direction = "JSONDirection"
    /// On dates: one of ``MappingOptions/DateFormat``.
    static let dateFormat = "JSONDateFormat"
    /// On dates: the zone of texts that don't name one.
    static let timeZone = "JSONTimeZone"
    /// What diffs do with it, one of ``GraphSchema/DiffRole``.
    static let diffRole = "diff"
    /// Whether an export writes null where there is no value: YES or NO.
    static let exportsNull = "JSONExportNull"
    /// On relationships: how an export writes their objects, one of ``ExportOptions/RelationshipForm``.
    static let exportForm = "JSONExportForm"
    /// On relationships: one of ``MappingOptions/ReferencePolicy``.
    static let referencePolicy = "JSONReferencePolicy"
    /// On relationships: one of ``MappingOptions/MembersPolicy``.
    static let toManyPolicy = "JSONToManyPolicy"

    // MARK: On relationships and entities

    /// How several objects stand in JSON, one of ``MappingOptions/CollectionForm``.
    static let collectionForm = "JSONCollectionForm"

    // MARK: On entities

    /// One of ``MappingOptions/Dialect``, for the whole hierarchy.
    static let dialect = "JSONDialect"
    /// One of ``MappingOptions/NamingRule``'s names: the keys of properties that don't name theirs.
    static let namingRule = "JSONNaming"
    /// Where in a text the objects are.
    static let rootKeyPath = "JSONRootKeyPath"
    /// The attribute by which an object tells whether it is newer than the stored one.
    static let versionAttribute = "JSONVersionAttribute"
    /// The key that tells of which entity an object is.
    static let entityKey = "JSONEntityKey"
    /// What that key has for this entity; its name by default.
    static let entityValue = "JSONEntityValue"
    /// One of ``MappingOptions/UnknownEntityPolicy``.
    static let unknownEntityPolicy = "JSONUnknownEntity"
    /// One of ``MappingOptions/EntityChangePolicy``.
    static let entityChangePolicy = "JSONEntityChange"
    /// One of ``MappingOptions/OrphanPolicy``.
    static let orphanPolicy = "JSONOrphanPolicy"
    /// A predicate, in the format language: the objects that may be orphans.
    static let orphanPredicate = "JSONOrphanPredicate"
    /// A key path: where it leads to something, the object is gone and is deleted.
    static let deletedKey = "JSONDeletedKey"
    /// What stands there then, several by commas; anything but null, false, 0 and an empty text where this is absent.
    static let deletedValue = "JSONDeletedValue"
    /// A key path from the root of the text: the objects that are gone, by their identities.
    static let deletedListKeyPath = "JSONDeletedListKeyPath"
    /// How many objects may be deleted at once: a number, or a part of them (`10%`).
    static let deletionLimit = "JSONDeletionLimit"
    /// The same, as it was called before.
    static let orphanLimit = "JSONOrphanLimit"

    /// The keys by the place where they mean something, for whoever checks models.
    static let onProperties = [keyPath, nullPolicy, missingPolicy, direction, exportsNull, diffRole]
    static let onAttributes = [transformerName, dateFormat, timeZone]
    static let onRelationships = [exportForm, referencePolicy, toManyPolicy, collectionForm]
    static let onEntities = [
        identityAttributes, identityAttribute, diffIdentity, entityMapperName, dictionaryTransformerName,
        collectionForm,
        dialect, namingRule, rootKeyPath, versionAttribute, entityKey, entityValue, unknownEntityPolicy,
        entityChangePolicy, orphanPolicy, orphanPredicate, orphanLimit,
        deletionLimit, deletedKey, deletedValue, deletedListKeyPath,
    ]

    /// The text of an annotation; nil where there is none.
    static func text(_ key: String, of userInfo: [AnyHashable: Any]?) -> String? {
        userInfo?[key] as? String
    }

    /// The texts of an annotation and of those with `.1` to `.9` behind it, up to the first that is missing.
    static func texts(_ key: String, of userInfo: [AnyHashable: Any]?, from first: Int = 1) -> [String] {
        var texts = text(key, of: userInfo).map { [$0] } ?? []
        for number in first...9 {
            guard let text = text("\(key).\(number)", of: userInfo) else { break }
            texts.append(text)
        }
        return texts
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
