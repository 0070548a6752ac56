// Records that contradict themselves: a nested object says that it is another one's than the one it stands in. Where nothing identifies that
// one, the nesting counts, and nothing is left that is nobody's.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ContradictionTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Home", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("name"),
                .toMany("kids", "Kid", inverse: "home"), .toMany("guests", "Kid", inverse: "visits"),
                .toOne("door", "Door", inverse: "home"),
            ])
        sketch.entity(
            "Kid", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("name"), .toOne("home", "Home", inverse: "kids"),
                .toMany("visits", "Home", inverse: "guests"),
            ])
        sketch.entity("Door", [.attribute("colour"), .toOne("home", "Home", inverse: "door")])
        return sketch.model()
    }

    private static let texts = [
        #"[{"kids": [{"home": {"name": "1"}}]}]"#, #"[{"kids": [{"home": {}}]}]"#,
        #"[{"name": "1", "kids": [{"home": {"name": "1"}, "name": "k"}]}]"#,
        #"[{"id": "a", "kids": [{"id": "k", "home": {"name": "1", "door": {"colour": "red"}}}]}]"#,
        #"[{"id": "a", "door": {"colour": "red", "home": {"name": "1"}}}]"#,
        #"[{"id": "a", "kids": [{"id": "k"}]}, {"id": "a", "kids": [{"id": "k", "home": {"name": "1"}}]}]"#,
    ]

    @Test(arguments: texts, StoreKind.allCases)
    func `what contradicts the object around makes nothing, and is in the report`(_ text: String, _ kind: StoreKind)
        throws
    {
        for size in [1, 1000] {
            let stack = try TestStack(model(), kind)
            var options = ImportOptions()
            options.batchSize = size
            let first = try stack.importJSON(text, "Home", options: options)
            #expect(try stack.count("Home") == 1)
            #expect(first.overruledLinks.map(\.count) == [1])
            #expect(first.description.contains("home: 1 link to objects without identity left out"), "\(first)")
            let again = try stack.importJSON(text, "Home", options: options)
            #expect(!again.hasChanges && again.overruledLinks == first.overruledLinks, "\(again)")
        }
    }

    @Test(arguments: texts)
    func `dictionaries that contradict the object around do the same`(_ text: String) throws {
        let stack = try TestStack(model())
        let dictionaries = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        for _ in 0..<2 {
            try stack.perform { context in
                let report = try context.populateObjects(fromDictionaries: dictionaries, entity: "Home").report
                #expect(report.overruledLinks.map(\.count) == [1], "\(report)")
                try context.save()
            }
            #expect(try stack.count("Home") == 1)
        }
    }

    @Test func `an owner with an identity and one of several aren't contradicted`() throws {
        for text in [
            #"[{"id": "a", "kids": [{"id": "k", "home": {"id": "b", "name": "1"}}]}]"#,
            #"[{"id": "a", "guests": [{"id": "k", "visits": [{"name": "1"}]}]}]"#,
        ] {
            let stack = try TestStack(model())
            #expect(try stack.importJSON(text, "Home").overruledLinks.isEmpty)
            #expect(try stack.count("Home") == 2)
        }
    }
}
