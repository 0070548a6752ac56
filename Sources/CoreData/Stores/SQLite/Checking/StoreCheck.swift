// A check of a whole store: SQLite's own, each row, and what has to hold between rows. Reading changes no byte; a repair is one
// transaction, in which the same questions are asked again.

import Foundation
import GRDB

/// The check of one store.
package struct StoreCheck {
    let url: URL
    let model: NSManagedObjectModel
    let identities: [String: [String]]
    let families: [String: String]
    let timeout: TimeInterval?

    /// - Parameters:
    ///   - identities: What identifies the objects of entities, by their names.
    ///   - families: The entities in which one identity is one object, whatever sub-entity it is of, by their own and their
    ///     sub-entities' names.
    ///   - timeout: How many seconds to wait for a lock; nil for as long as usual.
    package init(
        store url: URL, model: NSManagedObjectModel, identities: [String: [String]] = [:],
        families: [String: String] = [:], timeout: TimeInterval? = nil
    ) {
        self.url = url
        self.model = model
        self.identities = identities
        self.families = families
        self.timeout = timeout
    }

    /// Looks at everything, and changes nothing.
    ///
    /// - Parameter report: Is given each finding as soon as there is one.
    /// - Throws: `CocoaError` where the store can't be opened with the model, or can't be read at all.
    package func run(_ report: (StoreFinding) throws -> Void) throws -> StoreCheckSummary {
        let errors = SQLiteErrors(path: url.path)
        do {
            let opening = SQLiteStoreOpening(
                url: url, model: model, configuration: nil, options: options(isReadOnly: true), errors: errors)
            let database = try opening.existing()
            // One state for all questions.
            let state = try database.snapshot() ?? database
            let summary = try Self.found { found in
                try state.read { found = try check($0, opening, mending: nil, report) }
            }
            try database.close()
            return summary
        } catch {
            throw errors.translated(error, .reading)
        }
    }

    /// How many values lie in files that aren't there.
    ///
    /// - Throws: As ``run(_:)``, and where a table can't be read.
    package func missingFileCount() throws -> Int {
        let errors = SQLiteErrors(path: url.path)
        do {
            let opening = SQLiteStoreOpening(
                url: url, model: model, configuration: nil, options: options(isReadOnly: true), errors: errors)
            let database = try opening.existing()
            var count = 0
            try database.read { db in
                try ExternalDataFolder(storeURL: url).forEachFile(of: opening.examine(db).0, db) {
                    if FileState($0.path) == nil { count += 1 }
                }
            }
            try database.close()
            return count
        } catch {
            throw errors.translated(error, .reading)
        }
    }

    /// What a reading finds. SQLite refuses to end one in which it has met damage; what was found stands.
    private static func found<T>(_ read: (inout T?) throws -> Void) throws -> T {
        var found: T?
        do {
            try read(&found)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT && found != nil {}
        guard let found else { fatalError("A reading ended without running its body.") }
        return found
    }

    /// Looks at the file alone, where there is no model by which its rows could be read.
    ///
    /// - Throws: `CocoaError` where it can't be read at all.
    package static func checkFile(
        of store: URL, timeout: TimeInterval? = nil, _ report: (StoreFinding) throws -> Void
    ) throws {
        var options = SQLiteStoreOptions()
        if let timeout { options.busyTimeout = timeout }
        do {
            let database = try ReadOnlyDatabase(path: store.path, options: options)
            defer { database.close() }
            try withoutActuallyEscaping(report) { report in
                try found { found in
                    try database.read { found = try StoreCheckRun(db: $0, backUp: nil, report: report).checkFile() }
                }
            }
        } catch {
            throw SQLiteErrors(path: store.path).translated(error, .reading)
        }
    }

    /// Mends what can be mended without inventing anything, all of it or nothing.
    ///
    /// - Parameters:
    ///   - backUp: Runs before the first change, while nobody else can change the store.
    ///   - report: Is given each finding; those that are mendable have been mended if the call doesn't throw.
    /// - Throws: As ``run(_:)``, and what a mend came to; the store is then as it was.
    package func repair(
        backUp: @escaping () throws -> Void, _ report: (StoreFinding) throws -> Void
    ) throws -> StoreCheckSummary {
        let errors = SQLiteErrors(path: url.path)
        do {
            let options = options(isReadOnly: false)
            let opening = SQLiteStoreOpening(
                url: url, model: model, configuration: nil, options: options, errors: errors)
            let database = try opening.existing()
            let summary = try database.write { try check($0, opening, mending: backUp, report) }
            try database.close()
            return summary
        } catch {
            throw errors.translated(error, .saving)
        }
    }

    private func options(isReadOnly: Bool) -> SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.isReadOnly = isReadOnly
        options.keepsJournalMode = true
        if let timeout { options.busyTimeout = timeout }
        return options
    }

    // MARK: The questions

    private func check(
        _ db: Database, _ opening: SQLiteStoreOpening, mending backUp: (() throws -> Void)?,
        _ report: (StoreFinding) throws -> Void
    ) throws -> StoreCheckSummary {
        try withoutActuallyEscaping(report) { report in
            let run = StoreCheckRun(db: db, backUp: backUp, report: report)
            try run.checkFile()
            let (schema, _) = try opening.examine(db)
            // What is mended may be what derived attributes are computed from.
            let computed = try backUp == nil ? ComputedAttributes() : ComputedAttributes(schema, db)
            run.summary.entities = schema.entities.count
            try run.guarding("Z_MODELCACHE") {
                guard let reason = try SQLiteStoreFile.damageOfModelCache(db) else { return }
                try run.add(
                    StoreFinding(
                        .damagedFile, "the model that the store carries (Z_MODELCACHE) is damaged: \(reason)",
                        mend: .impossible("Name the model with --model, or make a store that carries it: graft copy.")))
            }
            let rows = try ask(run, schema)
            run.summary.rows = rows.rowCount
            run.summary.unreadTransformables = rows.unreadTransformables
            try computed.settle(db)
            if run.isBackedUp || run.hasPostponed {
                run.isAgain = true
                _ = try ask(run, schema)
            }
            return run.summary
        }
    }

    private func ask(_ run: StoreCheckRun, _ schema: SQLSchema) throws -> RowCheck {
        var rows = try RowCheck(schema: schema, external: ExternalDataFolder(storeURL: url), report: run.add)
        for table in schema.tables { try run.guarding(table.name, isTable: true) { try rows.run(run.db, table) } }
        // A table that can't be read may refer to any of them.
        if !run.isIncomplete { try run.guarding("external files") { try rows.checkFiles(run.db) } }
        let rules = StoreRules(
            schema: schema, identities: identities, families: families, tablesWithoutKeys: rows.tablesWithoutKeys)
        // Rows of a table that can't be read are there all the same.
        for rule in try rules.all() + HistoryRules.all(run.db) where !rule.asks(ofAnyOf: run.unreadableTables) {
            try run.guarding(rule.entity, rule.property) { try run.ask(rule, schema) }
        }
        return rows
    }
}

