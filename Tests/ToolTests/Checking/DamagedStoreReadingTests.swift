// Commands that read a damaged store: nothing of it is lost without an error, or a line for each thing that is left out; and what isn't
// damaged is read all the same.

import Foundation
import TestSupport
import Testing

@Suite struct DamagedStoreReadingTests {
    private let folder: TemporaryFolder
    private let store: KennelStore
    private let sound: String

    init() throws {
        folder = try TemporaryFolder()
        (store, sound) = try KennelStore.withTwin(in: folder)
    }

    /// Changes the store by SQL, on a connection without what Graft adds.
    private func damage(_ sql: String) throws {
        try StoreSQL.run(sql, at: URL(filePath: store.path))
    }

    private static func bare(_ table: String) -> String {
        "CREATE TABLE bare AS SELECT * FROM \(table); DROP TABLE \(table); ALTER TABLE bare RENAME TO \(table);"
    }

    // MARK: Rows of no entity

    struct Stray: CustomTestStringConvertible {
        let sql: String, finding: String
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Stray(
            sql: "UPDATE ZYARD SET Z_ENT = 7",
            finding: "row 1: its entity number (Z_ENT) is integer '7', that of 'Yard'"),
        Stray(sql: "UPDATE ZYARD SET Z_ENT = 1", finding: "row 1: its entity number (Z_ENT) is integer '1'"),
        Stray(sql: "UPDATE ZYARD SET Z_ENT = 99", finding: "row 1: its entity number (Z_ENT) is integer '99'"),
        Stray(sql: "UPDATE ZYARD SET Z_ENT = NULL", finding: "row 1: its entity number (Z_ENT) is nothing"),
        Stray(sql: bare("ZYARD") + "UPDATE ZYARD SET Z_PK = 'x'", finding: "the key of a row (Z_PK) is text 'x'"),
        Stray(sql: bare("ZYARD") + "INSERT INTO ZYARD SELECT * FROM ZYARD", finding: "row 1: 2 rows have the key 1"),
    ])
    func `rows that are no objects are an error of each command that takes all, and can be left out`(_ stray: Stray)
        throws
    {
        try damage(stray.sql)
        for arguments in [
            ["archive", store.path], ["export", "--store", store.path],
            ["export", "--store", store.path, "--entity", "Zone"],
            ["diff", store.path, sound], ["diff", sound, store.path],
        ] {
            try graft(arguments).failed(saying: store.path, stray.finding)
        }
        // Which row a key means can't be told where it isn't one row's.
        if stray.finding.contains("Z_PK") || stray.finding.contains("the key") {
            return try graft("archive", store.path, "--keep-going", "--output", folder.path("a")).failed(saying: "Z_PK")
        }
        let archive = folder.path("Rest.graft"), restored = folder.path("Rest.sqlite")
        let left = try graft("archive", store.path, "--keep-going", "--output", archive)
        #expect(left.status == 1 && left.diagnostics.contains("left out: ") && left.diagnostics.contains(stray.finding))
        try graft("restore", archive, "--store", restored).succeeded()
        #expect(try StoreFile(path: restored).read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM ZANIMAL") } == 3)
        let exported = try graft("export", "--store", store.path, "--keep-going")
        #expect(exported.status == 1 && exported.text.contains("Ada"))
    }

    @Test func `a row of no entity in a table of one entity is left out, and the others aren't`() throws {
        try damage("UPDATE ZBADGE SET Z_ENT = 99 WHERE Z_PK = 1")
        let export = ["export", "--store", store.path]
        for arguments in [["archive", store.path], export, export + ["--entity", "Badge"]] {
            try graft(arguments).failed(saying: "row 1: its entity number (Z_ENT) is integer '99'")
            let left = try graft(arguments + ["--keep-going"])
            #expect(left.status == 1 && left.diagnostics.contains("left out: "), "\(left.diagnostics)")
            #expect(left.text.components(separatedBy: "\"number\":").count == 2, "\(left.text)")
        }
    }

    @Test(arguments: ["9223372036854775807", "'x'", "-1"])
    func `a counter of rows that no store could go on from is in no archive`(_ counter: String) throws {
        try damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_NAME = 'Zone' OR Z_NAME = 'Yard'; DELETE FROM ZYARD")
        let archive = folder.path("Counter.graft")
        if counter != "-1" {
            try graft("archive", store.path, "--output", archive).failed(saying: "graft check lists")
        }
        let left = try graft("archive", store.path, "--output", archive, "--keep-going")
        #expect(left.diagnostics.contains("left out: ") == (counter != "-1"), "\(left.diagnostics)")
        try graft("restore", archive, "--store", folder.path("Counter.sqlite")).endedWell()
    }

    @Test func `an archive of a store whose UUID is none can be restored`() throws {
        try damage("UPDATE Z_METADATA SET Z_UUID = 'mine'")
        try graft("archive", store.path, "--output", folder.path("a")).succeeded()
        try graft("restore", folder.path("a"), "--store", folder.path("a.sqlite")).endedWell()
    }

    // MARK: Values

    @Test func `a number that its attribute can't hold is no part of an archive that nobody could restore`() throws {
        try damage("UPDATE ZYARD SET ZSIZE = 70000")
        try graft("archive", store.path, "--output", folder.path("a")).failed(saying: "Zone.size", "row 1 has 70000")
        let left = try graft("archive", store.path, "--output", folder.path("a"), "--keep-going")
        #expect(left.status == 1 && left.diagnostics.contains("left out: "))
        try graft("restore", folder.path("a"), "--store", folder.path("a.sqlite")).succeeded()
        #expect(
            try StoreFile(path: folder.path("a.sqlite")).read {
                try String.fetchOne($0, sql: "SELECT ZNAME FROM ZYARD")
            }
                == "North")
    }

    @Test(arguments: [
        "UPDATE ZOWNER SET ZAGE = 'old' WHERE ZNAME = 'Ben'", "UPDATE ZOWNER SET Z_OPT = 'x' WHERE ZNAME = 'Ben'",
        "UPDATE ZOWNER SET ZNAME = CAST(x'4265ff' AS TEXT) WHERE ZNAME = 'Ben'",
        "UPDATE ZOWNER SET ZBADGE = 'x' WHERE ZNAME = 'Ben'",
    ])
    func `a damaged row is left out and listed, with the links to it`(_ sql: String) throws {
        try damage(sql)
        for command in [["archive", store.path], ["export", "--store", store.path]] {
            try graft(command).failed(saying: "ZOWNER")
        }
        let left = try graft("archive", store.path, "--keep-going", "--output", folder.path("a"))
        #expect(left.status == 1 && left.diagnostics.contains("of row 2") && left.diagnostics.contains("Club.members"))
        #expect(left.diagnostics.contains("leads to row 2 of 'Owner', which is left out"), "\(left.diagnostics)")
        #expect(!left.diagnostics.contains("keep-going"))
        try graft("restore", folder.path("a"), "--store", folder.path("a.sqlite")).succeeded()
        let names = try StoreFile(path: folder.path("a.sqlite")).read {
            try String.fetchAll($0, sql: "SELECT ZNAME FROM ZOWNER")
        }
        #expect(names == ["Ada"])
        let plain = try graft(
            "export", "--store", store.path, "--entity", "Owner", "--keep-going", "--format", "ndjson")
        #expect(plain.status == 1 && plain.lines.count == 1 && plain.text.contains("Ada"), "\(plain.diagnostics)")
    }

    @Test(arguments: ["nested", "identifier"])
    func `a damaged row that others lead to is left out of them, and they aren't`(_ form: String) throws {
        try damage("UPDATE ZANIMAL SET ZTRICKS = 'x' WHERE ZTAG = 'a3'")
        let left = try graft(
            "export", "--store", store.path, "--entity", "Owner", "--keep-going", "--relationships", form)
        #expect(left.status == 1 && left.text.contains("Ada") && left.text.contains("Ben"))
        #expect(left.text.contains(#""a1""#) && left.text.contains(#""a2""#) && !left.text.contains(#""a3""#))
        #expect(left.diagnostics.contains("leads to row 3 of 'Dog', which is left out"), "\(left.diagnostics)")
    }

    @Test func `an archive with objects that no store takes together says so`() throws {
        try damage("DROP INDEX Z_Owner_UNIQUE_email; UPDATE ZOWNER SET ZEMAIL = 'ada@example.org'")
        let run = try graft("archive", store.path, "--output", folder.path("a")).endedWell()
        #expect(run.diagnostics.contains("graft: Owner: several objects have email ada@example.org"))
        try graft("restore", folder.path("a"), "--store", folder.path("a.sqlite")).failed(saying: "ada@example.org")
    }

    @Test func `a diff names the store in which two objects have one identity`() throws {
        try damage("UPDATE ZANIMAL SET ZTAG = 'a2'")
        for stores in [[store.path, sound], [sound, store.path]] {
            try graft(["diff"] + stores).failed(saying: store.path, "several objects have the identity")
        }
    }

    // MARK: Links

    @Test func `a link to an object that its relationship can't lead to is an error, and can be left out`() throws {
        try damage("UPDATE ZOWNER SET ZGUARD = (SELECT Z_PK FROM ZANIMAL WHERE ZTAG = 'a1') WHERE ZNAME = 'Ada'")
        for command in [["archive", store.path], ["export", "--store", store.path]] {
            try graft(command).failed(saying: "Owner.guard", "which is of 'Animal' and not of 'Dog'")
        }
        let left = try graft("archive", store.path, "--keep-going", "--output", folder.path("a"))
        #expect(left.status == 1)
        try graft("restore", folder.path("a"), "--store", folder.path("a.sqlite")).succeeded()
    }

    @Test func `a link from one object to one of another entity, which seems to lead back, is an error`() throws {
        let model = try folder.model(
            """
            <entity name="Animal" isAbstract="YES"><attribute name="id" attributeType="Integer 64"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            <entity name="Cat" parentEntity="Animal"><relationship name="rival" optional="YES" maxCount="1" \
            deletionRule="Nullify" destinationEntity="Dog" inverseName="rival" inverseEntity="Dog"/></entity>
            <entity name="Dog" parentEntity="Animal"><relationship name="rival" optional="YES" maxCount="1" \
            deletionRule="Nullify" destinationEntity="Cat" inverseName="rival" inverseEntity="Cat"/></entity>
            """)
        let rivals = folder.path("Rivals.sqlite")
        let input = try folder.file("cats.json", #"[{"id": 1, "rival": {"id": 2}}]"#)
        try graft("import", input, "--entity", "Cat", "--model", model, "--store", rivals).succeeded()
        try StoreSQL.run(
            "UPDATE ZANIMAL SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Dog')",
            at: URL(filePath: rivals))
        let commands = [
            ["archive", rivals], ["export", "--store", rivals], ["export", "--store", rivals, "--entity", "Dog"],
            ["copy", rivals, folder.path("Copy.sqlite")],
        ]
        for arguments in commands {
            try graft(arguments).failed(saying: "Dog.rival", "leads to row", "where 'Cat' is expected")
        }
        for arguments in commands.dropLast() {
            let left = try graft(arguments + ["--keep-going", "--output", folder.path("out")])
            #expect(left.status == 1 && left.diagnostics.components(separatedBy: "left out: ").count == 2, "\(left)")
        }
        let text = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
        #expect(!text.contains(#""rival":1"#) && !text.contains(#""rival":2"#), "\(text)")
    }

    @Test(arguments: [
        "INSERT INTO Z_4MEMBERS (Z_4CLUBS, Z_6MEMBERS, Z_FOK_6MEMBERS) SELECT 99, Z_PK, 1 FROM ZOWNER WHERE ZNAME = 'Ada'",
        "INSERT INTO Z_4MEMBERS (Z_4CLUBS, Z_6MEMBERS, Z_FOK_6MEMBERS) VALUES (NULL, 1, 1)",
        "UPDATE ZANIMAL SET Z6WISHES = 99 WHERE ZTAG = 'a3'", "UPDATE ZANIMAL SET Z6WISHES = 'x' WHERE ZTAG = 'a3'",
        "UPDATE ZANIMAL SET ZTRAINER = 1 WHERE ZTAG = 'a1'",
    ])
    func `a link that no object has is an error, and listed once where it is left out`(_ sql: String) throws {
        try damage(sql)
        for arguments in [["archive", store.path], ["export", "--store", store.path], ["diff", sound, store.path]] {
            try graft(arguments).failed(saying: store.path)
        }
        let left = try graft("archive", store.path, "--keep-going", "--output", folder.path("a"))
        #expect(left.status == 1 && left.diagnostics.components(separatedBy: "left out: ").count == 2, "\(left)")
        try graft("restore", folder.path("a"), "--store", folder.path("a.sqlite")).succeeded()
    }

    @Test func `a diff of a store with a link to nothing names the link`() throws {
        try damage("UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'")
        for arguments in [["diff", store.path, sound], ["diff", sound, store.path]] {
            try graft(arguments).failed(
                saying: store.path, "Owner.favourite", "leads to row 99 of 'Dog', which isn't there")
        }
    }

    // MARK: What isn't a store

    @Test func `a pipe, a folder and a device are errors at once`() throws {
        let pipe = folder.path("Pipe.sqlite")
        // Safe: the call copies the path.
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.url.path, "/dev/zero"] {
            for arguments in [
                ["check", path], ["archive", path], ["export", "--store", path],
                ["migrate", path, "--model", folder.path("Kennel.xcdatamodel")],
            ] {
                let run = try graft(arguments)
                #expect(run.status == 1 && !run.diagnostics.isEmpty, "\(arguments): \(run.diagnostics)")
            }
        }
    }

    // MARK: What is odd, and can be read

    @Test(arguments: [
        "CREATE VIRTUAL TABLE v USING fts5(x); PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE v USING unheard_of(x)' WHERE name = 'v'",
        "ALTER TABLE Z_4MEMBERS ADD COLUMN ZNOTE VARCHAR",
        "ALTER TABLE Z_4MEMBERS ADD COLUMN Z_9NOTE INTEGER",
        bare("Z_METADATA")
            + "CREATE TABLE w (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB) WITHOUT ROWID; "
            + "INSERT INTO w SELECT * FROM Z_METADATA; DROP TABLE Z_METADATA; ALTER TABLE w RENAME TO Z_METADATA",
        "CREATE TABLE w (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER) WITHOUT ROWID; "
            + "INSERT INTO w SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE w RENAME TO Z_PRIMARYKEY",
        "CREATE TABLE w (Z_CONTENT BLOB PRIMARY KEY) WITHOUT ROWID; "
            + "INSERT INTO w SELECT * FROM Z_MODELCACHE; DROP TABLE Z_MODELCACHE; ALTER TABLE w RENAME TO Z_MODELCACHE",
        "ALTER TABLE ZBADGE RENAME COLUMN ZNUMBER TO ZPLAIN; "
            + "ALTER TABLE ZBADGE ADD COLUMN ZNUMBER INTEGER GENERATED ALWAYS AS (ZPLAIN)",
    ])
    func `a store with other tables and columns than Core Data's is read`(_ sql: String) throws {
        try damage(sql)
        let before = try StoreFile(path: store.path).bytes
        try graft("check", store.path).succeeded()
        try graft("inspect", store.path).succeeded()
        try graft("archive", store.path, "--output", folder.path("a")).succeeded()
        #expect(try graft("diff", folder.path("a"), sound).status == 0)
        #expect(try StoreFile(path: store.path).bytes == before)
    }

    @Test func `an index with a collation of another program's is named, and the rest is looked at`() throws {
        try damage("CREATE INDEX tags ON ZANIMAL (ZTAG); UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'")
        try damage(
            "PRAGMA writable_schema = ON; "
                + "UPDATE sqlite_master SET sql = 'CREATE INDEX tags ON ZANIMAL (ZTAG COLLATE foreign_order)' WHERE name = 'tags'"
        )
        let run = try graft("check", store.path)
        #expect(
            run.status == 1 && run.text.contains("can't check the table ZANIMAL: no such collation sequence"), "\(run)")
        #expect(run.text.contains("[danglingReference]"))
        #expect(try graft("inspect", store.path).succeeded().text.contains("Animal"))
        let repair = try graft("check", store.path, "--repair")
        #expect(repair.status == 1 && repair.text.contains("The repair sets it to null"), "\(repair)")
    }

    // MARK: External files

    private var files: String { folder.path(".Kennel_SUPPORT/_EXTERNAL_DATA") }

    private func file() throws -> String {
        try #require(try FileManager.default.contentsOfDirectory(atPath: files).first)
    }

    @Test func `a file that only a row of no entity needs isn't called superfluous`() throws {
        try damage("UPDATE ZOWNER SET Z_ENT = 99 WHERE ZNAME = 'Ada'")
        let run = try graft("check", store.path)
        #expect(run.status == 1 && !run.text.contains("unusedFile"), "\(run.text)")
    }

    @Test func `a file whose name is in lower case is one like others`() throws {
        let name = try file(), lower = name.lowercased()
        try FileManager.default.moveItem(atPath: "\(files)/\(name)", toPath: "\(files)/\(lower)")
        let hex = lower.utf8.map { String($0, radix: 16) }.joined()
        try damage("UPDATE ZOWNER SET ZPHOTO = x'02\(hex)00' WHERE ZNAME = 'Ada'")
        try graft("check", store.path).succeeded()
    }

    @Test func `a copy has the files that links lead to`() throws {
        let name = try file()
        try FileManager.default.createDirectory(atPath: folder.path("Large"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: "\(files)/\(name)", toPath: folder.path("Large/\(name)"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(files)/\(name)", withDestinationPath: "../../Large/\(name)")
        try damage("UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'")
        let other = folder.url.appending(path: "Elsewhere")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let backup = other.appending(path: "Backup.sqlite").path
        try graft("check", store.path, "--repair", "--backup", backup).succeeded()
        #expect(!(try graft("check", backup).text.contains("missingFile")))
        let copied = other.appending(path: ".Backup_SUPPORT/_EXTERNAL_DATA/\(name)").path
        #expect(try FileManager.default.attributesOfItem(atPath: copied)[.type] as? FileAttributeType == .typeRegular)
    }

    @Test(arguments: [".Kennel_SUPPORT", ".Kennel_SUPPORT/_EXTERNAL_DATA"])
    func `where the folder of large values is none, that is said`(_ name: String) throws {
        try FileManager.default.removeItem(atPath: folder.path(name))
        _ = try folder.file(name, "no folder")
        let run = try graft("check", store.path)
        #expect(run.status == 1 && run.text.contains("damage: Owner.photo of row 1"), "\(run)")
        #expect(run.text.contains("isn't a folder"), "\(run)")
        try damage("UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'")
        let repair = try graft("check", store.path, "--repair")
        #expect(repair.status == 1 && repair.diagnostics.contains("isn't a folder. Put the folder back"), "\(repair)")
        try graft("archive", store.path).failed(saying: "_EXTERNAL_DATA")
    }

    @Test func `a value that is in a pipe is an error, and nobody waits for it`() throws {
        let name = try file()
        try FileManager.default.removeItem(atPath: "\(files)/\(name)")
        // Safe: the call copies the path.
        #expect(unsafe mkfifo("\(files)/\(name)", 0o600) == 0)
        let run = try graft("check", store.path)
        #expect(run.status == 1 && run.text.contains("it isn't a file"), "\(run)")
        try graft("archive", store.path).failed(saying: "it isn't a file")
    }

    @Test func `a merge and a copy that find two objects with one identity name the store that has them`() throws {
        try damage("DROP INDEX Z_Owner_UNIQUE_email; UPDATE ZOWNER SET ZEMAIL = 'ada@example.org'")
        try graft("merge", sound, store.path, sound, "--output", folder.path("Merged.sqlite"))
            .failed(code: 2, saying: store.path, "ada@example.org")
        try graft("copy", store.path, folder.path("Copy.sqlite")).failed(saying: store.path, "ada@example.org")
    }

    @Test func `an import and a merge of a store with a link that leads nowhere name the store`() throws {
        try damage("UPDATE ZANIMAL SET ZOWNER = 77 WHERE ZTAG = 'a2'")
        try graft("import", store.path, "--store", folder.path("New.sqlite"))
            .failed(saying: "Kennel.sqlite (Dog.owner)", "Owner/p77", "a link leads nowhere", "graft check")
        try graft("merge", sound, store.path, sound, "--output", folder.path("Merged.sqlite"))
            .failed(code: 2, saying: "Kennel.sqlite (Dog.owner)", "Owner/p77", "graft check")
    }
}
