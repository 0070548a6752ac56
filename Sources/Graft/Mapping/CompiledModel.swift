// What Graft knows of a model, worked out once and kept as long as the model is there. For calls that concern one object,
// working it out each time would take longer than the work.

package import CoreData
import Synchronization

/// The compiled form of a model.
final class CompiledModel: Sendable {
    let schema: GraphSchema
    /// By entity, what is said of sub-entities.
    let kinds: [GraphSnapshot.Kinds]
    /// By entity, the attributes that new objects have a value of: that one has none has to be said of them.
    let defaulted: [Set<Int>]
    /// By entity and property, how what stands under an attribute's name is read: dates in the formats that the model has for them.
    let converters: [[AttributeConverter]]
    /// By entity and property, what becomes of references to objects that aren't there.
    private let referencePolicies: [[MappingOptions.ReferencePolicy]]
    private let numbers: EntityNumbers
    private let mappings = Mutex<GraphMapping?>(nil)
    private let entityMappings = Mutex<[Int: EntityMapping]>([:])
    private let plans = Mutex<[ManagedCodingOptions.Keys: [CodingPlan]]>([:])

    private init(_ model: NSManagedObjectModel) throws {
        let rules = try MappingRules(model)
        let schema = try GraphSchema(model, rules)
        self.schema = schema
        let entities = model.entitiesByName
        kinds = schema.entities.enumerated().map { number, described in
            let said = entities[described.name].map(rules.entity)
            return .init(
                areTold: said?.entityKey != nil && described.end > number + 1,
                change: said?.entityChangePolicy ?? .keep)
        }
        defaulted = schema.entities.map { entity in
            let attributes = entities[entity.name]?.attributePartsByName ?? [:]
            return Set(entity.properties.indices.filter { attributes[entity.properties[$0].name]?.defaultValue != nil })
        }
        converters = schema.entities.map { described in
            let parts = entities[described.name]?.partsByName ?? [:]
            return described.properties.map { property in
                let kind = property.attributeKind ?? .transformable
                guard kind == .date, let part = parts[property.name], let entity = entities[described.name] else {
                    return AttributeConverter(kind)
                }
                var said = rules.part(part, of: rules.property(part.whole, of: entity).said, in: entity)
                // A mapping is refused for a format with a slip.
                if said.dateFormat?.slip != nil { said.dateFormat = nil }
                return AttributeConverter(kind, said)
            }
        }
        referencePolicies = schema.entities.map { described in
            let relationships = entities[described.name]?.relationshipsByName ?? [:]
            return described.properties.map { property in
                guard let entity = entities[described.name], let relationship = relationships[property.name] else {
                    return .stub
                }
                return rules.property(relationship, of: entity).said.referencePolicy ?? .stub
            }
        }
        numbers = EntityNumbers(model, schema)
    }

    /// Whether an object of one entity may be the one that data of the other is about (``GraphMapping/canBeSame(_:_:)``).
    func canBeSame(_ entity: Int, _ other: Int) -> Bool { schema.areOne(entity, other) { kinds[$0].areTold } }

    /// A mapping in which nothing has a place in JSON: for objects that come from elsewhere. What becomes of references it knows.
    func unmapped() -> GraphMapping {
        var builder = KeyTreeBuilder()
        let entities = zip(referencePolicies, kinds).map { policies, kind in
            let properties = policies.map { policy -> PropertyMapping? in
                if policy == .stub { return nil }
                var property = PropertyMapping(path: [], sources: [], isDeclared: false)
                property.referencePolicy = policy
                return property
            }
            var mapping = EntityMapping(
                dialect: .graft, isAnnotated: false, properties: properties, keys: builder.tree([]))
            mapping.entityChangePolicy = kind.change
            mapping.discriminator = kind.areTold ? .init(path: [], entities: [:], unknown: .base) : nil
            return mapping
        }
        return GraphMapping(schema: schema, entities: entities, isDocument: false, keyCount: builder.keyCount)
    }

    /// The number of an entity of the model.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity`.
    func number(of entity: NSEntityDescription) throws -> Int {
        if let number = numbers[entity] { return number }
        return try schema.requiredNumber(ofEntity: entity.name ?? "")
    }

