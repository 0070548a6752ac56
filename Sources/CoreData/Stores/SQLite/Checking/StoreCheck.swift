// A check of a whole store: SQLite's own, each row, and what has to hold between rows. Reading changes no byte; a repair is one
// transaction, in which the same questions are asked again.

import Foundation
import GRDB

/// The check of one store.
package struct StoreCheck {
    let url: URL
    let model: NSManagedObjectModel
    let identities: [String: [String]]
    let timeout: TimeInterval?

    /// - Parameters:
    ///   - identities: What identifies the objects of entities, by their names.
    ///   - timeout: How many seconds to wait for a lock; nil for as long as usual.
    package init(
        store url: URL, model: NSManagedObjectModel, identities: [String: [String]] = [:], timeout: TimeInterval? = nil
    ) {
        self.url = url
        self.model = model
        self.identities = identities
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
            let summary = try state.read { try check($0, opening, mending: nil, report) }
            try database.close()
            return summary
        } catch {
            throw errors.translated(error, .reading)
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
        if let timeout { options.busyTimeout = timeout }
        // A store keeps the mode that it is in.
        if !isReadOnly, let start = try? SQLiteStoreFile.firstBytes(of: url.path), !SQLiteStoreFile.isInLogMode(start) {
            options.pragmas = [("journal_mode", "delete")]
        }
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
            let numbers = Set(try SQLiteStoreOpening.contents(db).entityRows.map(\.number))
            run.summary.entities = schema.entities.count
            var rows = try RowCheck(
                schema: schema, external: ExternalDataFolder(storeURL: url), numbers: numbers, report: run.add)
            for table in schema.tables { try run.guarding(table.name) { try rows.run(db, table) } }
            // A table that can't be read may refer to any of them.
            if !run.isIncomplete { try rows.checkFiles() }
            run.summary.rows = rows.rowCount
            run.summary.unreadTransformables = rows.unreadTransformables
            for rule in try StoreRules(schema: schema, identities: identities).all() {
                try run.guarding(rule.entity) { try run.ask(rule, schema) }
            }
            try computed.settle(db)
            return run.summary
        }
    }
}

/// One run over the questions.
private final class StoreCheckRun {
    let db: Database
    private let report: (StoreFinding) throws -> Void
    /// Nil where nothing is mended.
    private let backUp: (() throws -> Void)?
    private var isBackedUp = false
    /// Whether there is something that couldn't be looked at.
    private(set) var isIncomplete = false
    var summary = StoreCheckSummary()

    init(db: Database, backUp: (() throws -> Void)?, report: @escaping (StoreFinding) throws -> Void) {
        self.db = db
        self.backUp = backUp
        self.report = report
    }

    func add(_ finding: StoreFinding) throws {
        if finding.kind.isNote { summary.notes += 1 } else { summary.damages += 1 }
        if backUp != nil, finding.isMendable { summary.mended += 1 }
        try report(finding)
    }

    func ask(_ rule: StoreRule, _ schema: SQLSchema) throws {
        let isFound = try rule.find(db, schema, add)
        if isFound, case .statements(let statements, _) = rule.mend { try mend(statements) }
    }

    private func mend(_ statements: [String]) throws {
        guard let backUp else { return }
        if !isBackedUp {
            try backUp()
            isBackedUp = true
        }
        for statement in statements { try RowStatement(db, statement).run() }
    }

    /// Goes on behind what SQLite can't read, where it has said that the file is damaged.
    func guarding(_ name: String, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            isIncomplete = true
            try add(
                StoreFinding(
                    .unreadableTable, entity: name, "can't be read: \(error.message ?? "the file is damaged")",
                    mend: .impossible("Restore the store from a copy, or save what can be read: sqlite3 STORE .recover")
                ))
        }
    }

    // MARK: The file

    private static let mostLines = 100

    /// SQLite's own check. Indexes follow from the rows and can be made again.
    func checkFile() throws {
        let lines = try integrity()
        guard !lines.isEmpty else { return }
        let isIndex = lines.allSatisfy {
            $0.contains("missing from index") || $0.contains("wrong # of entries in index")
        }
        for line in lines {
            try add(
                StoreFinding(
                    .damagedFile, "SQLite says: \(line)",
                    mend: isIndex
                        ? .possible("makes the index again")
                        : .impossible(
                            "Restore the store from a copy, or save what can be read: sqlite3 STORE .recover")))
        }
        if isIndex {
            try mend(["REINDEX"])
        } else if backUp != nil {
            throw CoreDataError.make(
                .fileReadCorruptFile,
                "The file is damaged, and nothing in it is mended: a change could make it worse. Restore the store from a "
                    + "copy, or save what can be read: sqlite3 STORE .recover")
        }
    }

    private func integrity() throws -> [String] {
        do {
            let lines = try db.texts("PRAGMA integrity_check(\(Self.mostLines))")
            return lines == ["ok"] ? [] : lines.flatMap { $0.split(separator: "\n").map(String.init) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [error.message ?? "the file is damaged"]
        }
    }
}
