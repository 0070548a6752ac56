// What an export writes of each entity, and which of it can be met again.

/// The plans of all entities.
struct ExportForm {
    let plans: [ExportPlan]
    /// By entity: the relationships that are nested.
    let nested: [[Int]]
    /// By entity: whether nested objects can lead back to an object.
    let isCyclic: [Bool]

    init(_ mapping: GraphMapping, _ options: ExportOptions) throws {
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