/// One run over the questions.
private final class StoreCheckRun {
    let db: Database
    private let report: (StoreFinding) throws -> Void
    /// Nil where nothing is mended.
    private let backUp: (() throws -> Void)?
    private(set) var isBackedUp = false
    /// Whether there is something that couldn't be looked at.
    private(set) var isIncomplete = false
    /// The tables of entities that can't be read.
    private(set) var unreadableTables: Set<String> = []
    /// Whether the file itself is damaged, so that nothing in it is mended.
    private var isFileDamaged = false
    /// Whether all has been mended, and the questions are asked once more.
    var isAgain = false
    /// Whether there are missing links, which the mend of another finding may put there.
    private(set) var hasPostponed = false
    /// What was reported and not mended.
    private var left: Set<Int> = []
    var summary = StoreCheckSummary()

    init(db: Database, backUp: (() throws -> Void)?, report: @escaping (StoreFinding) throws -> Void) {
        self.db = db
        self.backUp = backUp
        self.report = report
    }

    func add(_ finding: StoreFinding) throws {
        var finding = finding
        if backUp != nil, !isAgain, finding.kind == .orphan { return hasPostponed = true }
        if isFileDamaged, finding.isMendable {
            finding.mend = .impossible("Nothing is mended while the file itself is damaged.")
        }
        let isMended = !isAgain && backUp != nil && finding.isMendable
        if !isMended {
            let isNew = left.insert(finding.place.hashValue ^ finding.kind.hashValue).inserted
            guard isNew || !isAgain && finding.kind != .unreadableTable else { return }
            if isAgain, finding.kind != .orphan {
                finding.mend = .impossible("It came with the repair: run it again, or correct it by hand.")
            }
        }
        if finding.kind.isNote { summary.notes += 1 } else { summary.damages += 1 }
        if isMended { summary.mended += 1 }
        try report(finding)
    }

    func ask(_ rule: StoreRule, _ schema: SQLSchema) throws {
        guard backUp != nil, !isAgain, case .statements(let statements, _) = rule.mend, try rule.isFound(db) else {
            return try rule.find(db, schema, add)
        }
        try prepareToMend()
        let (left, reason) = try leftBy(statements, rule)
        try rule.find(db, schema) { finding in
            var finding = finding
            if left.contains(finding.row) { finding.mend = .impossible(reason) }
            try add(finding)
        }
        if left.isEmpty || reason == Self.unchanged { try mend(statements) }
    }

