// The store of Apple's Notes, in which one table has the columns of twenty sub-entities that share names of properties: ZTITLE is an
// attachment's, ZTITLE1 a note's and ZTITLE2 a folder's. SQL alone says what is where.

import Foundation
import GRDB
import Testing

@Suite(.needsReferenceData) struct AppleNotesTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.copy(of: Project.data.appending(path: "more-stores/Notes/NoteStore.sqlite"))
    }

    /// Every column of every row of the table, by the row's key.
    private func rows() throws -> [Int64: [String: DatabaseValue]] {
        try StoreFile(path: store).read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM ZICCLOUDSYNCINGOBJECT")
            return Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    (row["Z_PK"] as Int64, Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }))
                })
        }
    }

    /// The values of a property of the objects that an export finds.
    private func export(_ entity: String, where format: String, _ key: String) throws -> [String] {
        let run = try graft("export", "--store", store, "--entity", entity, "--where", format).succeeded()
        let objects = try #require(JSONSerialization.jsonObject(with: run.output) as? [[String: Any]])
        return objects.compactMap { $0[key] as? String }
    }

    @Test func `a note and a folder are found by their titles, each in its own column`() throws {
        let rows = try rows()
        for (entity, column, title) in [
            ("ICNote", "ZTITLE1", "My First Note"), ("ICFolder", "ZTITLE2", "My New Folder"),
        ] {
            let found = rows.values.filter { $0[column] == title.databaseValue }
            let identifiers = found.compactMap { String.fromDatabaseValue($0["ZIDENTIFIER"] ?? .null) }
            #expect(identifiers.count == 1)
            #expect(try export(entity, where: "title == '\(title)'", "identifier") == identifiers)
            #expect(try export(entity, where: "title == '\(title)'", "title") == [title])
        }
        #expect(try export("ICNote", where: "title == 'My New Folder'", "identifier") == [])
        let titles = rows.values.compactMap { String.fromDatabaseValue($0["ZTITLE1"] ?? .null) }
        #expect(try export("ICNote", where: "title != nil", "title").sorted() == titles.sorted())
    }

    @Test(arguments: [("ICNote", "ZTITLE1", "My First Note"), ("ICFolder", "ZTITLE2", "My New Folder")])
    func `an import that changes a title changes its column in its row, and nothing else`(
        _ entity: String, _ column: String, _ title: String
    ) throws {
        let before = try rows()
        let (key, row) = try #require(before.first { $0.value[column] == title.databaseValue })
        let identifier = try #require(String.fromDatabaseValue(row["ZIDENTIFIER"] ?? .null))
        let file = try folder.file("in.json", #"[{"identifier": "\#(identifier)", "title": "Renamed"}]"#)
        try graft("import", file, "--entity", entity, "--store", store).succeeded()
        var expected = before
        expected[key]?[column] = "Renamed".databaseValue
        // The row's version counts saves.
        let version = try #require(Int64.fromDatabaseValue(row["Z_OPT"] ?? .null))
        expected[key]?["Z_OPT"] = (version + 1).databaseValue
        let after = try rows()
        #expect(after == expected)
        #expect(try export(entity, where: "title == 'Renamed'", "identifier") == [identifier])
        #expect(try export(entity, where: "title == '\(title)'", "identifier") == [])
    }
}
