// What an export writes of each entity, and which of it can be met again.

import CoreData

/// The plans of all entities.
struct ExportForm {
    let schema: GraphSchema
    let plans: [ExportPlan]
    /// By entity: the relationships that are nested.
    let nested: [[Int]]
    /// By entity: whether nested objects can lead back to an object.
    let isCyclic: [Bool]

    init(_ mapping: GraphMapping, _ options: ExportOptions) throws {
        schema = mapping.schema
        plans = try mapping.schema.entities.indices.map { number in
            let entity = mapping.schema.entities[number]
            return try ExportPlan(number, in: mapping, options, sortsKeys: options.sortsKeys) { property, mapping in
                if let form = mapping.exportForm ?? options.relationshipForm { return form }
                return mapping.isDeclared || entity.properties[property].isOwning ? .nested : .identifier
            }
        }
        nested = plans.map { Self.nested(in: $0.items) }
        isCyclic = NestingCycles(mapping.schema, nested: nested).isCyclic
    }

    /// The entities of the objects that an object of an entity, or of its sub-entities, may lead to.
    ///
    /// - Parameter follows: By which relationships.
    func reached(from name: String, by follows: (ExportPlan) -> [Int]) -> Set<Int> {
        guard let root = plans.first(where: { $0.name == name })?.number else { return [] }
        var pending = Array(root..<schema.entities[root].end)
        var reached = Set(pending)
        while let entity = pending.popLast() {
            for number in follows(plans[entity]) {
                guard let destination = plans[entity].properties[number].destination else { continue }
                for end in destination..<schema.entities[destination].end where reached.insert(end).inserted {
                    pending.append(end)
                }
            }
        }
        return reached
    }

    private static func nested(in items: [ExportPlan.Item]) -> [Int] {
        items.flatMap { item -> [Int] in
            switch item.content {
            case .toOne(let number, .nested), .toMany(let number, .nested): [number]
            case .step(let items): nested(in: items)
            default: []
            }
        }
    }
}
