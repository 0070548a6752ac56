// Checking what an import touched against the model's rules, where no save follows that would do it.

import CoreData
import Foundation

extension BatchImporter {
    /// What a rule of the model refuses.
    typealias Refusal = (touched: ImportTally.TouchedObject, error: any Error)

    /// Validates the mapped properties of all objects that were made or changed, and the identity of those of which the data has
    /// that alone. Properties that take no part in the mapping are left to the save.
    ///
    /// - Throws: Core Data's validation error for the first value that a rule refuses.
    func validateChanges(_ mapping: GraphMapping) throws {
        let rules = schema.entities.indices.map(hasRules)
        for touched in try staying() {
            guard let number = number(of: touched.object) else { continue }
            // A class may override the validation; then everything is asked of it.
            let isPlain = type(of: touched.object) == NSManagedObject.self
            let plan = plans[number]
            for property in touched.isIdentityAlone ? plan.identity : Array(plan.properties.indices) {
                guard mapping.entities[number].properties[property] != nil, !isPlain || rules[number][property] else {
                    continue
                }
                try validate(plan.properties[property].name, of: touched.object)
            }
        }
    }

    /// Everything that the model's rules refuse of what was made or changed, in the order in which it was.
    ///
    /// - Parameters:
    ///   - mapping: Where it is given, only mapped properties are asked, as ``validateChanges(_:)`` does. Otherwise whole
    ///     objects are, as a save does.
    ///   - start: How many of what was touched are left out, because they have been asked.
    func validationFailures(_ mapping: GraphMapping?, from start: Int = 0) throws -> [Refusal] {
        var failures: [Refusal] = []
        for touched in try staying(from: start) {
            guard let number = number(of: touched.object) else { continue }
            let plan = plans[number]
            if let mapping {
                for property in touched.isIdentityAlone ? plan.identity : Array(plan.properties.indices)
                where mapping.entities[number].properties[property] != nil {
                    do {
                        try validate(plan.properties[property].name, of: touched.object)
                    } catch {
                        failures.append((touched, error))
                    }
                }
            } else {
                do {
                    if touched.object.isInserted {
                        try touched.object.validateForInsert()
                    } else {
                        try touched.object.validateForUpdate()
                    }
                } catch {
                    let refusal = CoreDataErrors.refusal(error, of: touched.object)
                    failures += CoreDataErrors.single(refusal).map { (touched, $0) }
                }
            }
        }
        return failures
    }

    /// What was made or changed, and isn't deleted or about to be: what owners have given up goes in the end.
    private func staying(from start: Int = 0) throws -> [ImportTally.TouchedObject] {
        let going = try deletions.going()
        return tally.touched.dropFirst(start).filter {
            matcher.isThere($0.object) && !going.contains(ObjectIdentifier($0.object))
        }
    }

    /// Which properties of an entity have rules.
    private func hasRules(_ entity: Int) -> [Bool] {
        let parts = matcher.known.entities[entity].partsByName
        return plans[entity].properties.map { property in
            guard let part = parts[property.name] else { return false }
            let description = part.property
            if !part.isOptional || !description.validationPredicates.isEmpty { return true }
            guard let relationship = description as? NSRelationshipDescription, relationship.isToMany else {
                return false
            }
            return relationship.minCount > 0 || relationship.maxCount > 0
        }
    }

    /// Validates one value through key-value coding; the object may replace it.
    private func validate(_ name: String, of object: NSManagedObject) throws {
        // An element of a composite attribute is checked with that.
        let key = name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name
        let value = object.value(forKey: key).map { $0 as AnyObject }
        var validated = value
        // Safe: the pointer is used during the call alone.
        do { try unsafe object.validateValue(&validated, forKey: key) } catch {
            throw CoreDataErrors.refusal(error, of: object, key: key)
        }
        if validated !== value { object.setValue(validated, forKey: key) }
    }
}

extension NSManagedObjectContext {
    /// Asks all that was made, changed and deleted what a save would ask.
    ///
    /// - Throws: Core Data's error for the first object that a rule refuses, by the objects' IDs.
    func validateAsSave() throws {
        processPendingChanges()
        var refused: [(id: String, error: any Error)] = []
        func ask(_ objects: Set<NSManagedObject>, _ check: (NSManagedObject) -> () throws -> Void) {
            for object in objects {
                do { try check(object)() } catch {
                    let id = object.objectID.uriRepresentation().absoluteString
                    refused.append((id, CoreDataErrors.refusal(error, of: object)))
                }
            }
        }
        ask(insertedObjects, NSManagedObject.validateForInsert)
        ask(updatedObjects, NSManagedObject.validateForUpdate)
        ask(deletedObjects, NSManagedObject.validateForDelete)
        if let first = refused.min(by: { $0.id < $1.id }) { throw first.error }
    }

    /// Saves. What a class's own validation throws, which doesn't say of which object it is, comes out as Core Data's errors do.
    func saveNamingRefused() throws {
        do {
            try save()
        } catch {
            if CoreDataErrors.isForeign(error) { try validateAsSave() }
            throw error
        }
    }
}
