// What is changed can be taken back, with all that the change displaced.

import CoreData
import Foundation
import Graft
import Testing

final class EditedTeam: NSManagedObject, ManagedCodable {}

/// A team that makes its own mascot.
final class StaffedTeam: NSManagedObject, ManagedCodable {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        guard let context = managedObjectContext else { return }
        let mascot = NSEntityDescription.insertNewObject(forEntityName: "Mascot", into: context)
        mascot.setValue(self, forKey: "team")
    }
}

@Suite struct ObjectEditorTests {
    /// A team owns its players, who play for one team alone.
    private func model(_ teamClass: NSManagedObject.Type = EditedTeam.self) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "name"],
            [
                .attribute("name"), .attribute("size", .integer16AttributeType),
                .toMany("players", "Player", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toMany("mascots", "Mascot", inverse: "team", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Mascot", [.attribute("name"), .toOne("team", "Team", inverse: "mascots")])
        sketch.entity(
            "Player", info: ["identityAttributes": "name"],
            [.attribute("name"), .toOne("team", "Team", inverse: "players")])
        let model = sketch.model()
        model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(teamClass)
        return model
    }

    /// A context with a saved player without a team, one with a team, and that team.
    private func perform(_ body: (NSManagedObjectContext, _ check: () throws -> Void) throws -> Void) throws {
        let stack = try TestStack(model(), .sqlite)
        try stack.perform { context throws in
            try context.importJSON(
                Data(#"[{"name": "Reds", "players": [{"name": "Ann"}, {"name": "Bob"}]}]"#.utf8), entity: "Team")
            try context.importJSON(Data(#"[{"name": "Cid"}]"#.utf8), entity: "Player")
            try context.save()
            try body(context) {
                #expect(try context.all("Team").map { $0.text("name") } == ["Reds"])
                #expect(try context.all("Player").compactMap { $0.text("name") }.sorted() == ["Ann", "Bob", "Cid"])
                let reds = try #require(try context.all("Team").first)
                let players = try #require(reds.value(forKey: "players") as? NSOrderedSet)
                #expect(players.compactMap { ($0 as? NSManagedObject)?.text("name") } == ["Ann", "Bob"])
                #expect(try context.all("Player").filter { $0.value(forKey: "team") == nil }.count == 1)
                context.checkInvariants()
            }
        }
    }

    private static let wrong =
        #"[{"name": "Blues", "players": [{"name": "Cid"}, {"name": "Ann"}]}, {"name": "X", "size": "many"}]"#

    @Test func `players that a failed decoding gave to a new team stay, where they were`() throws {
        try perform { context, check throws in
            #expect(throws: (any Error).self) {
                _ = try context.decode([EditedTeam].self, from: Data(Self.wrong.utf8), with: JSONDecoder())
            }
            #expect(!context.hasChanges)
            try check()
        }
    }

    @Test func `players that a failed import gave to a new team stay, where they were, beside other changes`() throws {
        try perform { context, check throws in
            let other = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
            other.setValue("Dan", forKey: "name")
            var options = ImportOptions()
            // The second batch fails when the first one has been taken over.
            options.batchSize = 1
            #expect(throws: GraftError.self) {
                try context.importJSON(Data(Self.wrong.utf8), entity: "Team", options: options)
            }
            #expect(context.insertedObjects == [other])
            #expect(context.updatedObjects.isEmpty)
            #expect(context.deletedObjects.isEmpty)
            context.delete(other)
            context.processPendingChanges()
            try check()
        }
    }

    @Test func `what a class makes for a new object goes with it when decoding fails`() throws {
        let stack = try TestStack(model(StaffedTeam.self), .inMemory)
        try stack.perform { context throws in
            #expect(throws: (any Error).self) {
                _ = try context.decode([StaffedTeam].self, from: Data(Self.wrong.utf8), with: JSONDecoder())
            }
            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
            let teams = try context.decode(
                [StaffedTeam].self, from: Data(#"[{"name": "Reds"}]"#.utf8), with: JSONDecoder())
            #expect((teams.first?.value(forKey: "mascots") as? NSSet)?.count == 1)
        }
    }

    @Test func `what a class makes for a new object isn't in what an archive or a difference says`() throws {
        let plain = try TestStack(model(), .inMemory)
        let (archive, diff) = try plain.perform { context throws in
            let empty = try GraphSnapshot(of: context)
            let reds = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
            reds.setValue("Reds", forKey: "name")
            try context.save()
            return (try context.archive(), try GraphDiff(from: empty, to: GraphSnapshot(of: context)))
        }
        for isRestored in [true, false] {
            for hasUnsaved in [true, false] {
                try TestStack(model(StaffedTeam.self), .inMemory).perform { context throws in
                    if hasUnsaved { _ = NSEntityDescription.insertNewObject(forEntityName: "Mascot", into: context) }
                    if isRestored { try context.restore(archive) } else { try context.apply(diff) }
                    let teams = try context.all("Team")
                    #expect(teams.map { $0.text("name") } == ["Reds"])
                    #expect((teams.first?.value(forKey: "mascots") as? NSSet)?.count == 0)
                    #expect(try context.all("Mascot").count == (hasUnsaved ? 1 : 0))
                    context.checkInvariants()
                }
            }
        }
    }

    @Test func `a decoding that succeeded goes with the longer one that fails`() throws {
        try perform { context, check throws in
            #expect(throws: (any Error).self) {
                try context.decodeAtomically {
                    let right = Data(#"[{"name": "Greens", "players": [{"name": "Bob"}]}]"#.utf8)
                    #expect(
                        try context.decode([EditedTeam].self, from: right, with: JSONDecoder()).first?.text("name")
                            == "Greens")
                    _ = try context.decode([EditedTeam].self, from: Data(Self.wrong.utf8), with: JSONDecoder())
                }
            }
            #expect(!context.hasChanges)
            try check()
        }
    }

    @Test func `a failed decoding whose context was rolled back meanwhile is its own error`() throws {
        try perform { context, check throws in
            #expect(throws: (any Error).self) {
                try context.decodeAtomically {
                    do {
                        let decoder = JSONDecoder()
                        decoder.managedObjectContext = context
                        _ = try decoder.decode([EditedTeam].self, from: Data(Self.wrong.utf8))
                    } catch {
                        context.rollback()
                        throw error
                    }
                }
            }
            #expect(!context.hasChanges)
            try check()
        }
    }
}
