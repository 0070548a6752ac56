// Managed objects as what dictionaries are made of.

import CoreData
import Foundation

/// A graph of managed objects, for DictionaryWriter. On the queue of their context.
struct ObjectDictionarySource: DictionarySource {
    private let compiled: CompiledModel
    private let options: DictionaryOptions
    private var plans: [DictionaryPlan?]
    private let presence = PresenceCheck()

    init(_ compiled: CompiledModel, _ options: DictionaryOptions) throws {
        try options.checkNames(in: compiled.schema)
        self.compiled = compiled
        self.options = options
        plans = compiled.schema.entities.map { _ in nil }
    }

    func key(of object: NSManagedObject) -> ObjectIdentifier { ObjectIdentifier(object) }

    func standIn(for object: NSManagedObject) -> [String: Any]? { nil }

    mutating func members(
        of object: NSManagedObject, _ relationship: DictionaryPlan.Relationship
    ) throws -> [NSManagedObject] {
        let members = presence.remaining(object.relatedObjects(relationship.number, relationship.property))
        for member in members {
            try presence.require(member, from: (object.entity.name ?? "", relationship.property.name))
        }
        return members
    }

    mutating func content(of object: NSManagedObject, isRoot: Bool) throws -> DictionaryContent {
        if isRoot { try presence.require(object) }
        let (number, plan) = try plan(of: object)
        let defaulted = compiled.defaulted[number]
        var dictionary: [String: Any] = [:]
        dictionary.reserveCapacity(plan.attributes.count + plan.relationships.count + 1)
        if let key = options.entityKey { dictionary[key] = plan.writtenName }
        for number in plan.attributes {
            let property = plan.properties[number]
            do {
                let value = try DictionaryValue.object(for: object, number, property, form: options.valueForm)
                if let value {
                    dictionary.set(value, at: property.name)
                } else if defaulted.contains(number) {
                    enterNull(property.name, in: &dictionary)
                }
            } catch let error as GraftError {
                throw error.located(in: .init(entity: plan.name, property: property.name))
            }
        }
        return DictionaryContent(
            entityName: plan.writtenName, dictionary: dictionary, relationships: plan.relationships)
    }

    private func enterNull(_ name: String, in dictionary: inout [String: Any]) {
        // Property lists know no null.
        guard options.valueForm == .propertyList else { return dictionary.set(NSNull(), at: name) }
        dictionary[DictionaryKey.nulls] = (dictionary[DictionaryKey.nulls] as? [String] ?? []) + [name]
    }

    private mutating func plan(of object: NSManagedObject) throws -> (number: Int, plan: DictionaryPlan) {
        let number = try compiled.number(of: object.entity)
        if let plan = plans[number] { return (number, plan) }
        let plan = try DictionaryPlan(number, in: compiled.schema, options)
        plans[number] = plan
        return (number, plan)
    }
}
