// What is done with the objects of one entity mapping. A program derives from it to do something else.

public import Foundation

/// The steps of one entity mapping's migration.
///
/// The manager makes one policy for each mapping that names a class, or uses this one, and calls it in three passes over
/// all mappings: instances, relationships, validation. Source: `NSEntityMigrationPolicy`, "Customizing Stages of the
/// Mapping Life Cycle".
open class NSEntityMigrationPolicy: NSObject, ExpressionFunctionTarget {
    /// The manager makes policies itself.
    public required override init() { super.init() }

    /// Called before anything else for a mapping.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the destination object of a source object, gives it its attributes, and associates the two.
    ///
    /// An attribute whose mapping has no expression gets the default value.
    /// - Throws: `CocoaError` (`.entityMigrationPolicy`) where the mapping names a property or an entity that there isn't, or gives an
    ///   attribute a value that it can't hold.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let name = mapping.destinationEntityName else { return }
        guard let entity = manager.destinationModel.entitiesByName[name] else {
            throw MigrationMappingError.unknownEntity(name, mapping, "newer")
        }
        if entity.isAbstract { throw MigrationMappingError.abstractEntity(name, mapping) }
        let destination = NSManagedObject.plain(entity, insertedInto: manager.destinationContext)
        for attribute in mapping.attributeMappings ?? [] {
            guard let expression = attribute.valueExpression else { continue }
            let key = try MigrationMappingError.key(of: attribute, in: entity, mapping)
            if let slot = destination.layout.slot(named: key), let new = entity.attributesByName[key],
                new.attributeType == .transformableAttributeType,
                let bytes = try manager.undecodableBytes(of: expression, sInstance)
            {
                let value = TransformableValue(stored: bytes, transformerName: new.valueTransformerName)
                destination.setSlot(slot, to: .transformable(value))
                continue
            }
            let given = try manager.value(of: expression, attribute, mapping, self, sInstance, destination)
            let value = given is NSNull ? nil : Self.renamingElements(of: given, key, sInstance, destination)
            // A mandatory attribute keeps its default value, as it does where rows are moved.
            if value == nil, entity.attributesByName[key]?.isOptional == false { continue }
            try MigrationMappingError.check(value, for: key, of: destination, mapping)
            destination.setValue(value, forKey: key)
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: destination, for: mapping)
    }

    /// The value of a composite attribute that is carried over as it is, under the new names of its elements, as where rows are moved: those that
    /// are new have their default values.
    private static func renamingElements(
        of value: Any?, _ key: String, _ source: NSManagedObject, _ destination: NSManagedObject
    ) -> Any? {
        guard let composite = destination.layout.composites[key], let given = value as? [String: Any] else {
            return value
        }
        let match = EntityMatch(source: source.entity, destination: destination.entity)
        guard let old = match.attributes[key] as? NSCompositeAttributeDescription,
            let before = source.value(forKey: old.name) as? [String: Any],
            NSDictionary(dictionary: given) == NSDictionary(dictionary: before)
        else { return value }
        return renamed(composite, key, source, destination.layout, match)
    }

    private static func renamed(
        _ composite: CompositeLayout, _ path: String, _ source: NSManagedObject, _ layout: EntityLayout,
        _ match: EntityMatch
    ) -> [String: Any] {
        var result: [String: Any] = [:]
        for (name, element) in composite.elements {
            let path = "\(path).\(name)"
            switch element {
            case .composite(let inner):
                // What had no value has none, whatever its elements' default values.
                if inner.isOptional, let old = match.composites[path], source.value(forKeyPath: old) == nil { continue }
                let parts = renamed(inner, path, source, layout, match)
                if !parts.isEmpty { result[name] = parts }
            case .slot(let slot):
                let new = layout.slots[slot].property as? NSAttributeDescription
                let old = match.elements[path]
                // One that has become mandatory is filled as one that is new.
                let isFilled = old == nil || new?.isOptional == false
                result[name] = old.flatMap { source.value(forKeyPath: $0) } ?? (isFilled ? new?.defaultValue : nil)
            }
        }
        return result
    }

    /// Called when all objects of a mapping are made.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets a destination object's relationships to what their mappings' expressions give, with what the mappings of their inverses have given
    /// where both carry over links of their own.
    ///
    /// - Throws: `CocoaError` (`.entityMigrationPolicy`) for objects that a relationship can't lead to, `.migration` for several objects where
    ///   one has room.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let source = manager.sourceInstances(
            forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance]
        ).first
        for relationship in mapping.relationshipMappings ?? [] {
            guard let expression = relationship.valueExpression else { continue }
            let key = try MigrationMappingError.key(of: relationship, in: dInstance.entity, mapping)
            guard let description = dInstance.entity.relationshipsByName[key] else { continue }
            let value = try manager.value(of: expression, relationship, mapping, self, source, dInstance)
            var objects = MigrationObjects.all(in: value)
            try MigrationMappingError.check(objects, for: description, of: dInstance, mapping)
            if manager.run?.addsLinks(description, relationship, in: mapping) == true {
                if let inverse = description.inverseRelationship, !inverse.isToMany {
                    try MigrationMappingError.requireFree(objects, inverse, for: dInstance, manager)
                }
                let given = Set(objects.map(ObjectIdentifier.init))
                objects += MigrationObjects.all(in: dInstance.value(forKey: key)).filter {
                    !given.contains(ObjectIdentifier($0))
                }
            }
            if !description.isToMany {
                try MigrationMappingError.requireOne(objects, for: description, of: dInstance, manager)
                dInstance.setValue(objects.first, forKey: key)
            } else if description.isOrdered {
                dInstance.setValue(NSOrderedSet(array: objects), forKey: key)
            } else {
                dInstance.setValue(NSSet(array: objects), forKey: key)
            }
        }
    }

    /// Called when all relationships of a mapping are made.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when all objects and relationships are made; for checks of the program's own.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called at last for a mapping.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Answers `FUNCTION($entityPolicy, "name:", …)` in a mapping's expressions.
    ///
    /// On Apple's platforms such a call finds an `@objc` method by its selector; here a policy overrides this:
    /// ```swift
    /// override func value(ofFunction name: String, arguments: [Any?]) throws -> Any? {
    ///     switch name {
    ///     case "identifierFromText:": identifier(fromText: arguments[0] as? String)
    ///     default: try super.value(ofFunction: name, arguments: arguments)
    ///     }
    /// }
    /// ```
    /// - Note: Divergence 48: Core Data has no such method.
    /// - Parameters:
    ///   - name: The selector, as the expression has it.
    ///   - arguments: The values of the other arguments: numbers as `NSNumber`, nil for none.
    /// - Throws: An error for a name that isn't known; what is thrown ends the migration.
    open func value(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        throw UnknownMethod(name: name, target: self, count: arguments.count)
    }
}

