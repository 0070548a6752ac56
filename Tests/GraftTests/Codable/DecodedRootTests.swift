// The root of a tree whose objects are identified by name and parent: that it has no parent is a part of its identity, for a decoder as for
// an import and for dictionaries. (ManagedObjectDecoder.findOrMake looks for such an object only by an owner that is there.)

import CoreData
import Foundation
import Graft
import Testing

final class DecodedFolder: NSManagedObject, ManagedCodable {}

@Suite struct DecodedRootTests {
    private enum Door: CaseIterable {
        case importing, populating, decoding
    }

    private static func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Folder", info: ["identityAttributes": "name, parent"],
            [
                .attribute("name"), .attribute("note"), .toOne("parent", "Folder", inverse: "children"),
                .toMany("children", "Folder", inverse: "parent", rule: .cascadeDeleteRule),
            ])
        let model = sketch.model()
        model.entitiesByName["Folder"]?.managedObjectClassName = NSStringFromClass(DecodedFolder.self)
        return try TestStack(model, .sqlite)
    }

    /// Takes data through a door and saves.
    private func take(_ text: String, _ door: Door, _ stack: TestStack) throws {
        try stack.perform { context throws in
            let data = Data(text.utf8)
            switch door {
            case .importing: try context.importJSON(data, entity: "Folder")
            case .populating: try context.populateObjects(fromDictionaryData: data, entity: "Folder")
            case .decoding: _ = try context.decode([DecodedFolder].self, from: data, with: JSONDecoder())
            }
            try context.save()
        }
    }

    @Test func `the root of a tree that comes again is the one that is there, through each door`() throws {
        for door in Door.allCases {
            for parent in ["", #", "parent": null"#] {
                let stack = try Self.stack()
                for note in ["old", "new", "new"] {
                    try take(#"[{"name": "usr", "note": "\#(note)"\#(parent)}]"#, door, stack)
                }
                let notes = try stack.perform { try $0.all("Folder").map { $0.text("note") ?? "-" } }
                #expect(notes == ["new"], "\(door) \(parent)")
            }
        }
    }

    @Test func `the members of a list that name the same root have one, through each door`() throws {
        for door in Door.allCases {
            let stack = try Self.stack()
            try take(
                #"[{"name": "lib", "parent": {"name": "usr"}}, {"name": "local", "parent": {"name": "usr"}}]"#, door,
                stack)
            let names = try stack.perform { try $0.all("Folder", by: "name").map { $0.text("name") ?? "-" } }
            #expect(names == ["lib", "local", "usr"], "\(door)")
        }
    }
}
