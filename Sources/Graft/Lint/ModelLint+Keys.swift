// What is in the user info: keys that nobody reads, keys in the wrong place, transformers, dialects.

import CoreData
import Foundation

extension ModelLint {
    /// Where a key stands.
    private enum Site: CaseIterable {
        case entity, attribute, relationship

        var name: String {
            switch self {
            case .entity: "an entity"
            case .attribute: "an attribute"
            case .relationship: "a relationship"
            }
        }

        /// The keys that are read there, of whichever dialect.
        var keys: Set<String> {
            switch self {
            case .entity:
                Set(
                    Annotation.onEntities + SyncKey.primaryKey + [
                        MagicalRecordKey.relatedByAttribute, CoreDataKitKey.identity, MMRecordKey.identity,
                        RestKitKey.identity,
                    ])
            case .attribute: Set(Annotation.onProperties + Annotation.onAttributes + Self.onProperties)
            case .relationship: Set(Annotation.onProperties + Annotation.onRelationships + Self.onProperties)
            }
        }

        private static let onProperties =
            Array(SyncKey.all) + MagicalRecordKey.onProperties + CoreDataKitKey.onProperties
            + [MMRecordKey.alternateName]
    }

    /// What the keys that libraries of this kind read begin with. Other keys are other people's.
    private static let prefixes = [
        "JSON", "identityAttribute", "entityMapper", "sync.", "hyper.", "mappedKey", "CDK", "MMRecord", "RKEntity",
    ]

    /// Checks the keys of an entity and of its own properties.
    mutating func checkKeys(of entity: NSEntityDescription) {
        checkKeys(entity.userInfo, .entity, entity.name, nil)
        for property in entity.sortedDeclaredProperties {
            let site: Site = property is NSRelationshipDescription ? .relationship : .attribute
            checkKeys(property.userInfo, site, entity.name, property.name)
        }
        for part in entity.declaredParts {
            var name = part.whole.name
            for element in part.elements {
                name += ".\(element.name)"
                checkKeys(element.userInfo, .attribute, entity.name, name)
            }
        }
    }

    private mutating func checkKeys(
        _ userInfo: [AnyHashable: Any]?, _ site: Site, _ entity: String?, _ property: String?
    ) {
        let keys = (userInfo ?? [:]).keys.compactMap { $0 as? String }.sorted()
        for key in keys where !site.keys.contains(key) && !site.keys.contains(Self.unnumbered(key)) {
            let elsewhere = Site.allCases.filter { $0.keys.contains(Self.unnumbered(key)) }
            if !elsewhere.isEmpty {
                // `id` means something on entities, and anything on a property.
                if key == Annotation.diffIdentity { continue }
                let places = elsewhere.map(\.name).joined(separator: " or ")
                add(
                    .warning, .misplacedKey, entity, property, "'\(key)' means nothing on \(site.name)",
                    "Move it to \(places), or take it away.")
                continue
            }
            let closest = NameSuggestion.closest(to: key, among: site.keys.filter { $0 != Annotation.diffIdentity })
            guard closest != nil || Self.prefixes.contains(where: key.hasPrefix) else { continue }
            let similar = closest ?? Self.longestCommonStart(of: key, among: site.keys)
            add(
                .warning, .unknownKey, entity, property, "found '\(key)', which nobody reads",
                similar.map { "Did you mean '\($0)'?" } ?? "Take it away, or correct its name.")
        }
        if Annotation.text(Annotation.keyPath, of: userInfo) == "null" {
            add(
                .warning, .invalidPath, entity, property, "the key path 'null' is the key \"null\"",
                "Take the annotation away to leave the property out, as Groot has it since 1.0.")
        }
    }

    /// `JSONKeyPath.1` is read like `JSONKeyPath`.
    private static func unnumbered(_ key: String) -> String {
        let parts = key.split(separator: ".")
        guard let number = parts.last, parts.count > 1, number.count == 1, number.allSatisfy(\.isNumber) else {
            return key
        }
        return parts.dropLast().joined(separator: ".")
    }

    /// The key that begins most like another one, for slips that are longer than a letter.
    private static func longestCommonStart(of key: String, among keys: Set<String>) -> String? {
        let ranked = keys.sorted().map { (length: $0.commonPrefix(with: key).count, key: $0) }
        let best = ranked.max { $0.length < $1.length }
        return best.flatMap { $0.length > 5 ? $0.key : nil }
    }

    // MARK: Transformers

    mutating func checkTransformers(of entity: NSEntityDescription, _ rules: MappingRules, _ known: Set<String>) {
        let said = rules.own(entity)
        let named = [
            (Annotation.entityMapperName, said.entityMapperName),
            (Annotation.dictionaryTransformerName, said.dictionaryTransformerName),
        ]
        for (key, name) in named { checkTransformer(name, key, known, entity.name, nil) }
        for part in entity.declaredParts where part.property is NSAttributeDescription {
            let whole = rules.property(part.whole, of: entity).said
            let name = rules.part(part, of: whole, in: entity).transformerName
            checkTransformer(name, Annotation.transformerName, known, entity.name, part.name)
        }
    }

    private mutating func checkTransformer(
        _ name: String?, _ key: String, _ known: Set<String>, _ entity: String?, _ property: String?
    ) {
        guard let name, !known.contains(name), NamedTransformer(named: name) == nil else { return }
        let closest = NameSuggestion.closest(to: name, among: known.sorted())
        add(
            .error, .unknownTransformer, entity, property,
            "\(key) names '\(name)', and no such transformer is registered",
            closest.map { "Did you mean '\($0)'?" }
                ?? "Register it before the model is used: ValueTransformer.setValueTransformer(_:forName:).")
    }

    // MARK: Dialects

    /// Reports the annotations that aren't of the model's dialect, one for each library.
    mutating func checkDialects(of model: NSManagedObjectModel, _ mapping: MappingOptions) {
        let dialect = mapping.dialect ?? MappingOptions.Dialect.dialect(of: model)
        var reported: Set<MappingOptions.Dialect> = [dialect]
        for one in MappingOptions.Dialect.occurrences(in: model) where reported.insert(one.dialect).inserted {
            let declared = model.entitiesByName[one.entity].map { Annotation.text(Annotation.dialect, of: $0.userInfo) }
            if declared??.isEmpty == false { continue }
            add(
                .warning, .mixedDialects, one.entity, one.property,
                "'\(one.key)' is an annotation for \(one.dialect.rawValue), and the model is read as \(dialect.rawValue)",
                "Keep the annotations of one library, or name the dialect of each hierarchy: \(Annotation.dialect).")
        }
    }
}
