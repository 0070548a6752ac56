// Reading what only dictionaries of changes have (DictionaryChanges.swift): which values went, and which members came and went.

import Foundation

extension DictionaryReader {
    /// Reads the value of one of the keys that tell changes.
    mutating func readChanges(_ key: String, _ value: Any?, _ row: RowReference, _ node: Int) throws {
        if key == DictionaryKey.nulls {
            guard let names = value as? [String] else {
                throw misfit(value ?? NSNull(), "an array of properties' names", place(of: node, key: key))
            }
            for name in names { try clear(name, row, node) }
            return
        }
        guard let lists = value as? [String: Any] else {
            throw misfit(value ?? NSNull(), "a dictionary by relationship", place(of: node, key: key))
        }
        for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
            let number = try self.number(of: name, key, node)
            let property = schema.entities[row.entity].properties[number]
            if !property.isToMany, !property.isAttribute, key == DictionaryKey.members {
                try readRelationship(list, number, property, node, isExact: true)
                continue
            }
            guard property.isToMany else {
                throw GraftError(
                    .wrongType(found: "the property '\(name)'", expected: "a to-many relationship"),
                    at: place(of: node, key: key))
            }
            switch key {
            case DictionaryKey.removed: try readRemovals(list, number, property, node)
            default: try readLink(list, number, property, node, key == DictionaryKey.added ? .add : .exact)
            }
        }
    }

    private mutating func clear(_ name: String, _ row: RowReference, _ node: Int) throws {
        let number = try self.number(of: name, DictionaryKey.nulls, node)
        let property = schema.entities[row.entity].properties[number]
        if property.isAttribute {
            try readAttribute(NSNull(), number, of: row, node)
        } else {
            try readRelationship(NSNull(), number, property, node, isExact: true)
        }
    }

    private mutating func readRemovals(
        _ list: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int
    ) throws {
        guard let elements = DictionaryValue.elements(list) else {
            throw misfit(list, "an array", to: property, place(of: node, number))
        }
        for (index, element) in elements.enumerated() {
            var place: GraftError.Place { self.place(of: node, number, index: index) }
            let dictionary = element as? [String: Any]
            let destination = try self.entity(of: dictionary ?? [:], expected: property.destination ?? 0) { key in
                GraftError.Place(path: (place.path ?? []) + [.key(key)])
            }
            let entity = schema.entities[destination]
            guard !entity.identity.isEmpty else { throw GraftError(.missingIdentity(attributes: []), at: place) }
            // A single attribute may stand by itself.
            guard dictionary != nil || entity.identity.count == 1 && DictionaryValue.elements(element) == nil else {
                throw misfit(element, "an object's dictionary", to: property, place)
            }
            do {
                let identity = try entity.identity.map { part in
                    let name = entity.properties[part].name
                    let value = dictionary == nil ? element : dictionary?.value(at: name) ?? NSNull()
                    return (number: part, value: try self.value(of: value, destination, part))
                }
                guard !identity.contains(where: \.value.isNull) else {
                    throw GraftError(.missingIdentity(attributes: entity.identity.map { entity.properties[$0].name }))
                }
                removals.append(Removal(owner: node, property: number, entity: destination, identity: identity))
            } catch let error as GraftError {
                throw error.located(in: place)
            }
        }
    }

    private func number(of name: String, _ key: String, _ node: Int) throws -> Int {
        let entity = schema.entities[nodes[node].entity]
        if let number = entity.number(ofProperty: name) { return number }
        throw GraftError.unknownProperty(
            name, among: entity.properties.map(\.name).sorted(), at: place(of: node, key: key))
    }
}
