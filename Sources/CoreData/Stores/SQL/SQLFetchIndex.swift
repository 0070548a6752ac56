// A fetch index of the model as CREATE statements: a plain index, a partial one, or an R-tree with the triggers that
// keep it. Only R-trees consist of more than one statement.

import Foundation

/// One fetch index of an entity.
struct SQLFetchIndex {
    private let entity: SQLEntity
    private let description: NSFetchIndexDescription

    init(_ index: NSFetchIndexDescription, of entity: SQLEntity) {
        description = index
        self.entity = entity
    }

    /// - Returns: Nil where it needs none.
    /// - Throws: ``SQLSchemaError`` where an element or the partial index predicate can't be expressed.
    func index() throws -> SQLIndex? {
        let elements = description.elements(of: entity)
        if elements.isEmpty { return nil }
        if elements.contains(where: { $0.collationType == .rTree }) { return try spatialIndex() }
        let columns = try elements.map(column)
        let parts = zip(columns, elements).map { "\($0) COLLATE BINARY \($1.isAscending ? "ASC" : "DESC")" }
        let name = "Z_\(entity.name)_\(description.name)"
        let quoted = SQLNaming.identifier(name)
        var statement = "CREATE INDEX \(quoted) ON \(entity.table) (\(parts.joined(separator: ", ")))"
        if let predicate = description.partialIndexPredicate {
            statement += " WHERE \(try SQLPartialIndexCondition(entity: entity, index: title).sql(for: predicate))"
        }
        return SQLIndex(
            name: name, table: entity.table, entity: entity, columns: columns,
            isPartial: description.partialIndexPredicate != nil, statements: [statement])
    }

    private var title: String { "Fetch index '\(description.name)' of entity '\(entity.name)'" }

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
    private func spatialIndex() throws -> SQLIndex {
        let name = "Z_RT_\(entity.name)_\(description.name)"
        func quoted(_ suffix: String = "") -> String { SQLNaming.identifier(name + suffix) }
        let columns = try description.elements(of: entity).map(column)
        let bounds = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        // The space before the first comma is Core Data's.
        let values = columns.enumerated().map { "NEW.\($1)\($0 == 0 ? " ," : ", ")NEW.\($1)" }.joined(separator: ", ")
        let insertion = "INTO \(quoted()) (Z_PK, \(bounds.joined(separator: ", "))) VALUES (NEW.Z_PK, \(values)) ; END"
        let declared = bounds.map { "\($0) FLOAT" }.joined(separator: ", ")
        let statements = [
            "CREATE VIRTUAL TABLE \(quoted()) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(declared))",
            "CREATE TRIGGER \(quoted("_INSERT")) AFTER INSERT ON \(entity.table) FOR EACH ROW BEGIN "
                + "INSERT OR REPLACE \(insertion)",
            "CREATE TRIGGER \(quoted("_UPDATE")) AFTER UPDATE ON \(entity.table) FOR EACH ROW BEGIN "
                + "DELETE FROM \(quoted()) WHERE Z_PK = NEW.Z_PK ; INSERT \(insertion)",
            "CREATE TRIGGER \(quoted("_DELETE")) AFTER DELETE ON \(entity.table) FOR EACH ROW BEGIN "
                + "DELETE FROM \(quoted()) WHERE Z_PK = OLD.Z_PK ; END",
        ]
        return SQLIndex(name: name, table: entity.table, entity: entity, columns: [], statements: statements)
    }
}

extension NSFetchIndexDescription {
    /// The elements that can be in an index: a relationship to many objects, which Xcode takes, too, has no column; one to one
    /// object has an index by itself.
    package func elements(of entity: SQLEntity) -> [NSFetchIndexElementDescription] {
        let elements = elements.filter { $0.relationship(of: entity)?.isToMany != true }
        return elements.count == 1 && elements[0].relationship(of: entity) != nil ? [] : elements
    }
}

extension NSFetchIndexElementDescription {
    fileprivate func relationship(of entity: SQLEntity) -> NSRelationshipDescription? {
        property as? NSRelationshipDescription
            ?? propertyName.flatMap { entity.description.relationshipsByName[$0] }
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
        case let text as String: text.sqlLiteral
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
