// Which objects of two stores may differ, where the stores themselves can say it: two SQLite files of our Core Data. Of Apple's, and of
// other stores, all objects are read; the result is the same.

import CoreData

/// The objects of one entity that may differ, on both sides, in the order of their identities.
struct DifferingObjects {
    /// The IDs from a place on, so many at most.
    typealias IDs = (_ offset: Int, _ limit: Int) throws -> [NSManagedObjectID]

    let old: IDs
    let new: IDs
    /// How many objects there are besides that are the same, and how many values they have, where rows tell them apart.
    let sameCount: Int
    let sameValueCount: Int
}

/// Two stores that know which of their objects differ.
struct StoreDifferences {
    #if !canImport(Darwin)
        private let pair: StorePair
    #endif

    /// Lets both contexts go on reading the latest state.
    ///
    /// - Returns: Nil where the stores don't know.
    init?(_ old: NSManagedObjectContext, _ new: NSManagedObjectContext) throws {
        #if canImport(Darwin)
            return nil
        #else
            guard let pair = try StorePair(old, new) else { return nil }
            self.pair = pair
        #endif
    }

    /// The objects that may differ, by entity; nil for those of which all have to be read.
    ///
    /// - Parameters:
    ///   - entities: The entities that are compared.
    ///   - step: Is called now and then; its errors end the search.
    func objects(
        _ scope: DiffScope, _ reading: RelationshipReading, _ entities: [Int],
        _ identification: GraphDiff.Identification, step: @escaping () throws -> Void
    ) throws -> [DifferingObjects?] {
        let schema = scope.schema
        #if canImport(Darwin)
            return schema.entities.map { _ in nil }
        #else
            let compared = schema.entities.indices.compactMap { number -> ComparedEntity? in
                let entity = schema.entities[number]
                guard !entity.isAbstract, !entity.identity.isEmpty || entity.isByRow == true else { return nil }
                let slots = entity.properties.indices.filter { slot in
                    scope.entities[number].contains[slot] && !reading.isDerived[number][slot]
                }
                return ComparedEntity(
                    entity.name, identity: entity.identity,
                    lastRow: identification.markedLimit(of: entity.name) ?? .max,
                    slots: entities.contains(number) ? slots : nil)
            }
            let rows = try pair.differingRows(compared, step: step)
            return schema.entities.map { entity in
                rows?[entity.name].map { rows in
                    DifferingObjects(
                        old: rows.old.ids, new: rows.new.ids, sameCount: rows.sameCount,
                        sameValueCount: rows.sameValueCount)
                }
            }
        #endif
    }
}
