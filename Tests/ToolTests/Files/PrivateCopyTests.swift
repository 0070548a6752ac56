// A store or a result that only its owner may read (0600) gets copies and successors that everybody may read (0644, by the umask): the copy that a
// repair makes by itself, `--backup`, and a file that `--output` replaces.

import Foundation
import TestSupport
import Testing

@Suite struct PrivateCopyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makePrivate(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// What others than the owner may do.
    private func rightsOfOthers(_ path: String) throws -> Int? {
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return mode.map { $0.intValue & 0o077 }
    }

    @Test func `the copy before a repair may be read by those who may read the store`() throws {
        let store = try KennelStore(in: folder)
        try StoreSQL.run("UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'", at: URL(filePath: store.path))
        try makePrivate(store.path)
        let backup = folder.path("Before.sqlite")
        try graft("check", store.path, "--repair", "--backup", backup).succeeded()
        #expect(try rightsOfOthers(store.path) == 0)
        #expect(try rightsOfOthers(backup) == 0)
    }

    @Test func `a result that replaces a private file is private`() throws {
        let store = try heroStore(in: folder)
        let output = try folder.file("heroes.json", "old")
        try makePrivate(output)
        try graft("export", "--store", store, "--entity", "Hero", "--output", output).endedWell()
        #expect(try rightsOfOthers(output) == 0)
    }
}
