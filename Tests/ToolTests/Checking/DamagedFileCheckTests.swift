// Files of stores that are damaged themselves, the model in them or their metadata: what can be checked is, and it is said what can't.

import Foundation
import TestSupport
import Testing

@Suite struct DamagedFileCheckTests {
    private let folder: TemporaryFolder
    private let store: KennelStore

    init() throws {
        folder = try TemporaryFolder()
        store = try KennelStore(in: folder)
    }

    @Test func `a file with a damaged page is reported with the rest, and never changed`() throws {
        let page = try #require(try StoreFile(path: store.path).pages(ofTable: "ZANIMAL").first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        bytes.replaceSubrange((page - 1) * 4096..<(page - 1) * 4096 + 64, with: Data(repeating: 0xA5, count: 64))
        try bytes.write(to: URL(fileURLWithPath: store.path))
        let run = try graft("check", store.path)
        #expect(run.status == 1 && !run.isKilled)
        #expect(run.text.contains("damage: SQLite says: "))
        #expect(
            run.text.components(separatedBy: "can't be read").count == 2 && run.text.contains("ZANIMAL: can't be read"))
        // What leads there isn't told to be missing, and there is an end.
        #expect(!run.text.contains("[danglingReference]") && !run.text.contains("--repair"), "\(run.text)")
        #expect(
            run.lines.last?.contains("7 objects of 8 entities") == true && run.diagnostics == "", "\(run.diagnostics)")
        let json = try graft("check", store.path, "--json")
        #expect(json.text.hasSuffix("}}\n") && json.text.contains("\"damages\":\(run.lines.count - 1)"), "\(json.text)")
        let repair = try graft("check", store.path, "--repair")
        #expect(repair.status == 1)
        #expect(repair.diagnostics.contains("nothing in it is mended"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == bytes)
    }

    @Test func `a file is checked although the model in it is damaged, too`() throws {
        try StoreSQL.run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0011'", at: URL(filePath: store.path))
        let page = try #require(try StoreFile(path: store.path).pages(ofTable: "ZANIMAL").first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
        bytes.replaceSubrange((page - 1) * 4096..<(page - 1) * 4096 + 64, with: Data(repeating: 0xA5, count: 64))
        try bytes.write(to: URL(fileURLWithPath: store.path))
        let run = try graft("check", store.path)
        #expect(run.status == 1 && run.text.contains("damage: SQLite says: "))
    }

    @Test func `a model in the file that is no model is a damage of its own, and another one can be named`() throws {
        let model = folder.path("Kennel.xcdatamodel")
        for content in ["'text'", "x'0011'"] {
            try StoreSQL.run("UPDATE Z_MODELCACHE SET Z_CONTENT = \(content)", at: URL(filePath: store.path))
            for command in [["check", store.path], ["export", "--store", store.path], ["inspect", store.path]] {
                try graft(command).failed(saying: store.path, "the one in the store is damaged", "--model")
            }
            let run = try graft("check", store.path, "--model", model)
            #expect(
                run.status == 1 && run.lines.count == 2 && run.text.contains("(Z_MODELCACHE) is damaged"), "\(run.text)"
            )
            try graft("export", "--store", store.path, "--model", model).succeeded()
        }
    }

    @Test func `a file that is damaged too far to be checked is an error that doesn't recommend the check`() throws {
        let folder = try TemporaryFolder(), store = try heroStore(in: folder)
        let cut = folder.path("Cut.sqlite")
        try Data(contentsOf: URL(fileURLWithPath: store)).prefix(5000).write(to: URL(fileURLWithPath: cut))
        let run = try graft("check", cut)
        run.failed(saying: "Cut.sqlite", "damaged", ".recover")
        #expect(!run.diagnostics.contains("graft check"), "\(run.diagnostics)")
    }

    @Test func `a row that keeps a store from being checked is named`() throws {
        try StoreSQL.run("UPDATE Z_METADATA SET Z_PLIST = 'text'", at: URL(filePath: store.path))
        try graft("check", store.path).failed(
            saying: "Z_METADATA.Z_PLIST of row 1: found text 'text'", "Correct the row")
    }

    @Test func `a copy of a damaged store names the store, and how to copy the rest`() throws {
        try StoreSQL.run("UPDATE ZOWNER SET ZAGE = 'old'", at: URL(filePath: store.path))
        let run = try graft("copy", store.path, folder.path("Copy.sqlite"))
        run.failed(saying: "Kennel.sqlite", "ZOWNER.ZAGE")
        #expect(!run.diagnostics.contains("graft-copy-"), "\(run.diagnostics)")
    }
}
