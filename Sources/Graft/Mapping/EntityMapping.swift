// How the objects of one entity stand in JSON, compiled once from code, annotations and defaults (MappingRules.swift).

import CoreData
import Foundation

/// The mapping of one property.
///
/// What concerns a single property belongs here: the importer and the exporter look nowhere else.
struct PropertyMapping: Sendable {
    /// The keys under which the value is written; empty where it isn't.
    var path: [String]
    /// Where the value is read, in the order in which the places are tried.
    var sources: [SourcePath]
    /// Whether the path was declared, by annotation or in code; otherwise it follows from the property's name.
    var isDeclared: Bool
    /// Between JSON and an attribute's type; knows the format of dates.
    var converter: AttributeConverter?
    /// Comes before the converter on import, and after it on export.
    var transformer: NamedTransformer?
    /// Whether the property is read and written.
    var direction = MappingOptions.Direction.both
    var nullPolicy = MappingOptions.NullPolicy.clear
    var missingPolicy = MappingOptions.MissingPolicy.keep
    /// The model's default value, for the policies that ask for it.
    var defaultValue = GraphValue.null
    /// How a relationship's objects are exported, where the model or code says it.
    var exportForm: ExportOptions.RelationshipForm?
    /// Whether null is written where there is no value; nil where the export's options decide.
    var exportsNull: Bool?
    var referencePolicy = MappingOptions.ReferencePolicy.stub
    var membersPolicy = MappingOptions.MembersPolicy.replace
    /// How the members of a to-many relationship stand in JSON.
    var collectionForm = MappingOptions.CollectionForm.array
}

extension PropertyMapping {
    /// Whether a value, wherever it is found, is simply what the property gets.
    var isReadPlainly: Bool {
        sources.count == 1 && nullPolicy == .clear && collectionForm == .array && membersPolicy != .delta
    }
}

/// The mapping of one entity.
struct EntityMapping: Sendable {
    /// Objects of sub-entities, told by a key.
    struct Discriminator: Sendable {
        /// Where the key stands.
        var path: [String]
        /// The entities by what the key has for them.
        var entities: [String: Int]
        var unknown: MappingOptions.UnknownEntityPolicy
    }

    /// How an object says that it is gone.
    struct Tombstone: Sendable {
        var path: [String]
        /// What stands there; empty for anything that says yes.
        var values: [String]

        func isTrue(_ text: String) -> Bool {
            values.isEmpty ? !["", "0", "false", "no"].contains(text.lowercased()) : values.contains(text)
        }
    }

    /// Which stored objects are deleted if the data doesn't mention them.
    struct Orphans: Sendable {
        /// A predicate, in the format language.
        var predicate: String?

        /// The objects of an entity that may be orphans, with values of the attributes' types; nil for all.
        ///
        /// - Throws: ``GraftError`` where the text is no predicate, or asks for what the entity doesn't have.
        func predicate(of entity: NSEntityDescription) throws -> NSPredicate? {
            guard let predicate else { return nil }
            let parsed: NSPredicate
            do {
                parsed = try NSPredicate.checked(predicate)
            } catch {
                throw GraftError(
                    .invalidMapping(
                        reason: "\(Annotation.orphanPredicate) '\(predicate)' isn't a predicate",
                        remedy: "Write it in the format language of NSPredicate."),
                    at: .init(entity: entity.name), underlying: error)
            }
            return try PredicateCheck(entity: entity, source: Annotation.orphanPredicate).checked(parsed)
        }
    }

    var dialect: MappingOptions.Dialect
    /// Whether the entity, or one that it shares inheritance with, has a `JSONKeyPath`. Then only properties with one take
    /// part; otherwise all do that a store keeps, under their names.
    var isAnnotated: Bool
    /// By number of the property; nil for those that take no part.
    var properties: [PropertyMapping?]
    /// What stands under the keys of the entity's objects.
    var keys: KeyTree
    /// Who says what identifies the objects; nil where nothing does.
    var identityOrigin: String?
    /// Whether nobody says it, and it follows from names.
    var isIdentityInferred = false
    /// The keys that lead to the objects from the root of a text.
    var rootPath: [String] = []
    var collectionForm = MappingOptions.CollectionForm.array
    /// The number of the attribute that tells an object's version.
    var version: Int?
    /// Where the type of an object stands, also in entities that have no sub-entities: exports write it.
    var entityKeyPath: [String]?
    /// What stands there for this entity.
    var entityValue = ""
    /// Which sub-entities objects may be of; nil where there is no choice.
    var discriminator: Discriminator?
    var entityChangePolicy = MappingOptions.EntityChangePolicy.keep
    var orphans: Orphans?
    var tombstone: Tombstone?
    /// Where in a text the list of objects is that are gone; empty for none.
    var deletedListPath: [String] = []
    /// How many objects an import may delete; nil for any number.
    var deletionLimit: MappingOptions.DeletionLimit?
    /// Makes an entity's name of an object.
    var entityMapper: NamedTransformer?
    /// Makes another object of an object, before anything else.
    var dictionaryTransformer: NamedTransformer?
}
