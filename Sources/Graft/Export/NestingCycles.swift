// Which objects can be met again among those nested in them, decided by the model alone. The way back is no way: nested in a
// publisher's heroes, the heroes' publisher is left out.

/// Finds the entities of which a nested export may come round to the same object.
struct NestingCycles {
    /// An entity, and the relationship that leads back to where its object was met; -1 for none.
    private struct State: Hashable {
        var entity: Int
        var inverse: Int
    }

    private let schema: GraphSchema
    /// By entity: the relationships that are nested.
    private let nested: [[Int]]

    init(_ schema: GraphSchema, nested: [[Int]]) {
        self.schema = schema
        self.nested = nested
    }

    /// By entity.
    var isCyclic: [Bool] { schema.entities.indices.map(isCyclic) }

    /// Whether an object of an entity may be nested in itself.
    private func isCyclic(_ entity: Int) -> Bool {
        var pending = [State(entity: entity, inverse: -1)]
        var seen = Set(pending)
        while let state = pending.popLast() {
            for property in nested[state.entity] where property != state.inverse {
                let relationship = schema.entities[state.entity].properties[property]
                guard let destination = relationship.destination else { continue }
                for end in destination..<schema.entities[destination].end {
                    if end == entity { return true }
                    let next = State(entity: end, inverse: relationship.inverse ?? -1)
                    if seen.insert(next).inserted { pending.append(next) }
                }
            }
        }
        return false
    }
}
