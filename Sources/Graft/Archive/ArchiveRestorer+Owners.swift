// What an owner identifies, where an archive has the owner's side of a one-to-one relationship because that is the mandatory one: the
// owner tells which object is meant.
//
//     suit   no 1, colour red                 its identity is the number and the wearer, and the wearer isn't in the record
//     hero   name "a", armour -> the suit     the suit is what the hero has there, if that has the number 1

import CoreData

extension ArchiveRestorer {
    /// Gives records that an identified owner leads to what it has there, where that has the rest of their identity; otherwise they are
    /// new.
    ///
    /// - Parameter indexes: The records without an identity of their own values.
    /// - Returns: Those of them of which no such owner tells anything.
    func findOwned(_ indexes: [Int], _ records: [ArchiveRecord]) throws -> [Int] {
        if !match.entities.contains(where: { $0.map(isToldByOwners) ?? false }) { return indexes }
        let unidentified = Set(indexes)
        var places = Dictionary(indexes.map { (records[$0].number, $0) }) { first, _ in first }
        for (index, record) in records.enumerated() where !unidentified.contains(index) {
            guard let entity = match.entities[record.entity] else { continue }
            for (column, number) in entity.toOnes.enumerated() {
                guard let number, let place = places[record.destinations[column]],
                    let owned = match.entities[records[place].entity]
                else { continue }
                let property = schema.entities[entity.number].properties[number]
                guard let inverse = property.inverse, !owned.toOnes.contains(inverse),
                    schema.entities[owned.number].relatedIdentity.contains(inverse),
                    let key = key(of: records[place], owned, besides: inverse)
                else { continue }
                places[records[place].number] = nil
                guard let there = live[record.number]?.destination(number, property),
                    try has(there, key, owned)
                else { continue }
                isMatched(there, records[place].number)
            }
        }
        return indexes.filter { places[records[$0].number] != nil }
    }

    /// Whether objects of an entity are identified by owners that the archive's don't name.
    func isToldByOwners(_ entity: ArchiveModelMatch.Entity) -> Bool {
        let description = schema.entities[entity.number]
        return !entity.tells(description.relatedIdentity, of: description)
    }

    /// What identifies a record besides one owner: by the numbers of properties; nil where a part of that is missing.
    private func key(
        of record: ArchiveRecord, _ entity: ArchiveModelMatch.Entity, besides owner: Int
    ) -> [Int: GraphValue]? {
        var key: [Int: GraphValue] = [:]
        for part in schema.entities[entity.number].relatedIdentity where part != owner {
            guard let column = entity.attributes.firstIndex(of: part), !record.values[column].isNull else { return nil }
            key[part] = record.values[column]
        }
        return key
    }

    /// Whether an object has a key, and stands for no other record.
    private func has(
        _ object: NSManagedObject, _ key: [Int: GraphValue], _ entity: ArchiveModelMatch.Entity
    ) throws -> Bool {
        guard known.number(of: object) == entity.number, !taken.contains(object.objectID) else { return false }
        let properties = schema.entities[entity.number].properties
        return try key.allSatisfy { try object.holdsArchived($1, $0, properties[$0]) }
    }
}
