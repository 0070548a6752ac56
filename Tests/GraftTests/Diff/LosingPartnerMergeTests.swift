// One-to-one relationships: who loses a contest for a partner keeps the one that the winning side, and the base, give it, as long as nobody
// else has that one. So a merge in which all conflicts are ours is ours.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct LosingPartnerMergeTests {
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

    /// Persons a to f with some links, each as `a.spouse=b`.
    private func graph(_ text: String) throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            for id in "abcdef" { _ = context.make("Person", ["id": "\(id)"]) }
            for link in text.split(separator: " ") {
                let parts = link.split { ".=".contains($0) }.map(String.init)
                let end = try #require(try context.one("Person", "id", parts[2]))
                try #require(try context.one("Person", "id", parts[0])).setValue(end, forKey: parts[1])
            }
            return try GraphSnapshot(of: context)
        }
    }

    @Test(arguments: [
        // Two who take one that is free, and leave another one for that.
        ("a.aide=b c.aide=d", "a.aide=e c.aide=d", "a.aide=b c.aide=e"),
        ("a.boss=b c.boss=d", "a.boss=e c.boss=d", "a.boss=b c.boss=e"),
        // One that takes another one's partner on one side, and a free one on the other.
        ("a.aide=b c.aide=e", "a.aide=e", "a.aide=f c.aide=e"),
        ("c.spouse=d", "a.spouse=c", "a.spouse=b c.spouse=d"),
        // A swap against a separation.
        ("a.aide=b c.aide=d", "a.aide=d c.aide=b", "c.aide=d"),
    ])
    func `where one side decides all, its graph is the result`(_ base: String, _ ours: String, _ theirs: String) throws
    {
        try expectPoliciesToDecide(between: graph(ours), and: graph(theirs), base: graph(base))
    }

    @Test func `until the contest is settled, both keep whom they had`() throws {
        let base = try graph("a.aide=b c.aide=d")
        let merge = try GraphMerge(
            base: base, ours: graph("a.aide=e c.aide=d"), theirs: graph("a.aide=b c.aide=e"))
        #expect(merge.conflicts.count == 1)
        #expect(try merge.snapshot.contents() == base.contents())
    }
}
