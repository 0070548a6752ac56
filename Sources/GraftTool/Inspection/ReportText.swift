// Reports as text for people. First the tree of entities:
//
//     ENTITY                OBJECTS  IDENTITY
//     Character (abstract)        -  id
//       Hero                      5  id
//     Power                       6  id
//
// then each entity with its own properties, and where they are in JSON:
//
//     Hero
//       foes     many Villain, inverse nemesis, Nullify
//       rescues  Integer 32 = 0, optional                    rescues

import Foundation

/// Renders reports.
enum ReportText {
    /// A report as JSON.
    static func json(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    static func lines(_ store: StoreReport) -> [String] {
        let size = store.size.map { ", \($0) bytes" } ?? ""
        let framework = store.frameworkVersion.map { ", framework version \($0)" } ?? ""
        let missing =
            (store.missingFiles ?? 0) == 0
            ? [] : ["Large values without their files: \(store.missingFiles ?? 0); graft check names them."]
        return ["\(store.file): \(store.type) store\(size)\(framework)", "UUID \(store.uuid)"] + missing
            + lines(store.model, countsObjects: true)
    }

    static func lines(_ file: ModelFileReport) -> [String] {
        ["\(file.file): model"] + lines(file.model, countsObjects: false)
    }

    private static func lines(_ model: ModelReport, countsObjects: Bool) -> [String] {
        let versions = model.versionIdentifiers
        let problem = model.mappingProblem.map {
            ["Identities and places in JSON aren't shown. \($0)", "graft lint lists all."]
        }
        return (versions.isEmpty ? [] : ["Model version \(versions.joined(separator: ", "))"])
            + (problem ?? []) + [""] + tree(model, countsObjects: countsObjects)
            + model.entities.flatMap { [""] + properties($0) }
    }

    // MARK: The tree of entities

    private static func tree(_ model: ModelReport, countsObjects: Bool) -> [String] {
        var rows = [["ENTITY", "OBJECTS", "IDENTITY"]]
        func add(childrenOf parent: String?, depth: Int) {
            for entity in model.entities where entity.superentity == parent {
                let name =
                    String(repeating: "  ", count: depth) + entity.name + (entity.isAbstract ? " (abstract)" : "")
                let count = entity.isAbstract ? "-" : entity.objectCount.map { "\($0)" } ?? "-"
                rows.append([name, count, identity(entity)])
                add(childrenOf: entity.name, depth: depth + 1)
            }
        }
        add(childrenOf: nil, depth: 0)
        if !countsObjects { rows = rows.map { [$0[0], $0[2]] } }
        return TextTable.lines(rows, rightAligned: countsObjects ? [1] : [])
    }

    private static func identity(_ entity: ModelReport.Entity) -> String {
        entity.identity.isEmpty ? "-" : entity.identity.joined(separator: ", ")
    }

    // MARK: Properties

    private static func properties(_ entity: ModelReport.Entity) -> [String] {
        let rows =
            entity.attributes.map { ["  \($0.name)", words($0), $0.keyPath ?? ""] }
            + entity.relationships.map { ["  \($0.name)", words($0), $0.keyPath ?? ""] }
        let unique = entity.uniquenessConstraints.map { "  unique: \($0.joined(separator: ", "))" }
        let title = entity.superentity.map { "\(entity.name): \($0)" } ?? entity.name
        return [title] + TextTable.lines(rows) + unique
    }

    private static func words(_ attribute: ModelReport.Attribute) -> String {
        var words = [attribute.type + (attribute.defaultValue.map { " = \($0)" } ?? "")]
        if attribute.isOptional { words.append("optional") }
        if attribute.isTransient { words.append("transient") }
        return words.joined(separator: ", ")
    }

    private static func words(_ relationship: ModelReport.Relationship) -> String {
        var words = [(relationship.isToMany ? "many " : "one ") + relationship.destination]
        if relationship.isOrdered { words.append("ordered") }
        if !relationship.isOptional { words.append("required") }
        if relationship.isTransient { words.append("transient") }
        if let inverse = relationship.inverse { words.append("inverse \(inverse)") }
        words.append(relationship.deleteRule)
        return words.joined(separator: ", ")
    }
}
