// A fetch index of the model as CREATE statements: a plain index, a partial one, or an R-tree with the triggers that
// keep it. Only R-trees consist of more than one statement.

import Foundation

/// One fetch index of an entity.
struct SQLFetchIndex {
    private let entity: SQLEntity
    private let index: NSFetchIndexDescription

    init(_ index: NSFetchIndexDescription, of entity: SQLEntity) {
        self.index = index
        self.entity = entity
    }

    /// - Throws: ``SQLSchemaError`` where an element or the partial index predicate can't be expressed.
    func statements() throws -> [String] {
        let elements = index.elements
        if elements.isEmpty { return [] }
        if elements.count == 1, isRelationship(elements[0]) { return [] }
        if elements.contains(where: { $0.collationType == .rTree }) { return try spatialStatements() }
        let columns = try elements.map {
            "\(try column(of: $0)) COLLATE BINARY \($0.isAscending ? "ASC" : "DESC")"
        }
        var statement =
            "CREATE INDEX Z_\(entity.name)_\(index.name) ON \(entity.table) (\(columns.joined(separator: ", ")))"
        if let predicate = index.partialIndexPredicate {
            statement += " WHERE \(try SQLPartialIndexCondition(entity: entity, index: title).sql(for: predicate))"
        }
        return [statement]
    }

    private var title: String { "Fetch index '\(index.name)' of entity '\(entity.name)'" }

    private func isRelationship(_ element: NSFetchIndexElementDescription) -> Bool {
        if element.property is NSRelationshipDescription { return true }
        return element.propertyName.flatMap { entity.description.relationshipsByName[$0] } != nil
    }

    private func column(of element: NSFetchIndexElementDescription) throws -> String {
        if let expression = (element.property as? NSExpressionDescription)?.expression {
            switch expression.expressionType {
            case .evaluatedObject: return "Z_PK"
            case .keyPath where expression.keyPath == "entity": return "Z_ENT"
            case .keyPath:
                if let column = entity.column(named: expression.keyPath) { return column }
            default: break
            }
            throw SQLSchemaError(
                .unsupported(what: title, reason: "no column stands for the expression '\(expression)'"))
        }
        let name = element.property?.name ?? element.propertyName ?? ""
        guard let column = entity.column(named: name) else {
            throw SQLSchemaError(
                .unsupported(
                    what: title, reason: "'\(name)' is no stored attribute or to-one relationship of the entity"))
        }
        return column
    }

    /// A two-dimensional index of points: each coordinate is its own minimum and maximum.
    private func spatialStatements() throws -> [String] {
        let name = "Z_RT_\(entity.name)_\(index.name)"
        let columns = try index.elements.map(column)
        let bounds = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        // The space before the first comma is Core Data's.
        let values = columns.enumerated().map { "NEW.\($1)\($0 == 0 ? " ," : ", ")NEW.\($1)" }.joined(separator: ", ")
        let insertion = "INTO \(name) (Z_PK, \(bounds.joined(separator: ", "))) VALUES (NEW.Z_PK, \(values)) ; END"
        let declared = bounds.map { "\($0) FLOAT" }.joined(separator: ", ")
        return [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(declared))",
            "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(entity.table) FOR EACH ROW BEGIN "
                + "INSERT OR REPLACE \(insertion)",
            "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE ON \(entity.table) FOR EACH ROW BEGIN "
                + "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT \(insertion)",
            "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(entity.table) FOR EACH ROW BEGIN "
                + "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ; END",
        ]
    }
}

/// The WHERE part of a partial index: comparisons of one column with a constant, joined by AND and OR.
private struct SQLPartialIndexCondition {
    let entity: SQLEntity
    let index: String

    func sql(for predicate: NSPredicate) throws -> String {
        switch predicate {
        case let comparison as NSComparisonPredicate: return try sql(for: comparison)
        case let compound as NSCompoundPredicate:
            let parts = try compound.subpredicates.map(sql)
            switch compound.compoundPredicateType {
            case .and where !parts.isEmpty: return "(\(parts.joined(separator: " AND ")))"
            case .or where !parts.isEmpty: return "(\(parts.joined(separator: " OR ")))"
            default: throw unsupported(predicate)
            }
        default: throw unsupported(predicate)
        }
    }

    private func sql(for comparison: NSComparisonPredicate) throws -> String {
        guard comparison.leftExpression.expressionType == .keyPath,
            comparison.rightExpression.expressionType == .constantValue,
            comparison.comparisonPredicateModifier == .direct, comparison.options.isEmpty,
            let column = entity.column(named: comparison.leftExpression.keyPath)
        else { throw unsupported(comparison) }
        let value = comparison.rightExpression.constantValue
        if value == nil || value is NSNull {
            switch comparison.predicateOperatorType {
            case .equalTo: return "\(column) IS NULL"
            case .notEqualTo: return "\(column) IS NOT NULL"
            default: throw unsupported(comparison)
            }
        }
        guard let literal = literal(value) else { throw unsupported(comparison) }
        let symbol: String
        switch comparison.predicateOperatorType {
        case .equalTo: symbol = "="
        case .notEqualTo: symbol = "<>"
        case .lessThan: symbol = "<"
        case .lessThanOrEqualTo: symbol = "<="
        case .greaterThan: symbol = ">"
        case .greaterThanOrEqualTo: symbol = ">="
        default: throw unsupported(comparison)
        }
        return "\(column) \(symbol) \(literal)"
    }

    private func literal(_ value: Any?) -> String? {
        switch value {
        case let flag as Bool: flag ? "1" : "0"
        case let number as NSNumber: number.stringValue
        case let text as String: "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        default: nil
        }
    }

    private func unsupported(_ predicate: NSPredicate) -> SQLSchemaError {
        SQLSchemaError(
            .unsupported(
                what: index,
                reason: "its condition '\(predicate)' isn't made of comparisons of a stored property with a constant"))
    }
}
