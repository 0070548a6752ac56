// Expressions as the values of columns: what a batch update writes.

import Foundation

extension SQLSelect {
    /// The value of an expression in the form that an attribute's column holds.
    ///
    /// - Throws: `CocoaError` naming the expression, for what SQL can't compute and for values of another kind.
    package mutating func value(
        of expression: NSExpression, for attribute: NSAttributeDescription, space: ((SQLEntity) -> RowSpace?)?
    ) throws -> SQLFragment {
        let generator = PredicateSQL(self, space: space)
        do {
            let value = try generator.scalar(expression, in: generator.root).usable()
            self = generator.select
            guard value.isNullConstant || value.kind.isComparable(to: SQLKind(of: attribute)) else {
                throw PredicateSQLProblem(
                    "its values are no \(attribute.attributeType) as '\(attribute.name)' needs them")
            }
            return value.fragment.cast(to: attribute.attributeType, schema.dialect)
        } catch let problem as PredicateSQLProblem {
            throw problem.error(expression, entity: entity, schema.dialect)
        }
    }
}

extension PredicateSQLProblem {
    func error(_ expression: NSExpression, entity: SQLEntity, _ dialect: SQLDialect) -> CocoaError {
        CoreDataError.make(
            .persistentStoreOperation,
            "The expression '\(expression)' on '\(entity.name)' can't be evaluated by \(dialect.store): \(reason). Compute it "
                + "in memory, or change it.")
    }
}

extension SQLFragment {
    /// Columns of numbers take any number; those of integers and floating-point numbers have to get their own.
    fileprivate func cast(to type: NSAttributeType, _ dialect: SQLDialect) -> SQLFragment {
        if dialect == .postgreSQL {
            // As SQLite: towards zero. Texts and dates are what they are.
            return switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                SQLFragment(sql: "trunc((\(sql))::numeric)::bigint", arguments: arguments)
            case .booleanAttributeType: SQLFragment(sql: "((\(sql)) <> 0)", arguments: arguments)
            case .doubleAttributeType, .floatAttributeType:
                SQLFragment(sql: "(\(sql))::double precision", arguments: arguments)
            case .decimalAttributeType: SQLFragment(sql: "(\(sql))::numeric", arguments: arguments)
            default: self
            }
        }
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return SQLFragment(sql: "CAST(\(sql) AS INTEGER)", arguments: arguments)
        // A truth value is 0 or 1, which predicates compare it with.
        case .booleanAttributeType: return SQLFragment(sql: "(CAST(\(sql) AS NUMERIC) <> 0)", arguments: arguments)
        case .doubleAttributeType, .floatAttributeType:
            return SQLFragment(sql: "CAST(\(sql) AS REAL)", arguments: arguments)
        default: return self
        }
    }
}

extension SQLKind {
    /// The kind of an attribute's values.
    init(of attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
            .doubleAttributeType, .floatAttributeType:
            self = .number
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType, .URIAttributeType: self = .string
        case .dateAttributeType: self = .date
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType:
            self =
                attribute.allowsExternalBinaryDataStorage
                ? .opaque("the bytes of '\(attribute.name)' may lie in files outside the database") : .data
        default: self = .opaque("'\(attribute.name)' holds encoded objects, which SQL can only compare with nil")
        }
    }
}
