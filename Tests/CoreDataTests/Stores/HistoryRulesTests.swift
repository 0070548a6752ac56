// What a check finds in the tables of a history.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct HistoryRulesTests {
    struct Damage: CustomTestStringConvertible {
        let sql: String
        let kind: StoreFinding.Kind
        let place: String
        var testDescription: String { sql }
    }

    private func store(_ folder: TemporaryFolder) throws -> TestStore {
        var options = SQLiteStoreOptions()
        options.tracksHistory = true
        let tag = TestModel.entity("Tag", [TestModel.attribute("label", .stringAttributeType)])
        let url = folder.url.appendingPathComponent("Tags.sqlite")
        let store = try TestStore(TestModel.model([tag]), at: url, options: options)
        try store.insert("Tag", [["label": .string("a")], ["label": .string("b")]])
        return store
    }

    private func findings(_ store: TestStore) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        _ = try StoreCheck(store: store.url, model: store.model).run { findings.append($0) }
        return findings
    }

    @Test(arguments: [
        Damage(
            sql: "UPDATE ATRANSACTION SET ZTIMESTAMP = 'x'", kind: .unreadableValue,
            place: "ATRANSACTION.ZTIMESTAMP of row 1"),
        Damage(
            sql: "UPDATE ACHANGE SET ZENTITY = NULL WHERE Z_PK = 2", kind: .unreadableValue,
            place: "ACHANGE.ZENTITY of row 2"),
        Damage(
            sql: "UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK = 1", kind: .unreadableValue,
            place: "ACHANGE.ZENTITYPK of row 1"),
        Damage(
            sql: "UPDATE ACHANGE SET ZCHANGETYPE = x'00' WHERE Z_PK = 1", kind: .unreadableValue,
            place: "ACHANGE.ZCHANGETYPE of row 1"),
        Damage(
            sql: "UPDATE ACHANGE SET Z_PK = 9223372036854775807 WHERE Z_PK = 1", kind: .spentKeyCounter,
            place: "ACHANGE of row 9223372036854775807"),
        Damage(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 'x' WHERE Z_ENT = 16002", kind: .spentKeyCounter,
            place: "ATRANSACTION"),
        Damage(sql: "DROP TABLE ATRANSACTION", kind: .unreadableTable, place: "ATRANSACTION"),
        Damage(sql: "DROP TABLE ACHANGE", kind: .unreadableTable, place: "ACHANGE"),
        Damage(sql: "DROP TABLE ATRANSACTIONSTRING", kind: .unreadableTable, place: "ATRANSACTIONSTRING"),
    ])
    func `what keeps a history from being read or continued is found, and nothing else`(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        #expect(try findings(store).isEmpty)
        try store.sql { try $0.execute(sql: damage.sql) }
        let found = try findings(store)
        #expect(found.map(\.kind) == [damage.kind])
        #expect(found.map(\.place) == [damage.place])
    }

    @Test func `a history that has lost the names of authors is read and continued without them`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        try store.sql { try $0.execute(sql: "DROP TABLE ATRANSACTIONSTRING") }
        #expect(try store.backend.transactions(in: .all).map(\.processID) == [nil])
        try store.insert("Tag", [["label": .string("c")]])
        let names = try store.backend.transactions(in: .all).map(\.processID)
        #expect(names == [nil, ProcessInfo.processInfo.processName])
        #expect(try findings(store).isEmpty)
    }

    @Test(arguments: ["ATRANSACTION", "ACHANGE"])
    func `a history that has lost a table begins anew, and its tokens have expired`(_ table: String) throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        try store.sql { try $0.execute(sql: "DROP TABLE \(table)") }
        try store.backend.close()
        var options = SQLiteStoreOptions()
        options.tracksHistory = true
        let opened = try TestStore(store.model, at: store.url, options: options)
        try opened.insert("Tag", [["label": .string("c")]])
        for number: Int64 in 0...1 {
            let error = #expect(throws: CocoaError.self) { try opened.backend.transactions(in: .after(number)) }
            #expect(error?.code == .persistentHistoryTokenExpired)
        }
        let transactions = try opened.backend.transactions(in: .all).map(\.number)
        #expect(try opened.backend.historyChanges(of: transactions).count == 1)
        #expect(try findings(opened).isEmpty)
    }

    @Test func `a save that finds no key left in the history names the table that has the last one`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        try store.sql { try $0.execute(sql: "UPDATE ACHANGE SET Z_PK = 9223372036854775807 WHERE Z_PK = 1") }
        let error = try #require(throws: CocoaError.self) { try store.insert("Tag") }
        #expect(error.localizedDescription.contains("ACHANGE.Z_PK"))
        #expect(!error.localizedDescription.contains("Z_MAX"))
    }
}
