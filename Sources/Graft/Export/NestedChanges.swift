// How far it is from an object to the nearest that has changed, along the relationships that are nested. What an object
// leads to is looked at once, as a whole, and the distances go back from the changed objects: so the answer is the same
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
    private let numbers: [ObjectIdentifier: Int]
    /// By entity: the relationships that are nested.
    private let nested: [[Int]]
    /// Nil where nothing has changed.
    private var distances: [State: Int?] = [:]

    init(_ changes: ExportChanges, _ plans: [ExportPlan], _ numbers: [ObjectIdentifier: Int], nested: [[Int]]) {
        self.changes = changes
        self.plans = plans
        self.numbers = numbers
        self.nested = nested
    }

    /// How many relationships lead from an object to the nearest that has changed: 0 where it has itself, nil where none has.
    ///
    /// - Complexity: O(1); O(*n*) in the objects and links that haven't been looked at.
    func distance(from object: NSManagedObject, cameFrom inverse: Int?) throws -> Int? {
        let state = State(object: object.objectID.lookupKey, inverse: inverse ?? -1)
        if let known = distances[state] { return known }
        try explore(object, state)
        return distances[state] ?? nil
    }

    private func explore(_ object: NSManagedObject, _ start: State) throws {
        var pending = [(object, start)]
        var seen: Set<State> = [start]
        var sources: [State: [State]] = [:]
        /// By distance: states that may have it.
        var levels: [[State]] = [[]]
        func note(_ state: State, _ distance: Int) {
            while levels.count <= distance { levels.append([]) }
            levels[distance].append(state)
        }
        while let (object, state) = pending.popLast() {
            guard let number = numbers[ObjectIdentifier(object.entity)] else { continue }
            if try !changes.change(of: object, plans[number]).isEmpty { note(state, 0) }
            for relationship in nested[number] where relationship != state.inverse {
                let property = plans[number].properties[relationship]
                for member in object.relatedObjects(relationship, property) {
                    let next = State(object: member.objectID.lookupKey, inverse: property.inverse ?? -1)
                    sources[next, default: []].append(state)
                    if let known = distances[next] {
                        if let known { note(next, known) }
                    } else if seen.insert(next).inserted {
                        pending.append((member, next))
                    }
                }
            }
        }
        var distance = 0
        var found: [State: Int] = [:]
        while distance < levels.count {
            for state in levels[distance] where found[state] == nil {
                found[state] = distance
                for source in sources[state] ?? [] where found[source] == nil { note(source, distance + 1) }
            }
            distance += 1
        }
        for state in seen { distances[state] = .some(found[state]) }
    }
}
