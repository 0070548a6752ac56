// Copies and identities that include the owner: what a copy doesn't own is found by them, and a copy that would have one that another
// object has is an error, as with identities of attributes alone. (DictionaryPopulator.run doesn't look for them where copies are made.)

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OwnedIdentityCopyTests {
    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType),
                .toMany("seasons", "Season", inverse: "team", rule: .cascadeDeleteRule), .toOne("best", "Season"),
            ])
        sketch.entity(
            "Season", info: ["identityAttributes": "year,team"],
            [
                .attribute("year", .integer32AttributeType), .attribute("rank", .integer32AttributeType),
                .toOne("team", "Team", inverse: "seasons"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.importJSON(#"[{"id": 1, "seasons": [{"year": 2000, "rank": 3}]}]"#, "Team")
        return stack
    }

    @Test(arguments: [false, true])
    func `what a copy doesn't own is found by its key and its owner`(_ makesCopies: Bool) throws {
        let stack = try stack()
        let dictionary: [String: Any] = [
            "class": "Team", "id": 2, "best": ["year": 2000, "team": ["id": 1] as [String: Any]] as [String: Any],
        ]
        try stack.perform { context throws in
            var options = PopulateOptions()
            options.makesCopies = makesCopies
            let (objects, report) = try context.populateObjects(fromDictionaries: [dictionary], options: options)
            #expect(report["Season"].inserted == 0)
            #expect(objects.first?.object("best")?.number("rank") == 3)
            try context.save()
            // A store with two objects of one identity can't be compared.
            #expect(graftError { _ = try GraphSnapshot(of: context) } == nil)
        }
        #expect(try stack.count("Season") == 1)
    }

    @Test func `a copy with the key and the owner of another object is an error, and nothing is made`() throws {
        let stack = try stack()
        try stack.perform { context throws in
            let error = graftError {
                _ = try NSManagedObject.create(
                    fromDictionary: ["class": "Season", "year": 2000, "team": ["id": 1] as [String: Any]], in: context)
            }
            if case .duplicateIdentity? = error?.problem {} else { Issue.record("\(String(describing: error))") }
            #expect(!context.hasChanges)
            #expect(try context.all("Season").count == 1)
        }
    }
}
