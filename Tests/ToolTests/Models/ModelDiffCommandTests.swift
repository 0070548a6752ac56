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

    /// A model of its own.
    private func model(_ name: String, contents: String) throws -> String {
        let file = folder.url.appending(path: "\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try "<model>\(contents)</model>".write(
            to: file.appending(path: "contents"), atomically: true, encoding: .utf8)
        return file.path
    }

    @Test func `names that are exchanged are no version of their own, and an element of a composite attribute is`()
        throws
    {
        func phones(_ home: String, _ work: String) -> String {
            "<entity name=\"Phone\"><attribute name=\"home\" optional=\"YES\" attributeType=\"String\" \(home)/>"
                + "<attribute name=\"work\" optional=\"YES\" attributeType=\"String\" \(work)/></entity>"
        }
        let exchanged = try graft(
            "diff", model("Phones", contents: phones("", "")),
            model("Exchanged", contents: phones("elementID=\"work\"", "elementID=\"home\""))
        ).succeeded()
        #expect(exchanged.lines.last?.hasPrefix("Migration: none takes place. Phone.home: renamed from 'work'") == true)

        func homes(_ elements: [String]) -> String {
            "<entity name=\"A\"><attribute name=\"home\" optional=\"YES\" attributeType=\"Composite\" composite=\"Place\"/>"
                + "</entity><composite name=\"Place\">"
                + elements.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>" }.joined()
                + "</composite>"
        }
        let added = try graft(
            "diff", model("Homes", contents: homes(["street"])), model("Cities", contents: homes(["street", "city"]))
        ).succeeded()
        #expect(added.lines.last == "Migration: inferred.", "\(added.text)")
    }

    @Test func `elements that are gone, renamed or in another order are listed by their paths`() throws {
        func shops(_ elements: String...) -> String {
            "<entity name=\"Shop\"><attribute name=\"place\" optional=\"YES\" attributeType=\"Composite\" composite=\"Place\"/>"
                + "</entity><composite name=\"Place\">\(elements.joined())</composite>"
                + "<composite name=\"City\"><attribute name=\"city\" optional=\"YES\" attributeType=\"String\"/></composite>"
        }
        func city(_ name: String, _ identifier: String? = nil) -> String {
            "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"Composite\" composite=\"City\" "
                + "\(identifier.map { "elementID=\"\($0)\"" } ?? "")/>"
        }
        let old = try model("Old", contents: shops(city("home"), city("work")))
        func lines(_ name: String, _ contents: String) throws -> [String] {
            let run = try graft("diff", old, model(name, contents: contents)).succeeded()
            #expect(run.lines.last == "Migration: inferred.", "\(run.text)")
            return run.lines.filter { $0.hasPrefix("Shop.") }.map(String.init)
        }
        #expect(try lines("Fewer", shops(city("work"))) == ["Shop.place.home.city: removed"])
        #expect(
            try lines("Other", shops(city("house"), city("work")))
                == ["Shop.place.house.city: added", "Shop.place.home.city: removed"])
        #expect(
            try lines("Renamed", shops(city("house", "home"), city("work")))
                == ["Shop.place.house: renamed from 'home'"])
        #expect(
            try lines("Turned", shops(city("work"), city("home"))) == ["Shop.place: elements in another order"])
    }

    @Test func `what an entity loses by leaving its parent is listed`() throws {
        func keeper(_ parent: String) -> String {
            "<entity name=\"Animal\"><attribute name=\"legs\" optional=\"YES\" attributeType=\"Integer 16\"/></entity>"
                + "<entity name=\"Keeper\" \(parent)>"
                + "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/></entity>"
        }
        let run = try graft(
            "diff", model("Kept", contents: keeper("parentEntity=\"Animal\"")), model("Left", contents: keeper(""))
        ).succeeded()
        #expect(run.lines.contains("Keeper.legs: removed"), "\(run.text)")
        #expect(!run.lines.contains("Animal.legs: removed"), "\(run.text)")
    }

    @Test func `equal models have no differences`() throws {
        let run = try graft("diff", Project.heroesModel, Project.heroesModel, "--exit-code").succeeded()
        #expect(run.text == "")
    }

    @Test func `a model and something else can't be compared, and models only as text`() throws {
        let file = Project.heroes.appending(path: "heroes.json").path
        try graft("diff", Project.heroesModel, file).failed(saying: "a file that is no model", "--dry-run")
        for options in [
            ["--format", "html"], ["--key", "auto"], ["--base", file], ["--all-links"], ["--transformer", "A=text"],
        ] {
            let run = try graft(["diff", Project.heroesModel, Project.heroesModel] + options)
            #expect(run.status == 64 && run.diagnostics.contains("Two models are compared as text"), "\(options)")
        }
    }
}
