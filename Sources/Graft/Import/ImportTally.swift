// What became of the objects of an import, each counted once however many batches have it.

import CoreData

/// Counts the objects of an import.
struct ImportTally {
    fileprivate enum CountedState: UInt8 {
        case inserted = 1, updated, unchanged, skipped

        var count: WritableKeyPath<ImportReport.Counts, Int> {
            switch self {
            case .inserted: \.inserted
            case .updated: \.updated
            case .unchanged: \.unchanged
            case .skipped: \.skipped
            }
        }
    }

    /// An object that was made or changed, with where it comes from.
    struct TouchedObject {
        var object: NSManagedObject
        /// Whether only its identity was set.
        var isStub: Bool
        /// Whether records named it that are identifiers alone.
        var isBare = false
        /// Whether nobody has said what it is but its identity, so that no more is validated.
        var isIdentityAlone: Bool { isStub || isBare }
        var source: Int
        var offset: Int
    }

    /// The most stubs that are remembered.
    private static let stubPortion = 1_000_000

    private let keepsObjects: Bool
    /// By entity.
    var counts: [ImportReport.Counts]
    /// How many values weren't taken, because objects are of another entity than their data.
    var leftOut: [LeftOut: Int] = [:]
    /// What objects have lost to others.
    var losses = LinkLosses()
    /// What was made or changed, in order; where batches are saved, only that of the current one.
    var touched: [TouchedObject] = []
    /// Those of them of which only the identity was set, where they are kept: a later batch may have a record of them.
    private var alone: Set<ObjectIDKey> = []
    /// The objects that this import made as stubs and that are still no more than that, up to a limit.
    private var stubs: Set<ObjectIDKey> = []
    /// The objects that were stubs when this import came to them.
    private var foundStubs: Set<ObjectIDKey> = []
    /// What each object has been counted as in the batches before, so that it counts once; and in this one.
    private var counted = ObjectMarks()
    private var countedNow = ObjectMarks()

    /// A property of the data that objects of another entity don't have.
    struct LeftOut: Hashable {
        var entity: Int
        var dataEntity: Int
        var property: Int
    }

    /// What a batch changes before it is saved.
    struct State {
        fileprivate var leftOut: [LeftOut: Int]
        fileprivate var losses: LinkLosses
        fileprivate var counts: [ImportReport.Counts]
        fileprivate var touched: [TouchedObject]
        fileprivate var alone: Set<ObjectIDKey>
        fileprivate var stubs: Set<ObjectIDKey>
        fileprivate var foundStubs: Set<ObjectIDKey>
        fileprivate var countedNow: ObjectMarks
    }

    var state: State {
        get {
            State(
                leftOut: leftOut, losses: losses, counts: counts, touched: touched, alone: alone,
                stubs: stubs, foundStubs: foundStubs, countedNow: countedNow)
        }
        set {
            (leftOut, losses, foundStubs) = (newValue.leftOut, newValue.losses, newValue.foundStubs)
            (counts, touched) = (newValue.counts, newValue.touched)
            (stubs, countedNow, alone) = (newValue.stubs, newValue.countedNow, newValue.alone)
        }
    }

    init(entityCount: Int, keepsObjects: Bool) {
        counts = .init(repeating: ImportReport.Counts(), count: entityCount)
        self.keepsObjects = keepsObjects
    }

    /// Counts what became of an object under the entity that it is of.
    mutating func count(_ touch: TouchedObject, _ entity: Int, _ state: BatchImporter.RowState) {
        let isSaid = !alone.isEmpty && !touch.isIdentityAlone && alone.remove(touch.object.objectID.lookupKey) != nil
        if isSaid || !state.isDisjoint(with: [.new, .changed, .skipped, .outdated]) { touched.append(touch) }
        if keepsObjects, state.contains(.new), touch.isIdentityAlone { alone.insert(touch.object.objectID.lookupKey) }
        if state.contains(.skipped) {
            countSkipped(touch.object.objectID.lookupKey, entity)
        } else if !state.contains(.new) {
            if !touch.isStub {
                countKnown(touch.object.objectID.lookupKey, entity, isChanged: state.contains(.changed))
            }
        } else if touch.isStub {
            counts[entity].stubs += 1
            if keepsObjects { noteStub(touch.object) }
        } else {
            counts[entity].inserted += 1
            if keepsObjects { note(touch.object.objectID.lookupKey, .inserted) }
        }
    }

