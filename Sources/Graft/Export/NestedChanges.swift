// How deep an object may be nested for a change in it, or in what it leads to along the relationships that are nested, to be written.
// What an object leads to is looked at once, as a whole, and the depths go back from the changed objects: so the answer is the same
// whichever object is asked for first, and cycles don't matter.

import CoreData

/// Finds the objects in which changes would be nested.
final class NestedChanges {
    /// An object, and the relationship that leads back to where it was met, which isn't nested; -1 for none.
    private struct State: Hashable {
        var object: ObjectIDKey
        var inverse: Int
    }

    private let changes: ExportChanges
    private let plans: [ExportPlan]
    private let numbers: EntityNumbers
    /// By entity: the relationships that are nested.
    private let nested: [[Int]]
    private let options: ExportOptions
    /// Nil where nothing has changed.
    private var reaches: [State: Int?] = [:]

    init(
        _ changes: ExportChanges, _ plans: [ExportPlan], _ numbers: EntityNumbers, nested: [[Int]],
        _ options: ExportOptions
    ) {
        self.options = options
        self.changes = changes
        self.plans = plans
        self.numbers = numbers
        self.nested = nested
    }

    /// How deep an object may be nested for a change to be written: nil where none is at any depth.
    ///
    /// - Complexity: O(1); O(*n*) in the objects and links that haven't been looked at.
    func reach(of object: NSManagedObject, cameFrom inverse: Int?) throws -> Int? {
        let state = State(object: object.objectID.lookupKey, inverse: inverse ?? -1)
        if reaches[state] == nil { try explore([object], cameFrom: inverse) }
        return reaches[state] ?? nil
    }

    /// Looks at objects, and what they lead to, that haven't been looked at.
    ///
    /// - Complexity: O(*n*) in these objects and their links.
    func explore(_ objects: [NSManagedObject], cameFrom inverse: Int? = nil) throws {
        var met: [(object: NSManagedObject, state: State)] = []
        var seen: Set<State> = []
        var sources: [State: [State]] = [:]
        /// By how far they are from the deepest: states that may be nested that deep.
        let deepest = max(ExportOptions.deepest, options.nestingLimit)
        var levels: [[State]] = []
        var limits: [State: Int] = [:]
        /// Of each that was met, how deep a change of its own may be.
        var own: [Int] = []
        func meet(_ object: NSManagedObject, _ state: State) {
            if reaches[state] == nil, seen.insert(state).inserted { met.append((object, state)) }
        }
        func note(_ state: State, _ reach: Int) {
            if reach < 0 { return }
            let level = deepest - reach
            while levels.count <= level { levels.append([]) }
            levels[level].append(state)
        }
        /// What a member's change makes of an object that leads to it, which is nested itself.
        func note(_ state: State, throughOneAt reach: Int) { note(state, min(limits[state] ?? 0, reach) - 1) }
        for object in objects { meet(object, State(object: object.objectID.lookupKey, inverse: inverse ?? -1)) }
        var next = 0
        while next < met.count {
            let (object, state) = met[next]
            next += 1
            guard let number = numbers[object.entity] else {
                own.append(-1)
                continue
            }
            let isIdentified = try plans[number].hasIdentity(object)
            let limit = max(1, options.nestingLimit(isIdentified: isIdentified))
            limits[state] = limit
            // Without an identifier it is written, if without its relationships, wherever it is met.
            own.append(isIdentified ? limit - 1 : deepest)
            for relationship in nested[number] where relationship != state.inverse {
                let property = plans[number].properties[relationship]
                for member in object.relatedObjects(relationship, property) {
                    let end = State(object: member.objectID.lookupKey, inverse: property.inverse ?? -1)
                    sources[end, default: []].append(state)
                    if let known = reaches[end], let known { note(state, throughOneAt: known) }
                    meet(member, end)
                }
            }
        }
        try changes.compare(met.map(\.object))
        for ((object, state), own) in zip(met, own) where !changes.change(of: object).isEmpty { note(state, own) }
        var found: [State: Int] = [:]
        var level = 0
        while level < levels.count {
            for state in levels[level] where found[state] == nil {
                found[state] = deepest - level
                for source in sources[state] ?? [] where found[source] == nil {
                    note(source, throughOneAt: deepest - level)
                }
            }
            level += 1
        }
        for state in seen { reaches[state] = .some(found[state]) }
    }
}
