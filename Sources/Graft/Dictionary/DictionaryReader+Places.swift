// Where things are in dictionaries, for errors, and how they number objects.

import Foundation

extension DictionaryReader {
    /// Where a property of a node is.
    func place(of node: Int, _ property: Int, index: Int? = nil) -> GraftError.Place {
        var place = place(of: node, key: schema.entities[nodes[node].entity].properties[property].name, index: index)
        place.property = schema.entities[nodes[node].entity].properties[property].name
        return place
    }

    /// Where a node is, or a key of it.
    func place(of node: Int, key: String? = nil, index: Int? = nil) -> GraftError.Place {
        var path: [GraftError.Place.PathComponent] = []
        if let index { path.append(.index(index)) }
        if let key { path.append(.key(key)) }
        var current = node
        while current >= 0 {
            if let index = nodes[current].index { path.append(.index(index)) }
            if let key = nodes[current].key { path.append(.key(key)) }
            current = nodes[current].parent
        }
        let entity = nodes[node].entity
        return GraftError.Place(path: path.reversed(), entity: entity < 0 ? nil : schema.entities[entity].name)
    }

    /// Does with a key of a node that nothing is read from what the options say.
    mutating func note(unknownKey key: String, of node: Int) throws {
        // The way from the top is looked up for an error alone.
        let place = options.unknownKeys == .fail ? place(of: node, key: key) : GraftError.Place()
        try report.take(unknownKey: key, of: schema.entities[nodes[node].entity], options.unknownKeys, place)
    }

    /// The error for something that isn't what is expected.
    func misfit(_ value: Any, _ expected: String, _ place: GraftError.Place) -> GraftError {
        GraftError(.wrongType(found: DictionaryValue.words(for: value), expected: expected), at: place)
    }

    /// The number of an object; nil for what isn't one.
    static func number(_ value: Any?) -> Int? {
        switch value {
        case let number as Int: number
        case let number as JSONValue.Number: number.int64.map { Int($0) }
        case let number as NSNumber: Int(exactly: number.doubleValue)
        default: nil
        }
    }
}
