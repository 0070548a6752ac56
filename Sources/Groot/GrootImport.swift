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

    static func objects(
        of entity: String, from data: Data, in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        try GrootErrors.translating {
            // An empty array, too, is of an entity.
            try requireEntity(entity, context)
            return try context.objects(fromJSON: data, entity: entity, options: options)
        }
    }

    static func objects(
        of entity: String, from array: JSONArray, in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        try GrootErrors.translating {
            try requireEntity(entity, context)
            var writer = JSONWriter()
            try writer.value(try JSONValue(convertingObject: array))
            return try context.objects(fromJSON: try writer.finish(), entity: entity, options: options)
        }
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

    static func cast<T: NSManagedObject>(_ object: NSManagedObject) -> T {
        if let object = object as? T { return object }
        fatalError(
            "\(object.entity.name ?? "An entity")'s objects are \(type(of: object)), not \(T.self). Set the class in the model."
        )
    }

    static func cast<T: NSManagedObject>(_ objects: [NSManagedObject]) -> [T] { objects.map { cast($0) } }
}