    /// The model's mapping.
    ///
    /// - Parameter model: The model that this was compiled from.
    /// - Throws: ``GraftError`` for an annotation that can't be followed.
    func mapping(of model: NSManagedObjectModel) throws -> GraphMapping {
        try mappings.withLock { mapping in
            if let mapping { return mapping }
            let made = try GraphMapping(model)
            mapping = made
            return made
        }
    }

    /// The mapping of one entity, whatever is wrong with others.
    ///
    /// - Parameter model: The model that this was compiled from.
    /// - Throws: ``GraftError`` for an annotation of the entity that can't be followed.
    func entityMapping(_ number: Int, of model: NSManagedObjectModel) throws -> EntityMapping {
        try entityMappings.withLock { known in
            if let mapping = known[number] { return mapping }
            let made = try GraphMapping.entityMapping(number, of: model, schema)
            known[number] = made
            return made
        }
    }

    /// The plans for coders that were made before.
    func knownCodingPlans(_ keys: ManagedCodingOptions.Keys) -> [CodingPlan]? { plans.withLock { $0[keys] } }

    /// Keeps plans for the next coder.
    func keep(_ made: [CodingPlan], for keys: ManagedCodingOptions.Keys) { plans.withLock { $0[keys] = made } }

    // MARK: The models in use

    private struct Entry: Sendable {
        // Safe: a weak reference is atomic, and only compared.
        nonisolated(unsafe) weak var model: NSManagedObjectModel?
        let annotationVersion: Int
        var compiled: CompiledModel
    }

    private static let known = Mutex<[ObjectIdentifier: Entry]>([:])

    /// The compiled form of a model, of which nothing but annotations is changed once it has objects.
    ///
    /// - Throws: ``GraftError`` with `invalidModel` or `invalidMapping`.
    static func of(_ model: NSManagedObjectModel) throws -> CompiledModel {
        let key = ObjectIdentifier(model)
        let version = annotationVersion(of: model)
        let found = known.withLock { entries -> CompiledModel? in
            guard let entry = entries[key], unsafe entry.model === model, entry.annotationVersion == version else {
                return nil
            }
            return entry.compiled
        }
        if let found { return found }
        let compiled = try CompiledModel(model)
        known.withLock { entries in
            entries = entries.filter { unsafe $0.value.model != nil }
            entries[key] = Entry(model: model, annotationVersion: version, compiled: compiled)
        }
        return compiled
    }

    /// Changes with each change of a `userInfo`. Apple's models don't tell; there annotations stay as they were read first.
    private static func annotationVersion(of model: NSManagedObjectModel) -> Int {
        #if canImport(Darwin) || GRAFT_PORTABLE
            0
        #else
            model.annotationVersion
        #endif
    }

    /// The compiled form of the model that an object's entity belongs to.
    ///
    /// - Throws: As ``of(_:)``.
    static func of(_ object: NSManagedObject) throws -> CompiledModel { try of(model(of: object)) }

    /// The model of an object's entity.
    ///
    /// - Throws: ``GraftError`` with `missingObject` for an object that is gone: its model may be, too.
    static func model(of object: NSManagedObject) throws -> NSManagedObjectModel {
        try PresenceCheck().require(object)
        let entity = object.entity
        // On Apple's platforms the property can't be nil by its type, and is for an entity that was made alone.
        let model: NSManagedObjectModel? = entity.managedObjectModel
        if let model { return model }
        throw GraftError(
            .missingModel(reason: "the entity '\(entity.name ?? "")' belongs to none"), at: .init(entity: entity.name))
    }
}

extension NSManagedObjectContext {
    /// The model of the context's coordinator; nil where it has none.
    var graftModel: NSManagedObjectModel? { persistentStoreCoordinator?.managedObjectModel }

    /// The model of the context's coordinator.
    ///
    /// - Throws: ``GraftError`` with `missingModel` where it has none.
    func requiredModel() throws -> NSManagedObjectModel {
        if let graftModel { return graftModel }
        throw GraftError(
            .missingModel(reason: "the context '\(name ?? "unnamed")' has no persistent store coordinator"))
    }
}

extension NSManagedObjectModel {
    /// The entity that a user has named.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity` and the name that was probably meant.
    package func entity(named name: String) throws -> NSEntityDescription {
        if let entity = entitiesByName[name] { return entity }
        throw GraftError.unknownEntity(name, among: entitiesByName.keys, at: .init())
    }
}
