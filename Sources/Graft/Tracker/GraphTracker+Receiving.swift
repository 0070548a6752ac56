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
    /// - Returns: What changed in the objects.
    /// - Throws: ``GraftError``; what saving throws. The answer may be taken up again by the next tracker of the file.
    @discardableResult
    public func receive(_ snapshot: GraphSnapshot) throws -> GraphDiff {
        guard snapshot.schema == state.base.schema else {
            throw GraftError(.modelMismatch(reason: "the server's state was read with another model"))
        }
        var next = state
        var snapshot = snapshot
        snapshot.absence = .null
        next.incoming = snapshot
        try persist(next)
        return try take(snapshot)
    }

    /// Takes what the server has changed since the last state that is known of it.
    ///
    /// - Throws: As ``receive(_:)-(GraphSnapshot)``; with `changesDoNotFit` where the change isn't one from that state.
    @discardableResult
    public func receive(_ diff: GraphDiff) throws -> GraphDiff {
        try receive(state.base.applyingUnchecked(diff, options: GraphDiff.ApplyingOptions(diff: options.merge.diff)))
    }

    /// Takes JSON of the server.
    ///
    /// - Parameters:
    ///   - json: The text, as an import takes it.
    ///   - entity: The entity of its objects; not needed for an archive.
    ///   - isWhole: Whether the text has all objects that the server has, with all they have. Otherwise it says
    ///     something of
    ///     some of them, and nothing of those that it doesn't mention.
    /// - Throws: As ``receive(_:)-(GraphSnapshot)``, and what reading throws.
    @discardableResult
    public func receive(json: Data, entity: String? = nil, isWhole: Bool) throws -> GraphDiff {
        let model = try context.requiredModel()
        var snapshot = try GraphSnapshot(json: json, entity: entity, model: model)
        if isWhole {
            snapshot.absence = .null
            // An archive says each link once; as the state of the server it has both ends.
            let empty = try GraphSnapshot(model: model)
            return try receive(
                empty.applyingUnchecked(
                    GraphDiff(from: empty, to: snapshot, options: diffOptions), options: GraphDiff.ApplyingOptions()))
        }
        var diff = try GraphDiff(from: state.base, to: snapshot, options: diffOptions)
        diff.deleted = []
        let patch = GraphDiff.ApplyingOptions(conflicts: .force, diff: diffOptions)
        return try receive(state.base.applyingUnchecked(diff, options: patch))
    }

    /// Settles a conflict: the objects get the value that is chosen, and are saved.
    ///
    /// - Throws: ``GraftError`` for a conflict that isn't waiting; what saving throws.
    public func settle(_ conflict: GraphMerge.Conflict, _ choice: GraphMerge.Choice) throws {
        guard let index = state.conflicts.firstIndex(of: conflict) else {
            throw GraftError(
                .other(
                    finding: "there is no such conflict of \(conflict.key)", remedy: "Settle one of the conflicts."),
                at: .init(entity: conflict.key.entity, property: conflict.property))
        }
        let wanted: GraphMerge.Conflict.Version =
            switch choice {
            case .ours: conflict.ours
            case .theirs: conflict.theirs
            case .base: conflict.base
            case .value(let value): .value(.attribute(value))
            }
        if wanted != conflict.ours {
            var diff = try Self.diff(conflict, to: wanted)
            let decision = try IdentityDecision(state.base.schema, diffOptions, [state.base, current()])
            diff.identification = decision.identification
            try change(diff)
        }
        var next = state
        next.conflicts.remove(at: index)
        try persist(next)
    }

    /// What makes one version of what a conflict is about of our own.
    private static func diff(_ conflict: GraphMerge.Conflict, to wanted: GraphMerge.Conflict.Version) throws
        -> GraphDiff
    {
        switch (conflict.ours, wanted, conflict.property) {
        case (.value(.attribute(let old)), .value(.attribute(let new)), let name?):
            return GraphDiff(changed: [
                ObjectChange(conflict.key, [PropertyChange(name, .attribute(old: old, new: new))])
            ])
        case (.value(.toOne(let old)), .value(.toOne(let new)), let name?):
            return GraphDiff(changed: [ObjectChange(conflict.key, [PropertyChange(name, .toOne(old: old, new: new))])])
        case (.value(.toMany(let old, let isOrdered)), .value(.toMany(let new, _)), let name?):
            let change = MembersChange(from: old, to: new, isOrdered: isOrdered)
            return GraphDiff(changed: [ObjectChange(conflict.key, [PropertyChange(name, .toMany(change))])])
        case (.object(let contents), .noObject, _): return GraphDiff(deleted: [contents])
        case (.noObject, .object(let contents), _): return GraphDiff(inserted: [contents])
        default:
            throw GraftError(
                .other(
                    finding: "the conflict of \(conflict.key) can't be settled by taking that side",
                    remedy: "Change the objects, and settle it with 'ours'."),
                at: .init(entity: conflict.key.entity, property: conflict.property))
        }
    }

    // MARK: Steps

    /// Takes up an answer that had arrived before the process ended.
    func resume() throws {
        if let incoming = state.incoming { try take(incoming) }
    }

    @discardableResult
    private func take(_ server: GraphSnapshot) throws -> GraphDiff {
        let before = try current()
        var merge = try GraphMerge(
            base: state.base, ours: before, theirs: server, options: mergeOptions)
        // What is left to settle keeps the user's value; that it waits is remembered below.
        var waiting: [GraphMerge.Conflict] = []
        while let conflict = merge.conflicts.first(where: { conflict in
            !waiting.contains { $0.place == conflict.place }
        }) {
            waiting.append(conflict)
            try merge.settle(conflict, .ours)
        }
        let diff = try GraphDiff(from: before, to: merge.snapshot, diffOptions, identifiedBy: merge.identification)
        try change(diff)
        var next = state
        next.base = server
        next.sent = nil
        next.incoming = nil
        // What waited before goes on waiting, with the values that it was about.
        let places = Set(waiting.map(\.place))
        next.conflicts = (waiting + state.conflicts.filter { !places.contains($0.place) }).sorted()
        try persist(next)
        return diff
    }

    private var mergeOptions: GraphMerge.Options {
        var options = options.merge
        options.diff = diffOptions
        return options
    }

    private func change(_ diff: GraphDiff) throws {
        if !diff.isEmpty { try context.apply(diff, options: GraphDiff.ApplyingOptions(diff: diffOptions)) }
        if context.hasChanges { try context.save() }
    }
}
