// Rows of snapshots as JSON: what an export of the objects writes.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct RowWriterTests {
    @Test(arguments: Laws.cases(1...40))
    func `the JSON of a row is that of its object`(_ seed: Int) throws {
        var graph = RandomGraph(plainSeed: seed)
        let stack = try TestStack(graph.model)
        try stack.perform { context throws in
            graph.fill(context, count: 12)
            try context.save()
            let snapshot = try GraphSnapshot(of: context)
            for form in [nil, ExportOptions.RelationshipForm.nested, .identifier] {
                for depth in [2, 32] {
                    var options = ExportOptions()
                    options.relationshipForm = form
                    options.maximumNesting = depth
                    options.includesNulls = depth > 2
                    options.sortsKeys = true
                    for object in try context.everything() {
                        let name = object.entity.name ?? ""
                        let row = try #require(
                            snapshot.row(of: name, identity: [.integer(object.number("key") ?? -1)]))
                        let (text, expected) = (
                            try row.json(model: graph.model, options: options),
                            try context.json(of: object, options: options)
                        )
                        #expect(text == expected, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
                    }
                }
            }
        }
    }
}
