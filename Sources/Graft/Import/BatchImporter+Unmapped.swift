// Objects whose JSON doesn't tell their sub-entity: an update of a stored object needn't repeat it. They are looked up first,
// and then read with the keys of the entity that they are of.

import CoreData

extension BatchImporter {
    /// Reads the unmapped objects of a batch again that are stored, each as one of its own entity.
    func readUnmappedObjects(_ reader: inout JSONSnapshotReader) throws {
        if reader.unmapped.isEmpty { return }
        begin(reader.snapshot)
        try matcher.resolveIdentities(reader.snapshot)
        takeSuccessors(reader.snapshot)
        let found = reader.unmapped.compactMap { unmapped -> (JSONSnapshotReader.UnmappedObject, Int)? in
            let reference = reader.snapshot.resolved(unmapped.reference)
            guard !reference.isNone, let object = object(reference), let entity = number(of: object),
                entity != unmapped.reference.entity, schema.isEntity(entity, kindOf: unmapped.reference.entity)
            else { return nil }
            return (unmapped, entity)
        }
        for (unmapped, entity) in found { try reader.readAgain(unmapped, of: entity) }
        reader.settleRelatedRows()
    }
}
