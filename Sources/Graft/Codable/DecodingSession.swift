// What decoding keeps with a context from one object to the next. A decoder asks for the objects of an array one after the
// other, and looking up everything for each of them would cost a tenth of the decoding.

import CoreData
import Foundation
import Synchronization

/// What decoding keeps with a context.
final class DecodingSession: @unchecked Sendable {
    // Safe to share: `latest` hands a session only to a caller who has its context, which is on the context's queue.

    /// What has been decoded since ``CoreData/NSManagedObjectContext/decodeAtomically(_:)`` began.
    var log: ObjectEditor?
    private var known: DecodedObjects?
    /// The run of the last object, for the next one. It is absent while it works: an object may decode others when it is made.
    private var idle: ManagedObjectDecoder?
    // The context's address stands for one context as long as this reference keeps the memory from being used again.
    private unowned let context: NSManagedObjectContext

    private init(_ context: NSManagedObjectContext) { self.context = context }

    /// Deletes what owners gave up, when all has been decoded.
    func deleteGivenUp(_ editor: ObjectEditor) throws { try known?.deleteGivenUp(editor) }

    /// Takes it that others may have written to the store meanwhile, where nobody would tell.
    func forgetUntold() { known?.forgetUntold() }

    /// Forgets what owners gave up: decoding has failed.
    func forgetGivenUp() { known?.forgetGivenUp() }

    /// How many objects owners gave up so far. Lower it to forget the last ones.
    var givenUpCount: Int {
        get { known?.givenUpCount ?? 0 }
        set { known?.givenUpCount = newValue }
    }

    // MARK: With the context

    private struct Latest: Sendable {
        /// Whose session it is. Nobody else may hold it even for a moment: the last reference could be theirs, and let go of
        /// objects on another thread.
        var owner: ObjectIdentifier?
        // Safe: read and written under the lock only.
        nonisolated(unsafe) weak var session: DecodingSession?
    }

    /// The session that was used last. A look into the context's dictionary would cost as much as decoding a short object.
    private static let latest = Mutex(Latest())

    /// The session of a context. Call it on the context's queue.
    static func of(_ context: NSManagedObjectContext) -> DecodingSession {
        let owner = ObjectIdentifier(context)
        if let session = latest.withLock({ $0.owner == owner ? unsafe $0.session : nil }) { return session }
        let key: NSString = "org.graft.decoding"
        let session = context.userInfo[key] as? DecodingSession ?? DecodingSession(context)
        context.userInfo[key] = session
        latest.withLock {
            $0.owner = owner
            unsafe $0.session = session
        }
        return session
    }

    // MARK: Runs

    /// A run that decodes one object.
    ///
    /// - Throws: ``GraftError`` for a model that can't be followed.
    func begin(_ model: NSManagedObjectModel, _ options: ManagedCodingOptions) throws -> ManagedObjectDecoder {
        if let run = idle, run.known.model === model, run.options.decodesLike(options) {
            idle = nil
            return run
        }
        let known = try known(of: model)
        return ManagedObjectDecoder(options, try known.compiled.codingPlans(options.keys, model), known, context)
    }

    /// Takes a run back that has decoded its object.
    func end(_ run: ManagedObjectDecoder) { idle = run }

    private func known(of model: NSManagedObjectModel) throws -> DecodedObjects {
        if let known, known.model === model { return known }
        let made = try DecodedObjects(context, model)
        known = made
        return made
    }
}

extension ManagedCodingOptions {
    /// Whether decoding does the same with other options.
    fileprivate func decodesLike(_ other: ManagedCodingOptions) -> Bool {
        keys == other.keys && existingObjects == other.existingObjects && maximumNesting == other.maximumNesting
    }
}
