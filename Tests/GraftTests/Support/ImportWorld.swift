// A store and a few words to import into it and to look at it: tests of imports read as "this data, then that is there".

import CoreData
import Foundation
import Graft

/// A stack on a model, with imports of texts.
struct ImportWorld {
    let stack: TestStack
    var options = ImportOptions()

    init(_ kind: StoreKind = .inMemory, _ sketch: (inout ModelSketch) -> Void) throws {
        var model = ModelSketch()
        sketch(&model)
        stack = try TestStack(model.model(), kind)
    }

    /// Imports a text and saves.
    @discardableResult
    func take(_ text: String, _ entity: String? = nil) throws -> ImportReport {
        try stack.importJSON(text, entity, options: options)
    }

    /// The error of an import.
    func refuse(_ text: String, _ entity: String? = nil) -> GraftError? {
        graftError { try take(text, entity) }
    }

    /// The value of an attribute as text: numbers and dates as they describe themselves, `nil` for none.
    func value(_ attribute: String, of entity: String, _ key: String, _ identity: Any) throws -> String {
        try stack.perform { context in
            guard let object = try context.one(entity, key, identity) else { return "no object" }
            return Self.words(object.value(forKey: attribute))
        }
    }

    /// The values of an attribute of all objects, sorted.
    func values(_ attribute: String, of entity: String) throws -> [String] {
        try stack.perform { context in
            try context.all(entity).map { Self.words($0.value(forKey: attribute)) }.sorted()
        }
    }

    /// What an attribute has for the members of a relationship.
    func members(_ relationship: String, _ attribute: String, of entity: String, _ key: String, _ identity: Any) throws
        -> [String]
    {
        try stack.perform { context in
            guard let object = try context.one(entity, key, identity) else { return ["no object"] }
            if let one = object.value(forKey: relationship) as? NSManagedObject {
                return [Self.words(one.value(forKey: attribute))]
            }
            if let ordered = object.value(forKey: relationship) as? NSOrderedSet {
                return ordered.array.compactMap { $0 as? NSManagedObject }.map {
                    Self.words($0.value(forKey: attribute))
                }
            }
            let set = object.value(forKey: relationship) as? NSSet ?? NSSet()
            return set.allObjects.compactMap { $0 as? NSManagedObject }
                .map { Self.words($0.value(forKey: attribute)) }.sorted()
        }
    }

    func count(_ entity: String) throws -> Int { try stack.count(entity) }

    private static func words(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let date as Date: date.formatted(.iso8601)
        case let number as NSNumber: "\(number)"
        case let value?: "\(value)"
        }
    }
}
