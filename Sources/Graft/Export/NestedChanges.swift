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
        if distances[state] == nil { try explore([object], cameFrom: inverse) }
        return distances[state] ?? nil
    }

    /// Looks at objects, and what they lead to, that haven't been looked at.
    ///
    /// - Complexity: O(*n*) in these objects and their links.
    func explore(_ objects: [NSManagedObject], cameFrom inverse: Int? = nil) throws {
        var met: [(object: NSManagedObject, state: State)] = []
        var seen: Set<State> = []
        var sources: [State: [State]] = [:]
        /// By distance: states that may have it.
        var levels: [[State]] = [[]]
        func meet(_ object: NSManagedObject, _ state: State) {
            if distances[state] == nil, seen.insert(state).inserted { met.append((object, state)) }
        }
        func note(_ state: State, _ distance: Int) {
            while levels.count <= distance { levels.append([]) }
            levels[distance].append(state)
        }
        for object in objects { meet(object, State(object: object.objectID.lookupKey, inverse: inverse ?? -1)) }
        var next = 0
        while next < met.count {
            let (object, state) = met[next]
            next += 1
            guard let number = numbers[ObjectIdentifier(object.entity)] else { continue }
            for relationship in nested[number] where relationship != state.inverse {
                let property = plans[number].properties[relationship]
                for member in object.relatedObjects(relationship, property) {
                    let end = State(object: member.objectID.lookupKey, inverse: property.inverse ?? -1)
                    sources[end, default: []].append(state)
                    if let known = distances[end], let known { note(end, known) }
                    meet(member, end)
                }
            }
        }
        try changes.compare(met.map(\.object))
        for (object, state) in met where !changes.change(of: object).isEmpty { note(state, 0) }
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
