// Compiled mapping models (.cdm): a keyed archive like those of models.
//
//     NSMappingModel { NSEntityMappings: [NSEntityMapping], NSEntityMappingsByName }
//     NSEntityMapping { NSMappingName, NSMappingType, NSSourceEntityName, NSSourceEntityVersionHash, NSSourceExpression,
//                       NSAttributeMappings: [NSPropertyMapping], NSRelationshipMappings, … }
//     NSPropertyMapping { NSDestinationPropertyName, NSValueExpression, NSUserInfo }

import Foundation

/// Reads a compiled mapping model.
struct MappingModelArchive {
    typealias Damage = KeyedArchive.Damage

    private let archive: KeyedArchive

    /// - Throws: ``ModelError`` for bytes that are no mapping model, or a damaged one.
    static func mappings(in data: Data) throws(ModelError) -> [NSEntityMapping] {
        do throws(Damage) {
            let reader = MappingModelArchive(archive: try KeyedArchive(data))
            return try reader.mappings()
        } catch {
            throw ModelError(.badMappingModel(reason: error.reason))
        }
    }

    private func mappings() throws(Damage) -> [NSEntityMapping] {
        guard let root = try archive.object(archive.root), root.className == "NSMappingModel",
            let members = try archive.members(root["NSEntityMappings"])
        else { throw Damage(reason: "the archive holds no mapping model") }
        var mappings: [NSEntityMapping] = []
        for member in members {
            guard let object = try archive.object(member), object.className == "NSEntityMapping" else {
                throw Damage(reason: "one of the entity mappings is none")
            }
            mappings.append(try entityMapping(object))
        }
        return mappings
    }

    private func entityMapping(_ object: KeyedArchive.Object) throws(Damage) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = try archive.text(object["NSMappingName"]) ?? ""
        let type = UInt(exactly: try archive.integer(object["NSMappingType"]) ?? 0)
        guard let type = type.flatMap(NSEntityMappingType.init(rawValue:)) else {
            throw Damage(reason: "the entity mapping '\(mapping.name ?? "")' has an unknown type")
        }
        mapping.mappingType = type
        mapping.sourceEntityName = try archive.text(object["NSSourceEntityName"])
        mapping.sourceEntityVersionHash = try data(object["NSSourceEntityVersionHash"])
        mapping.destinationEntityName = try archive.text(object["NSDestinationEntityName"])
        mapping.destinationEntityVersionHash = try data(object["NSDestinationEntityVersionHash"])
        mapping.entityMigrationPolicyClassName = try archive.text(object["NSEntityMigrationPolicyClassName"])
        mapping.attributeMappings = try properties(object["NSAttributeMappings"])
        mapping.relationshipMappings = try properties(object["NSRelationshipMappings"])
        mapping.sourceExpression = try Self.expression(object["NSSourceExpression"], in: archive)
        mapping.userInfo = try userInfo(object)
        return mapping
    }

    private func properties(_ field: PropertyListValue?) throws(Damage) -> [NSPropertyMapping]? {
        guard let members = try archive.members(field) else { return nil }
        var mappings: [NSPropertyMapping] = []
        for member in members {
            guard let object = try archive.object(member) else { throw Damage(reason: "a property mapping is none") }
            let mapping = NSPropertyMapping()
            mapping.name = try archive.text(object["NSDestinationPropertyName"])
            mapping.valueExpression = try Self.expression(object["NSValueExpression"], in: archive)
            mapping.userInfo = try userInfo(object)
            mappings.append(mapping)
        }
        return mappings
    }

    private func data(_ field: PropertyListValue?) throws(Damage) -> Data? {
        switch try archive.value(field) {
        case .data(let data)?: return data
        default:
            guard let object = try archive.object(field), case .data(let data)? = try archive.value(object["NS.data"])
            else { return nil }
            return data
        }
    }

    private func userInfo(_ object: KeyedArchive.Object) throws(Damage) -> [AnyHashable: Any]? {
        let info = try ArchivedValues.dictionary(object["NSUserInfo"], in: archive)
        return info.isEmpty ? nil : info
    }

    // MARK: Expressions

    /// An expression of a mapping: besides those of predicates a fetch.
    static func expression(
        _ field: PropertyListValue?, in archive: KeyedArchive
    ) throws(Damage) -> NSExpression? {
        guard let object = try archive.object(field), object.className == "NSFetchRequestExpression" else {
            return try ArchivedPredicates.expression(field, in: archive)
        }
        guard let request = try ArchivedPredicates.expression(object["NSFRExpression"], in: archive),
            let context = try ArchivedPredicates.expression(object["NSMOCExpression"], in: archive)
        else { throw Damage(reason: "a fetch has no request or no context") }
        return NSFetchRequestExpression(
            request: request, context: context, isCount: try archive.flag(object["NSCountOnlyFlag"]))
    }
}
