// What a context has and hasn't saved counts as what is stored does: the same data again changes nothing.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct UnsavedImportTests {
    typealias Model = ArchiveArticleModel

    private static func makeModel() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Team", [.attribute("name"), .toMany("players", "Player", inverse: "team")])
        sketch.entity("Player", [.attribute("name"), .toOne("team", "Team", inverse: "players")])
        return sketch.model()
    }

    /// Ways to take the same two players of one team, none of which has an identity.
    enum Door: CaseIterable {
        case records, graph, dictionaries, archive

        func take(_ archive: GraphArchive, in context: NSManagedObjectContext) throws {
            switch self {
            case .records:
                let text = #"[{"name": "Ann", "team": {"name": "Reds"}}, {"name": "Bob", "team": null}]"#
                try context.importJSON(Data(text.utf8), entity: "Player")
            case .graph:
                let text = #"""
                    {"Player": [{"$id": 1, "name": "Ann", "team": {"$ref": 2}}, {"name": "Bob", "team": null}],
                     "Team": [{"$id": 2, "name": "Reds"}]}
                    """#
                try context.importJSON(Data(text.utf8))
            case .dictionaries:
                let ann: [String: Any] = ["name": "Ann", "team": ["name": "Reds"]]
                try context.populateObjects(
                    fromDictionaries: [ann, ["name": "Bob", "team": NSNull()]], entity: "Player")
            case .archive: try context.restore(archive)
            }
        }
    }

    private static func archive() throws -> GraphArchive {
        try TestStack(makeModel()).perform { context throws in
            let ann = Model.new("Player", ["name": "Ann"], context)
            ann.setValue(Model.new("Team", ["name": "Reds"], context), forKey: "team")
            _ = Model.new("Player", ["name": "Bob"], context)
            try context.save()
            return try context.archive()
        }
    }

    private func requireOneOfEach(_ context: NSManagedObjectContext) throws {
        let players = try context.all("Player").sorted { ($0.text("name") ?? "") < ($1.text("name") ?? "") }
        #expect(players.map { $0.text("name") } == ["Ann", "Bob"])
        #expect(try context.all("Team").count == 1)
        #expect(players.first?.object("team")?.text("name") == "Reds" && players.last?.object("team") == nil)
    }

    @Test(arguments: Door.allCases)
    func `the same data twice without a save makes one object of each`(_ door: Door) throws {
        let archive = try Self.archive()
        try TestStack(Self.makeModel()).perform { context throws in
            for _ in 0..<3 { try door.take(archive, in: context) }
            try requireOneOfEach(context)
            try context.save()
            try door.take(archive, in: context)
            #expect(!context.hasChanges)
            try requireOneOfEach(context)
        }
    }

    @Test(arguments: Door.allCases)
    func `what a stored object has been changed to counts, and what it was doesn't`(_ door: Door) throws {
        let archive = try Self.archive()
        try TestStack(Self.makeModel()).perform { context throws in
            let ann = Model.new("Player", ["name": "X"], context)
            let other = Model.new("Player", ["name": "Bob"], context)
            ann.setValue(Model.new("Team", ["name": "Reds"], context), forKey: "team")
            try context.save()
            ann.setValue("Ann", forKey: "name")
            other.setValue("Cid", forKey: "name")
            try door.take(archive, in: context)
            let names = try context.all("Player").compactMap { $0.text("name") }.sorted()
            #expect(names == ["Ann", "Bob", "Cid"])
            #expect(ann.object("team")?.text("name") == "Reds")
            #expect(try context.all("Team").count == 1)
        }
    }
}
