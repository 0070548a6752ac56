// Inferring a mapping model from two versions of a model.

import Foundation

extension NSMappingModel {
    /// Infers how the entities of one version of a model become those of another.
    ///
    /// Entities and properties are found again by their renaming identifiers, else by their names. They may be added,
    /// removed and renamed; optional and mandatory, if there is a default value; relationships to-one and to-many,
    /// ordered and unordered; entities may get another parent as long as no two that were apart come together.
    /// Follows Core Data Model Versioning and Data Migration, "Lightweight Migration".
    ///
    /// - Throws: `CocoaError` (`.inferredMappingModel`) with everything that is in the way in the description and under
    ///   `obstacles`, and all differences under `differences`.
    public class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let matching = ModelMatching(source: sourceModel, destination: destinationModel)
        let differences = matching.differences()
        if differences.contains(where: { $0.obstacle != nil }) { throw MigrationErrors.notInferable(differences) }
        let model = NSMappingModel()
        model.entityMappings = InferredMappings(matching: matching).all
        model.inference = Inference(matching: matching, signature: model.entityMappings.map(\.signature))
        return model
    }
}

/// The mappings between two versions: by destination entity, then the removed ones.
private struct InferredMappings {
    let matching: ModelMatching

    var all: [NSEntityMapping] {
        let added = matching.added.map { entity -> NSEntityMapping in
            let mapping = NSEntityMapping()
            mapping.name = "IEM_Add_\(entity.name ?? "")"
            mapping.mappingType = .addEntityMappingType
            mapping.destinationEntityName = entity.name
            mapping.destinationEntityVersionHash = entity.versionHash
            return mapping
        }
        let removed = matching.removed.map { entity -> NSEntityMapping in
            let mapping = NSEntityMapping()
            mapping.name = "IEM_Remove_\(entity.name ?? "")"
            mapping.mappingType = .removeEntityMappingType
            mapping.sourceEntityName = entity.name
            mapping.sourceEntityVersionHash = entity.versionHash
            return mapping
        }
        let kept = matching.matches.map(mapping)
        return (added + kept).sorted {
            SQLNaming.precedes($0.destinationEntityName ?? "", $1.destinationEntityName ?? "")
        } + removed
    }

    private func mapping(_ match: EntityMatch) -> NSEntityMapping {
        let (old, new) = (match.source.versionHash, match.destination.versionHash)
        let mapping = NSEntityMapping()
        mapping.mappingType = old == new ? .copyEntityMappingType : .transformEntityMappingType
        mapping.name = Self.name(of: match, isCopy: old == new)
        mapping.sourceEntityName = match.source.name
        mapping.sourceEntityVersionHash = old
        mapping.destinationEntityName = match.destination.name
        mapping.destinationEntityVersionHash = new
        mapping.attributeMappings = sorted(match.destination.attributesByName.keys).map { name in
            property(name, match.attributes[name].map { NSExpression(forSourceKey: $0.name) })
        }
        mapping.relationshipMappings = sorted(match.destination.relationshipsByName.keys).map { name in
            property(name, match.relationships[name].map { .destinations(ofRelationship: $0.name) })
        }
        mapping.userInfo = userInfo(match)
        return mapping
    }

    /// Observed: an inferred mapping says under these keys which properties of the destination come from the source, which are
    /// new, and which of the source are gone (CoreDataPlus, `test_InferringMappingModelFromV1toV2`).
    private func userInfo(_ match: EntityMatch) -> [String: Set<String>] {
        func names(_ entity: NSEntityDescription) -> Set<String> {
            Set(entity.attributesByName.keys).union(entity.relationshipsByName.keys)
        }
        let mapped = Set(match.attributes.keys).union(match.relationships.keys)
        let sources = (match.attributes.values.map(\.name) + match.relationships.values.map(\.name))
        return [
            "mappedProperties": mapped, "addedProperties": names(match.destination).subtracting(mapped),
            "removedProperties": names(match.source).subtracting(sources),
        ]
    }

    private static func name(of match: EntityMatch, isCopy: Bool) -> String {
        "IEM_\(isCopy ? "Copy" : "Transform")_\(match.destination.name ?? "")"
    }

    private func sorted(_ names: some Sequence<String>) -> [String] { names.sorted(by: SQLNaming.precedes) }

    private func property(_ name: String, _ expression: NSExpression?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = expression
        return mapping
    }
}
