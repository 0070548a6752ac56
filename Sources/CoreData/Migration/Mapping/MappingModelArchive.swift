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
    /// Between which entities the mappings are, and of which versions: all that has to be understood before it is known whether the others
    /// are wanted.
    let outlines: [NSEntityMapping]

    /// - Throws: ``ModelError`` for bytes that are no mapping model, or a damaged one.
    init(_ data: Data) throws(ModelError) {
        do throws(Damage) {
            let archive = try KeyedArchive(data)
            outlines = try Self.members(of: archive, Self.outline)
            self.archive = archive
        } catch {
            throw ModelError(.badMappingModel(reason: error.reason))
        }
    }

    /// - Throws: ``ModelError`` for what is damaged, or isn't known.
    func mappings() throws(ModelError) -> [NSEntityMapping] {
        do throws(Damage) {
            return try Self.members(of: archive) { (object, _) throws(Damage) in try entityMapping(object) }
        } catch {
            throw ModelError(.badMappingModel(reason: error.reason))
        }
    }

    private static func members(
        of archive: KeyedArchive, _ read: (KeyedArchive.Object, KeyedArchive) throws(Damage) -> NSEntityMapping
    ) throws(Damage) -> [NSEntityMapping] {
        guard let root = try archive.object(archive.root), root.className == "NSMappingModel",
            let members = try archive.members(root["NSEntityMappings"])
        else { throw Damage(reason: "the archive holds no mapping model") }
        var mappings: [NSEntityMapping] = []
        for member in members {
            guard let object = try archive.object(member), object.className == "NSEntityMapping" else {
                throw Damage(reason: "one of the entity mappings is none")
            }
            mappings.append(try read(object, archive))
        }
        return mappings
    }

    private static func outline(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive
    ) throws(Damage) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = try archive.text(object["NSMappingName"]) ?? ""
        mapping.sourceEntityName = try archive.text(object["NSSourceEntityName"])
        mapping.sourceEntityVersionHash = try data(object["NSSourceEntityVersionHash"], in: archive)
        mapping.destinationEntityName = try archive.text(object["NSDestinationEntityName"])
        mapping.destinationEntityVersionHash = try data(object["NSDestinationEntityVersionHash"], in: archive)
        return mapping
    }

    private func entityMapping(_ object: KeyedArchive.Object) throws(Damage) -> NSEntityMapping {
        let mapping = try Self.outline(object, archive)
        let type = UInt(exactly: try archive.integer(object["NSMappingType"]) ?? 0)
        guard let type = type.flatMap(NSEntityMappingType.init(rawValue:)) else {
            throw Damage(reason: "the entity mapping '\(mapping.name ?? "")' has an unknown type")
        }
        mapping.mappingType = type
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

    private static func data(_ field: PropertyListValue?, in archive: KeyedArchive) throws(Damage) -> Data? {
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
