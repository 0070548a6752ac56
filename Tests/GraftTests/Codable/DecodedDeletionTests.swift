// What an owner gives up is deleted, through each door, and what refers to it by a relationship without inverse leads nowhere then, or,
// where it must lead somewhere, nothing is deleted. (DecodedObjects.deleteGivenUp deletes without ContextObjects.takeOut.)

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DecodedDeletionTests {
    /// A team with a note and a picture of its own, to both of which a player refers.
    private func stack(isOptional: Bool) throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule),
                .toOne("picture", "Picture", inverse: "team", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes")])
        sketch.entity("Picture", [.attribute("text"), .toOne("team", "Team", inverse: "picture")])
        sketch.entity(
            "Player", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .toOne("pinned", "Note", isOptional: isOptional),
                .toOne("badge", "Picture"),
            ])
        let model = sketch.model()
        model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(DoorTeam.self)
        let stack = try TestStack(model, .sqlite)
        try stack.perform { context throws in
            func make(_ entity: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            }
            let (team, note, picture, player) = (make("Team"), make("Note"), make("Picture"), make("Player"))
            team.setValue(1, forKey: "id")
            note.setValue("a", forKey: "text")
            note.setValue(team, forKey: "team")
            picture.setValue("b", forKey: "text")
            picture.setValue(team, forKey: "team")
            player.setValue(1, forKey: "id")
            player.setValue(note, forKey: "pinned")
            player.setValue(picture, forKey: "badge")
            try context.save()
        }
        return stack
    }

    private static let data = Data(#"[{"id": 1, "notes": [], "picture": null}]"#.utf8)

    @Test(arguments: DoorLawTests.Door.allCases)
    func `what refers to an object that its owner gives up leads nowhere afterwards`(_ door: DoorLawTests.Door) throws {
        let stack = try stack(isOptional: true)
        try stack.perform { context throws in
            try door.take(Self.data, into: context)
            try context.save()
        }
        #expect(try stack.count("Note") == 0 && stack.count("Picture") == 0)
        try stack.perform { context throws in
            let player = try #require(try context.all("Player").first)
            #expect(player.object("pinned") == nil)
            #expect(player.object("badge") == nil)
        }
        #expect(try stack.findings() == [])
    }

    @Test(arguments: DoorLawTests.Door.allCases)
    func `what another object must have isn't given up, and nothing is changed`(_ door: DoorLawTests.Door) throws {
        let stack = try stack(isOptional: false)
        try stack.perform { context throws in
            let error = graftError { try door.take(Self.data, into: context) }
            #expect(error?.place.entity == "Player" && error?.place.property == "pinned")
            #expect(!context.hasChanges)
            let team = try #require(try context.all("Team").first)
            #expect(team.texts("notes", "text") == ["a"])
            #expect(team.object("picture")?.text("text") == "b")
        }
        #expect(try stack.findings() == [])
    }
}
