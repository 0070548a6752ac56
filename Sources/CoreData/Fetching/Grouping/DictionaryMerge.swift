// Dictionaries of several stores: each store gives its own with what they are sorted by, and order, limit and what is alike are
// a matter of the whole. What comes out is what one store with all of the rows would give.

import Foundation

/// The putting together of what several stores have.
struct DictionaryMerge {
    private let query: StoreQuery
    private let selection: StoreSelection

    init(_ query: StoreQuery, _ selection: StoreSelection) {
        self.query = query
        self.selection = selection
    }

    /// What each store is asked for: as many as the whole may need from it.
    var partQuery: StoreQuery {
        var part = query
        part.offset = 0
        part.limit = query.limit.flatMap { limit in
            let (count, overflow) = limit.addingReportingOverflow(query.offset)
            // Dropping what is alike may need all of them.
            return overflow || selection.isDistinct ? nil : count
        }
        return part
    }

    /// The columns, and one for each sort descriptor.
    var partSelection: StoreSelection {
        var part = selection
        part.isDistinct = false
        for (index, descriptor) in query.sortDescriptors.enumerated() {
            part.columns.append(column(descriptor, Self.key(index)))
        }
        return part
    }

    private func column(_ descriptor: NSSortDescriptor, _ name: String) -> StoreSelection.Column {
        if let index = selection.computedColumn(named: descriptor.key, of: query.entity) {
            let column = selection.columns[index]
            return StoreSelection.Column(name: name, expression: column.expression, keyPath: nil, type: column.type)
        }
        let path = descriptor.key ?? "self"
        // One that is computed, or wrong, is for the store to understand.
        let plain = try? SelectionBuilder(entity: query.entity).column(keyPath: path)
        return StoreSelection.Column(
            name: name, expression: NSExpression(forKeyPath: path), keyPath: plain?.keyPath)
    }

    private static func key(_ index: Int) -> String { "#sort\(index)" }

    /// - Parameter found: The dictionaries of all stores, one store after the other.
    func merged(_ found: [[String: Any]]) -> [[String: Any]] {
        let descriptors = query.sortDescriptors
        let order = descriptors.enumerated().map { index, descriptor in
            KeyedSortDescriptor(
                key: Self.key(index), ascending: descriptor.ascending,
                selectorName: descriptor.selectorName ?? SortComparison.standard.rawValue,
                closure: (descriptor as? KeyedSortDescriptor)?.closure)
        }
        func columns(_ row: [String: Any]) -> [Operand] { selection.columns.map { Operand(row[$0.name]) } }
        var rows = found
        if selection.isDistinct, selection.selects(descriptors, of: query.entity) {
            // As one store gives them.
            rows = DictionaryRows.sorted(rows, by: columns)
        }
        rows = SortOrder(order).sorted(rows) { $0 }
        if selection.isDistinct {
            var distinct = DistinctDictionaries(names: selection.columns.map(\.name))
            rows = rows.filter { distinct.insert($0) }
        }
        return rows.dropFirst(query.offset).prefix(query.limit ?? .max).map { row in
            var row = row
            for index in descriptors.indices { row[Self.key(index)] = nil }
            return row
        }
    }
}
