// One side gives b, whom a has, to c, and the other side deletes c. Settled for the deletion, b is with a again, whichever end of the
// relationship comes first by name, and whichever object by key.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DeletedPartnerMergeTests {
    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"],
            [
                .attribute("id"), .toOne("spouse", "Person", inverse: "spouse"),
                .toOne("aide", "Person", inverse: "boss"), .toOne("boss", "Person", inverse: "aide"),
            ])
        model = sketch.model()
    }

    private func graph(_ one: String, _ name: String, _ other: String, without deleted: String = "") throws
        -> GraphSnapshot
    {
        try TestStack(model).perform { context in
            for id in ["a", "b", "c"] where id != deleted { _ = context.make("Person", ["id": id]) }
            let end = try #require(try context.one("Person", "id", other))
            try #require(try context.one("Person", "id", one)).setValue(end, forKey: name)
            return try GraphSnapshot(of: context)
        }
    }

    @Test(arguments: ["aide", "boss", "spouse"], ["ab", "ba"])
    func `who was given to an object that goes stays where the other side has it`(
        _ name: String, _ pair: String
    ) throws {
        let (holder, partner) = (String(pair.prefix(1)), String(pair.suffix(1)))
        let base = try graph(holder, name, partner)
        let ours = try graph(holder, name, partner, without: "c")
        let theirs = try graph("c", name, partner)
        let merge = try GraphMerge(base: base, ours: ours, theirs: theirs, options: .init(policy: .ours))
        #expect(merge.conflicts.isEmpty)
        #expect(try merge.snapshot.contents() == ours.contents())
        let swapped = try GraphMerge(base: base, ours: theirs, theirs: ours, options: .init(policy: .theirs))
        #expect(try swapped.snapshot.contents() == ours.contents())
    }
}
