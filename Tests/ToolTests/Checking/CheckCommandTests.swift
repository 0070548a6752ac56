// `graft check`: each kind of damage, made by SQL, is found and nothing else; a repair does what SQL says that it has to do,
// and leaves the rest as it was.

import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct CheckCommandTests {
    private let folder: TemporaryFolder
    private let store: KennelStore

    init() throws {
        folder = try TemporaryFolder()
        store = try KennelStore(in: folder)
    }

    @Test
    func `objects of entities that only have a super-entity in common may share an identity, as imports make them`()
        throws
    {
        let model = try folder.model(
            """
            <entity name="Item"><attribute name="id" optional="YES" attributeType="Integer 64"/>
              <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            <entity name="Book" parentEntity="Item"><relationship name="map" optional="YES" maxCount="1"
              deletionRule="Nullify" destinationEntity="Map"/></entity>
            <entity name="Map" parentEntity="Item"/>
            """)
        let path = folder.path("Items.sqlite")
        try graft(
            "import", "-", "--entity", "Book", "--store", path, "--model", model,
            input: #"[{"id": 1, "map": 1}, {"id": 2, "map": 3}]"#, in: folder
        ).succeeded()
        try graft("check", path, in: folder).succeeded()
        try changeDatabase(at: path, "UPDATE ZITEM SET ZID = 1 WHERE ZID = 2")
        let check = try graft("check", path, "--json", in: folder)
        #expect(check.status == 1)
        #expect(check.text.contains("duplicateIdentity"), "\(check.text)")
    }

    @Test func `where the owner is a part of the identity, so is that there is none`() throws {
        let model = try folder.model(
            """
            <entity name="Folder"><attribute name="name" optional="YES" attributeType="String"/>
              <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Folder"
                inverseName="children" inverseEntity="Folder"/>
              <relationship name="children" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Folder"
                inverseName="parent" inverseEntity="Folder"/>
              <userInfo><entry key="identityAttributes" value="name,parent"/></userInfo></entity>
            """)
        let path = folder.path("Folders.sqlite")
        try graft(
            "import", "-", "--entity", "Folder", "--store", path, "--model", model,
            input: #"[{"name": "usr", "children": [{"name": "usr"}]}, {"name": "lib"}]"#, in: folder
        ).succeeded()
        try graft("check", path, in: folder).succeeded()
        try changeDatabase(at: path, "UPDATE ZFOLDER SET ZNAME = NULL WHERE ZPARENT IS NULL")
        try graft("check", path, in: folder).succeeded()
        try changeDatabase(at: path, "UPDATE ZFOLDER SET ZNAME = 'usr'")
        let check = try graft("check", path, "--json", in: folder)
        #expect(check.status == 1)
        #expect(check.text.components(separatedBy: "duplicateIdentity").count == 2, "\(check.text)")
    }

    @Test func `where a key tells the sub-entities, one identity is one object, and two rows of it are found`() throws {
        let model = try folder.model(
            """
            <entity name="Item"><attribute name="id" optional="YES" attributeType="Integer 64"/>
              <userInfo><entry key="identityAttributes" value="id"/><entry key="JSONEntityKey" value="type"/></userInfo></entity>
            <entity name="Book" parentEntity="Item"/>
            <entity name="Map" parentEntity="Item"/>
            """)
        let path = folder.path("Items.sqlite")
        try graft(
            "import", "-", "--entity", "Item", "--store", path, "--model", model,
            input: #"[{"id": 1, "type": "Book"}, {"id": 2, "type": "Map"}, {"id": 3}]"#, in: folder
        ).succeeded()
        try graft("check", path, in: folder).succeeded()
        for id in [2, 3] {
            try changeDatabase(at: path, "UPDATE ZITEM SET ZID = 1 WHERE ZID = \(id)")
            let check = try graft("check", path, "--json", in: folder)
            #expect(check.status == 1)
            #expect(check.text.components(separatedBy: "duplicateIdentity").count == 2, "\(check.text)")
        }
    }

    @Test func `what the model's rules forbid, and what nothing else can say, is noted`() throws {
        let model = try folder.model(
            """
            <entity name="Room"><attribute name="name" optional="YES" attributeType="String" maxValueString="5"/>
              <attribute name="seats" optional="YES" attributeType="Integer 16" minValueString="1"/>
              <attribute name="area" optional="YES" attributeType="Double"/>
              <attribute name="built" optional="YES" attributeType="Date"/>
              <attribute name="isOpen" optional="YES" attributeType="Boolean"/></entity>
            """)
        let path = folder.path("Rooms.sqlite")
        try graft(
            "import", "-", "--entity", "Room", "--store", path, "--model", model,
            input: #"[{"name": "Aula", "seats": 200, "area": 90.5, "isOpen": true}]"#, in: folder
        ).succeeded()
        #expect(try graft("check", path, in: folder).succeeded().text.contains("1 object of 1 entity, their values"))
        try changeDatabase(
            at: path, "UPDATE ZROOM SET ZNAME = 'Auditorium', ZSEATS = 0, ZAREA = 9e999, ZBUILT = 9e999, ZISOPEN = 7")
        let found = try report(graft("check", path, "--json", in: folder))
        #expect(found.findings.map(\.kind) == Array(repeating: "forbiddenValue", count: 5))
        #expect(found.findings.map(\.severity) == Array(repeating: "note", count: 5))
        #expect(Set(found.findings.compactMap(\.property)) == ["name", "seats", "area", "built", "isOpen"])
        // Finite seconds, and no year.
        try changeDatabase(at: path, "UPDATE ZROOM SET ZBUILT = -9e99")
        #expect(try report(graft("check", path, "--json", in: folder)).findings.contains { $0.property == "built" })
        try changeDatabase(at: path, "UPDATE ZROOM SET ZISOPEN = 1.5")
        #expect(try report(graft("check", path, "--json", in: folder)).findings.contains { $0.property == "isOpen" })
    }

    // MARK: Kinds of damage

    /// A finding, the row told by SQL.
    struct Expected {
        var kind: String
        var entity: String?
        var property: String?
        /// Gives the row's key in the damaged store.
        var row: String?

        init(_ kind: String, _ entity: String? = nil, _ property: String? = nil, row: String? = nil) {
            self.kind = kind
            self.entity = entity
            self.property = property
            self.row = row
        }
    }

    struct Damage: CustomTestStringConvertible {
        let sql: String
        let findings: [Expected]
        /// What a repair has to do to the damaged store; nil where it must change nothing.
        var mend: String?
        /// The kinds that a repair leaves, although it mends others, or tries to.
        var leaves: [String] = []
        /// What comes with the repair.
        var comes: [Expected] = []
        var testDescription: String { sql }
    }

    static let ada = "SELECT Z_PK FROM ZOWNER WHERE ZNAME = 'Ada'"
    static let ben = "SELECT Z_PK FROM ZOWNER WHERE ZNAME = 'Ben'"
    static let chess = "SELECT Z_PK FROM ZCLUB"
    static func animal(_ tag: String) -> String { "SELECT Z_PK FROM ZANIMAL WHERE ZTAG = '\(tag)'" }

    static let damages = [
        Damage(
            sql: "UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'",
            findings: [Expected("danglingReference", "Owner", "favourite", row: ada)],
            mend: "UPDATE ZOWNER SET ZFAVOURITE = NULL, Z1_FAVOURITE = NULL WHERE ZNAME = 'Ada'"),
        Damage(
            sql: "UPDATE ZANIMAL SET ZKENNEL = 99 WHERE ZTAG = 'a3'",
            findings: [Expected("danglingReference", "Dog", "kennel", row: animal("a3"))]),
        Damage(
            sql: "INSERT INTO Z_4MEMBERS (Z_4CLUBS, Z_6MEMBERS, Z_FOK_6MEMBERS) SELECT Z_PK, 99, 9999 FROM ZCLUB",
            findings: [Expected("danglingReference", "Club", "members", row: chess)],
            mend: "DELETE FROM Z_4MEMBERS WHERE Z_6MEMBERS = 99"),
        Damage(
            sql: """
                INSERT INTO Z_4MEMBERS (Z_4CLUBS, Z_6MEMBERS, Z_FOK_6MEMBERS)
                SELECT 99, Z_PK, 2048 FROM ZOWNER WHERE ZNAME = 'Ada'
                """,
            findings: [Expected("danglingReference", "Owner", "clubs", row: ada)],
            mend: "DELETE FROM Z_4MEMBERS WHERE Z_4CLUBS = 99"),
        Damage(
            sql: "UPDATE ZANIMAL SET Z6WISHES = 99 WHERE ZTAG = 'a3'",
            findings: [Expected("danglingReference", "Dog", row: animal("a3"))],
            mend: "UPDATE ZANIMAL SET Z6WISHES = NULL WHERE ZTAG = 'a3'"),
        Damage(
            sql: "UPDATE ZBADGE SET ZOWNER = NULL WHERE ZNUMBER = 1",
            findings: [Expected("oneSidedLink", "Owner", "badge", row: ada)],
            mend: "UPDATE ZBADGE SET ZOWNER = (\(ada)) WHERE ZNUMBER = 1"),
        Damage(
            sql: "UPDATE ZBADGE SET ZOWNER = (\(ben)) WHERE ZNUMBER = 1",
            findings: [
                Expected("oneSidedLink", "Badge", "owner", row: "SELECT Z_PK FROM ZBADGE WHERE ZNUMBER = 1"),
                Expected("oneSidedLink", "Owner", "badge", row: ada),
            ]),
        Damage(
            sql: "UPDATE ZOWNER SET ZGUARD = (\(animal("a1"))) WHERE ZNAME = 'Ada'",
            findings: [Expected("wrongDestination", "Owner", "guard", row: ada)]),
        Damage(
            sql: "UPDATE ZOWNER SET Z1_FAVOURITE = 1 WHERE ZNAME = 'Ada'",
            findings: [Expected("wrongEntityNumber", "Owner", "favourite", row: ada)],
            mend: "UPDATE ZOWNER SET Z1_FAVOURITE = 2 WHERE ZNAME = 'Ada'"),
        Damage(
            sql: "UPDATE ZANIMAL SET Z_FOK_OWNER = 2048 WHERE ZTAG = 'a2'",
            findings: [Expected("brokenOrder", "Owner", "animals", row: ada)],
            mend: "UPDATE ZANIMAL SET Z_FOK_OWNER = 3072 WHERE ZTAG = 'a2'"),
        Damage(
            sql: "UPDATE ZANIMAL SET Z_FOK_OWNER = NULL WHERE ZTAG = 'a1'",
            findings: [Expected("brokenOrder", "Owner", "animals", row: ada)],
            mend: "UPDATE ZANIMAL SET Z_FOK_OWNER = 2048 WHERE ZTAG = 'a1'"),
        Damage(
            sql: "UPDATE Z_4MEMBERS SET Z_FOK_6MEMBERS = 5000",
            findings: [Expected("brokenOrder", "Club", "members", row: chess)],
            mend: """
                UPDATE Z_4MEMBERS SET Z_FOK_6MEMBERS = 2048 WHERE Z_6MEMBERS = (SELECT MIN(Z_PK) FROM ZOWNER);
                UPDATE Z_4MEMBERS SET Z_FOK_6MEMBERS = 3072 WHERE Z_6MEMBERS = (SELECT MAX(Z_PK) FROM ZOWNER)
                """),
        Damage(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Animal'",
            findings: [Expected("lowKeyCounter", "Animal", row: "SELECT MAX(Z_PK) FROM ZANIMAL")],
            mend: "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Animal'"),
        Damage(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_NAME = 'Badge'",
            findings: [Expected("lowKeyCounter", "Badge", row: "SELECT MAX(Z_PK) FROM ZBADGE")],
            mend: "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Badge'"),
        Damage(
            sql: "UPDATE ZANIMAL SET Z_ENT = 5 WHERE ZTAG = 'a1'",
            findings: [Expected("unknownEntity", "Animal", row: animal("a1"))]),
        Damage(
            sql: "UPDATE ZOWNER SET ZAGE = 'old' WHERE ZNAME = 'Ben'",
            findings: [Expected("unreadableValue", "Owner", "age", row: ben)]),
        Damage(
            sql:
                "UPDATE ZOWNER SET ZBADGE = 'x' WHERE ZNAME = 'Ben'; UPDATE ZBADGE SET ZOWNER = NULL WHERE ZNUMBER = 2",
            findings: [Expected("unreadableValue", "Owner", "badge", row: ben)]),
        Damage(
            sql: "UPDATE ZOWNER SET ZNOTES = x'0102' WHERE ZNAME = 'Ada'",
            findings: [Expected("unreadableValue", "Owner", "notes", row: ada)]),
        Damage(
            sql: "UPDATE ZOWNER SET Z_OPT = 'x' WHERE ZNAME = 'Ada'",
            findings: [Expected("unreadableValue", "Owner", row: ada)]),
        Damage(
            sql: "DROP INDEX Z_Owner_UNIQUE_email; UPDATE ZOWNER SET ZEMAIL = 'ada@example.org'",
            findings: [
                Expected("brokenUniqueness", "Owner", "email", row: "SELECT MIN(Z_PK) FROM ZOWNER"),
                Expected("missingConstraint", "Owner", "email"),
            ], mend: "SELECT 1", leaves: ["brokenUniqueness", "missingConstraint"]),
        Damage(
            sql: "UPDATE ZANIMAL SET ZTAG = 'a1' WHERE ZTAG = 'a2'",
            findings: [Expected("duplicateIdentity", "Animal", "tag", row: "SELECT MIN(Z_PK) FROM ZANIMAL")]),
        Damage(
            sql: "UPDATE ZANIMAL SET ZTAG = NULL WHERE ZTAG = 'a2'",
            findings: [Expected("missingValue", "Dog", "tag", row: "SELECT Z_PK FROM ZANIMAL WHERE ZTAG IS NULL")]),
        Damage(
            sql: "UPDATE ZANIMAL SET ZKENNEL = NULL WHERE ZTAG = 'a2'",
            findings: [Expected("orphan", "Dog", "kennel", row: animal("a2"))]),
        Damage(
            sql: """
                CREATE INDEX tags ON ZANIMAL (ZTAG) WHERE 0;
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET sql = 'CREATE INDEX tags ON ZANIMAL (ZTAG)' WHERE name = 'tags'
                """,
            findings: (0..<4).map { _ in Expected("damagedFile") }, mend: "REINDEX"),
    ]

    /// The rows of all tables, without the versions, which a repair counts up.
    private func content(_ path: String) throws -> [String: [String]] {
        try StoreFile(path: path).read { db in
            let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let columns = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('\(table)')")
                        .filter { $0 != "Z_OPT" }.joined(separator: ", ")
                    let rows = try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(table)")
                    return (table, rows.map { "\($0.databaseValues)" }.sorted())
                })
        }
    }

    private func run(_ sql: String, on path: String) throws {
        try StoreSQL.run(sql, at: URL(filePath: path))
    }

    private struct Report: Decodable {
        struct Finding: Decodable {
            var severity: String, kind: String
            var entity: String?, property: String?
            var row: Int64?
            var finding: String, remedy: String
            var isMended: Bool?
        }
        struct Checked: Decodable {
            var objects: Int, damages: Int, notes: Int
            var mended: Int?
            var backup: String?
        }
        var findings: [Finding]
        var checked: Checked
    }

    private func report(_ run: ToolRun) throws -> Report {
        #expect(run.diagnostics == "")
        return try JSONDecoder().decode(Report.self, from: run.output)
    }

    @Test(arguments: damages + rareDamages)
    func `a damage is found, and nothing else; a repair mends it or says why not, and changes nothing else`(
        _ damage: Damage
    ) throws {
        try run(damage.sql, on: store.path)
        let before = try StoreFile(path: store.path).bytes, names = try folder.names
        let found = try graft("check", store.path, "--json")
        #expect(found.status == 1)
        let report = try report(found)
        #expect(try StoreFile(path: store.path).bytes == before)
        #expect(try folder.names == names)
        let expected = try damage.findings.map { finding in
            let row = try finding.row.map { sql in
                try StoreFile(path: store.path).read { try Int64.fetchOne($0, sql: sql) }
            }
            return "\(finding.kind) \(finding.entity ?? "-").\(finding.property ?? "-") \((row ?? nil) ?? 0)"
        }
        let places = report.findings.map { "\($0.kind) \($0.entity ?? "-").\($0.property ?? "-") \($0.row ?? 0)" }
        #expect(places.sorted() == expected.sorted(), "\(found.text)")

        let mended = folder.path("Expected.sqlite")
        try FileManager.default.copyItem(atPath: store.path, toPath: mended)
        if let mend = damage.mend { try run(mend, on: mended) }
        let repair = try graft("check", store.path, "--repair", "--json")
        let isLeft = damage.mend == nil || !damage.leaves.isEmpty
        #expect(repair.status == (isLeft ? 1 : 0), "\(repair.text)")
        let repaired = try self.report(repair)
        for finding in repaired.findings {
            let isMended = damage.mend != nil && !damage.leaves.contains(finding.kind)
            #expect(finding.isMended == isMended && !finding.remedy.isEmpty, "\(repair.text)")
        }
        #expect(repaired.findings.count == damage.findings.count + damage.comes.count, "\(repair.text)")
        #expect(try content(store.path) == content(mended))
        #expect(try StoreFile(path: store.path).integrity == ["ok"])
        let again = try graft("check", store.path)
        #expect(again.status == (isLeft ? 1 : 0), "\(again.text)")

        // The copy is of the store as it was, and made only where something is changed.
        #expect((repaired.checked.backup == nil) == (damage.mend == nil))
        if let backup = repaired.checked.backup {
            #expect(try self.report(graft("check", backup, "--json")).findings.count == report.findings.count)
        }
    }

    @Test func `a mandatory link that the other end gives back isn't reported as missing after the repair`() throws {
        let model = folder.url.appending(path: "Parts.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let relationship = { (name: String, end: String, inverse: String, more: String) in
            #"<relationship name="\#(name)" maxCount="1" destinationEntity="\#(end)" inverseName="\#(inverse)" "#
                + #"inverseEntity="\#(end)" \#(more)/>"#
        }
        let entities =
            #"<entity name="Part">"# + relationship("whole", "Whole", "part", "") + #"</entity><entity name="Whole">"#
            + relationship("part", "Part", "whole", #"optional="YES""#)
            + #"<attribute name="name" optional="YES" attributeType="String"/></entity>"#
        try Data("<model>\(entities)</model>".utf8).write(to: model.appending(path: "contents"))
        let parts = folder.path("Parts.sqlite")
        let data = try folder.file("parts.json", #"[{"whole": {"name": "a"}}, {"whole": {"name": "b"}}]"#)
        try graft("import", data, "--entity", "Part", "--store", parts, "--model", model.path).succeeded()
        try run("UPDATE ZPART SET ZWHOLE = NULL WHERE Z_PK = 1", on: parts)
        let found = try report(graft("check", parts, "--json")).findings.map(\.kind)
        #expect(found.sorted() == ["oneSidedLink", "orphan"])
        let repair = try report(graft("check", parts, "--repair", "--json").succeeded())
        #expect(repair.findings.map(\.kind) == ["oneSidedLink"] && repair.checked.mended == 1)
        try run("UPDATE ZPART SET ZWHOLE = NULL; UPDATE ZWHOLE SET ZPART = NULL", on: parts)
        let left = try graft("check", parts, "--repair", "--json")
        #expect(left.status == 1)
        #expect(try report(left).findings.map(\.kind) == ["orphan", "orphan"])
    }

    // MARK: A sound store

    @Test func `a sound store has nothing, and the tool says what it has looked at`() throws {
        let before = try StoreFile(path: store.path).bytes
        let run = try graft("check", store.path).succeeded()
        #expect(run.lines.count == 1)
        #expect(
            run.text.contains("nothing found. Checked: the file (PRAGMA integrity_check), 10 objects of 8 entities"))
        #expect(try report(graft("check", store.path, "--json")).findings.isEmpty)
        try graft("check", store.path, "--repair").succeeded()
        #expect(try StoreFile(path: store.path).bytes == before)
        #expect(try folder.names == [".Kennel_SUPPORT", "Kennel.sqlite", "Kennel.xcdatamodel"])
    }

    // MARK: Files

    @Test func `external files that are missing, and that nobody refers to, are listed`() throws {
        let files = folder.path(".Kennel_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files).first)
        let other = UUID().uuidString
        try FileManager.default.moveItem(atPath: "\(files)/\(name)", toPath: "\(files)/\(other)")
        for options in [[], ["--repair"]] {
            let run = try graft(["check", store.path] + options)
            #expect(run.status == 1)
            #expect(
                run.text.contains(
                    "damage: Owner.photo of row 1: its value is in .Kennel_SUPPORT/_EXTERNAL_DATA/\(name), which isn't there"
                ))
            #expect(run.text.contains("note: no row refers to the file \(files)/\(other)"))
            #expect(run.lines.count == 3)
        }
        #expect(try folder.names == [".Kennel_SUPPORT", "Kennel.sqlite", "Kennel.xcdatamodel"])
    }

    @Test func `a file that a backup beside the store needs isn't called superfluous`() throws {
        let backup = folder.path("Kennel.bak")
        try FileManager.default.copyItem(atPath: store.path, toPath: backup)
        try run("UPDATE ZOWNER SET ZPHOTO = NULL", on: store.path)
        try graft("check", store.path).succeeded()
        try graft("check", backup).succeeded()
        try FileManager.default.removeItem(atPath: backup)
        #expect(try graft("check", store.path).text.contains("note: no row refers to the file"))
    }

    @Test func `a store in a folder that can't be written to is checked, with and without a log`() throws {
        let inside = folder.url.appending(path: "Locked")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        let copy = inside.appending(path: "Kennel.sqlite").path
        try FileManager.default.copyItem(atPath: store.path, toPath: copy)
        try FileManager.default.copyItem(
            atPath: folder.path(".Kennel_SUPPORT"), toPath: inside.appending(path: ".Kennel_SUPPORT").path)
        try run("UPDATE ZANIMAL SET ZTAG = NULL WHERE ZTAG = 'a2'; PRAGMA journal_mode = WAL", on: copy)
        let names = try FileManager.default.contentsOfDirectory(atPath: inside.path).sorted()
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: inside.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: inside.path) }
        let found = try report(graft("check", copy, "--json"))
        #expect(found.findings.map(\.kind) == ["missingValue"] && found.findings.map(\.severity) == ["note"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: inside.path).sorted() == names)
    }

    // MARK: Backups

    @Test func `a repair copies the store with its files first, to where it is told, or not at all`() throws {
        try run(Self.damages[0].sql, on: store.path)
        let sound = try content(store.path)
        let taken = try folder.file("Taken.sqlite", "")
        let refused = try graft("check", store.path, "--repair", "--backup", taken)
        #expect(refused.status == 1 && refused.diagnostics.contains("there is a file already"))
        #expect(try content(store.path) == sound)

        let backup = folder.path("Backup.sqlite")
        #expect(try graft("check", store.path, "--repair", "--backup", backup).succeeded().text.contains(backup))
        #expect(try content(backup) == sound)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path(".Backup_SUPPORT/_EXTERNAL_DATA")).count
                == 1)
        try run(Self.damages[0].sql, on: store.path)
        let names = try folder.names
        try graft("check", store.path, "--repair", "--no-backup").succeeded()
        #expect(try folder.names == names)
    }

    @Test func `options that don't go together are refused`() throws {
        for options in [["--backup", "x"], ["--no-backup"], ["--repair", "--no-backup", "--backup", "x"]] {
            #expect(try graft(["check", store.path] + options).status == 64)
        }
    }
}