/// What an expression gives for a relationship.
enum MigrationObjects {
    static func all(in value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        case let array as [Any]: array.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}

/// What can be wrong with a mapping.
enum MigrationMappingError {
    static func unknownEntity(_ name: String, _ mapping: NSEntityMapping, _ version: String) -> CocoaError {
        CoreDataError.make(
            .entityMigrationPolicy,
            "The entity mapping '\(mapping.name ?? "")' names the entity '\(name)', which the \(version) model doesn't "
                + "have. Correct the mapping.")
    }

    static func abstractEntity(_ name: String, _ mapping: NSEntityMapping) -> CocoaError {
        CoreDataError.make(
            .entityMigrationPolicy,
            "The entity mapping '\(mapping.name ?? "")' makes objects of '\(name)', which is abstract in the newer model. Lead it to "
                + "one of its sub-entities.")
    }

    static func unusableSource(_ expression: NSExpression, _ mapping: NSEntityMapping) -> CocoaError {
        CoreDataError.make(
            .entityMigrationPolicy,
            "The source expression of the entity mapping '\(mapping.name ?? "")' gives no fetch request of an entity in the "
                + "older model: \(expression). Correct its entity and predicate.")
    }

    static func key(
        of property: NSPropertyMapping, in entity: NSEntityDescription, _ mapping: NSEntityMapping
    ) throws -> String {
        let name = property.name ?? ""
        if entity.propertiesByName[name] != nil { return name }
        throw CoreDataError.make(
            .entityMigrationPolicy,
            "The entity mapping '\(mapping.name ?? "")' has a mapping for '\(name)', which is no property of the entity "
                + "'\(entity.name ?? "")'. Correct its name.")
    }

