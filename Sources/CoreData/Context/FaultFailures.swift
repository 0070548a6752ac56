// Faults that couldn't be read while somebody can be told, and what becomes of their objects and of the context.

import Foundation

/// The faults that couldn't be read.
final class FaultFailures {
    /// What couldn't be read first.
    private(set) var first: (any Error)?
    private(set) var count = 0
    /// Whether something that was deleted may still be led to, or have what goes with it.
    var hasLostDeletions = false
    private var emptied: [NSManagedObject] = []
    private var lists: [(object: NSManagedObject, slot: Int, value: ManagedValue, committed: ManagedValue)] = []

    /// - Parameters:
    ///   - object: Whose values, or members in a slot, couldn't be read; it counts as empty from then on.
    func note(_ error: any Error, _ object: NSManagedObject?, _ slot: Int? = nil) {
        first = first ?? error
        count += 1
        guard let object else { return }
        if let slot {
            lists.append((object, slot, object.values[slot], object.committed[slot]))
        } else {
            emptied.append(object)
        }
    }

    /// Lets objects be faults again, and lists be unread: nobody shall take nothing for what the store has.
    ///
    /// - Returns: Whether all of them are. An object that has been changed meanwhile stays as it is.
    func restore() -> Bool {
        var isWhole = true
        for (object, slot, value, committed) in lists where object.managedObjectContext != nil && !object.isFault {
            let isEmpty =
                switch object.values[slot] {
                case .objects(let members): members.isEmpty
                case .memberIDs(let ids): ids.isEmpty
                default: false
                }
            guard isEmpty else {
                isWhole = isWhole && !object.touched.contains(slot)
                continue
            }
            if object.touched.isEmpty {
                object.fillIn(slot, value)
            } else {
                (object.values[slot], object.committed[slot]) = (value, committed)
            }
        }
        for object in emptied where object.managedObjectContext != nil && !object.isFault {
            if object.hasChanges || object.state.contains(.inEvent) {
                isWhole = false
            } else {
                object.turnIntoFault()
            }
        }
        return isWhole
    }
}

extension NSManagedObjectContext {
    /// Runs work in which a fault that can't be read is an error of the whole, and not the end of the process. Until the end of
    /// the work the object has no values, and is a fault again then; a save in it throws the error, so that nothing comes of that.
    ///
    /// Where the work has changed what it couldn't read, or has followed deletions, the context saves nothing any more until it is
    /// rolled back or reset.
    ///
    /// - Throws: What couldn't be read first; else what the work throws.
    package func collectingFaultFailures<T>(_ work: () throws -> T) throws -> T {
        if faultFailures != nil { return try work() }
        let failures = FaultFailures()
        faultFailures = failures
        defer {
            faultFailures = nil
            if failures.first != nil, !failures.restore() || failures.hasLostDeletions { brokenBy = failures }
        }
        let result: T
        do {
            result = try work()
        } catch {
            // What the work stumbled over follows from it.
            throw failures.first ?? error
        }
        try throwFaultFailure()
        return result
    }

    /// What couldn't be read first, while ``collectingFaultFailures(_:)`` runs.
    package var firstFaultFailure: (any Error)? { faultFailures?.first }

    /// - Throws: What couldn't be read first, if anything couldn't.
    func throwFaultFailure() throws {
        if let firstFaultFailure { throw firstFaultFailure }
    }

    /// - Throws: `CocoaError` (`.persistentStoreSave`) where changes may lack what couldn't be read.
    func requireWhole() throws {
        guard let cause = brokenBy?.first else { return }
        guard hasOwnChanges || !undeclaredDeletions.isEmpty else { return mend() }
        throw CoreDataError.make(
            .persistentStoreSave,
            "The context has changes that may lack what couldn't be read, and saves none of them. Roll it back or reset it, and "
                + "repeat them. What couldn't be read: \(FileError.words(of: cause))",
            userInfo: [NSUnderlyingErrorKey: cause])
    }

    /// Lets go of what couldn't be read: the changes are gone.
    func mend() {
        _ = brokenBy?.restore()
        brokenBy = nil
        faultFailures?.hasLostDeletions = false
    }
}
