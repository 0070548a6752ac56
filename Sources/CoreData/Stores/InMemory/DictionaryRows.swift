// Dictionaries of the in-memory store: what SQLiteStoreBackend+Dictionaries.swift does in SQL. The two must agree; random
// selections in the tests hold them to it.

import Foundation

/// Makes dictionaries of rows.
struct DictionaryRows {
    let query: StoreQuery
    let selection: StoreSelection
    let failure: EvaluationFailure

    /// - Parameter rows: All rows that match, in the order of their keys.
    func dictionaries(of rows: [StoredRow]) -> [[String: Any]] {
        let descriptors = query.sortDescriptors
        var results = selection.isGrouped ? groups(of: rows).compactMap(result) : rows.map(result)
        let isOrderedByColumns = selection.isDistinct && selection.selects(descriptors, of: query.entity)
        if isOrderedByColumns {
            results = Self.sorted(results) { $0.columns }
        } else if selection.isGrouped {
            results = Self.sorted(results) { $0.groups }
        }
        if !descriptors.isEmpty { results = SortOrder(descriptors.map(resolved)).sorted(results) { $0 } }
        guard selection.isDistinct else { return page(results).map(dictionary) }
        var distinct = DistinctDictionaries(names: selection.columns.map(\.name))
        return Array(page(results.map(dictionary).filter { distinct.insert($0) }))
    }

    private func page<T>(_ results: [T]) -> ArraySlice<T> {
        results.dropFirst(query.offset).prefix(query.limit ?? .max)
    }

    /// A row or a group, as sort descriptors read it.
    private final class Result: NSObject, KeyValueReadable {
        let row: StoredRow?
        let columns: [Operand]
        let groups: [Operand]

        init(row: StoredRow?, columns: [Operand], groups: [Operand] = []) {
            self.row = row
            self.columns = columns
            self.groups = groups
        }

        /// `#2` is the third column.
        func readableValue(forKey key: String) -> Any? {
            if key.first == "#", let column = Int(key.dropFirst()) { return columns[column].boxed }
            return row?.readableValue(forKey: key)
        }
    }

    /// A descriptor whose key may be the name of a computed column, which may hold anything, dots for instance.
    private func resolved(_ descriptor: NSSortDescriptor) -> NSSortDescriptor {
        guard let column = selection.computedColumn(named: descriptor.key, of: query.entity) else { return descriptor }
        return KeyedSortDescriptor(
            key: "#\(column)", ascending: descriptor.ascending,
            selectorName: descriptor.selectorName ?? SortComparison.standard.rawValue,
            closure: (descriptor as? KeyedSortDescriptor)?.closure)
    }

    /// Elements in the order of values of theirs, one after the other.
    static func sorted<T>(_ results: [T], by operands: (T) -> [Operand]) -> [T] {
        let decorated = results.map { ($0, operands($0)) }.enumerated()
        return decorated.sorted { a, b in
            for (x, y) in zip(a.element.1, b.element.1) {
                let order = SortComparison.standard.order(x, y)
                if order != .orderedSame { return order == .orderedAscending }
            }
            return a.offset < b.offset
        }.map(\.element.0)
    }

    // MARK: Rows

    private func result(_ row: StoredRow) -> Result {
        let scope = EvaluationScope(object: row, isFetch: true, failure: failure)
        let columns = selection.columns.map { ExpressionEvaluator.operand(of: $0.expression, in: scope) }
        return Result(row: row, columns: columns)
    }

    /// Properties are read from the row itself, so that they have their own types.
    private func dictionary(_ result: Result) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for (column, operand) in zip(selection.columns, result.columns) {
            dictionary[column.name] =
                column.keyPath.map { Self.value(of: result.row, at: $0) } ?? operand.boxed(as: column.type)
        }
        return dictionary
    }

    private static func value(of row: StoredRow?, at keyPath: String) -> Any? {
        var value: Any? = row
        for case .key(let key) in KeyPathSteps(keyPath).steps {
            value = (value as? StoredRow)?.readableValue(forKey: key) ?? (value as? [String: Any])?[key]
        }
        return (value as? StoredRow)?.id ?? value
    }

    // MARK: Groups

    private func groups(of rows: [StoredRow]) -> [[StoredRow]] {
        if selection.groups.isEmpty { return [rows] }
        var positions: [[OperandKey]: Int] = [:]
        var groups: [[StoredRow]] = []
        for row in rows {
            let scope = EvaluationScope(object: row, isFetch: true, failure: failure)
            let key = selection.groups.map { OperandKey(ExpressionEvaluator.operand(of: $0.expression, in: scope)) }
            if let position = positions[key] {
                groups[position].append(row)
            } else {
                positions[key] = groups.count
                groups.append([row])
            }
        }
        return groups
    }

    /// The result of a group; nil where the having predicate leaves it out.
    private func result(_ rows: [StoredRow]) -> Result? {
        // What isn't computed of all rows is the same for all of them.
        let scope = EvaluationScope(object: rows.first, isFetch: true, failure: failure)
        let rewriter = TreeRewriter { expression, _ in
            guard expression.isRowAggregate(of: query.entity), case .function(let call) = expression.node,
                let function = call.function
            else { return nil }
            let values = rows.map {
                ExpressionEvaluator.operand(
                    of: call.arguments[0], in: EvaluationScope(object: $0, isFetch: true, failure: failure))
            }.filter { !$0.isNull }
            return NSExpression(forConstantValue: FunctionEvaluator.aggregate(function, values).boxed)
        }
        if let having = selection.having, !PredicateEvaluator.matches(rewriter.apply(to: having), in: scope) {
            return nil
        }
        func values(_ columns: [StoreSelection.Column]) -> [Operand] {
            columns.map { ExpressionEvaluator.operand(of: rewriter.apply(to: $0.expression), in: scope) }
        }
        return Result(row: rows.first, columns: values(selection.columns), groups: values(selection.groups))
    }
}
