// What becomes of one entity, and of one property.

public import Foundation

/// What a mapping does with an entity.
public enum NSEntityMappingType: UInt, Sendable {
    /// Not said.
    case undefinedEntityMappingType = 0
    /// What a migration policy of the program's own does.
    case customEntityMappingType = 1
    /// The entity is new; there is nothing to migrate.
    case addEntityMappingType = 2
    /// The entity is gone; its objects are left behind.
    case removeEntityMappingType = 3
    /// The entity is the same in both versions.
    case copyEntityMappingType = 4
    /// The entity has changed.
    case transformEntityMappingType = 5
}

/// How objects of one entity become objects of another.
open class NSEntityMapping: NSObject {
    /// The name, unique in the mapping model. Unless set, the entities' names with an arrow between them: `Person->Human`.
    open var name: String! {
        get { ownName ?? "\(sourceEntityName ?? "")->\(destinationEntityName ?? "")" }
        set { ownName = newValue }
    }
    private var ownName: String?
    /// What is done with the entity.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
    /// The entity in the older version; nil for a new one.
    open var sourceEntityName: String?
    /// The older entity's version hash, by which a search finds the mapping model for two versions. A migration that is
    /// given its mapping model doesn't look at it.
    open var sourceEntityVersionHash: Data?
    /// The entity in the newer version; nil for a removed one.
    open var destinationEntityName: String?
    /// The newer entity's version hash; as the older one's.
    open var destinationEntityVersionHash: Data?
    /// Where the values of the new objects' attributes come from.
    open var attributeMappings: [NSPropertyMapping]?
    /// Where the objects in the new objects' relationships come from.
    open var relationshipMappings: [NSPropertyMapping]?
    /// Gives the source objects, for instance `FETCH(FUNCTION($manager,
    /// "fetchRequestForSourceEntityNamed:predicateString:", "Hero", "TRUEPREDICATE"), $manager.sourceContext, NO)`. Nil
    /// for all objects of the source entity.
    open var sourceExpression: NSExpression?
    /// Whatever a migration policy wants to know.
    open var userInfo: [AnyHashable: Any]?
    /// The class of the migration policy, with its module; nil for ``NSEntityMigrationPolicy`` itself.
    open var entityMigrationPolicyClassName: String?

    /// An empty mapping.
    public override init() { super.init() }

    /// Whether the other object is a mapping with the same settings, between entities of the same versions.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return other === self
            || (name == other.name && mappingType == other.mappingType && sourceEntityName == other.sourceEntityName
                && destinationEntityName == other.destinationEntityName
                && sourceEntityVersionHash == other.sourceEntityVersionHash
                && destinationEntityVersionHash == other.destinationEntityVersionHash
                && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
                && sourceExpression == other.sourceExpression && attributeMappings == other.attributeMappings
                && relationshipMappings == other.relationshipMappings
                && NSDictionary(dictionary: userInfo ?? [:]) == NSDictionary(dictionary: other.userInfo ?? [:]))
    }

    open override var hash: Int { name.hashValue }

    /// What tells a changed mapping from an inferred one.
    final var signature: String {
        let properties = ((attributeMappings ?? []) + (relationshipMappings ?? []))
            .map { "\($0.name ?? "")=\($0.valueExpression?.description ?? "")" }
        return [
            name ?? "", "\(mappingType.rawValue)", sourceEntityName ?? "", destinationEntityName ?? "",
            entityMigrationPolicyClassName ?? "", sourceExpression?.description ?? "",
            properties.joined(separator: ";"),
        ].joined(separator: "|")
    }
}

/// Where the value of one property comes from.
open class NSPropertyMapping: NSObject {
    /// The property of the destination entity.
    open var name: String?
    /// Gives the value. It may use `$source` (the source object), `$destination`, `$manager`, `$entityMapping` and
    /// `$entityPolicy`.
    open var valueExpression: NSExpression?
    /// Whatever a migration policy wants to know.
    open var userInfo: [AnyHashable: Any]?

    /// An empty mapping.
    public override init() { super.init() }

    /// Whether the other object says the same of a property of the same name.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return other === self
            || (name == other.name && valueExpression == other.valueExpression
                && NSDictionary(dictionary: userInfo ?? [:]) == NSDictionary(dictionary: other.userInfo ?? [:]))
    }

    open override var hash: Int { name.hashValue }
}
