// Merges of to-one relationships: what leads back to one object, to itself, and to owners.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct MergeLinkTests {
    /// Whose change counts.
    private enum Preference {
        case leave, ours, theirs

        var policy: GraphMerge.Policy {
            switch self {
            case .leave: .leave
            case .ours: .ours
            case .theirs: .theirs
            }
        }
    }

    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"],
            [
                .attribute("id"), .toOne("spouse", "Person", inverse: "spouse"),
                .toOne("aide", "Person", inverse: "boss"), .toOne("boss", "Person", inverse: "aide"),
                .toOne("parent", "Person", inverse: "children"),
                .toMany("children", "Person", inverse: "parent", rule: .cascadeDeleteRule),
            ])
        model = sketch.model()
    }

    /// Persons a to f with some links, each as `a.spouse=b`, without some of them.
    private func graph(_ text: String, without deleted: String = "") throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            for id in "abcdef" where !deleted.contains(id) { _ = context.make("Person", ["id": "\(id)"]) }
            for link in text.split(separator: " ") {
                let parts = link.split { ".=".contains($0) }.map(String.init)
                let end = try #require(try context.one("Person", "id", parts[2]))
                try #require(try context.one("Person", "id", parts[0])).setValue(end, forKey: parts[1])
            }
            return try GraphSnapshot(of: context)
        }
    }

    /// The merge, which is the same with the sides swapped.
    private func merge(
        _ base: String, _ ours: String, _ theirs: String, _ policy: Preference = .leave,
        without deleted: String = ""
    ) throws -> GraphMerge {
        let sides = (try graph(ours), try graph(theirs, without: deleted))
        let mirrored: Preference = policy == .ours ? .theirs : policy == .theirs ? .ours : policy
        let merge = try GraphMerge(
            base: graph(base), ours: sides.0, theirs: sides.1, options: .init(policy: policy.policy))
        let swapped = try GraphMerge(
            base: graph(base), ours: sides.1, theirs: sides.0, options: .init(policy: mirrored.policy))
        #expect(try merge.snapshot.contents() == swapped.snapshot.contents())
        #expect(merge.conflicts.map(\.key) == swapped.conflicts.map(\.key))
        return merge
    }

    /// The links of a merged graph, from the first of the names.
    private func links(_ merge: GraphMerge) -> [String] {
        "abcdef".flatMap { id -> [String] in
            guard let row = merge.snapshot.row(of: "Person", identity: [.string("\(id)")]) else { return [] }
            return ["aide", "parent", "spouse"].compactMap { name in
                row.destination(of: name)?["id"].map { "\(id).\(name)=\("\($0)".filter { $0 != "\"" })" }
            }
        }
    }

    @Test(arguments: [
        // The base, ours, theirs, and what comes of it by preference and without one; the first links are read at both ends.
        ("", "a.spouse=b", "a.spouse=c", ["a.spouse=b"], ["a.spouse=c"], []),
        ("a.spouse=b", "a.spouse=c", "a.spouse=d", ["a.spouse=c"], ["a.spouse=d"], ["a.spouse=b"]),
        ("a.spouse=b", "", "a.spouse=d", [], ["a.spouse=d"], ["a.spouse=b"]),
        ("", "a.spouse=b c.spouse=d", "b.spouse=c", ["a.spouse=b", "c.spouse=d"], ["b.spouse=c"], []),
        ("a.spouse=a", "a.spouse=b", "a.spouse=c", ["a.spouse=b"], ["a.spouse=c"], ["a.spouse=a"]),
    ])
    func `a relationship that is its own inverse is settled once, for both ends`(
        _ base: String, _ ours: String, _ theirs: String, _ our: [String], _ their: [String], _ left: [String]
    ) throws {
        func spouses(_ policy: Preference) throws -> [String] {
            let merge = try merge(base, ours, theirs, policy)
            #expect(merge.conflicts.isEmpty == (policy != .leave))
            let all = links(merge)
            // Each end says the same.
            #expect(Set(all) == Set(all.map { "\($0.last ?? "z").spouse=\($0.first ?? "z")" }))
            return all.filter { ($0.first ?? "z") <= ($0.last ?? "a") }
        }
        #expect(try spouses(.ours) == our)
        #expect(try spouses(.theirs) == their)
        #expect(try spouses(.leave) == left)
    }

    @Test func `changes of different pairs go together`() throws {
        let merge = try merge("a.spouse=b", "a.spouse=b c.spouse=d", "a.spouse=b e.spouse=f")
        #expect(merge.conflicts.isEmpty)
        #expect(links(merge).count == 6)
    }

    @Test(arguments: ["aide", "boss"])
    func `a link that one side removes and the other changes is a conflict, at whichever end`(_ name: String) throws {
        let (base, theirs) = ("a.\(name)=b", "c.\(name)=b")
        let merge = try merge(base, "", theirs)
        #expect(merge.conflicts.count == 1)
        #expect(links(merge) == (name == "aide" ? ["a.aide=b"] : ["b.aide=a"]))
        #expect(try links(self.merge(base, "", theirs, .ours)) == [])
        #expect(try links(self.merge(base, "", theirs, .theirs)) == (name == "aide" ? ["c.aide=b"] : ["b.aide=c"]))
    }

    @Test func `who is taken out of its owner isn't deleted with it without a conflict`() throws {
        let (base, ours) = ("b.parent=a c.parent=a", "c.parent=a")
        let merge = try merge(base, ours, "", without: "abc")
        #expect(merge.conflicts.map(\.kind) == [.deletion])
        #expect(try links(self.merge(base, ours, "", .ours, without: "abc")) == ["c.parent=a"])
        let deleted = try self.merge(base, ours, "", .theirs, without: "abc")
        #expect(deleted.conflicts.isEmpty && deleted.snapshot.rows(of: "Person").count == 3)
    }

    @Test func `owners that both sides together put below each other are a conflict`() throws {
        let merge = try merge("c.parent=a", "c.parent=a a.parent=b", "c.parent=a b.parent=c")
        #expect(merge.conflicts.count == 1)
        #expect(links(merge) == ["c.parent=a"])
        #expect(try links(self.merge("", "a.parent=b", "b.parent=a", .ours)) == ["a.parent=b"])
        #expect(try links(self.merge("", "a.parent=b", "b.parent=a", .theirs)) == ["b.parent=a"])
        // What is taken back may lead round again, as it did before.
        let before = try self.merge(
            "a.parent=b b.parent=a", "a.parent=c b.parent=a d.parent=a", "a.parent=b b.parent=d c.parent=b")
        #expect(before.conflicts.count == 1 && links(before) == ["a.parent=b", "b.parent=a"])
        // A ring that one side has made, or both, is as it was wanted.
        let wanted = try self.merge("", "a.parent=b b.parent=a", "c.parent=a")
        #expect(wanted.conflicts.isEmpty && links(wanted) == ["a.parent=b", "b.parent=a", "c.parent=a"])
    }

    @Test(arguments: ["aide", "boss", "spouse"])
    func `who only lost the object that both sides gave to another one takes what one side gave it`(
        _ name: String
    ) throws {
        func linked(_ pairs: [String]) -> String {
            pairs.map { pair in "\(pair.prefix(1)).\(name)=\(pair.suffix(1))" }.joined(separator: " ")
        }
        // Both give b to c, and one side gives a another one.
        let (ours, theirs) = (linked(["cb"]), linked(["cb", "ad"]))
        let merge = try merge(linked(["ab"]), ours, theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(links(merge) == links(try self.merge(theirs, theirs, theirs)))
        // Both give a another one: until that is settled it has none, and b stays with c.
        let contested = try self.merge(linked(["ab"]), linked(["cb", "ae"]), theirs)
        #expect(contested.conflicts.count == 1)
        #expect(links(contested) == links(try self.merge(ours, ours, ours)))
    }
}
