// Copies rows from the source's tables into the destination's: one INSERT … SELECT for each entity that both have. Keys
// and versions stay, so that object IDs do. Relationships come along where their columns can be copied.

import Foundation

/// The copying of rows.
struct RowMigration {
    let tables: MigrationSchemas
    private var dialect: SQLDialect { tables.destination.dialect }
    let matching: ModelMatching
    let plan: RelationshipPlan

    /// Turns the value of an attribute that allowed external storage into the bytes themselves. It is given the value, the row's key and
    /// the attribute's name.
    static let inlining = "NSCoreDataMigrationInlineValue"

    /// One INSERT on its way.
    private struct Insertion {
        var columns: [String]
        var values: [String]
        var arguments: [SQLValue] = []

        mutating func add(_ column: String, _ value: String, _ arguments: [SQLValue] = []) {
            columns.append(column)
            values.append(value)
            self.arguments += arguments
        }
    }

    func copyRows(_ db: any MigrationDatabase) throws {
        for match in matching.matches {
            guard let old = tables.source.entity(for: match.source),
                let new = tables.destination.entity(for: match.destination)
            else { continue }
            try copyRows(match, from: old, to: new, db)
        }
    }

    private func copyRows(_ match: EntityMatch, from old: SQLEntity, to new: SQLEntity, _ db: any MigrationDatabase)
        throws
    {
        let system = [dialect.key, dialect.entity, dialect.version]
        var insertion = Insertion(
            columns: system, values: ["o.\(dialect.key)", dialect.literal(new), "o.\(dialect.version)"])
        for name in new.properties.keys.sorted(by: SQLNaming.precedes) {
            switch new.properties[name] {
            case .attribute(let attribute):
                let oldName = match.attributes[name]?.name ?? match.elements[name]
                let before: SQLAttribute? =
                    if case .attribute(let found)? = oldName.flatMap(old.property) { found } else { nil }
                try add(attribute, before, of: old, where: presence(of: name, match, old), to: &insertion)
            case .toOne(let toOne) where plan.isDirect(toOne.description):
                guard case .toOne(let before)? = match.relationships[name].flatMap({ old.property(named: $0.name) })
                else { continue }
                add(toOne, before, to: &insertion)
            case .toOne, .toMany, nil: continue
            }
        }
        let fragment = SQLFragment(
            sql: "INSERT INTO \(new.table) (\(insertion.columns.joined(separator: ", "))) "
                + "SELECT \(insertion.values.joined(separator: ", ")) FROM \(tables.old(old.table)) AS o "
                + "WHERE o.\(dialect.entity) = \(dialect.literal(old)) ORDER BY o.\(dialect.key)",
            arguments: insertion.arguments)
        try db.run(fragment)
    }

    // MARK: Attributes

    /// For an element of composite attributes that may have no value: the condition that the innermost of them that there was before has one
    /// in an old row. Nil for all others.
    private func presence(of name: String, _ match: EntityMatch, _ old: SQLEntity) -> String? {
        var path = name[...]
        while let dot = path.lastIndex(of: ".") {
            path = path[..<dot]
            guard match.destination.layout.composites[String(path)]?.isOptional ?? false,
                let before = match.composites[String(path)]
            else { continue }
            let elements = old.properties.keys.filter { $0.hasPrefix("\(before).") }
            let columns = elements.sorted(by: SQLNaming.precedes).compactMap { element in
                if case .attribute(let attribute)? = old.property(named: element) { attribute.column } else { nil }
            }
            if !columns.isEmpty { return "(\(columns.map { "o.\($0) IS NOT NULL" }.joined(separator: " OR ")))" }
        }
        return nil
    }

    /// - Parameter presence: The condition for its default value; nil for none.
    private func add(
        _ new: SQLAttribute, _ old: SQLAttribute?, of entity: SQLEntity, where presence: String?,
        to insertion: inout Insertion
    ) throws {
        // It is computed, unless it is a moment that has passed.
        if let derived = new.description as? NSDerivedAttributeDescription,
            derived.derivationExpression?.isNow != true || old?.description.attributeType != derived.attributeType
        {
            return
        }
        let value = try MigratedDefault.value(of: new.description, dialect)
        let plain = MigratedDefault.mark(new.description, dialect)
        let mark = presence.map { "CASE WHEN \($0) THEN \(plain) END" } ?? plain
        guard let old else {
            if value != .null { insertion.add(new.column, mark, [value]) }
            return
        }
        let (copied, arguments) = converted(old, new, of: entity)
        if old.description.isOptional, !new.description.isOptional, value != .null {
            insertion.add(new.column, "coalesce(\(copied), \(mark))", arguments + [value])
        } else {
            insertion.add(new.column, copied, arguments)
        }
    }

