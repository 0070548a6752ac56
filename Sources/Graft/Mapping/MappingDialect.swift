// Whose annotations a model has. Which one decides what a property without annotation means, and that can't be unified: so a
// model, or a hierarchy of entities in it, has one dialect.

public import CoreData
import Foundation

extension MappingOptions {
    /// A set of annotations.
    public enum Dialect: String, Sendable, CaseIterable, Codable {
        /// Groot's annotations and Graft's own. Where no property of a hierarchy has a key path, all have their names.
        case graft
        /// Sync: `sync.*` and, older, `hyper.*`.
        case sync
        /// CoreDataKit: `CDK*`.
        case coreDataKit
        /// MMRecord: `MMRecord*`.
        case mmRecord
        /// MagicalRecord: `mappedKeyName`, `relatedByAttribute`, `dateFormat`.
        case magicalRecord
        /// RestKit: `RKEntityIdentificationAttributes`, and nothing else.
        case restKit
    }
}

extension MappingOptions.Dialect {
    /// An annotation that belongs to one dialect.
    public struct Occurrence: Hashable, Sendable {
        /// The dialect that the annotation belongs to.
        public let dialect: MappingOptions.Dialect
        /// The entity's name.
        public let entity: String
        /// The property's name; nil where the entity itself has the annotation.
        public let property: String?
        /// The key in the user info.
        public let key: String
    }

    /// Returns the dialect that a model's annotations are of: the first, in the order of the cases, of which there is one.
    /// `identityAttributes` and Graft's own policies go with every dialect and tell nothing.
    ///
    /// - Returns: ``graft`` where there is none.
    public static func dialect(of model: NSManagedObjectModel) -> MappingOptions.Dialect {
        let found = Set(occurrences(in: model).map(\.dialect))
        return allCases.first { found.contains($0) } ?? .graft
    }

    /// Returns every annotation of a model that tells its dialect, by entity, property and key. More than one dialect among
    /// them is a mistake in most models.
    public static func occurrences(in model: NSManagedObjectModel) -> [Occurrence] {
        var found: [Occurrence] = []
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            let name = entity.name ?? ""
            found += occurrences(in: entity.userInfo, onEntity: true, name, nil)
            for (property, description) in entity.propertiesByName.sorted(by: { $0.key < $1.key })
            where entity.superentity?.propertiesByName[property] == nil {
                found += occurrences(in: description.userInfo, onEntity: false, name, property)
            }
        }
        return found
    }

    private static func occurrences(
        in userInfo: [AnyHashable: Any]?, onEntity: Bool, _ entity: String, _ property: String?
    ) -> [Occurrence] {
        let keys = (userInfo ?? [:]).keys.compactMap { $0 as? String }.sorted()
        return keys.compactMap { key in
            dialect(ofKey: key, onEntity: onEntity).map {
                Occurrence(dialect: $0, entity: entity, property: property, key: key)
            }
        }
    }

    /// The dialect that a key belongs to; nil for one that is in several or in none.
    static func dialect(ofKey key: String, onEntity: Bool) -> MappingOptions.Dialect? {
        if onEntity {
            switch key {
            case MagicalRecordKey.relatedByAttribute: return .magicalRecord
            case CoreDataKitKey.identity: return .coreDataKit
            case MMRecordKey.identity: return .mmRecord
            case RestKitKey.identity: return .restKit
            default: return nil
            }
        }
        let stem = key.split(separator: ".").first.map(String.init) ?? key
        if stem == Annotation.keyPath { return .graft }
        if SyncKey.all.contains(key) { return .sync }
        // `attributeValueClassName` is a key of mogenerator too, so it tells nothing.
        if MagicalRecordKey.onProperties.contains(stem) { return .magicalRecord }
        if CoreDataKitKey.onProperties.contains(stem) { return .coreDataKit }
        return key == MMRecordKey.alternateName ? .mmRecord : nil
    }
}
