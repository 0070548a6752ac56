// Objects of another entity that take the place of others, because Core Data's objects can't change theirs: they get what both have,
// stand where the others stood, and every link to those leads to them. Imports and decoders do that here.

import CoreData
import Foundation

/// An object and the one of another entity that takes its place.
struct Replacement {
    var old: NSManagedObject
    var oldEntity: Int
    var new: NSManagedObject
    var entity: Int
}

extension [Replacement] {
    /// The objects by those whose place they have taken.
    var successors: [ObjectIdentifier: NSManagedObject] {
        Dictionary(map { (ObjectIdentifier($0.old), $0.new) }) { first, _ in first }
    }
}

/// Lets objects take the place of others. Use it on the context's queue.
struct ObjectSuccession {
    let known: ContextObjects
    let editor: ObjectEditor

    private var schema: GraphSchema { known.schema }

    /// Makes an object of another entity that has what an object has and both can have.
    func replace(_ old: NSManagedObject, _ oldEntity: Int, by entity: Int) throws -> Replacement {
        let new = known.make(entity)
        editor.made(new)
        try move(
            from: old, to: new, schema.entities[entity].properties.prefix(schema.commonPropertyCount(oldEntity, entity))
        )
        return Replacement(old: old, oldEntity: oldEntity, new: new, entity: entity)
    }

    /// Whether an object has nothing but its identity and links: nobody has said yet what it is.
    func isStub(_ object: NSManagedObject) throws -> Bool {
        guard let number = known.number(of: object) else { return false }
        let entity = schema.entities[number]
        let initial = known.initialValues(number)
        for (number, property) in entity.properties.enumerated() where property.isAttribute {
            if property.isTransient || property.isDerived || entity.identity.contains(number) { continue }
            if try !object.holds(initial[number], number, property) { return false }
        }
        return true
    }

    /// Moves what properties have from one object to another one.
    private func move(
        from old: NSManagedObject, to new: NSManagedObject, _ properties: ArraySlice<GraphSchema.Property>
    ) throws {
        // Where an object leads to itself, the move of one side changes the other one.
        let links = properties.enumerated().map { number, property in
            property.isAttribute ? [] : old.relatedObjects(number, property)
        }
        for (number, property) in properties.enumerated() where !property.isDerived {
            switch property.kind {
            case .attribute:
                try new.assign(try old.graphValue(number, property), number, property)
            case .toOne(let destination):
                guard let end = links[number].first else { continue }
                if let back = property.inverse, schema.entities[destination].properties[back].isOrdered {
                    try give(new, placeOf: old, schema.entities[destination].properties[back], back, of: end)
                } else {
                    try editor.connect(number, property, of: old, to: nil)
                    try editor.connect(number, property, of: new, to: end === old ? new : end, isNew: true)
                }
            case .toMany(let destination, _):
                let members = links[number]
                if let back = property.inverse, schema.entities[destination].properties[back].isOrdered {
                    for end in members where end !== old {
                        try give(new, placeOf: old, schema.entities[destination].properties[back], back, of: end)
                    }
                } else {
                    try editor.connect(number, property, of: old, to: [])
                }
                // What leads to itself goes on doing so.
                try editor.connect(number, property, of: new, to: members.map { $0 === old ? new : $0 }, isNew: true)
            }
        }
    }

    /// Lets an object stand in a list where another one stands.
    private func give(
        _ new: NSManagedObject, placeOf old: NSManagedObject, _ property: GraphSchema.Property, _ number: Int,
        of owner: NSManagedObject
    ) throws {
        let members = owner.members(number, property).map { $0 === old ? new : $0 }
        try editor.connect(number, property, of: owner, to: members)
    }

    /// Lets relationships without inverse that lead to objects lead to those that have taken their place.
    func moveOneSidedLinks(_ replaced: [Replacement], _ listOwners: inout ListOwners) throws {
        let successors = replaced.successors
        let entities = Set(replaced.map(\.oldEntity))
        for (entity, plan) in schema.entities.enumerated() {
            for (number, property) in plan.properties.enumerated()
            where schema.declaringEntity(of: number, entity) == entity {
                guard property.inverse == nil, !property.isTransient, let destination = property.destination,
                    entities.contains(where: { schema.isEntity($0, relatedTo: destination) })
                else { continue }
                let isOne = NSPredicate(
                    format: property.isToMany ? "ANY %K IN %@" : "%K IN %@",
                    argumentArray: [property.name, NSArray(array: replaced.map(\.old))])
                for owner in try known.fetch(known.request(entity, where: [isOne], includesUnsaved: true)) {
                    if property.isToMany {
                        let members = owner.members(number, property)
                        let new = members.map { successors[ObjectIdentifier($0)] ?? $0 }
                        try editor.connect(number, property, of: owner, to: new)
                        listOwners.note(owner, of: new, number, entity)
                    } else if let new = owner.destination(number, property).flatMap({ successors[ObjectIdentifier($0)] }
                    ) {
                        try editor.connect(number, property, of: owner, to: new)
                    }
                }
            }
        }
    }
}
