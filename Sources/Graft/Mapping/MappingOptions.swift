// What code says of a mapping. The annotations of a model are read into the same type, and so are the defaults; so that
// there is one rule of precedence, applied in one place (MappingRules.swift):
//
//     what code says of the property or entity  >  what its annotation says  >  the defaults in code  >  the dialect's

public import Foundation

/// How entities and properties stand in JSON, as far as code decides it: each value that isn't nil goes before the model's
/// annotation.
///
///     var options = ImportOptions()
///     options.mapping["Hero"].identity = ["id"]
///     options.mapping["Hero", "born"].dateFormat = .unixMilliseconds
///     options.mapping.defaults.nullPolicy = .ignore
///
/// What is said of an entity holds for its sub-entities too, unless they say something else.
public struct MappingOptions: Sendable {
    /// The dialect of the model's annotations; nil to recognise it (``MappingOptions/Dialect/dialect(of:)``).
    public var dialect: Dialect?

    /// By the entity's name. A name that the model doesn't have is an error.
    public var entities: [String: Entity] = [:]

    /// What holds for properties of which neither code nor the model says anything.
    public var defaults = Property()

    /// What holds for entities of which neither code nor the model says anything.
    public var entityDefaults = Entity()

    /// Creates options that leave everything to the model.
    public init() {}

    /// What code says of an entity.
    public subscript(entity: String) -> Entity {
        get { entities[entity] ?? Entity() }
        set { entities[entity] = newValue }
    }

    /// What code says of a property.
    public subscript(entity: String, property: String) -> Property {
        get { self[entity].properties[property] ?? Property() }
        set { self[entity].properties[property] = newValue }
    }
}

extension MappingOptions {
    /// What is said of one property. Nil leaves it to the next in the order of precedence.
    public struct Property: Sendable {
        /// Where the value stands: the key paths that are tried, in this order, until one is there. The first is written.
        ///
        /// Keys are separated by dots; a dot within a key has a backslash before it. `@parent.id` is of the object that this
        /// one is nested in, `@root.id` of the record that it is part of, `@index` its place in an array, and `@key` its
        /// key in a collection that is an object.
        public var keyPaths: [String]?
        /// Whether the property is read, written, both or neither.
        public var direction: Direction?
        /// The name of a registered value transformer.
        public var transformerName: String?
        /// What null does.
        public var nullPolicy: NullPolicy?
        /// What an absent key does.
        public var missingPolicy: MissingPolicy?
        /// How a date is written.
        public var dateFormat: DateFormat?
        /// The zone of a date that doesn't name one. UTC by default, never the device's.
        public var timeZone: TimeZone?
        /// Whether an export writes null where there is no value; nil leaves it to ``ExportOptions/includesNulls``.
        public var exportsNull: Bool?
        /// How an export writes the objects of a relationship.
        public var exportForm: ExportOptions.RelationshipForm?
        /// What becomes of references to objects that aren't there.
        public var referencePolicy: ReferencePolicy?
        /// What becomes of members that aren't named any more.
        public var membersPolicy: MembersPolicy?
        /// How several objects stand in JSON.
        public var collectionForm: CollectionForm?

        /// Says nothing.
        public init() {}
    }

