// Groot's functions, with Groot's names, over Graft. What they do otherwise than Groot is in docs/groot.md.

public import CoreData
import Foundation
import Graft

/// An object of JSON.
public typealias JSONDictionary = [String: Any]

/// A list of JSON.
public typealias JSONArray = [Any]

// MARK: - From JSON

/// Creates or updates objects from JSON data: an array of objects, or one object.
///
/// Works on the context's queue, and doesn't save.
///
/// - Parameters:
///   - name: The name of their entity.
///   - data: The text.
///   - context: Where they are looked for and inserted.
/// - Returns: One object for each element that isn't null, in their order; one that occurs twice is there twice.
/// - Throws: `NSError`: a Cocoa error for text that isn't JSON and for values that the model's rules refuse
///   (`NSValidationMissingMandatoryPropertyError` and so on), ``GRTErrorDomain`` for data that doesn't fit the model. The
///   context is then as it was before.
public func objects(
    withEntityName name: String, fromJSONData data: Data, inContext context: NSManagedObjectContext
) throws -> [NSManagedObject] {
    try context.performAndWait { try GrootImport.objects(of: name, from: data, in: context) }
}

/// Creates or updates objects of a class from JSON data.
///
/// Stops the program if no entity of the context's model has the class.
///
/// - Throws: As ``objects(withEntityName:fromJSONData:inContext:)``; ``GRTError/invalidJSONObject`` also where the identity
///   is that of a stored object of a super-entity, with values, whose class is another one.
public func objects<T: NSManagedObject>(
    fromJSONData data: Data, inContext context: NSManagedObjectContext
) throws -> [T] {
    let name = EntityOfClass.name(T.self, in: context)
    return try context.performAndWait { try GrootImport.objects(of: name, from: data, in: context) }
}

/// Creates or updates an object from a JSON dictionary.
///
/// - Throws: As ``objects(withEntityName:fromJSONData:inContext:)``.
public func object(
    withEntityName name: String, fromJSONDictionary dictionary: JSONDictionary,
    inContext context: NSManagedObjectContext
) throws -> NSManagedObject {
    try context.performAndWait(with: dictionary) { try GrootImport.object(of: name, from: $0, in: context) }
}

/// Creates or updates an object of a class from a JSON dictionary.
///
/// Stops the program if no entity of the context's model has the class.
///
/// - Throws: As ``objects(withEntityName:fromJSONData:inContext:)``.
public func object<T: NSManagedObject>(
    fromJSONDictionary dictionary: JSONDictionary, inContext context: NSManagedObjectContext
) throws -> T {
    let name = EntityOfClass.name(T.self, in: context)
    return try context.performAndWait(with: dictionary) { try GrootImport.object(of: name, from: $0, in: context) }
}

/// Creates or updates objects from a JSON array: of dictionaries, of identifiers, or of both.
///
/// - Throws: As ``objects(withEntityName:fromJSONData:inContext:)``.
public func objects(
    withEntityName name: String, fromJSONArray array: JSONArray, inContext context: NSManagedObjectContext
) throws -> [NSManagedObject] {
    if array.isEmpty { return [] }
    return try context.performAndWait(with: array) { try GrootImport.objects(of: name, from: $0, in: context) }
}

/// Creates or updates objects of a class from a JSON array.
///
/// Stops the program if no entity of the context's model has the class.
///
/// - Throws: As ``objects(withEntityName:fromJSONData:inContext:)``.
public func objects<T: NSManagedObject>(
    fromJSONArray array: JSONArray, inContext context: NSManagedObjectContext
) throws -> [T] {
    let name = EntityOfClass.name(T.self, in: context)
    if array.isEmpty { return [] }
    return try context.performAndWait(with: array) { try GrootImport.objects(of: name, from: $0, in: context) }
}

// MARK: - To JSON

/// Returns an object as a JSON dictionary, with the objects that it leads to; nil values are `NSNull`. What has no form in JSON,
/// such as NaN, is `NSNull` too.
///
/// Works on the queue of the object's context. An object that is gone gives an empty dictionary.
///
/// Stops the program for a model whose annotations can't be followed.
public func json(fromObject object: NSManagedObject) -> JSONDictionary {
    GrootExport.dictionaries(of: [object])[0]
}

/// Returns objects as a JSON array of dictionaries, each by itself as in ``json(fromObject:)``.
public func json(fromObjects objects: [NSManagedObject]) -> JSONArray { GrootExport.dictionaries(of: objects) }
