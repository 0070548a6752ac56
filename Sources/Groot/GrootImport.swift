// From Groot's arguments to an import, and back to its errors.

import CoreData
import Foundation
import Graft

enum GrootImport {
    /// Groot's rules: one document, and a new object for each that has no identity.
    private static var options: ImportOptions {
        var options = ImportOptions()
        options.format = .document
        options.unidentifiedObjects = .insert
        options.unknownKeys = .ignore
        return options
    }

    /// - Throws: Groot's errors, also where an object isn't of the class. The context is then as it was.
    static func objects<T: NSManagedObject>(
        of entity: String, from data: Data, in context: NSManagedObjectContext
    ) throws -> [T] {
        try GrootErrors.translating {
            // An empty array, too, is of an entity.
            try requireEntity(entity, context)
            var objects: [T] = []
            _ = try context.objects(fromJSON: data, entity: entity, options: options) { object in
                guard let object = object as? T else { throw refusal(of: object, T.self) }
                objects.append(object)
            }
            return objects
        }
    }

    static func objects<T: NSManagedObject>(
        of entity: String, from array: JSONArray, in context: NSManagedObjectContext
    ) throws -> [T] {
        try GrootErrors.translating {
            try requireEntity(entity, context)
            var writer = JSONWriter()
            try writer.value(try JSONValue(convertingObject: array))
            let data = try writer.finish()
            return try objects(of: entity, from: data, in: context)
        }
    }

    /// The object of a dictionary.
    static func object<T: NSManagedObject>(
        of entity: String, from dictionary: JSONDictionary, in context: NSManagedObjectContext
    ) throws -> T {
        let made: [T] = try objects(of: entity, from: [dictionary], in: context)
        if let object = made.first { return object }
        throw GrootErrors.error(
            .invalidJSONObject,
            GraftError(.wrongType(found: "no object", expected: "an object"), at: .init(entity: entity)))
    }

    /// Why an object that was found by its identity isn't one of those asked for: it is stored as one of a super-entity, and
    /// has values.
    private static func refusal(of object: NSManagedObject, _ type: NSManagedObject.Type) -> GraftError {
        let entity = object.entity.name ?? ""
        return GraftError(
            .wrongType(found: "an object of \(entity) with the class \(Swift.type(of: object))", expected: "a \(type)"),
            at: .init(entity: entity))
    }

    private static func requireEntity(_ name: String, _ context: NSManagedObjectContext) throws {
        guard let model = context.persistentStoreCoordinator?.managedObjectModel else {
            throw GraftError(.missingModel(reason: "the context has no persistent store coordinator"))
        }
        if model.entitiesByName[name] != nil { return }
        let closest = NameSuggestion.closest(to: name, among: model.entitiesByName.keys.sorted())
        throw GraftError(.unknownEntity(name, closest: closest))
    }
}

/// The entities of classes.
enum EntityOfClass {
    /// The name of the entity whose objects are of a class.
    static func name(_ type: NSManagedObject.Type, in context: NSManagedObjectContext) -> String {
        guard let model = context.persistentStoreCoordinator?.managedObjectModel else {
            fatalError("The context '\(context.name ?? "unnamed")' has no model. Give it a coordinator or a parent.")
        }
        // A model names its class with the module or, in older ones, without.
        for className in [String(reflecting: type), String(describing: type)] {
            let entity = model.entities.first { $0.managedObjectClassName == className && $0.name != nil }
            if let name = entity?.name { return name }
        }
        fatalError("No entity of the model has the class \(String(reflecting: type)). Set it in the model.")
    }
}
