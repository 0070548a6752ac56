// A stored relationship whose inverse is transient: no store has the other side (SQLSchema+Building.swift treats it as one without
// inverse), so an archive and a document have to say this one. Which of the two comes first by name must not matter.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TransientInverseArchiveTests {
    /// Owners and pets, one to one, of which one side is stored.
    ///
    /// - Parameter ownerIsStored: Whether `Owner.pet` is, which comes first by name; else `Pet.owner`.
    private static func model(ownerIsStored: Bool) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Owner", [.attribute("name"), .toOne("pet", "Pet", inverse: "owner")])
        sketch.entity("Pet", [.attribute("name"), .toOne("owner", "Owner", inverse: "pet")])
        let model = sketch.model()
        let (entity, name) = ownerIsStored ? ("Pet", "owner") : ("Owner", "pet")
        model.entitiesByName[entity]?.relationshipsByName[name]?.isTransient = true
        return model
    }

    private static func link(_ stack: TestStack, ownerIsStored: Bool) throws -> String? {
        let (entity, name) = ownerIsStored ? ("Owner", "pet") : ("Pet", "owner")
        return try stack.perform { try $0.all(entity).first?.object(name)?.text("name") }
    }

    private static func filled(ownerIsStored: Bool) throws -> TestStack {
        let stack = try TestStack(model(ownerIsStored: ownerIsStored), .sqlite)
        try stack.fill { context in
            let owner = context.add("Owner", ["name": "Ann"]), pet = context.add("Pet", ["name": "Rex"])
            if ownerIsStored {
                owner.setValue(pet, forKey: "pet")
            } else {
                pet.setValue(owner, forKey: "owner")
            }
        }
        return stack
    }

    @Test(arguments: [true, false], GraphArchive.Encoding.allCases)
    func `a link whose other side is transient is in the archive`(
        _ ownerIsStored: Bool, _ encoding: GraphArchive.Encoding
    ) throws {
        let stack = try Self.filled(ownerIsStored: ownerIsStored)
        let expected = ownerIsStored ? "Rex" : "Ann"
        // The store keeps it.
        try #require(try Self.link(stack, ownerIsStored: ownerIsStored) == expected)
        let copy = try TestStack.restored(from: stack.archive(encoding), .sqlite)
        #expect(try Self.link(copy, ownerIsStored: ownerIsStored) == expected)
    }

    @Test(arguments: [true, false])
    func `a link whose other side is transient is in the document of the whole graph`(_ ownerIsStored: Bool) throws {
        let stack = try Self.filled(ownerIsStored: ownerIsStored)
        let text = String(decoding: try stack.perform { try $0.exportJSON() }, as: UTF8.self)
        let copy = try TestStack(Self.model(ownerIsStored: ownerIsStored), .sqlite)
        try copy.importJSON(text)
        #expect(try Self.link(copy, ownerIsStored: ownerIsStored) == (ownerIsStored ? "Rex" : "Ann"), "\(text)")
    }
}
