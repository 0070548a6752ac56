// Sync in a small: what the server is known to have, what was changed since, and what becomes of its answers.
//
//     let tracker = try GraphTracker(file: file, context: context)
//     let change = try tracker.markSent()          // remembers what is sent, on the disk, before it is sent
//     ... send `change` ...
//     try tracker.confirm()                        // the server has it as it was sent
//     try tracker.receive(json: answer)            // or: the server has something else, which is merged
//
// The objects are saved before the file is changed to say so. So after a crash the tracker takes for unsent what the
// server may have already, which does no harm, and never the other way round. GraphTracker+Receiving.swift has the
// steps.

public import CoreData
import Foundation

/// Keeps the last known state of a server beside a store, and tells what has changed since.
///
/// A tracker and its context belong to one queue; call it there.
public final class GraphTracker {
    /// What a tracker compares, and how it settles what both sides changed.
    public struct Options: Sendable {
        /// The entities that the server has, with their sub-entities; nil for all.
        public var entities: [String]?
        /// How conflicts are settled, and what takes part. Those that are left keep the user's value and wait.
        public var merge: GraphMerge.Options
        /// How many objects of an entity an answer may delete, what goes with its owner included; nil for any number. An answer that
        /// would delete more waits.
        public var deletionLimit: MappingOptions.DeletionLimit?

        /// Creates options.
        public init(
            entities: [String]? = nil, merge: GraphMerge.Options = GraphMerge.Options(),
            deletionLimit: MappingOptions.DeletionLimit? = nil
        ) {
            self.entities = entities
            self.merge = merge
            self.deletionLimit = deletionLimit
        }
    }

    /// The context with the user's objects.
    public let context: NSManagedObjectContext
    let options: Options
    let file: DurableFile
    var state: TrackerState
    /// Why an answer that had arrived before couldn't be taken up again; nil where none waits. It waits on in the file: another
    /// whole answer takes its place, one that isn't whole adds to it, or the next tracker of the file tries again.
    public internal(set) var resumeError: (any Error)?

    /// Opens a tracker, or begins one for which the server has nothing yet.
    ///
    /// An answer that had arrived when the process ended is taken up again; ``resumeError`` tells where that failed. A file that was
    /// written with an older version of the model is carried over to the context's, as a migration that is inferred carries a store.
    ///
    /// - Parameters:
    ///   - file: Where the state is kept, such as ``file(besideStoreAt:)``.
    ///   - context: The context with the objects, one without a parent: it is saved when an answer arrives, and the store has
    ///     to have what the file says.
    ///   - options: What takes part, and how conflicts are settled.
    /// - Throws: ``GraftError``, also for the file of another store, or of a version of the model from which no migration can be
    ///   inferred, and for a child context.
    public convenience init(file: URL, context: NSManagedObjectContext, options: Options = Options()) throws {
        try self.init(DurableFile(url: file), context, options)
    }

    init(_ file: DurableFile, _ context: NSManagedObjectContext, _ options: Options) throws {
        guard context.parent == nil else {
            throw GraftError(
                .other(
                    finding: "the tracker's context has a parent, and saving it leaves the store as it was",
                    remedy: "Give the tracker a context of the store's coordinator, such as the container's "
                        + "viewContext or a newBackgroundContext()."),
                at: .init(source: file.url.path))
        }
        let model = try context.requiredModel()
        self.file = file
        self.context = context
        self.options = options
        state = TrackerState(base: try GraphSnapshot(model: model))
        state.base.absence = .null
        // What the server has of objects without identity is known by the rows of this store.
        let lineage = try context.lineage()
        let store = lineage?.store
        if var lineage {
            lineage.rows = lineage.rows.mapValues { _ in 0 }
            state.base.lineage = lineage
        }
        if let data = try file.read() {
            state = try Self.read(data, file.url)
                .carried(to: state.base.schema, context, from: file.url)
            if let store, let other = state.store, store != other {
                throw GraftError(
                    .other(
                        finding: "the tracker's file is about another store, whose objects would all be deleted",
                        remedy: "Delete the file, and take the server's whole state again."),
                    at: .init(source: file.url.path))
            }
            // Which entities are tracked may have changed since.
            state.base = try tracked(state.base)
            state.sent = try state.sent.map(tracked)
            state.incoming = try state.incoming.map(tracked)
        }
        state.store = store ?? state.store
        state.identifiers = RenamingIdentifiers(model)
        resume()
    }

    /// The file beside a store in which its tracker's state is kept.
    public static func file(besideStoreAt store: URL) -> URL { store.appendingPathExtension("graft-sync") }