    private func countedState(_ key: ObjectIDKey) -> CountedState? {
        (countedNow[key] ?? counted[key]).flatMap(CountedState.init)
    }

    private mutating func note(_ key: ObjectIDKey, _ state: CountedState) { countedNow[key] = state.rawValue }

    /// Counts an object that its version leaves alone, unless it counts as something else.
    private mutating func countSkipped(_ key: ObjectIDKey, _ entity: Int) {
        guard countedState(key) == nil else { return }
        counts[entity].skipped += 1
        note(key, .skipped)
    }

    private mutating func noteStub(_ object: NSManagedObject) {
        if stubs.count < Self.stubPortion { stubs.insert(object.objectID.lookupKey) }
    }

    /// Counts an object that was there. One that an earlier batch has counted counts only for what is new of it.
    mutating func countKnown(_ key: ObjectIDKey, _ entity: Int, isChanged: Bool) {
        if !stubs.isEmpty, stubs.remove(key) != nil {
            // This import made it and has filled it now: altogether it is new.
            counts[entity].stubs -= 1
            counts[entity].inserted += 1
            note(key, .inserted)
            return
        }
        switch countedState(key) {
        case .inserted?, .updated?: return
        case .unchanged?:
            guard isChanged else { return }
            counts[entity].unchanged -= 1
            counts[entity].updated += 1
        case let before:
            if before == .skipped { counts[entity].skipped -= 1 }
            if isChanged { counts[entity].updated += 1 } else { counts[entity].unchanged += 1 }
        }
        note(key, isChanged ? .updated : .unchanged)
    }

    /// Counts the objects that have lost something to others.
    mutating func countLosses() {
        for owner in losses.takeRecent() { countKnown(owner.object, owner.entity, isChanged: true) }
    }

    /// Notes an object that is a stub, before this import fills it.
    mutating func noteFoundStub(_ object: NSManagedObject) { foundStubs.insert(object.objectID.lookupKey) }

    /// Whether this import has made an object, of a stub or of nothing.
    func hasMade(_ object: NSManagedObject) -> Bool {
        let key = object.objectID.lookupKey
        return stubs.contains(key) || foundStubs.contains(key)
            || countedState(key) == .inserted
    }

    /// Counts objects of this import as those that have taken their place.
    mutating func take(_ replaced: [Replacement]) {
        let successors = replaced.successors
        for index in touched.indices {
            if let new = successors[ObjectIdentifier(touched[index].object)] { touched[index].object = new }
        }
        for replacement in replaced {
            let (key, newKey) = (replacement.old.objectID.lookupKey, replacement.new.objectID.lookupKey)
            if foundStubs.contains(key) { foundStubs.insert(newKey) }
            if stubs.remove(key) != nil {
                stubs.insert(newKey)
                counts[replacement.oldEntity].stubs -= 1
                counts[replacement.entity].stubs += 1
            } else if let state = countedState(key) {
                note(newKey, state)
                counts[replacement.oldEntity][keyPath: state.count] -= 1
                counts[replacement.entity][keyPath: state.count] += 1
            }
        }
    }

    /// Notes a new object that has been saved. Saving has given it another ID.
    mutating func wasSaved(_ object: NSManagedObject, isStub: Bool) {
        if isStub { noteStub(object) }
        counted[object.objectID.lookupKey] = CountedState.inserted.rawValue
    }

    /// Forgets a saved batch but for what its objects have been counted as.
    mutating func endBatch() {
        counted.merge(countedNow)
        countedNow.removeAll()
        losses.endBatch()
        touched.removeAll(keepingCapacity: true)
    }
}