    private func converted(
        _ old: SQLAttribute, _ new: SQLAttribute, of entity: SQLEntity
    ) -> (sql: String, arguments: [SQLValue]) {
        let column = "o.\(old.column)"
        if dialect == .postgreSQL { return (column, []) }
        // A model may say so of texts, too, where it means nothing.
        let isMarked = [old, new].map { attribute in
            [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.description.attributeType)
                && attribute.description.allowsExternalBinaryDataStorage
        }
        switch (isMarked[0], isMarked[1]) {
        case (false, true):
            // `||` joins bytes as they are, zero bytes included.
            return ("CASE WHEN \(column) IS NULL THEN NULL ELSE CAST(x'01' || \(column) AS BLOB) END", [])
        case (true, false):
            return (
                "\(Self.inlining)(\(column), o.\(dialect.key), ?)", [.text("\(entity.name).\(old.description.name)")]
            )
        case (true, true), (false, false): return (column, [])
        }
    }

    // MARK: To-one relationships

    private func add(_ new: SQLToOne, _ old: SQLToOne, to insertion: inout Insertion) {
        insertion.add(new.column, "o.\(old.column)")
        if let column = new.entityColumn { insertion.add(column, entityNumber(old)) }
        if let column = new.orderColumn, let before = old.orderColumn { insertion.add(column, "o.\(before)") }
    }

    /// The destination row's `Z_ENT` in the new numbers.
    private func entityNumber(_ old: SQLToOne) -> String {
        let numbers = old.destination.hierarchyNumbers.map { number -> (old: Int, new: Int?) in
            let match = tables.source.entity(numbered: number).flatMap { matching.match(ofSource: $0.description) }
            return (number, match.flatMap { tables.destination.entity(for: $0.destination)?.number })
        }
        let cases = numbers.map { " WHEN \($0.old) THEN \($0.new.map(String.init) ?? "NULL")" }.joined()
        // A number of no entity stays what it is: a check of the store finds it.
        func inNewNumbers(_ column: String) -> String { "CASE \(column)\(cases) ELSE \(column) END" }
        if let column = old.entityColumn {
            return numbers.allSatisfy { $0.old == $0.new } ? "o.\(column)" : inNewNumbers("o.\(column)")
        }
        let target = tables.old(old.destination.table)
        return "(SELECT \(inNewNumbers("t.Z_ENT")) FROM \(target) AS t WHERE t.Z_PK = o.\(old.column))"
    }

    /// Clears references to rows that haven't come along.
    func clearLostReferences(_ db: any MigrationDatabase) throws {
        for entity in tables.destination.entities {
            for case .toOne(let toOne)? in entity.description.ownProperties.map({ entity.property(named: $0.name) })
            where plan.isDirect(toOne.description) {
                let numbers = plan.sources(of: toOne.description)
                    .filter { matching.narrows($0.old, to: toOne.description) }
                    .compactMap { tables.destination.entity(for: $0.match.destination) }
                if numbers.isEmpty { continue }
                let cleared = [toOne.column, toOne.entityColumn, toOne.orderColumn].compactMap { $0 }
                    .map { "\($0) = NULL" }.joined(separator: ", ")
                try db.run(
                    SQLFragment(
                        sql: "UPDATE \(entity.table) SET \(cleared) WHERE \(toOne.column) IS NOT NULL "
                            + "AND \(dialect.entity) IN (\(tables.list(numbers))) AND NOT EXISTS (SELECT 1 FROM "
                            + "\(toOne.destination.table) AS t WHERE t.\(dialect.key) = \(entity.table).\(toOne.column) "
                            + "AND t.\(dialect.entity) IN (\(tables.list(under: toOne.destination))))"))
            }
        }
    }
}

/// The value that objects get for an attribute that they had none for, as a store keeps it.
enum MigratedDefault {
    /// - Throws: `CocoaError` where a transformable default can't be encoded.
    static func value(of attribute: NSAttributeDescription, _ dialect: SQLDialect) throws -> SQLValue {
        guard let boxed = attribute.defaultValue, let value = ManagedValue(boxed: boxed, for: attribute) else {
            return .null
        }
        switch value {
        case .boolean(let boolean): return .integer(boolean ? 1 : 0)
        case .integer(let integer): return .integer(integer)
        case .double(let double): return .real(double)
        case .string(let string): return .text(string)
        case .date(let seconds): return .real(seconds)
        case .uuid(let uuid): return .blob(uuid.bytes)
        case .uri(let url): return .text(url.absoluteString)
        case .decimal(let decimal):
            return dialect == .sqlite ? ValueBinder.stored(decimal) : .text(decimal.description)
        case .data(let data): return stored(data, attribute, dialect)
        case .transformable(let object): return stored(try object.storedBytes(), attribute, dialect)
        case .null, .objectID, .object, .objects, .unread, .memberIDs: return .null
        }
    }

    private static func stored(
        _ data: Data, _ attribute: NSAttributeDescription, _ dialect: SQLDialect
    ) -> SQLValue {
        let isMarked = dialect == .sqlite && attribute.allowsExternalBinaryDataStorage
        return .blob(isMarked ? ExternalDataFolder.inline(data) : data)
    }

    /// The parameter that it is given as.
    static func mark(_ attribute: NSAttributeDescription, _ dialect: SQLDialect) -> String {
        if dialect == .sqlite { return "?" }
        return switch attribute.attributeType {
        case .booleanAttributeType: "(? <> 0)"
        case .dateAttributeType: "?::timestamptz"
        case .UUIDAttributeType: "?::uuid"
        case .decimalAttributeType: "?::numeric"
        default: "?"
        }
    }
}