    /// Setting what doesn't fit would stop the process, and what a mapping gives is data.
    ///
    /// - Throws: `CocoaError` (`.entityMigrationPolicy`) for a value that an attribute can't hold.
    static func check(_ value: Any?, for key: String, of object: NSManagedObject, _ mapping: NSEntityMapping) throws {
        if object.canHold(value, inAttribute: key) { return }
        let type = object.entity.attributesByName[key]?.attributeType.displayName
        throw CoreDataError.make(
            .entityMigrationPolicy,
            "The entity mapping '\(mapping.name ?? "")' gives \(value.map { "\(Swift.type(of: $0)) '\($0)'" } ?? "nothing") "
                + "for '\(object.entity.name ?? "").\(key)', which is \(type.map { "of the type \($0)" } ?? "no attribute"). "
                + "Correct the expression.")
    }

    /// - Throws: `CocoaError` (`.entityMigrationPolicy`) for an object that a relationship can't lead to.
    static func check(
        _ objects: [NSManagedObject], for relationship: NSRelationshipDescription, of object: NSManagedObject,
        _ mapping: NSEntityMapping
    ) throws {
        guard let destination = relationship.destinationEntity,
            let wrong = objects.first(where: {
                !$0.entity.isKindOf(entity: destination) || $0.managedObjectContext !== object.managedObjectContext
            })
        else { return }
        let place = wrong.managedObjectContext === object.managedObjectContext ? "newer" : "older"
        throw CoreDataError.make(
            .entityMigrationPolicy,
            "The entity mapping '\(mapping.name ?? "")' leads '\(object.entity.name ?? "").\(relationship.name)' to a "
                + "'\(wrong.entity.name ?? "")' of the \(place) store, where a '\(destination.name ?? "")' of the newer one is "
                + "expected. Correct the expression.")
    }

    /// - Throws: `CocoaError` (`.migration`) for objects of several ones of the older store: which of them is to stay is nobody's guess.
    static func requireOne(
        _ objects: [NSManagedObject], for relationship: NSRelationshipDescription, of object: NSManagedObject,
        _ manager: NSMigrationManager
    ) throws {
        guard objects.count > 1 else { return }
        func sources(of objects: [NSManagedObject]) -> [NSManagedObject] {
            (manager.mappingModel.entityMappings ?? []).flatMap {
                manager.sourceInstances(forEntityMappingName: $0.name ?? "", destinationInstances: objects)
            }
        }
        guard Set(sources(of: objects).map(ObjectIdentifier.init)).count > 1 else { return }
        let source = sources(of: [object]).first
        throw CoreDataError.make(
            .migration,
            "\(object.entity.name ?? "").\(relationship.name) leads to one object in the newer model, but "
                + "\(source?.objectID.uriRepresentation().absoluteString ?? "an object") has several in it. Take the others out "
                + "first, or make a mapping model that chooses.")
    }

    /// - Throws: As ``requireOne(_:for:of:_:)``, for objects that lead back to one, where somebody else already has one of them.
    static func requireFree(
        _ objects: [NSManagedObject], _ inverse: NSRelationshipDescription, for owner: NSManagedObject,
        _ manager: NSMigrationManager
    ) throws {
        for object in objects {
            guard let other = object.value(forKey: inverse.name) as? NSManagedObject, other !== owner else { continue }
            try requireOne([other, owner], for: inverse, of: object, manager)
        }
    }

    static func unknownPolicy(_ name: String, _ mapping: NSEntityMapping) -> CocoaError {
        CoreDataError.make(
            .entityMigrationPolicy,
            "The entity mapping '\(mapping.name ?? "")' names the migration policy '\(name)', which is no class derived "
                + "from NSEntityMigrationPolicy. Give its name with its module, as NSStringFromClass does.")
    }

    /// - Throws: `CocoaError` (`.entityMigrationPolicy`) with what went wrong in evaluating an expression underneath.
    static func check(_ failure: EvaluationFailure, _ mapping: NSEntityMapping, _ property: NSPropertyMapping?) throws {
        do {
            try failure.check()
        } catch {
            let expression = property.map { "mapping for '\($0.name ?? "")'" } ?? "source expression"
            let remedy =
                error is UnknownMethod
                ? " Here a class answers such calls in value(ofFunction:arguments:). Override it." : ""
            throw CoreDataError.make(
                .entityMigrationPolicy,
                "The \(expression) of the entity mapping '\(mapping.name ?? "")' can't be evaluated: "
                    + "\(error.localizedDescription)\(remedy)",
                userInfo: [NSUnderlyingErrorKey: error])
        }
    }
}
