// Files that the tool and the library wrote before archives, exports and readers were put behind one door. What users have on
// disk stays readable, and means the same.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct FilesOfBeforeTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Resources/Before")

    /// The model of the example, in which the files were written.
    static func heroes() throws -> NSManagedObjectModel {
        let project = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try #require(
            NSManagedObjectModel(contentsOf: project.appendingPathComponent("Examples/Heroes/Heroes.xcdatamodeld")))
    }

    private static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    @Test(arguments: [
        ("heroes-lines.archive", SourceKind.archive(.json)), ("heroes-blocks.archive", .archive(.binary)),
        ("heroes-graft.json", .export), ("tracker.graft-sync", .tracker), ("diff.json", .diff),
        ("patch.json", .jsonPatch), ("merge-patch.json", .json), ("report.json", .report),
    ])
    func `each is told by its bytes`(_ name: String, _ kind: SourceKind) throws {
        #expect(try ImportSource.file(Self.url(name)).kind() == kind)
        #expect(try ImportSource.data(Data(contentsOf: Self.url(name))).kind() == kind)
    }

    @Test(arguments: ["heroes-lines.archive", "heroes-blocks.archive", "heroes-graft.json"])
    func `an archive or an export of then imports, and once more changes nothing`(_ name: String) throws {
        let stack = try TestStack(try Self.heroes(), .sqlite)
        let report = try stack.container.importJSON(contentsOf: [Self.url(name)])
        #expect(report.total.inserted == 11 && report.total.stubs == 0)
        #expect(try ["Hero", "Power", "Publisher"].map(stack.count) == [4, 5, 2])
        let again = try stack.container.importJSON(contentsOf: [Self.url(name)])
        #expect(!again.hasChanges && again.total.unchanged == 11, "\(again)")
    }

    @Test(arguments: ["heroes-lines.archive", "heroes-blocks.archive"])
    func `an archive of then is restored`(_ name: String) throws {
        let archive = GraphArchive(contentsOf: Self.url(name))
        let stack = try TestStack(try #require(try archive.model()))
        #expect(try stack.container.restore(archive).total.inserted == 11)
        try stack.perform { context throws in
            let hero = try #require(try context.one("Hero", "id", 101))
            #expect(hero.text("name") == "Revontuli" && hero.object("publisher")?.text("name") == "Pohjola Panels")
            #expect(hero.texts("powers", "name") == ["Flight", "Light bending"])
        }
    }

    @Test func `a diff of then applies`() throws {
        let stack = try TestStack(try Self.heroes())
        try stack.container.importJSON(contentsOf: [Self.url("heroes-graft.json")])
        let diff = try JSONDecoder().decode(GraphDiff.self, from: Data(contentsOf: Self.url("diff.json")))
        let report = try stack.container.apply(diff)
        #expect([report.inserted, report.changed, report.deleted] == [2, 7, 0] && report.conflicts.isEmpty)
    }

    @Test func `a tracker's file of then goes on with what was sent and what is pending`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).graft-sync")
        try FileManager.default.copyItem(at: Self.url("tracker.graft-sync"), to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        try stack.perform { context throws in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            batman.setValue("The Bat", forKey: "name")
            batman.setValue("Master Wayne", forKey: "realName")
            let tracker = try GraphTracker(file: copy, context: context)
            #expect(tracker.isWaiting)
            #expect(try tracker.pendingChange().changed.first?.properties.map(\.name) == ["name", "realName"])
            try tracker.confirm()
            #expect(try tracker.pendingChange().changed.first?.properties.map(\.name) == ["realName"])
        }
    }

    @Test func `a report of then is read`() throws {
        let report = try JSONDecoder().decode(ImportReport.self, from: Data(contentsOf: Self.url("report.json")))
        #expect(report["Power"].inserted == 5 && report.recordCount == 4)
        #expect(report.unknownKeys.isEmpty && report.emptyObjects == 0)
    }
}