    /// What is said of one entity. Nil leaves it to the next in the order of precedence.
    public struct Entity: Sendable {
        /// What is said of its properties, by name.
        public var properties: [String: Property] = [:]
        /// The keys of properties that don't name theirs.
        public var namingRule: NamingRule?
        /// The names of the attributes and to-one relationships that identify an object; none for no identity.
        public var identity: [String]?
        /// The transformer that makes an entity's name of an object (Groot's entity mapper). Not inherited.
        public var entityMapperName: String?
        /// The transformer that makes another object of an object, before anything else. Not inherited.
        public var dictionaryTransformerName: String?
        /// Where in a text the objects are: a key path from its root. Not inherited.
        public var rootKeyPath: String?
        /// How the objects stand there, and in relationships that lead to the entity.
        public var collectionForm: CollectionForm?
        /// The attribute by which an object tells its version: where it isn't higher than the stored one's, the object is
        /// left as it is. Integers, dates and texts are compared.
        public var versionAttribute: String?
        /// The key that tells of which sub-entity an object is.
        public var entityKey: String?
        /// What that key has for this entity; its name by default. Not inherited.
        public var entityValue: String?
        /// What becomes of an object whose type has no entity.
        public var unknownEntityPolicy: UnknownEntityPolicy?
        /// What becomes of a stored object of another sub-entity than its data's.
        public var entityChangePolicy: EntityChangePolicy?
        /// What becomes of objects that the data doesn't mention. Not inherited; goes for sub-entities' objects too.
        public var orphanPolicy: OrphanPolicy?
        /// A predicate, in the format language, that limits which objects may be orphans. Not inherited.
        public var orphanPredicate: String?
        /// A key path: where it leads to something, the object is gone; the one with its identity is deleted.
        public var deletedKey: String?
        /// What has to stand there, several values by commas; anything but null, false, 0 and an empty text by default.
        public var deletedValue: String?
        /// A key path from the root of a text to a list of objects that are gone, by their identities. Not inherited.
        public var deletedListKeyPath: String?
        /// How many objects, those of sub-entities included, may be deleted at once, whatever deletes them; more are an error.
        /// Not inherited. Nil for any number.
        public var deletionLimit: DeletionLimit?

        /// Says nothing.
        public init() {}
    }
}

extension MappingOptions.Property {
    /// The same, with what isn't said here taken from another one.
    func filled(from other: Self) -> Self {
        var all = self
        all.keyPaths = keyPaths ?? other.keyPaths
        all.direction = direction ?? other.direction
        all.transformerName = transformerName ?? other.transformerName
        all.nullPolicy = nullPolicy ?? other.nullPolicy
        all.missingPolicy = missingPolicy ?? other.missingPolicy
        all.dateFormat = dateFormat ?? other.dateFormat
        all.timeZone = timeZone ?? other.timeZone
        all.exportsNull = exportsNull ?? other.exportsNull
        all.exportForm = exportForm ?? other.exportForm
        all.referencePolicy = referencePolicy ?? other.referencePolicy
        all.membersPolicy = membersPolicy ?? other.membersPolicy
        all.collectionForm = collectionForm ?? other.collectionForm
        return all
    }
}

extension MappingOptions.Entity {
    /// The same, with what isn't said here taken from another one. Properties aren't looked at.
    func filled(from other: Self) -> Self {
        var all = inheriting(from: other)
        all.entityMapperName = entityMapperName ?? other.entityMapperName
        all.dictionaryTransformerName = dictionaryTransformerName ?? other.dictionaryTransformerName
        all.rootKeyPath = rootKeyPath ?? other.rootKeyPath
        all.entityValue = entityValue ?? other.entityValue
        all.orphanPolicy = orphanPolicy ?? other.orphanPolicy
        all.orphanPredicate = orphanPredicate ?? other.orphanPredicate
        all.deletedListKeyPath = deletedListKeyPath ?? other.deletedListKeyPath
        all.deletionLimit = deletionLimit ?? other.deletionLimit
        return all
    }

    /// The same, with what isn't said here and passes on to sub-entities taken from a super-entity's.
    func inheriting(from parent: Self) -> Self {
        var all = self
        all.namingRule = namingRule ?? parent.namingRule
        all.identity = identity ?? parent.identity
        all.collectionForm = collectionForm ?? parent.collectionForm
        all.versionAttribute = versionAttribute ?? parent.versionAttribute
        all.entityKey = entityKey ?? parent.entityKey
        all.deletedKey = deletedKey ?? parent.deletedKey
        all.deletedValue = deletedValue ?? parent.deletedValue
        all.unknownEntityPolicy = unknownEntityPolicy ?? parent.unknownEntityPolicy
        all.entityChangePolicy = entityChangePolicy ?? parent.entityChangePolicy
        return all
    }
}
