// A record that is an identifier alone refers to an object, and one that is an object is about it, also where both are of one object.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct BareRecordTests {
    @Test(
        arguments: [
            (#"[1, {"id": 1}]"#, false), (#"[{"id": 1}, 1]"#, false),
            (#"[{"id": 2, "name": "b", "friend": 1}, {"id": 1}]"#, false),
            (#"[{"id": 1}, {"id": 2, "name": "b", "friend": 1}]"#, false), ("[1, 1]", true),
            (#"[1, {"id": 2, "name": "b", "friend": {"id": 1}}]"#, true),
            (#"[1, {"id": 1}, {"id": 1, "name": "a"}]"#, true),
        ], [1, 1000])
    func `an object that a record is about has to be whole, in batches of any size`(
        _ data: (text: String, isTaken: Bool), _ size: Int
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name", isOptional: false),
                .toOne("friend", "Person"),
            ])
        let stack = try TestStack(sketch.model())
        try stack.perform { context throws in
            var options = ImportOptions()
            options.batchSize = size
            let error = graftError {
                try context.importJSON(from: .data(Data(data.text.utf8)), entity: "Person", options: options)
            }
            #expect((error == nil) == data.isTaken)
            #expect(error?.place.property == (data.isTaken ? nil : "name"))
        }
    }
}
