// What identifies the elements of an export's arrays, as the mapping knows it.

public import CoreData

extension JSONPatch.Options {
    /// Elements are matched by the identities that the model declares, at whatever depth objects are nested.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects at the top of the JSON; nil for the whole graph.
    ///   - model: The model.
    ///   - mapping: How entities and properties stand in JSON, where code decides it.
    /// - Throws: ``GraftError`` with `unknownEntity`, or what is wrong with the mapping.
    public static func identified(
        byMappingOf entity: String?, in model: NSManagedObjectModel, mapping: MappingOptions = MappingOptions()
    ) throws -> JSONPatch.Options {
        let mapping = try GraphMapping(model, mapping, isDocument: entity == nil)
        let guide = MappedLists(mapping, root: try entity.map(mapping.schema.requiredNumber))
        var options = JSONPatch.Options()
        options.identity = { guide.identity(at: $0) }
        return options
    }
}

/// Follows pointers through a mapping.
private struct MappedLists: Sendable {
    private let mapping: GraphMapping
    private let root: Int?

    init(_ mapping: GraphMapping, root: Int?) {
        self.mapping = mapping
        self.root = root
    }

    /// Where a pointer has led.
    private enum State {
        case entities
        case objects(of: Int)
        /// Objects on the way of key paths, of an entity and its sub-entities, each with its number.
        case steps([(entity: Int, tree: KeyTree)])
    }

    func identity(at pointer: JSONPatch.Pointer) -> [[String]]? {
        var state = root.map(State.objects) ?? .entities
        for token in pointer.tokens {
            guard let next = next(state, token) else { return nil }
            state = next
        }
        guard case .objects(let entity) = state else { return nil }
        let properties = mapping.entities[entity].properties
        // Below its owner, an object is told apart by its own attributes alone.
        let description = mapping.schema.entities[entity]
        let isTop = pointer.tokens.count == (root == nil ? 1 : 0)
        let identity = isTop ? description.identity : description.identityAttributes
        let paths = identity.compactMap { properties[$0]?.path }
        return paths.count == identity.count && !paths.contains([]) ? paths : nil
    }

    private func next(_ state: State, _ token: String) -> State? {
        switch state {
        case .entities: return mapping.schema.number(ofEntity: token).map(State.objects)
        case .objects(let entity):
            // An element of the list; the step stays among objects of the entity.
            if !token.isEmpty, token.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) { return state }
            let range = entity..<mapping.schema.entities[entity].end
            return next(range.map { ($0, mapping.entities[$0].keys) }, token)
        case .steps(let trees): return next(trees, token)
        }
    }

    /// - Parameter trees: Those of the entity and its sub-entities, whose objects may all be there.
    private func next(_ trees: [(entity: Int, tree: KeyTree)], _ token: String) -> State? {
        let targets = trees.compactMap { entity, tree in
            token.withUTF8Span { tree.table.index(of: $0) }.map { (entity: entity, target: tree.targets[$0]) }
        }
        guard let first = targets.first else { return nil }
        switch first.target.role {
        case .attribute, .ignored: return nil
        case .step:
            return .steps(targets.compactMap { entity, target in target.subtree.map { (entity: entity, tree: $0) } })
        case .toOne, .toMany:
            // The property's number holds for the entity that the tree belongs to.
            return mapping.schema.entities[first.entity].properties[first.target.property].destination
                .map(State.objects)
        }
    }
}
