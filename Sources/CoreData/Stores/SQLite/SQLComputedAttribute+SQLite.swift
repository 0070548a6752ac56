// How SQLite follows what derived attributes are computed from. Temporary triggers of each connection that writes note the rows that
// have to be computed anew, once however often they are touched, and the end of a save does it. The triggers are temporary because
// the values call functions that only we have, which nobody else who opens the file must find there.
//
//     CREATE TEMP TRIGGER graft_3_ZFOLDED_1 AFTER UPDATE OF ZTITLE ON main.ZBOOK
//     BEGIN INSERT OR IGNORE INTO graft_computed SELECT 2, Z_PK FROM ZBOOK WHERE Z_PK = NEW.Z_PK; END
//     WITH n (k, v) AS MATERIALIZED (
//     SELECT t0.Z_PK, graft_function(...) FROM ZBOOK AS t0 WHERE t0.Z_PK IN (SELECT Z_PK FROM graft_settling))
//     UPDATE ZBOOK SET ZFOLDED = n.v FROM n WHERE n.k = ZBOOK.Z_PK AND ZFOLDED IS NOT n.v

import Foundation

extension SQLComputedAttribute {
    /// Whether a trigger of the file, by its name, keeps the attribute.
    func isKept(byTrigger trigger: String) -> Bool {
        let events = ["SOURCE", "PARAMETER"].flatMap { end in ["INSERT", "UPDATE", "DELETE"].map { "\(end)_\($0)" } }
        return watchedTables.contains { table in
            events.contains { trigger.hasPrefix(SQLDerivedAttributes.triggerName(on: table, entity, name, $0)) }
        }
    }

    /// The tables that a trigger may be on.
    private var watchedTables: [String] {
        [entity.table]
            + sources.flatMap { source -> [String] in
                switch source {
                case .ownColumn, .save: []
                case .toOne(let table, _, _), .members(let table, _, _): [table]
                case .joined(let table, _, _, let members, _, _): [table, members]
                }
            }
    }

    /// Where the rows are noted that have to be computed, by the number of the attribute, and where those are that are being
    /// computed.
    static let tables = [
        "CREATE TEMP TABLE graft_computed (attribute INTEGER, Z_PK INTEGER, PRIMARY KEY (attribute, Z_PK)) WITHOUT ROWID",
        "CREATE TEMP TABLE graft_settling (Z_PK INTEGER PRIMARY KEY)",
    ]

    /// Seconds since 2001, as dates are stored.
    private static let now = "((julianday('now') - 2451910.5) * 86400.0)"

    /// The triggers that note rows, under a number.
    func triggers(_ number: Int) -> [String] {
        var events: [(event: String, rows: String)] = [("INSERT ON main.\(entity.table)", "Z_PK = NEW.Z_PK")]
        for source in sources { events += Self.events(source, entity.table) }
        return events.enumerated().map { index, trigger in
            "CREATE TEMP TRIGGER graft_\(entity.number)_\(column)_\(index) AFTER \(trigger.event) BEGIN "
                + "INSERT OR IGNORE INTO graft_computed SELECT \(number), Z_PK FROM \(entity.table) "
                + "WHERE \(trigger.rows)\(condition); END"
        }
    }

    private static func events(_ source: Source, _ table: String) -> [(event: String, rows: String)] {
        switch source {
        case .ownColumn(let column): return [("UPDATE OF \(column) ON main.\(table)", "Z_PK = NEW.Z_PK")]
        // Whatever changes a row counts it up.
        case .save: return [("UPDATE OF Z_OPT ON main.\(table)", "Z_PK = NEW.Z_PK")]
        case .toOne(let other, let reference, let column):
            return ["INSERT ON main.\(other)", "UPDATE OF \(column) ON main.\(other)"].map {
                ($0, "\(reference) = NEW.Z_PK")
            }
        case .members(let members, let owner, let column):
            let changed = [owner, column].compactMap { $0 }.joined(separator: ", ")
            return [
                ("INSERT ON main.\(members)", "Z_PK = NEW.\(owner)"),
                ("UPDATE OF \(changed) ON main.\(members)", "Z_PK IN (OLD.\(owner), NEW.\(owner))"),
                ("DELETE ON main.\(members)", "Z_PK = OLD.\(owner)"),
            ]
        case .joined(let join, let owner, let member, let members, let column, let isReflexive):
            let ends = isReflexive ? [owner, member] : [owner]
            func rows(_ row: String) -> String { "Z_PK IN (\(ends.map { "\(row).\($0)" }.joined(separator: ", ")))" }
            var events = [("INSERT ON main.\(join)", rows("NEW")), ("DELETE ON main.\(join)", rows("OLD"))]
            guard let column else { return events }
            var owners = "SELECT \(owner) FROM \(join) WHERE \(member) = NEW.Z_PK"
            if isReflexive { owners += " UNION SELECT \(member) FROM \(join) WHERE \(owner) = NEW.Z_PK" }
            events.append(("UPDATE OF \(column) ON main.\(members)", "Z_PK IN (\(owners))"))
            return events
        }
    }

    private var condition: String { entity.rowCondition(includingSubentities: true).map { " AND \($0)" } ?? "" }

    /// Notes all rows that there are, under a number; for a moment those without one.
    func notingAll(_ number: Int) -> String {
        "INSERT OR IGNORE INTO graft_computed SELECT \(number), Z_PK FROM \(entity.table) "
            + "WHERE \(isMoment ? "\(column) IS NULL" : "1")\(condition)"
    }

    /// Computes the values of the rows in `graft_settling`, as far as they are others. The triggers note what is computed from
    /// them.
    ///
    /// - Throws: As the initializer, which has tried it.
    func computation() throws -> String {
        let values: String
        if isMoment {
            values = "SELECT Z_PK, \(Self.now) FROM graft_settling"
        } else {
            var select = newSelect
            var columns = SQLFragment(sql: "t0.Z_PK, ")
            columns += try value(&select)
            select.add(condition: SQLFragment(sql: "t0.Z_PK IN (SELECT Z_PK FROM graft_settling)"))
            values = select.statement(columns: columns).inlined
        }
        return "WITH n (k, v) AS MATERIALIZED (\(values)) UPDATE \(entity.table) SET \(column) = n.v FROM n "
            + "WHERE n.k = \(entity.table).Z_PK AND \(entity.table).\(column) IS NOT n.v"
    }
}

extension SQLSchema {
    /// The derived attributes that temporary triggers keep. One that can't be kept is left out: a store with it was made by
    /// somebody else, who can.
    func computedAttributes() -> [SQLComputedAttribute] {
        let derived = SQLDerivedAttributes(schema: self)
        return entities.flatMap { entity in
            derived.attributes(of: entity).compactMap { attribute in
                // What can't be kept is an error when a store is made.
                guard case .computed(let computed)? = try? derived.kind(of: attribute, of: entity) else { return nil }
                return computed
            }
        }
    }
}

extension SQLFragment {
    /// The SQL with its arguments as literals, for statements that can't have parameters.
    var inlined: String {
        let pieces = sql.split(separator: "?", omittingEmptySubsequences: false)
        var text = String(pieces[0])
        for (piece, argument) in zip(pieces.dropFirst(), arguments) { text += argument.literal + piece }
        return text
    }
}

extension SQLValue {
    /// The value as SQL has it in a text.
    fileprivate var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
        case .text(let value): "CAST(x'\(Self.hexadecimal(value.utf8))' AS TEXT)"
        case .blob(let data): "x'\(Self.hexadecimal(data))'"
        }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }
}
