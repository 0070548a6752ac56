// What the server says. The steps, and what a crash after each of them leaves:
//
//     1. the server's state is written into the file as incoming     the answer is taken up again at the next start
//     2. it is merged with the objects, and they are saved           merging again changes nothing: both sides say the
//     same
//     3. the file has it as the state that the server has            done

public import CoreData
import Foundation

extension GraphTracker {
    /// Takes the server's whole state: what it doesn't have is gone there.
    ///
    /// What the user changed meanwhile is merged with it; the objects are changed and saved.
    ///
    /// Unsaved changes are saved first. Objects of entities that aren't tracked are left out, unless a tracked one owns them.
    ///
    /// - Returns: What changed in the objects.
    /// - Throws: ``GraftError``; what saving throws. The objects are then as they were, and the next tracker of the file takes
    ///   the answer up again, unless another whole one has come by then.
    @discardableResult
    public func receive(_ snapshot: GraphSnapshot) throws -> GraphDiff {
        var next = state
        var snapshot = try tracked(
            snapshot.inOrder(of: state.base.schema, orFailAs: "the server's state was read with another model"))
        snapshot.absence = .null
        next.incoming = snapshot
        // It answers what was sent: what of that it doesn't have is pending again.
        next.sent = nil
        try persist(next)
        return try take(snapshot)
    }

    /// Takes what the server has changed since the last state that is known of it. An answer that waits is part of that.
    ///
    /// - Throws: As ``receive(_:)-(GraphSnapshot)``; with `changesDoNotFit` where the change isn't one from that state.
    @discardableResult
    public func receive(_ diff: GraphDiff) throws -> GraphDiff {
        try receive(
            known.applyingUnchecked(
                tracked(diff.kept(context.rounding)), options: GraphDiff.ApplyingOptions(diff: options.merge.diff)))
    }

    /// The last that the server has said, whether the objects could take it or not.
    private var known: GraphSnapshot { state.incoming ?? state.base }

    /// Takes JSON of the server.
    ///
    /// - Parameters:
    ///   - json: The text, as an import takes it.
    ///   - entity: The entity of its objects; not needed for an archive.
    ///   - isWhole: Whether the text has all objects that the server has, with all they have: what it leaves out is the
    ///     attribute's default, or nothing where there is none. If not, it says something of some of them, and nothing of those
    ///     that it doesn't mention; a list has all members of its relationship, unless its mapping says that it adds to them. As in
    ///     an import, what it says is gone is deleted, and a record without a newer version says nothing.
    /// - Throws: As ``receive(_:)-(GraphSnapshot)``, and what reading throws; for an empty text, too. A server that has nothing says
    ///   `[]`.
    @discardableResult
    public func receive(json: Data, entity: String? = nil, isWhole: Bool) throws -> GraphDiff {
        let model = try context.requiredModel()
        try ImportSource.data(json).kind().requireContents(source: nil)
        var snapshot = try GraphSnapshot(json: json, entity: entity, model: model).kept(context.rounding)
        guard isWhole else {
            return try receive(withDefaults(known.adding(snapshot, diffOptions), model, isWhole: false))
        }
        snapshot.absence = .null
        // An archive says each link once; as the state of the server it has both ends.
        let empty = try GraphSnapshot(model: model)
        let diff = try GraphDiff(from: empty, to: snapshot, options: diffOptions)
        let server = try empty.applyingUnchecked(diff, options: GraphDiff.ApplyingOptions())
        return try receive(withDefaults(server, model, isWhole: true))
    }

    /// What is said of objects, with the defaults of what isn't said: new objects have them, and nobody has changed them. What isn't
    /// said of an identity is none, or objects without one would be the same. An answer that isn't whole says nothing of what it
    /// leaves out of objects that the last state has.
    private func withDefaults(
        _ server: GraphSnapshot, _ model: NSManagedObjectModel, isWhole: Bool
    ) throws -> GraphSnapshot {
        let mapping = try CompiledModel.of(model).mapping(of: model)
        let scope = try DiffScope(server.schema, diffOptions)
        let known = isWhole ? nil : RowMatching(identitiesOf: server, in: self.known, scope).toNew
        var result = server
        for entity in server.tables.indices {
            for row in server.liveRows(of: entity)
            where known?[entity][row].isNone ?? true && !server.isReference(entity, row, scope) {
                for attribute in scope.entities[entity].attributes
                where !server.tables[entity].hasValue(attribute.number, row: row)
                    && !scope.schema.entities[entity].identityAttributes.contains(attribute.number)
                {
                    guard let value = mapping.entities[entity].properties[attribute.number]?.defaultValue, !value.isNull
                    else { continue }
                    result.tables[entity].setValue(value, attribute.column, row: row)
                    result.tables[entity].markPresent(attribute.number, row: row)
                }
            }
        }
        return result
    }

