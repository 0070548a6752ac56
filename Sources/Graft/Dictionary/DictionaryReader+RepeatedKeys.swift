// Keys that the text of dictionaries has twice in one object: a dictionary has the last value. They are treated as in an import
// (Snapshot/JSONSnapshotReader+Keys.swift): counted, and refused where objects are below them.

import Foundation

extension DictionaryReader {
    /// Takes note of the members that don't count in the text that the dictionaries come from.
    ///
    /// - Throws: ``GraftError`` for one below which there may be objects.
    mutating func note(passedOver places: [[GraftError.Place.PathComponent]]) throws {
        if places.isEmpty { return }
        let known = Dictionary(nodes.indices.map { (place(of: $0).path ?? [], $0) }) { first, _ in first }
        for place in places {
            // The object that has the key, or the tree with it.
            var depth = place.count - 1
            while depth > 0, known[Array(place[..<depth])] == nil { depth -= 1 }
            guard let node = known[Array(place[..<depth])], case .key(let name) = place[depth] else { continue }
            if leadsToObjects(name, node, isWhole: depth == place.count - 1) {
                let error = GraftError(.repeatedKey(name), at: self.place(of: node, key: name))
                if options.failurePolicy == .fail { throw error }
                report.failures.append(ImportReport.Failure(error, record: nil))
                continue
            }
            let entity = schema.entities[nodes[node].entity]
            if depth == place.count - 1, !isKnown(name, entity) {
                try note(unknownKey: name, of: node)
                continue
            }
            var path = [name]
            if depth < place.count - 1, case .key(let last)? = place.last { path.append(last) }
            report.addRepeatedKey(path.joined(separator: "."), of: entity.name)
        }
    }

    private func isKnown(_ key: String, _ entity: GraphSchema.Entity) -> Bool {
        entity.number(ofProperty: key) != nil || entity.composites[key] != nil || key == options.entityKey
            || DictionaryKey.ofDocuments.contains(key) || key == DictionaryKey.nulls
    }

    /// Whether objects, or the elements of a composite attribute, may be under a key of a node.
    private func leadsToObjects(_ key: String, _ node: Int, isWhole: Bool) -> Bool {
        let entity = schema.entities[nodes[node].entity]
        if let number = entity.number(ofProperty: key) { return !entity.properties[number].isAttribute }
        if entity.composites[key] != nil { return isWhole }
        return DictionaryKey.ofObjects.contains(key)
    }
}
