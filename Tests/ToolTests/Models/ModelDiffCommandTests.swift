// `graft diff` of two models.

import Foundation
import Testing

@Suite struct ModelDiffCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The example's model after some replacements.
    private func model(_ name: String, _ changes: [(String, String)]) throws -> String {
        let version = folder.url.appending(path: "\(name).xcdatamodeld/\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        let original = URL(fileURLWithPath: Project.heroesModel).appending(path: "Heroes.xcdatamodel/contents")
        var text = try String(contentsOf: original, encoding: .utf8)
        for (old, new) in changes {
            try #require(text.contains(old), "\(old)")
            text = text.replacingOccurrences(of: old, with: new)
        }
        try Data(text.utf8).write(to: version.appending(path: "contents"))
        return folder.path("\(name).xcdatamodeld")
    }

    @Test func `what is added, renamed and changed is shown, and that the migration is inferred`() throws {
        let new = try model(
            "New",
            [
                (
                    #"<attribute name="motto" optional="YES""#,
                    #"<attribute name="saying" elementID="motto" optional="YES""#
                ),
                (
                    #"<attribute name="rescues""#,
                    #"<attribute name="rank" optional="YES" attributeType="String"/><attribute name="rescues""#
                ),
                (
                    #"<relationship name="powers" optional="YES" toMany="YES" deletionRule="Nullify""#,
                    #"<relationship name="powers" optional="YES" toMany="YES" deletionRule="Cascade""#
                ),
                (#"value="appearance.height_m""#, #"value="height""#),
            ])
        let run = try graft("diff", Project.heroesModel, new, "--exit-code")
        #expect(run.status == 1 && run.diagnostics.isEmpty)
        #expect(run.lines.contains("Character.saying: renamed from 'motto'"))
        #expect(run.lines.contains("Hero.rank: added"))
        #expect(run.lines.contains { $0.hasPrefix("- relationship Character.powers") && $0.contains("Nullify") })
        #expect(run.lines.contains { $0.hasPrefix("+ relationship Character.powers") && $0.contains("Cascade") })
        #expect(run.lines.contains { $0.hasPrefix("+ attribute Character.height") && $0.contains(#""height""#) })
        #expect(run.lines.last == "Migration: inferred.")
    }

    @Test func `what stands in the way of a migration is named`() throws {
        let new = try model(
            "New",
            [
                (
                    #"<attribute name="bounty" optional="YES" attributeType="Decimal""#,
                    #"<attribute name="bounty" optional="YES" attributeType="Date""#
                )
            ])
        let run = try graft("diff", Project.heroesModel, new).succeeded()
        #expect(run.text.contains("Villain.bounty: type changed from Decimal to Date, and values can't be converted"))
        #expect(run.lines.last == "Migration: can't be inferred, because of one difference above.")
    }

    @Test func `where only the annotations differ, no store has to be migrated`() throws {
        let new = try model("New", [(#"value="appearance.height_m""#, #"value="height""#)])
        let run = try graft("diff", Project.heroesModel, new, "--exit-code")
        #expect(run.status == 1)
        #expect(run.lines.last == "Migration: none needed; stores of the old version open as they are.")
    }

    @Test func `equal models have no differences`() throws {
        let run = try graft("diff", Project.heroesModel, Project.heroesModel, "--exit-code").succeeded()
        #expect(run.text == "")
    }

    @Test func `a model and something else can't be compared, and models only as text`() throws {
        let file = Project.heroes.appending(path: "heroes.json").path
        try graft("diff", Project.heroesModel, file).failed(saying: "a file that is no model", "--dry-run")
        #expect(try graft("diff", Project.heroesModel, Project.heroesModel, "--format", "html").status == 64)
    }
}
