// Derived attributes whose triggers in Core Data's own files aren't known: `canonical:(name)`, `now()`, `sum:(books.pages)`,
// the count of a many-to-many relationship, and every other expression over the row, the destination of a to-one relationship or
// the members of a to-many one. Temporary triggers of each connection that writes note the rows that have to be computed anew,
// once however often they are touched, and the end of a save does it. The triggers are temporary because the values call functions
// that only we have, which nobody else who opens the file must find there.
//
//     CREATE TEMP TRIGGER graft_3_ZFOLDED_1 AFTER UPDATE OF ZTITLE ON main.ZBOOK
//     BEGIN INSERT OR IGNORE INTO graft_computed SELECT 2, Z_PK FROM ZBOOK WHERE Z_PK = NEW.Z_PK; END
//     WITH n (k, v) AS MATERIALIZED (
//     SELECT t0.Z_PK, graft_function(...) FROM ZBOOK AS t0 WHERE t0.Z_PK IN (SELECT Z_PK FROM graft_settling))
//     UPDATE ZBOOK SET ZFOLDED = n.v FROM n WHERE n.k = ZBOOK.Z_PK AND ZFOLDED IS NOT n.v

import Foundation

/// One derived attribute, computed by SQL.
struct SQLComputedAttribute: CustomStringConvertible {
    /// Where a value comes from that a trigger has to watch.
    private enum Source: Hashable {
        case ownColumn(String)
        /// `ZBOOK.ZAUTHOR` leads to rows whose columns are used.
        case toOne(table: String, reference: String, column: String)
        case members(table: String, owner: String, column: String?)
        case joined(table: String, owner: String, member: String, members: String, column: String?, isReflexive: Bool)
        /// Every save of the row.
        case save
    }

    private let entity: SQLEntity
    private let name: String
    private let column: String
    /// Selects key and value of the rows that are to be computed.
    private let values: String
    private let sources: [Source]
    /// Whether the value depends on the moment alone.
    private let isMoment: Bool

    /// Seconds since 2001, as dates are stored.
    private static let now = "((julianday('now') - 2451910.5) * 86400.0)"

    /// - Throws: ``SQLSchemaError`` naming the attribute, for what SQL can't compute or no trigger can follow.
    init(_ attribute: NSDerivedAttributeDescription, _ own: SQLAttribute, of entity: SQLEntity, in schema: SQLSchema)
        throws
    {
        self.entity = entity
        name = attribute.name
        column = own.column
        func unsupported(_ reason: String) -> SQLSchemaError {
            SQLSchemaError(.unsupported(what: "Derived attribute \(entity.name).\(attribute.name)", reason: reason))
        }
        guard let expression = attribute.derivationExpression else {
            throw unsupported("it has no derivation expression")
        }
        if expression.isNow {
            guard attribute.attributeType == .dateAttributeType else {
                throw unsupported("now() is a date, and the attribute is none")
            }
            isMoment = true
            values = "SELECT Z_PK, \(Self.now) FROM graft_settling"
            sources = [.save]
            return
        }
        isMoment = false
        do {
            sources = try Self.sources(of: expression, entity)
            var select = SQLSelect(schema: schema, entity: entity, includesSubentities: true)
            var columns = SQLFragment(sql: "t0.Z_PK, ")
            columns += try select.value(of: expression, for: attribute, space: nil)
            select.add(condition: SQLFragment(sql: "t0.Z_PK IN (SELECT Z_PK FROM graft_settling)"))
            values = select.statement(columns: columns).inlined
        } catch let problem as PredicateSQLProblem {
            throw unsupported("'\(expression)': \(problem.reason)")
        } catch let error as CocoaError {
            throw unsupported(error.errorUserInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)")
        }
    }

    // MARK: What it comes from

    private static func sources(of expression: NSExpression, _ entity: SQLEntity) throws -> [Source] {
        guard let paths = expression.keyPaths else {
            throw PredicateSQLProblem("it can't be told when its value changes")
        }
        var sources: [Source] = []
        for path in paths {
            for source in try Self.sources(ofPath: path, entity) where !sources.contains(source) {
                sources.append(source)
            }
        }
        return sources
    }

    private static func sources(ofPath path: String, _ entity: SQLEntity) throws -> [Source] {
        let names = path.split(separator: ".").map(String.init).filter {
            !$0.hasPrefix("@") && $0.lowercased() != "self"
        }
        guard let first = names.first, names.count <= 2, let property = entity.property(named: first) else {
            throw PredicateSQLProblem(
                "the key path '\(path)' leads further than one relationship, or to nothing stored")
        }
        /// The column of an attribute at the other end.
        func column(_ destination: SQLEntity) throws -> String? {
            guard names.count == 2 else { return nil }
            if case .attribute(let attribute)? = destination.property(named: names[1]) { return attribute.column }
            throw PredicateSQLProblem("'\(names[1])' is no stored attribute of '\(destination.name)'")
        }
        switch property {
        case .attribute(let attribute) where names.count == 1: return [.ownColumn(attribute.column)]
        case .attribute: throw PredicateSQLProblem("'\(first)' is no relationship")
        case .toOne(let toOne):
            guard let column = try column(toOne.destination) else { return [.ownColumn(toOne.column)] }
            return [
                .ownColumn(toOne.column),
                .toOne(table: toOne.destination.table, reference: toOne.column, column: column),
            ]
        case .toMany(let toMany):
            let column = try column(toMany.destination)
            switch toMany.storage {
            case .foreignKey(let key): return [.members(table: key.table, owner: key.column, column: column)]
            case .joinTable(let join):
                return [
                    .joined(
                        table: join.table, owner: join.ownerColumn, member: join.memberColumn,
                        members: toMany.destination.table, column: column, isReflexive: join.isReflexive)
                ]
            }
        }
    }

    // MARK: Statements

    /// Whether a trigger of the file, by its name, keeps the attribute.
    func isKept(byTrigger trigger: String) -> Bool {
        trigger.hasPrefix("Z_DA_")
            && ["SOURCE", "PARAMETER"].contains { trigger.contains("_\(entity.name)_\(name)_\($0)_") }
    }

    var description: String { "\(entity.name).\(name)" }

    /// Where the rows are noted that have to be computed, by the number of the attribute, and where those are that are being
    /// computed.
    static let tables = [
        "CREATE TEMP TABLE graft_computed (attribute INTEGER, Z_PK INTEGER, PRIMARY KEY (attribute, Z_PK)) WITHOUT ROWID",
        "CREATE TEMP TABLE graft_settling (Z_PK INTEGER PRIMARY KEY)",
    ]

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
    var computation: String {
        "WITH n (k, v) AS MATERIALIZED (\(values)) UPDATE \(entity.table) SET \(column) = n.v FROM n "
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
