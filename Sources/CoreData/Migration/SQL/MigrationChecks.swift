// What the rows have to fulfil before a migration may end. A model can be fine and its store's rows not: objects of an
// entity that becomes abstract, empty relationships that become mandatory, values that must become unique.

import Foundation

/// The checks of one migration's rows.
struct MigrationChecks {
    let tables: MigrationSchemas
    private var dialect: SQLDialect { tables.destination.dialect }
    let matching: ModelMatching
    let plan: RelationshipPlan
    let errors: MigrationErrors

    /// Rows that no entity of the model has: nobody would carry them over.
    func checkEntityNumbers(_ db: any MigrationDatabase) throws {
        var numbers: [String: [String]] = [:]
        for entity in tables.source.entities { numbers[entity.table, default: []].append(dialect.literal(entity)) }
        var findings: [String] = []
        for (table, numbers) in numbers.sorted(by: { $0.key < $1.key }) {
            let foreign =
                "FROM \(tables.old(table)) WHERE \(dialect.entity) IS NULL "
                + "OR \(dialect.entity) NOT IN (\(numbers.joined(separator: ", ")))"
            let count = try db.number("SELECT COUNT(*) \(foreign)")
            guard count > 0 else { continue }
            findings.append(
                "\(table) has \(count) row(s) whose \(dialect.entity) is no entity of the model, the first of them row "
                    + "\(try db.number("SELECT MIN(\(dialect.key)) \(foreign)")). Delete them, or give them the number of their entity"
            )
        }
        if !findings.isEmpty { throw errors.badData(findings, reason: "Rows of no entity") }
    }

    /// Objects whose entity may have none any more.
    func checkAbstractEntities(_ db: any MigrationDatabase) throws {
        var findings: [String] = []
        for match in matching.matches where match.destination.isAbstract {
            guard let old = tables.source.entity(for: match.source) else { continue }
            let count = try db.number(
                "SELECT COUNT(*) FROM \(tables.old(old.table)) WHERE \(dialect.entity) = \(dialect.literal(old))")
            guard count > 0 else { continue }
            let (verb, remedy) =
                match.source.isAbstract
                ? ("is", "give them the number of a sub-entity (\(dialect.entity))")
                : ("becomes", "keep the entity concrete")
            findings.append(
                "entity '\(match.destination.name ?? "")' \(verb) abstract, but has \(count) object(s) of its own. "
                    + "Delete them, or \(remedy)")
        }
        if !findings.isEmpty { throw errors.badData(findings, reason: "Objects of an abstract entity") }
    }

    /// Links to objects that come along, but not as ones that the relationship can lead to.
    ///
    /// - Parameters:
    ///   - links: The links as a SELECT: owner a, and b, the key that the object at the other end had.
    ///   - owner: The entity of the owners.
    ///   - old: What the relationship was.
    func checkDestinations(
        of links: String, from owner: SQLEntity, _ relationship: NSRelationshipDescription,
        _ old: NSRelationshipDescription, _ destination: SQLEntity, _ db: any MigrationDatabase
    ) throws {
        guard let former = old.destinationEntity, let table = tables.source.entity(for: former)?.table else { return }
        let moved = matching.movedAway(from: former, to: destination.description)
            .compactMap { tables.source.entity(for: $0) }
        if moved.isEmpty { return }
        let misled =
            "FROM (\(links)) AS l JOIN \(tables.old(table)) AS t ON t.\(dialect.key) = l.b "
            + "WHERE t.\(dialect.entity) IN (\(moved.map(dialect.literal).joined(separator: ", ")))"
        let count = try db.number("SELECT COUNT(*) \(misled)")
        guard count > 0 else { return }
        let first = try db.number("SELECT MIN(l.a) \(misled)")
        throw errors.badData(
            [
                "\(relationship.owner?.name ?? owner.name).\(relationship.name) leads to '\(destination.name)' now, but \(count) link(s) "
                    + "lead to objects of other entities, the first of them that of \(owner.name)/p\(first). Take them out first, or "
                    + "make a mapping model that does"
            ], reason: "Links to objects of other entities")
    }

    /// Links to rows that aren't there, where they can't be copied as they are.
    ///
    /// - Parameters:
    ///   - links: The links as a SELECT: a, the key of the owner, and b, that of the object at the other end.
    ///   - owner: The entity of the owners.
    func checkRows(
        of links: String, from owner: SQLEntity, _ old: NSRelationshipDescription, to destination: SQLEntity,
        _ db: any MigrationDatabase
    ) throws {
        func isMissing(_ key: String, _ entity: SQLEntity) -> String {
            "NOT EXISTS (SELECT 1 FROM \(tables.old(entity.table)) AS t WHERE t.\(dialect.key) = \(key))"
        }
        let dangling =
            "FROM (\(links)) AS l WHERE \(isMissing("l.a", owner)) OR \(isMissing("l.b", destination))"
        let count = try db.number("SELECT COUNT(*) \(dangling)")
        guard count > 0 else { return }
        let first = try db.number("SELECT MIN(l.a) \(dangling)")
        throw errors.badData(
            [
                "\(count) link(s) of \(owner.name).\(old.name) lead to rows that aren't there, or are of such rows, the first of "
                    + "them that of \(owner.name)/p\(first). \(MigrationErrors.checkRemedy)"
            ], reason: "Links to rows that aren't there")
    }

    /// To-one relationships that were optional, or led further, and are mandatory now.
    func checkMandatoryRelationships(_ db: any MigrationDatabase) throws {
        var findings: [String] = []
        for match in matching.matches {
            guard let entity = tables.destination.entity(for: match.destination) else { continue }
            for name in entity.properties.keys.sorted(by: SQLNaming.precedes) {
                guard case .toOne(let toOne)? = entity.properties[name], !toOne.description.isOptional,
                    isNewlyMandatory(toOne.description, match.relationships[name])
                else { continue }
                let empty =
                    "FROM \(entity.table) WHERE \(dialect.entity) = \(dialect.literal(entity)) AND \(toOne.column) IS NULL"
                let count = try db.number("SELECT COUNT(*) \(empty)")
                guard count > 0 else { continue }
                let first = try db.number("SELECT MIN(\(dialect.key)) \(empty)")
                findings.append(
                    "\(entity.name).\(name) is mandatory, but \(count) object(s) have nothing in it, the first of "
                        + "them \(match.source.name ?? "")/p\(first). Set it in them, or make it optional")
            }
        }
        if !findings.isEmpty {
            throw errors.badData(findings, reason: ModelDifference.Obstacle.nothingToReferTo.reason)
        }
    }

    private func isNewlyMandatory(_ new: NSRelationshipDescription, _ old: NSRelationshipDescription?) -> Bool {
        guard let old else { return true }
        return old.isOptional || old.isToMany || !plan.isDirect(new) || matching.narrows(old, to: new)
    }
}
