// `graft check` on stores that Apple's Core Data has written: nothing is found in them but what SQL alone finds.

import Foundation
import GRDB
import Testing

@Suite(.needsReferenceData) struct RealStoreCheckTests {
    struct RealStore: CustomTestStringConvertible {
        let path: String
        var testDescription: String { path }

        static let all: [RealStore] = ["stores", "more-stores"].flatMap { name in
            let folder = Project.data.appending(path: name)
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            return files.sorted().map { RealStore(path: "\(name)/\($0)") }.filter { $0.isDatabase }
        }

        var url: URL { Project.data.appending(path: path) }

        private var isDatabase: Bool {
            guard let handle = FileHandle(forReadingAtPath: url.path) else { return false }
            defer { try? handle.close() }
            return (try? handle.read(upToCount: 15)) == Data("SQLite format 3".utf8)
        }
    }

    /// What SQL finds: the number of rows, by kind, entity and property.
    private static let known: [String: [String: String]] = [
        "more-stores/Photos-26.1/Photos.sqlite": [
            "damage danglingReference Person.mergeCandidates": """
            SELECT COUNT(*) FROM Z_59MERGECANDIDATES AS j WHERE NOT EXISTS (
                SELECT 1 FROM ZPERSON WHERE Z_PK = j.Z_59MERGECANDIDATES)
            OR NOT EXISTS (SELECT 1 FROM ZPERSON WHERE Z_PK = j.REFLEXIVE)
            """,
            "note missingValue Asset.videoKeyFrameTimeScale":
                "SELECT COUNT(*) FROM ZASSET WHERE ZVIDEOKEYFRAMETIMESCALE IS NULL",
            "note missingValue Asset.videoKeyFrameValue":
                "SELECT COUNT(*) FROM ZASSET WHERE ZVIDEOKEYFRAMEVALUE IS NULL",
        ],
        "more-stores/Notes/NoteStore.sqlite": Dictionary(
            uniqueKeysWithValues: ["ICAccount", "ICDeviceMigrationState", "ICFolder", "ICNote"].map { entity in
                (
                    "note oneSidedLink \(entity).cloudState",
                    """
                    SELECT COUNT(*) FROM ZICCLOUDSYNCINGOBJECT AS a JOIN ZICCLOUDSTATE AS b ON b.Z_PK = a.ZCLOUDSTATE
                    WHERE b.ZCLOUDSYNCINGOBJECT IS NOT a.Z_PK
                        AND a.Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')
                    """
                )
            }),
    ]

    private struct Report: Decodable {
        struct Finding: Decodable {
            var severity: String, kind: String
            var entity: String?, property: String?
        }
        var findings: [Finding]
    }

    @Test(arguments: RealStore.all)
    func `what is found is what SQL finds, and reading changes nothing`(_ store: RealStore) throws {
        let folder = try TemporaryFolder()
        let copy = folder.path("Copy.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.url.path + suffix) {
            try Data(contentsOf: URL(fileURLWithPath: store.url.path + suffix))
                .write(to: URL(fileURLWithPath: copy + suffix))
        }
        let bytes = try StoreFile(path: copy).bytes, names = try folder.names
        let run = try graft("check", copy, "--json")
        #expect(run.diagnostics == "")
        #expect(try StoreFile(path: copy).bytes == bytes)
        #expect(try folder.names == names)
        let findings = try JSONDecoder().decode(Report.self, from: run.output).findings
        let found = findings.reduce(into: [:]) { counts, finding in
            counts[
                "\(finding.severity) \(finding.kind) \(finding.entity ?? "").\(finding.property ?? "")", default: 0] +=
                1
        }
        let queue = try DatabaseQueue(path: copy)
        let expected = try queue.read { db in
            try (Self.known[store.path] ?? [:]).mapValues { try Int.fetchOne(db, sql: $0) ?? 0 }
        }
        #expect(found == expected)
        #expect(run.status == (expected.isEmpty ? 0 : 1))
    }

    @Test func `a repair of Apple's notes sets the other ends, and nothing else`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.copy(of: Project.data.appending(path: "more-stores/Notes/NoteStore.sqlite"))
        let expected = folder.path("Expected.sqlite")
        try FileManager.default.copyItem(atPath: store, toPath: expected)
        try changeDatabase(
            at: expected,
            """
            UPDATE ZICCLOUDSTATE AS t SET Z_OPT = Z_OPT + 1,
                (ZCLOUDSYNCINGOBJECT, Z2_CLOUDSYNCINGOBJECT) = (
                    SELECT a.Z_PK, a.Z_ENT FROM ZICCLOUDSYNCINGOBJECT AS a WHERE a.ZCLOUDSTATE = t.Z_PK)
            WHERE ZCLOUDSYNCINGOBJECT IS NULL
                AND EXISTS (SELECT 1 FROM ZICCLOUDSYNCINGOBJECT AS a WHERE a.ZCLOUDSTATE = t.Z_PK)
            """)
        try graft("check", store, "--repair", "--no-backup").succeeded()
        #expect(try StoreFile(path: store).content == StoreFile(path: expected).content)
        #expect(try graft("check", store).succeeded().text.contains("nothing found"))
    }
}
