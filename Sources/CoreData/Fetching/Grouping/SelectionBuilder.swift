// From a fetch request's properties to a checked selection.

import Foundation

/// Reads `propertiesToFetch`, `propertiesToGroupBy` and `havingPredicate`.
struct SelectionBuilder {
    let entity: NSEntityDescription

    /// - Throws: `CocoaError` naming the property, for what no dictionary can hold, and for columns that the rows of a
    ///   group don't have in common.
    func selection(of request: FetchRequestState) throws -> StoreSelection {
        let attributes = { entity.layout.slots.filter { !$0.isRelationship && !$0.isTransient }.map(\.name) }
        var selection = StoreSelection(columns: try (request.propertiesToFetch ?? attributes()).map(column))
        selection.groups = try (request.propertiesToGroupBy ?? []).map(column)
        for group in selection.groups {
            guard let reason = reasonAgainstComparing(group) else { continue }
            throw problem("is grouped by '\(group.name)', but \(reason). Group by something else")
        }
        selection.isDistinct = request.returnsDistinctResults
        selection.isGrouped =
            !selection.groups.isEmpty || selection.columns.contains { $0.expression.containsRowAggregate(of: entity) }
        let gathering = TreeRewriter(gatheringMembersOf: entity, groups: selection.groups.map(\.expression))
        if selection.isGrouped {
            selection.columns = selection.columns.map { column in
                let expression = gathering.apply(to: column.expression)
                return StoreSelection.Column(
                    name: column.name, expression: expression, keyPath: column.keyPath, type: column.type)
            }
        }
        if let having = request.havingPredicate {
            guard !selection.groups.isEmpty else {
                throw problem("has a havingPredicate, but no propertiesToGroupBy. Use predicate, or group")
            }
            let named = selection.columns.filter { $0.keyPath == nil }.map { ($0.name, $0.expression as Any) }
            let spelledOut = gathering.apply(to: TreeRewriter(spellingOutOperatorsOf: entity).apply(to: having))
            selection.having = spelledOut.withSubstitutionVariables(Dictionary(named) { first, _ in first })
        }
        // A single row needs no order.
        if selection.isGrouped { try check(selection, selection.groups.isEmpty ? [] : request.sortDescriptors ?? []) }
        return selection
    }

    // MARK: Columns

    private func column(_ property: Any) throws -> StoreSelection.Column {
        switch property {
        case let name as String: return try column(keyPath: name)
        case let description as NSExpressionDescription: return try column(description)
        case let description as NSPropertyDescription: return try column(keyPath: description.name)
        default:
            throw problem("names a \(type(of: property)) to fetch. Give names, property or expression descriptions")
        }
    }

    private func column(_ description: NSExpressionDescription) throws -> StoreSelection.Column {
        guard !description.name.isEmpty else {
            throw problem("has an expression description without a name. Set one")
        }
        // One that only names a property stands for it.
        guard let written = description.expression else { return try column(keyPath: description.name) }
        let expression = TreeRewriter(spellingOutOperatorsOf: entity).apply(to: written)
        var keyPath: String?
        switch expression.node {
        case .evaluatedObject: keyPath = "self"
        case .keyPath(let operand, let path):
            if case .evaluatedObject = operand.node, !path.computesCollections { keyPath = path.text }
        default: break
        }
        if let keyPath {
            try check(keyPath)
            return StoreSelection.Column(name: description.name, expression: expression, keyPath: keyPath)
        }
        return StoreSelection.Column(
            name: description.name, expression: expression, keyPath: nil, type: resultType(of: expression, description))
    }

    /// The type that is asked for, or that of the attribute whose least or greatest value is.
    private func resultType(of expression: NSExpression, _ description: NSExpressionDescription) -> NSAttributeType {
        if description.expressionResultType != .undefinedAttributeType { return description.expressionResultType }
        guard case .function(let call) = expression.node, call.function == .min || call.function == .max,
            expression.isRowAggregate(of: entity), case .keyPath(_, let path) = call.arguments[0].node
        else { return .undefinedAttributeType }
        return attribute(at: path.text)?.attributeType ?? .undefinedAttributeType
    }

    func column(keyPath: String) throws -> StoreSelection.Column {
        try check(keyPath)
        return StoreSelection.Column(name: keyPath, expression: NSExpression(forKeyPath: keyPath), keyPath: keyPath)
    }

    /// Why SQL doesn't know which values of a column are alike; nil where it does.
    func reasonAgainstComparing(_ column: StoreSelection.Column) -> String? {
        guard let attribute = column.keyPath.flatMap(attribute), case .opaque(let reason) = SQLKind(of: attribute)
        else {
            return nil
        }
        return reason
    }

    // MARK: Paths

    private func attribute(at keyPath: String) -> NSAttributeDescription? {
        var current: NSEntityDescription? = entity
        let keys = keyPath.split(separator: ".").map(String.init).filter { $0.lowercased() != "self" }
        var rest = keys[...]
        while let (property, count) = current?.property(at: rest) {
            rest = rest.dropFirst(count)
            if rest.isEmpty { return property as? NSAttributeDescription }
            current = (property as? NSRelationshipDescription)?.destinationEntity
        }
        return nil
    }

    /// A path has to lead through to-one relationships to something stored that is one value.
    private func check(_ keyPath: String) throws {
        var current: NSEntityDescription? = entity
        let keys = keyPath.split(separator: ".").map(String.init).filter { $0.lowercased() != "self" }
        var rest = keys[...]
        while let key = rest.first {
            if rest == ["objectID"] { return }
            guard let owner = current, let (property, count) = owner.property(at: rest) else {
                throw problem(
                    "names '\(keyPath)', but \(current.map { "'\($0.name ?? "")'" } ?? "an attribute") has no property "
                        + "'\(key)'. Correct the path")
            }
            rest = rest.dropFirst(count)
            if property is NSCompositeAttributeDescription {
                throw problem("names '\(keyPath)', a composite attribute. Name its elements")
            }
            if property.isTransient || property is NSFetchedPropertyDescription {
                throw problem("names '\(keyPath)', but '\(key)' isn't stored. Fetch objects instead")
            }
            let relationship = property as? NSRelationshipDescription
            if relationship?.isToMany ?? false {
                throw problem(
                    "names '\(keyPath)', but '\(key)' is a to-many relationship, which has no place in a dictionary. "
                        + "Fetch objects, or count its members")
            }
            current = relationship?.destinationEntity
        }
    }

    // MARK: Groups

    private func check(_ selection: StoreSelection, _ descriptors: [NSSortDescriptor]) throws {
        let paths = UngroupedPaths(entity: entity, groups: selection.groups.map(\.expression))
        let remedy = "Group by it, or use a function such as max: of it"
        for column in selection.columns {
            if let path = paths.first(in: column.expression) {
                throw problem("fetches '\(path)', which the rows of a group don't have in common. \(remedy)")
            }
        }
        if let having = selection.having, let path = paths.first(in: having) {
            throw problem(
                "has a havingPredicate on '\(path)', which the rows of a group don't have in common. \(remedy)")
        }
        for descriptor in descriptors where selection.computedColumn(named: descriptor.key, of: entity) == nil {
            guard let key = descriptor.key, paths.first(in: NSExpression(forKeyPath: key)) == nil else {
                throw problem(
                    "is sorted by '\(descriptor.key ?? "self")', which the rows of a group don't have in common. "
                        + remedy)
            }
        }
    }

    private func problem(_ finding: String) -> CocoaError {
        CoreDataError.make(
            .persistentStoreUnsupportedRequestType,
            "A fetch of dictionaries of '\(entity.name ?? "")' \(finding).")
    }
}
