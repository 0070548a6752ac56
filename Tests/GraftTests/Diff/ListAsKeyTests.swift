// A to-many relationship is no part of an identity: the model's own declaration refuses it (IdentityDeclaration.swift), a snapshot's schema from
// outside does, too (GraphSchema.check). What a caller says (`--key Order=lines`, DiffOptions.keys), and what a diff from outside says
// (`identification`), isn't looked at: its column is taken for one of to-one relationships.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ListAsKeyTests {
    @Test func `a list that is named as what tells objects apart is refused`() throws {
        var sketch = ModelSketch()
        sketch.entity("Customer", info: ["id": "name"], [.attribute("name")])
        sketch.entity(
            "Order",
            [
                .attribute("total", .integer64AttributeType), .toOne("customer", "Customer"),
                .toMany("lines", "Line", inverse: "order"),
            ])
        sketch.entity(
            "Line", info: ["id": "name"], [.attribute("name"), .toOne("order", "Order", inverse: "lines")])
        try TestStack(sketch.model()).perform { context in
            for name in ["a", "b"] {
                let order = context.make("Order", ["total": 1])
                order.setValue(context.make("Customer", ["name": name]), forKey: "customer")
                context.make("Line", ["name": name]).setValue(order, forKey: "order")
            }
            try context.save()
            let snapshot = try GraphSnapshot(of: context)
            // The orders are told apart by their customers, because that is the first to-one relationship.
            let error = graftError {
                _ = try GraphDiff(from: snapshot, to: snapshot, options: DiffOptions(keys: ["Order": ["lines"]]))
            }
            #expect(error?.description.contains("lines") == true)
        }
    }

    // Without any to-one relationship, there is no such column: the process ends.
    @Test func `a diff from outside that names a list as identity doesn't end the process`() async {
        await #expect(processExitsWith: .success) {
            var sketch = ModelSketch()
            sketch.entity(
                "Order",
                [.attribute("total", .integer64AttributeType), .toMany("lines", "Line", inverse: "order")])
            sketch.entity(
                "Line", info: ["id": "name"], [.attribute("name"), .toOne("order", "Order", inverse: "lines")])
            var snapshot = try TestStack(sketch.model()).perform { context in
                let order = context.make("Order", ["total": 1])
                context.make("Line", ["name": "a"]).setValue(order, forKey: "order")
                try context.save()
                return try GraphSnapshot(of: context)
            }
            let text = #"{"version": 1, "identification": {"entities": {"Order": {"said": ["lines"]}}}}"#
            let diff = try JSONDecoder().decode(GraphDiff.self, from: Data(text.utf8))
            _ = try? snapshot.apply(diff)
        }
    }
}
