// Where an object's values come from and where they go: firing a fault, taking a row, becoming a fault again.

import Foundation

extension NSManagedObject {
    /// Makes sure that the attributes and to-one relationships are there. To-many relationships stay unread.
    @inline(__always)
    func realize() {
        if state.contains(.fault) { fireFault() }
    }

    private func fireFault() {
        guard let context else {
            // Nothing will come any more: what has left its context is empty, and no fault once it has been asked.
            state.remove(.fault)
            state.insert(.gone)
            return
        }
        if !state.contains(.hasRow) { context.loadRow(of: self) }
        state.subtract([.fault, .hasRow])
        if !touched.isEmpty { keepDestinations() }
        guard hasLifeCycle, !isInserted else { return }
        let kept = transientValues
        state.insert(.awakening)
        awakeFromFetch()
        state.remove(.awakening)
        restore(kept)
    }

    /// The transient attributes that have another value than a new object's.
    private var transientValues: [(slot: Int, value: ManagedValue)] {
        layout.transientAttributes.map { ($0, values[$0]) }.filter { slot, value in
            !value.isNull && !value.isSame(as: layout.defaults[slot])
        }
    }

    /// Gives transient attributes the values that they had before a refresh. That is no change.
    func restore(_ kept: [(slot: Int, value: ManagedValue)]) {
        for (slot, value) in kept {
            values[slot] = value
            committed[slot] = value
        }
    }

    /// Takes a row's values; the object still counts as a fault until somebody asks for a value.
    func take(_ row: StoreRow) {
        let pending = values, kept = transientValues
        values = row.values
        committed = row.values
        version = row.version
        restore(kept)
        // Of a refreshed object, what others' unsaved changes say of its relationships; see `forgetChanges()`.
        for slot in touched { values[slot] = pending[slot] }
        state.insert(.hasRow)
    }

    /// Enters what was read from the store into a slot that nobody has changed. An object without changes goes on sharing
    /// one storage for its current and its committed values. What was set by a primitive value isn't committed.
    func fillIn(_ slot: Int, _ value: ManagedValue) {
        guard touched.isEmpty, !state.contains(.primitive) else {
            values[slot] = value
            committed[slot] = value
            return
        }
        committed = []
        values[slot] = value
        committed = values
    }

    /// Drops all values and changes.
    ///
    /// - Parameter keepsTransient: Whether transient attributes have their values again when the fault is filled.
    func turnIntoFault(keepsTransient: Bool = false) {
        willTurnIntoFault()
        batch?.reopen(position: batchPosition)
        let kept = keepsTransient ? transientValues : []
        values = layout.blank
        committed = values
        restore(kept)
        touched.removeAll()
        state = .fault
        didTurnIntoFault()
    }

    /// Drops all values of a new object for the model's defaults, which are there already when somebody asks.
    func startAnew() {
        willTurnIntoFault()
        noteIndexedChange()
        values = layout.defaults
        touched.removeAll()
        state.formUnion([.fault, .hasRow])
        didTurnIntoFault()
    }

    /// What remains of an object that its context has let go: no context, no values, no ties to other objects.
    func detach() {
        if registry != nil { id.noteUnregistration() }
        registry = nil
        values = layout.blank
        committed = values
        touched.removeAll()
        batch = nil
        state = .fault
    }

    func isUnread(_ key: String) -> Bool {
        guard let slot = layout.slot(named: key), layout.slots[slot].isRelationship else { return false }
        guard state.contains(.fault) else { return values[slot].isRelationshipFault }
        guard state.contains(.hasRow) else { return true }
        // Observed (iOS 18.3): so it is with a to-one relationship of a fault, though its row is known.
        if let id = values[slot].referencedID { return context?.registeredObject(for: id) == nil }
        return values[slot].isRelationshipFault
    }

    func endIDs(_ key: String) -> [NSManagedObjectID] {
        guard let slot = layout.slot(named: key) else { return [] }
        realize()
        switch layout.slots[slot].kind {
        case .attribute: return []
        case .toOne: return values[slot].referencedID.map { [$0] } ?? []
        case .toMany: return memberIDs(slot)
        }
    }
}