    private static let unchanged =
        "A repair was tried and changed nothing: a trigger of the file is against it. Correct it by hand."

    /// Tries a mend, and takes it back.
    ///
    /// - Returns: The keys of the rows that it doesn't mend, and why not.
    private func leftBy(_ statements: [String], _ rule: StoreRule) throws -> (rows: Set<Int64?>, reason: String) {
        let before = try rule.rows(db)
        var result = (rows: before, reason: Self.unchanged)
        do {
            try db.inSavepoint {
                try mend(statements)
                result.rows = try rule.rows(db)
                return .rollback
            }
        } catch let error as DatabaseError
            where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode) && db.isInsideTransaction
        {
            result.reason =
                "A repair was tried, and the file refuses it: \(error.message ?? "a constraint"). Correct it by hand."
        }
        return result
    }

    private func prepareToMend() throws {
        if isBackedUp { return }
        try backUp?()
        isBackedUp = true
    }

    private func mend(_ statements: [String]) throws {
        for statement in statements { try RowStatement(db, statement).run() }
    }

    /// Goes on behind what SQLite can't read, where it has said that the file is damaged.
    func guarding(_ name: String, _ property: String? = nil, isTable: Bool = false, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            isIncomplete = true
            if isTable { unreadableTables.insert(name) }
            let what = isTable ? "can't be read, so that what leads there isn't checked" : "can't be checked"
            try add(
                StoreFinding(
                    .unreadableTable, entity: name, property: property,
                    "\(what): \(error.message ?? "the file is damaged")",
                    mend: .impossible("Restore the store from a copy, or save what can be read: sqlite3 STORE .recover")
                ))
        }
    }

    // MARK: The file

    /// The tables that SQLite's check can't look into, and why not.
    private var unchecked: [String: String] = [:]

    private static let mostLines = 100

    /// SQLite's own check. Indexes follow from the rows and can be made again.
    func checkFile() throws {
        let lines = try integrity()
        for (table, reason) in unchecked.sorted(by: { $0.key < $1.key }) {
            try add(
                StoreFinding(
                    .damagedFile, "SQLite can't check the table \(table): \(reason)",
                    mend: .impossible(
                        "Drop the index or table that needs it, or change the store with its own program alone.")))
        }
        guard !lines.isEmpty else { return }
        var isIndex = lines.allSatisfy(Self.isAboutIndex)
        let recovery = "Restore the store from a copy, or save what can be read: sqlite3 STORE .recover"
        var mend = isIndex ? StoreFinding.Mend.possible("makes the index again") : .impossible(recovery)
        if isIndex, backUp != nil, let reason = try remakeIndexes() {
            mend = .impossible(reason)
            // Behind the lines about indexes there was no room for others.
            isIndex = try integrity().allSatisfy(Self.isAboutIndex)
        }
        for line in lines { try add(StoreFinding(.damagedFile, "SQLite says: \(line)", mend: mend)) }
        isFileDamaged = !isIndex
        if isFileDamaged, backUp != nil {
            throw CoreDataError.make(
                .fileReadCorruptFile,
                "The file is damaged, and nothing in it is mended: a change could make it worse. \(recovery)")
        }
    }

    private static func isAboutIndex(_ line: String) -> Bool {
        line.contains("missing from index") || line.contains("wrong # of entries in index")
    }

    /// - Returns: Why the indexes can't be made again; nil where they are.
    private func remakeIndexes() throws -> String? {
        try prepareToMend()
        do {
            try mend(["REINDEX"])
        } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode) {
            return
                "The index can't be made again: \(error.message ?? "SQLite refuses it"). Correct the rows, or drop the index."
        }
        return try integrity().isEmpty
            ? nil : "The index was made again, and isn't sound. Drop it, or restore the store from a copy."
    }

    private func integrity(of table: String? = nil) throws -> [String] {
        do {
            let lines = try db.texts(
                "PRAGMA integrity_check(\(table.map(SQLNaming.quoted) ?? "\(Self.mostLines)"))")
            return lines == ["ok"]
                ? [] : lines.flatMap { $0.split(separator: "\n").map(String.init) }.filter { !$0.hasPrefix("*** in ") }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [error.message ?? "the file is damaged"]
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR && table == nil {
            return try tables().flatMap { table in
                do {
                    return try integrity(of: table)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    // An index with a collation of another program's, for instance.
                    let reason = error.message ?? "SQLite refuses it"
                    unchecked[table] = reason
                    return []
                }
            }
        }
    }

    private func tables() throws -> [String] {
        try db.texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY name")
    }
}
