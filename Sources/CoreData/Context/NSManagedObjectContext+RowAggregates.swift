// `id == max(id)` in a request's predicate means the greatest value of all rows of the entity. The value takes the function's place here,
// before a store is asked, so that all stores and unsaved objects are asked the same.

import Foundation

extension NSManagedObjectContext {
    /// A query with values in place of the functions of all rows; as it is where its predicate has none.
    ///
    /// - Parameter includesPending: Whether unsaved objects count as they are now.
    func resolved(
        _ query: StoreQuery, in stores: [NSPersistentStore], includesPending: Bool
    ) throws -> StoreQuery {
        let functions = query.predicate?.rowAggregates(of: query.entity) ?? []
        if functions.isEmpty { return query }
        let all = StoreQuery(entity: query.entity, includesSubentities: query.includesSubentities)
        // A store of the application needn't know dictionaries.
        let needsObjects = includesPending && hasUnsaved(all) || stores.contains { $0 is NSIncrementalStore }
        let values =
            needsObjects
            ? try collectingFaultFailures {
                functions.values(of: try objects(matching: all, in: stores, includesPending: includesPending))
            }
            : try values(of: functions, in: stores, all)
        let constants = values.map { NSExpression(forConstantValue: $0.boxed) }
        var result = query
        result.predicate = query.predicate?.replacing(
            Dictionary(zip(functions.map { ObjectIdentifier($0.call) }, constants)) { first, _ in first })
        return result
    }

    /// Whether objects of a query have changes, here or in a context above, that no store knows.
    private func hasUnsaved(_ query: StoreQuery) -> Bool {
        if !isAnswered(bySource: query, includesPending: true) { return true }
        guard let parentContext else { return false }
        return parentContext.onQueue { parentContext.hasUnsaved(query) }
    }

    /// One store computes the functions itself; several give the values that they are of.
    private func values(
        of functions: [RowAggregate], in stores: [NSPersistentStore], _ all: StoreQuery
    ) throws -> [Operand] {
        let isOne = stores.count == 1
        let request = FetchRequestState()
        request.propertiesToFetch = functions.enumerated().map { index, function in
            let column = NSExpressionDescription()
            column.name = "\(index)"
            column.expression = isOne ? function.call : function.argument
            return column
        }
        let selection = try SelectionBuilder(entity: all.entity).selection(of: request)
        let rows = try requiredSource.dictionaries(matching: all, selection: selection, in: stores, for: self)
        return functions.enumerated().map { index, function in
            let values = rows.map { Operand($0["\(index)"]) }
            return isOne ? values.first ?? .null : function.value(of: values)
        }
    }
}

extension [RowAggregate] {
    fileprivate func values(of objects: [NSManagedObject]) -> [Operand] {
        map { function in
            function.value(
                of: objects.map { ExpressionEvaluator.operand(of: function.argument, in: EvaluationScope(object: $0)) })
        }
    }
}
