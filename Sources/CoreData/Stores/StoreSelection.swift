// What a fetch of dictionaries selects: properties, computed values, and functions of groups of rows. Both stores get it
// checked, so that neither meets a column that isn't the same for all rows of a group.

import Foundation

/// The columns of dictionaries, and how rows become them.
package struct StoreSelection {
    package struct Column {
        /// The key in the dictionary.
        let name: String
        let expression: NSExpression
        /// The path of a stored attribute or to-one relationship, or `self`; nil for what has to be computed.
        let keyPath: String?
        /// What a computed value becomes; undefined for what it is by itself.
        var type: NSAttributeType = .undefinedAttributeType
    }

    package var columns: [Column]
    /// What the rows of a group have in common.
    package var groups: [Column] = []
    /// Which groups there are in the result.
    package var having: NSPredicate?
    /// Whether all rows become groups; without ``groups`` they are one, even where there are no rows.
    package var isGrouped = false
    package var isDistinct = false

    /// The computed column that a sort descriptor names. A row's own property of that name comes first; a group has none but those that it
    /// selects.
    package func computedColumn(named key: String?, of entity: NSEntityDescription) -> Int? {
        guard let key, isGrouped || entity.propertiesByName[key] == nil else { return nil }
        return columns.firstIndex { $0.name == key && $0.keyPath == nil }
    }

    /// Whether rows that are alike can be dropped in any order, because what they are sorted by is in them, and SQL knows what is alike.
    package func selects(_ descriptors: [NSSortDescriptor], of entity: NSEntityDescription) -> Bool {
        if columns.contains(where: { SelectionBuilder(entity: entity).reasonAgainstComparing($0) != nil }) {
            return false
        }
        return descriptors.allSatisfy { descriptor in
            computedColumn(named: descriptor.key, of: entity) != nil
                || columns.contains { $0.keyPath != nil && $0.keyPath == descriptor.key }
        }
    }
}

extension StoreBackend {
    /// Dictionaries of attributes and to-one relationships by key path.
    package func dictionaries(matching query: StoreQuery, columns: [String], distinct: Bool) throws -> [[String: Any]] {
        let builder = SelectionBuilder(entity: query.entity)
        let selection = StoreSelection(columns: try columns.map(builder.column(keyPath:)), isDistinct: distinct)
        return try dictionaries(matching: query, selection: selection)
    }
}
