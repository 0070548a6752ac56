// The pending change in every form. A diff alone can be shown and sent as itself; patches lead from the JSON of the server's state to
// that of the new one, which are written from their rows.

public import CoreData
import Foundation

extension GraphTracker {
    /// What the server doesn't have yet, in a form to be sent or shown.
    ///
    /// Patches of one object are about its JSON, as
    /// ``CoreData/NSManagedObjectContext/json(of:options:)-(NSManagedObject,_)`` writes it, with whatever that shows of
    /// other objects, and begin with null where the server doesn't have the object; patches of everything are about the
    /// JSON of the whole graph.
    /// What the other forms say and what each loses: see "Renderings" in docs/diff.md.
    ///
    /// - Parameters:
    ///   - format: The form.
    ///   - object: The object, which then counts with what it owns; nil for all that is tracked.
    ///   - rendering: Names and labels of texts and pages; nil for "server" and "here", with links at one end.
    /// - Returns: The text in UTF-8. Without a pending change an empty text, page, list or patch.
    /// - Throws: ``GraftError``, with `missingIdentity` or `invalidMapping` for the patch of an object without identity.
    /// - Complexity: As ``pendingChange()``; for patches, all tracked objects are written twice.
    public func pendingChange(
        as format: DiffRendering.Format, of object: NSManagedObject? = nil,
        rendering: DiffRendering? = nil
    ) throws -> Data {
        let rendering =
            rendering
            ?? DiffRendering(
                oldName: "server", newName: "here",
                linkSides: context.graftModel.map { DiffRendering.LinkSides(of: $0) })
        let diff = try object.map { try pendingChange(of: $0) } ?? pendingChange()
        switch format {
        case .text: return Data(diff.text(rendering).utf8)
        case .html: return Data(diff.html(rendering).utf8)
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(diff)
        case .dictionary: return try trees(diff, of: object)
        case .jsonPatch:
            let (old, new) = try documents(of: object)
            let root = object?.entity.name
            let patch = try context.graftModel.map { model in
                try JSONPatch(from: old, to: new, options: .identified(byMappingOf: root, in: model))
            }
            return try JSONWriter.data(of: (patch ?? JSONPatch(from: old, to: new)).json)
        case .mergePatch:
            let (old, new) = try documents(of: object)
            return try JSONWriter.data(of: JSONMergePatch.difference(from: old, to: new).patch.json)
        }
    }

    /// The server's state with a diff made.
    private func state(after diff: GraphDiff) throws -> GraphSnapshot {
        try state.base.applyingUnchecked(diff, options: GraphDiff.ApplyingOptions(conflicts: .force, diff: diffOptions))
    }

    private func trees(_ diff: GraphDiff, of object: NSManagedObject?) throws -> Data {
        let (old, new) = (state.base, try state(after: diff))
        var trees: [ObjectDiff] = []
        if let object {
            let key = try key(of: object)
            let rows = (RelatedIndex(old).row(of: key, in: old), RelatedIndex(new).row(of: key, in: new))
            let tree = try ObjectDiff(
                from: rows.0.map { old[$0] }, to: rows.1.map { new[$0] }, options: diffOptions)
            trees = tree.map { [$0] } ?? []
        } else {
            trees = try ObjectDiff.differences(from: old, to: new, options: diffOptions)
        }
        return try JSONWriter.data(of: .array(try trees.map { try $0.json() }))
    }

    private func documents(of object: NSManagedObject?) throws -> (JSONValue, JSONValue) {
        let model = try context.requiredModel()
        // The JSON of an object shows others, too.
        let states = (state.base, try state(after: pendingChange()))
        guard let object else {
            return (
                try JSONValue(parsing: states.0.json(model: model)), try JSONValue(parsing: states.1.json(model: model))
            )
        }
        let key = try key(of: object)
        func document(_ snapshot: GraphSnapshot) throws -> JSONValue {
            guard let row = RelatedIndex(snapshot).row(of: key, in: snapshot) else { return .null }
            return try JSONValue(parsing: snapshot[row].json(model: model))
        }
        return (try document(states.0), try document(states.1))
    }

    private func key(of object: NSManagedObject) throws -> ObjectKey {
        let schema = state.base.schema
        if let entity = object.entity.name.flatMap({ schema.number(ofEntity: $0) }),
            !schema.entities[entity].hasIdentity
        {
            throw GraftError.unidentifiedObjects(of: schema.entities[entity].name)
        }
        return try StoreSide(context, schema).key(of: object)
    }
}
