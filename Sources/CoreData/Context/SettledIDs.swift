// How the children of a context learn which permanent IDs their objects have got. A root can't wait for its children (they
// wait for it), so it notes what has become of temporary IDs, and each child looks here when it is asked for an object.

import Synchronization

/// The permanent IDs of objects whose children know them by temporary ones; kept as long as there are children.
final class SettledIDs: Sendable {
    private struct State {
        var children = 0
        var ids: [RowKey: NSManagedObjectID] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    func gainChild() { state.withLock { $0.children += 1 } }

    func loseChild() {
        state.withLock { state in
            state.children -= 1
            if state.children == 0 { state.ids = [:] }
        }
    }

    func note(_ temporary: RowKey, _ id: NSManagedObjectID) {
        state.withLock { state in
            guard state.children > 0 else { return }
            state.ids[temporary] = id
            state.count += 1
        }
    }

    func id(for temporary: RowKey) -> NSManagedObjectID? { state.withLock { $0.ids[temporary] } }

    /// How many IDs have ever been noted.
    var count: Int { state.withLock { $0.count } }
}

extension NSManagedObjectContext {
    /// The permanent ID that this context or one above it knows an object by; nil where none does.
    func permanentID(for id: NSManagedObjectID) -> NSManagedObjectID? {
        guard id.isTemporaryID else { return nil }
        return settledIDs.id(for: id.key) ?? parentContext?.permanentID(for: id)
    }

    /// Gives objects the permanent IDs that they have got in a context above this one.
    func adoptPermanentIDs() {
        guard let parentContext else { return }
        let settlements = parentContext.settlements
        guard settlements != seenSettlements else { return }
        seenSettlements = settlements
        for object in registry.objects where object.id.isTemporaryID {
            guard let id = parentContext.permanentID(for: object.id) else { continue }
            let old = object.id
            object.id = id
            rekey(object, from: old)
        }
    }

    private var settlements: Int { settledIDs.count + (parentContext?.settlements ?? 0) }
}
