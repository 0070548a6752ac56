// Every command on stores in which somebody has written what Core Data never writes: none ends by a signal, and each error names
// the store.

import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct DamagedStoreCommandTests {
    struct Damage: CustomTestStringConvertible {
        let sql: String
        /// What every failure names.
        let place: String
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Damage(sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = 'x'", place: "Z_PRIMARYKEY.Z_SUPER"),
        Damage(sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = x'00'", place: "Z_PRIMARYKEY.Z_NAME"),
        Damage(sql: "UPDATE Z_METADATA SET Z_UUID = x'00'", place: "Z_METADATA.Z_UUID"),
        Damage(sql: "UPDATE Z_METADATA SET Z_PLIST = 5", place: "Z_METADATA.Z_PLIST"),
        Damage(sql: "UPDATE ZCHARACTER SET ZNAME = x'00'", place: "ZCHARACTER.ZNAME of row"),
        Damage(sql: "UPDATE ZCHARACTER SET Z_ENT = 'x'", place: "Z_ENT"),
        Damage(sql: "UPDATE ZCHARACTER SET Z_OPT = 'x'", place: "ZCHARACTER.Z_OPT of row"),
        Damage(sql: "UPDATE ZCHARACTER SET ZPUBLISHER = 'x'", place: "ZCHARACTER.ZPUBLISHER of row"),
        Damage(sql: "UPDATE ZCHARACTER SET Z_OPT = 9223372036854775807", place: ""),
        Damage(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", place: "Z_PRIMARYKEY.Z_MAX"),
    ])
    func `no command ends by a signal`(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let store = try heroStore(in: folder)
        let sound = folder.path("Sound.sqlite")
        try FileManager.default.copyItem(atPath: store, toPath: sound)
        try StoreSQL.run(damage.sql, at: URL(filePath: store))
        let input = try folder.file("in.json", #"[{"id": 1, "name": "Changed"}, {"id": 4711, "name": "New"}]"#)
        let patch = try folder.file("patch.json", #"[{"op": "replace", "path": "/0/name", "value": "Patched"}]"#)
        let copy = folder.path("Copy.sqlite")
        var failures = 0
        for arguments in [
            ["inspect", store], ["export", "--store", store], ["export", "--store", store, "--entity", "Hero"],
            ["archive", store], ["diff", store, sound], ["diff", sound, store, "--format", "json"],
            ["merge", sound, store, sound, "--output", copy], ["migrate", store, "--model", Project.heroesModel],
            ["import", input, "--entity", "Hero", "--store", store],
            ["apply", patch, "--store", store, "--entity", "Hero"],
        ] {
            let run = try graft(arguments)
            #expect(!run.isKilled, "\(arguments): \(run.diagnostics)")
            guard run.status != 0, !(run.status == 1 && arguments[0] == "diff" && run.diagnostics.isEmpty) else {
                continue
            }
            failures += 1
            #expect(damage.place.isEmpty || run.diagnostics.contains(damage.place), "\(arguments): \(run.diagnostics)")
            #expect(!run.showsRawError, "\(arguments): \(run.diagnostics)")
            // What is damaged isn't for want of space.
            #expect(damage.place.isEmpty || !run.diagnostics.contains("free space"), "\(run.diagnostics)")
        }
        #expect(damage.place.isEmpty || failures > 0)
    }

    @Test func `an import into a damaged store says what is damaged, and how to find the rest`() throws {
        let folder = try TemporaryFolder()
        let store = try heroStore(in: folder)
        try changeDatabase(at: store, "UPDATE Z_PRIMARYKEY SET Z_SUPER = 'x'")
        let input = try folder.file("in.json", #"[{"id": 1, "name": "Changed"}]"#)
        try graft("import", input, "--entity", "Hero", "--store", store)
            .failed(saying: "Z_PRIMARYKEY.Z_SUPER", "graft check lists all that is damaged.")
    }
}