    private static func read(_ data: Data, _ url: URL) throws -> TrackerState {
        let kind = try ImportSource.data(data).kind()
        switch kind {
        // Damaged, maybe; decoding says so.
        case .tracker, .json, .text, .empty, .other: break
        default: try kind.require(.trackerFile, source: url.path)
        }
        var state: TrackerState
        do {
            state = try JSONDecoder().decode(TrackerState.self, from: data)
        } catch {
            throw GraftError(
                .other(
                    finding: "the tracker's file can't be read",
                    remedy: "Check that the path is right. If it is, delete the file, and take the server's whole "
                        + "state again."),
                at: .init(source: url.path), underlying: error)
        }
        guard state.version == TrackerState.version else {
            throw GraftError(
                .other(
                    finding: "the tracker's file has version \(state.version), and this Graft reads "
                        + "\(TrackerState.version)",
                    remedy: "Use the Graft that wrote it, or delete the file, and take the server's whole state again."),
                at: .init(source: url.path))
        }
        // What the server's objects don't have is null; files of before don't say it.
        state.base.absence = .null
        state.sent?.absence = .null
        state.incoming?.absence = .null
        return state
    }

    func persist(_ state: TrackerState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try file.write(try encoder.encode(state))
        self.state = state
    }

    // MARK: Changes

    /// What the server doesn't have yet, unsaved changes included. What waits for a conflict to be settled isn't part
    /// of it.
    ///
    /// - Throws: ``GraftError``, for instance with `invalidMapping` for objects that nothing tells apart.
    public func pendingChange() throws -> GraphDiff {
        let current = try current()
        let diff = try GraphDiff(from: state.base, to: current, options: diffOptions)
        if state.conflicts.isEmpty { return diff }
        let states = try [state.base, current].map { try $0.identified(by: diff.identification) }
        return diff.leavingOut(state.conflicts, state.base.schema) { keys in states.flatMap { $0.ownedKeys(by: keys) } }
    }

    /// What the server doesn't have yet of an object and what it owns.
    public func pendingChange(of object: NSManagedObject) throws -> GraphDiff {
        // A deleted object is the one that was last saved.
        let snapshot = try GraphSnapshot(
            of: [object], values: object.isDeleted ? .committed : .current, options: options.merge.diff)
        let diff = try pendingChange()
        let contents = try snapshot.contents(options.merge.diff, identifiedBy: diff.identification)
        var keys = Set(contents.map(\.key))
        // What the object owned for the server, and owns no more.
        keys.formUnion(try state.base.identified(by: diff.identification).ownedKeys(by: Array(keys)))
        return GraphDiff(
            deleted: diff.deleted.filter { keys.contains($0.key) },
            inserted: diff.inserted.filter { keys.contains($0.key) },
            changed: diff.changed.filter { keys.contains($0.key) }, identification: diff.identification)
    }

    /// Whether a change was sent that the server hasn't answered yet.
    public var isWaiting: Bool { state.sent != nil }

    /// What both sides changed and nobody has settled, by key and property. The objects have the user's values.
    public var conflicts: [GraphMerge.Conflict] { state.conflicts }

    /// Saves the objects, remembers their state as the one that is sent, and returns the change to send. It is on the disk when
    /// this returns.
    ///
    /// - Throws: ``GraftError``, and what saving throws. Then nothing is marked.
    @discardableResult
    public func markSent() throws -> GraphDiff {
        // What the server is told mustn't be lost here: after a crash, the old values would be sent as changes.
        if context.hasChanges { try context.save() }
        let diff = try pendingChange()
        var next = state
        next.sent = try state.base.applyingUnchecked(
            diff, options: GraphDiff.ApplyingOptions(conflicts: .force, diff: diffOptions))
        // These are the rows that the server takes over; what came from another store keeps that one's.
        let lineage = try context.lineage()
        if state.base.lineage == nil || state.base.lineage?.store == lineage?.store { next.sent?.lineage = lineage }
        try persist(next)
        return diff
    }

    /// Takes note that the server has what was marked as sent.
    ///
    /// - Throws: ``GraftError``. Then the change is still pending.
    public func confirm() throws {
        guard let sent = state.sent else { return }
        var next = state
        next.incoming = try incoming(with: sent)
        next.base = sent
        next.sent = nil
        try persist(next)
    }

    /// Takes note that what was marked as sent hasn't reached the server.
    public func forgetSent() throws {
        var next = state
        next.sent = nil
        try persist(next)
    }

    // MARK: Snapshots

    var diffOptions: DiffOptions {
        var options = options.merge.diff
        // An answer is written into the store, so a guess has to be agreed to.
        options.guessesKeys = options.guessesKeys ?? false
        return options
    }

    func current() throws -> GraphSnapshot {
        try GraphSnapshot(of: context, entities: options.entities, options: options.merge.diff)
    }
}
