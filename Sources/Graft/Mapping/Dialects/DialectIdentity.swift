// What identifies the objects of models that were annotated for other libraries: first what the annotations declare, then
// what the libraries infer from names. An entity's identity holds for all relationships that lead to it.

import CoreData
import Foundation

enum DialectIdentity {
    /// What the annotations of a dialect declare.
    ///
    /// - Parameter lineage: The entity and its super-entities, the nearest first.
    static func declared(_ lineage: [NSEntityDescription], _ dialect: MappingOptions.Dialect) throws
        -> IdentityDeclaration?
    {
        switch dialect {
        case .graft:
            return nil
        case .sync:
            for (name, attribute) in (lineage.first?.attributesByName ?? [:]).sorted(by: { $0.key < $1.key }) {
                let said = SyncKey.isPrimaryKey.compactMap { Annotation.text($0, of: attribute.userInfo) }.first
                // Exactly these: anything else means no.
                if said == "YES" || said == "true" {
                    return try IdentityDeclaration([name], saidBy: SyncKey.isPrimaryKey[0], of: lineage[0])
                }
            }
            return nil
        case .magicalRecord:
            if let nearest = try IdentityDeclaration.nearest(MagicalRecordKey.relatedByAttribute, lineage) {
                return nearest
            }
            return relationshipKey(lineage)
        case .coreDataKit:
            return try IdentityDeclaration.nearest(CoreDataKitKey.identity, lineage)
        case .mmRecord:
            return try IdentityDeclaration.nearest(MMRecordKey.identity, lineage)
        case .restKit:
            // An array where a program has put it there.
            for ancestor in lineage {
                guard let list = ancestor.userInfo?[RestKitKey.identity] as? [String], !list.isEmpty else { continue }
                return try IdentityDeclaration(list, saidBy: RestKitKey.identity, of: ancestor)
            }
            return try IdentityDeclaration.nearest(RestKitKey.identity, lineage)
        }
    }

    /// MagicalRecord asks each relationship for the key of its destination and doesn't look at the entity. One declaration
    /// is enough here: where the entity has none, and all relationships to it that name a key name the same one, that is it.
    private static func relationshipKey(_ lineage: [NSEntityDescription]) -> IdentityDeclaration? {
        guard let entity = lineage.first, let model = entity.managedObjectModel as NSManagedObjectModel? else {
            return nil
        }
        var keys: Set<String> = []
        for other in model.entities {
            for relationship in other.relationshipsByName.values {
                guard let destination = relationship.destinationEntity, lineage.contains(where: { $0 === destination }),
                    let key = Annotation.text(MagicalRecordKey.relatedByAttribute, of: relationship.userInfo)
                else { continue }
                keys.insert(key)
            }
        }
        guard let key = keys.first, keys.count == 1, entity.attributesByName[key] != nil else { return nil }
        return IdentityDeclaration(inferred: key, origin: "\(MagicalRecordKey.relatedByAttribute) of relationships")
    }

    /// What a dialect infers from names.
    static func inferred(_ lineage: [NSEntityDescription], _ dialect: MappingOptions.Dialect) -> IdentityDeclaration? {
        switch dialect {
        case .graft, .coreDataKit, .mmRecord: nil
        case .sync: first(of: { _ in ["id", "remoteID"] }, lineage)
        case .magicalRecord: first(of: { ["\($0)ID"] }, lineage)
        case .restKit:
            first(
                of: { ["\($0)ID", "\($0)_id", "identifier", "id", "ID", "URL", "url"] }, lineage)
        }
    }

    /// The first attribute of an entity that has one of the names, the nearest entity's names first.
    private static func first(
        of names: (_ entity: String) -> [String], _ lineage: [NSEntityDescription]
    ) -> IdentityDeclaration? {
        let attributes = lineage.first?.attributesByName ?? [:]
        for name in lineage.flatMap({ names(($0.name ?? "").smallFirst) }) where attributes[name] != nil {
            return IdentityDeclaration(inferred: name, origin: "the attribute's name")
        }
        return nil
    }
}