    // MARK: Steps

    /// Takes up an answer that had arrived before the process ended. One that can't be taken waits on.
    func resume() {
        guard let incoming = state.incoming else { return }
        do {
            try take(incoming)
        } catch {
            resumeError = error
        }
    }

    @discardableResult
    private func take(_ server: GraphSnapshot) throws -> GraphDiff {
        try save()
        let before = try current()
        var merge = try GraphMerge(
            base: state.base, ours: before, theirs: server, options: mergeOptions)
        // What is left to settle keeps the user's value; that it waits is remembered below.
        var waiting: [GraphMerge.Conflict] = []
        var places: Set<GraphMerge.Conflict.Place> = []
        while true {
            let new = merge.conflicts.filter { places.insert($0.place).inserted }
            if new.isEmpty { break }
            let settled = try merge.settle(new, .ours)
            // What depends on another one may be none any more; what the choice doesn't settle waits, too.
            let left = settled.union(merge.conflicts.map(\.place))
            waiting = (waiting + new).filter { left.contains($0.place) }
        }
        let diff = try GraphDiff(from: before, to: merge.snapshot, diffOptions, identifiedBy: merge.identification)
        try change(diff, limit: options.deletionLimit)
        var next = state
        next.base = server
        next.sent = nil
        next.incoming = nil
        let waitingPlaces = Set(waiting.map(\.place))
        let left = try unsettled(
            state.conflicts.filter { !waitingPlaces.contains($0.place) }, merge.snapshot, server, merge.identification)
        next.conflicts = (waiting + left).sorted()
        try persist(next)
        resumeError = nil
        return diff
    }

    /// The answer that waits, which came before the change was marked that the server has taken over now, with that change.
    func incoming(with sent: GraphSnapshot) throws -> GraphSnapshot? {
        guard let incoming = state.incoming else { return nil }
        var options = mergeOptions
        options.policy = .ours
        options.policies = [:]
        var merged = try GraphMerge(base: state.base, ours: sent, theirs: incoming, options: options).snapshot
        merged.absence = .null
        return merged
    }

    private var mergeOptions: GraphMerge.Options {
        var options = options.merge
        options.diff = diffOptions
        return options
    }

    /// Saves what the user has changed.
    func save() throws {
        if context.hasChanges { try context.save() }
    }

    /// Changes the objects and saves them.
    ///
    /// - Throws: ``GraftError``; what saving throws. The objects are then as they were saved last.
    func change(_ diff: GraphDiff, limit: MappingOptions.DeletionLimit? = nil) throws {
        if diff.isEmpty { return }
        do {
            try context.apply(diff, options: GraphDiff.ApplyingOptions(diff: diffOptions, deletionLimit: limit))
            try save()
        } catch {
            context.rollback()
            throw error
        }
    }

    // MARK: Tracked entities

    /// A snapshot as the store keeps it, without what isn't tracked. What is tracked and only referred to is an object that has nothing else.
    func tracked(_ snapshot: GraphSnapshot) throws -> GraphSnapshot {
        let schema = snapshot.schema
        let entities = try options.entities?.map { try schema.requiredNumber(ofEntity: $0) }
        return try snapshot.kept(context.rounding).restricted(
            to: entities ?? Array(schema.entities.indices), DiffScope(schema, options.merge.diff))
    }

    /// A diff without changes of what isn't tracked.
    private func tracked(_ diff: GraphDiff) throws -> GraphDiff {
        guard let entities = options.entities else { return diff }
        let schema = state.base.schema
        let numbers = try entities.map { try schema.requiredNumber(ofEntity: $0) }
        let keys = Set(try known.contents(diffOptions, identifiedBy: diff.identification).map(\.key))
        func isTracked(_ key: ObjectKey) -> Bool {
            guard let entity = schema.number(ofEntity: key.entity) else { return true }
            return keys.contains(key) || numbers.contains { schema.isEntity(entity, kindOf: $0) }
        }
        return GraphDiff(
            deleted: diff.deleted.filter { isTracked($0.key) }, inserted: diff.inserted,
            changed: diff.changed.filter { isTracked($0.key) }, identification: diff.identification)
    }
}
