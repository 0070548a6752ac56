// Owners whose link to what they own is known at one end alone: the other end is excluded from diffs, or the text doesn't say it. One side
// deletes a person with an address, the other one needs either of them: what comes of it is what comes of it where both ends are known.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OneSidedOwnerMergeTests {
    /// What the other side does.
    enum Story: String, CaseIterable, CustomTestStringConvertible {
        case changesAddress, releasesAddress, movesAddress, insertsAddress, renamesPerson

        var testDescription: String { rawValue }
    }

    /// The end that takes no part in diffs.
    enum Hidden: String, CaseIterable, CustomTestStringConvertible {
        case addresses, person

        var testDescription: String { rawValue }
    }

    private struct Graph {
        var persons = ["1": "Ann", "2": "Bob"]
        var addresses: [String: Address] = ["5": Address(city: "Oslo", person: "1")]

        struct Address {
            var city: String
            var person: String?
        }

        /// The graph without the first person and what that owns.
        var deleted: Graph { Graph(persons: ["2": "Bob"], addresses: [:]) }

        func changed(_ story: Story) -> Graph {
            var graph = self
            switch story {
            case .changesAddress: graph.addresses["5"]?.city = "Bergen"
            case .releasesAddress: graph.addresses["5"]?.person = nil
            case .movesAddress: graph.addresses["5"]?.person = "2"
            case .insertsAddress: graph.addresses["7"] = Address(city: "Turku", person: "1")
            case .renamesPerson: graph.persons["1"] = "Anna"
            }
            return graph
        }
    }

    private func model(_ hidden: Hidden?) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["id": "id"],
            [
                .attribute("id"), .attribute("name"),
                .toMany("addresses", "Address", inverse: "person", rule: .cascadeDeleteRule)
                    .with("diff", hidden == .addresses ? "exclude" : nil),
            ])
        sketch.entity(
            "Address", info: ["id": "id"],
            [
                .attribute("id"), .attribute("city"),
                .toOne("person", "Person", inverse: "addresses")
                    .with("diff", hidden == .person ? "exclude" : nil),
            ])
        return sketch.model()
    }

    private func stored(_ graph: Graph, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        try TestStack(model).perform { context in
            var persons: [String: NSManagedObject] = [:]
            for (id, name) in graph.persons { persons[id] = context.make("Person", ["id": id, "name": name]) }
            for (id, address) in graph.addresses {
                let object = context.make("Address", ["id": id, "city": address.city])
                object.setValue(address.person.flatMap { persons[$0] }, forKey: "person")
            }
            return try GraphSnapshot(of: context)
        }
    }

    /// The same as nested JSON, which says the links at the persons alone.
    private func text(_ graph: Graph, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        let persons = graph.persons.sorted { $0.key < $1.key }.map { id, name in
            let addresses = graph.addresses.sorted { $0.key < $1.key }.filter { $0.value.person == id }.map {
                "{\"id\": \"\($0.key)\", \"city\": \"\($0.value.city)\"}"
            }
            return "{\"id\": \"\(id)\", \"name\": \"\(name)\", \"addresses\": [\(addresses.joined(separator: ", "))]}"
        }
        let text = "[\(persons.joined(separator: ", "))]"
        return try GraphSnapshot(json: Data(text.utf8), entity: "Person", model: model)
    }

    /// What is left to settle, and the merged graph, in lines.
    private func outcome(
        _ story: Story, _ policy: GraphMerge.Policy, _ snapshot: (Graph) throws -> GraphSnapshot
    ) throws -> [String] {
        let graph = Graph()
        let merge = try GraphMerge(
            base: snapshot(graph), ours: snapshot(graph.deleted), theirs: snapshot(graph.changed(story)),
            options: .init(policy: policy))
        var lines = merge.conflicts.map { "conflict \($0.kind) of \($0.key)" }
        for person in merge.snapshot.rows(of: "Person") {
            lines.append("person \(person.identity) \(person["name"] ?? .null)")
            for address in person.members(of: "addresses") ?? [] {
                lines.append("link \(person.identity) \(address.identity)")
            }
        }
        for address in merge.snapshot.rows(of: "Address") {
            lines.append("address \(address.identity) \(address["city"] ?? .null)")
            if let person = address.destination(of: "person") {
                lines.append("link \(person.identity) \(address.identity)")
            }
        }
        return Set(lines).sorted()
    }

    private static let policies: [GraphMerge.Policy] = [.leave, .ours, .theirs]

    private func expectSame(_ story: Story, _ snapshot: (Graph) throws -> GraphSnapshot) throws {
        let plain = model(nil)
        for policy in Self.policies {
            let expected = try outcome(story, policy) { try stored($0, plain) }
            let found = try outcome(story, policy, snapshot)
            #expect(found == expected, "\(policy)")
        }
    }

    @Test(arguments: Story.allCases, Hidden.allCases)
    func `an excluded end changes nothing of what is settled about owners`(_ story: Story, _ hidden: Hidden) throws {
        let model = model(hidden)
        try expectSame(story) { try stored($0, model) }
    }

    /// A text in which an address is below nobody doesn't have it.
    @Test(arguments: Story.allCases.filter { $0 != .releasesAddress })
    func `nor does text that says links once`(_ story: Story) throws {
        let model = model(nil)
        try expectSame(story) { try text($0, model) }
    }

    @Test(arguments: Story.allCases)
    func `who deletes an owner that the other side needs is in conflict, and can delete what that made`(
        _ story: Story
    ) throws {
        let model = model(nil)
        let left = try outcome(story, .leave) { try stored($0, model) }
        #expect(left.count { $0.hasPrefix("conflict") } == 1)
        let deleted = try outcome(story, .ours) { try stored($0, model) }
        #expect(deleted.count == 1)
    }
}
