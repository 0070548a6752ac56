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
            // What is no URI would make a row that can't be read.
            guard attribute.attributeType != .URIAttributeType || value.isNullConstant || isURI(expression) else {
                throw PredicateSQLProblem(
                    "its texts needn't be URIs, which '\(attribute.name)' has to hold; name an attribute of URIs")
            }
            return value.fragment.cast(to: attribute.attributeType, schema.dialect)
        } catch let problem as PredicateSQLProblem {
            throw problem.error(expression, entity: entity, schema.dialect)
        }
    }

    /// Whether an expression names an attribute of URIs, or chooses between such.
    private func isURI(_ expression: NSExpression) -> Bool {
        if case .conditional(_, let then, let otherwise) = expression.node { return isURI(then) && isURI(otherwise) }
        guard expression.expressionType == .keyPath else { return false }
        var names = expression.keyPath.split(separator: ".").map(String.init), place = entity.description
        while let name = names.first, let next = place.relationshipsByName[name]?.destinationEntity {
            place = next
            names.removeFirst()
        }
        guard let slot = place.layout.slot(named: names.joined(separator: ".")) else { return false }
        return (place.layout.slots[slot].property as? NSAttributeDescription)?.attributeType == .URIAttributeType
    }

    /// Selects the rows for which an expression comes to a number that an attribute has no room for.
    ///
    /// - Returns: What it has room for, in words; nil where that is any number.
    package mutating func select(
        excessOf expression: NSExpression, for attribute: NSAttributeDescription,
        space: ((SQLEntity) -> RowSpace?)?
    ) throws -> String? {
        guard let room = attribute.attributeType.room else { return nil }
        // What can't be its value at all is told first.
        var probe = self
        _ = try probe.value(of: expression, for: attribute, space: space)
        let generator = PredicateSQL(self, space: space)
        let value = try generator.scalar(expression, in: generator.root).usable().fragment
        self = generator.select
        let number = schema.dialect == .postgreSQL ? "(\(value.sql))::numeric" : "(\(value.sql))"
        add(
            condition: SQLFragment(
                sql: "\(number) NOT BETWEEN \(room.least) AND \(room.greatest)", arguments: value.arguments))
        return room.words
    }
}

extension NSAttributeType {
    /// What a number may be before it is cut to an integer; nil for what a column takes as it is.
    fileprivate var room: (least: String, greatest: String, words: String)? {
        func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> (
            least: String, greatest: String, words: String
        ) {
            // There is no double between those of 64 bits and the next integers.
            let part = Integer.bitWidth < 64 ? ".999999" : ""
            return (
                "\(Integer.min)\(part)", "\(Integer.max)\(part)",
                "an integer of \(Integer.bitWidth) bits (\(Integer.min) to \(Integer.max))"
            )
        }
        return switch self {
        case .integer16AttributeType: integer(Int16.self)
        case .integer32AttributeType: integer(Int32.self)
        case .integer64AttributeType: integer(Int64.self)
        case .decimalAttributeType: ("-1e127", "1e127", "a decimal number between -1e127 and 1e127")
        default: nil
        }
    }
}

extension StoreBatchAssignment {
    /// The error for a value that an expression comes to, and that the attribute has no room for.
    package func noRoom(for expression: NSExpression, room: String, row: Int64, of entity: String) -> CocoaError {
        CoreDataError.make(
            .coreData,
            "A batch update of '\(entity)': '\(attribute.name)' can't hold what '\(expression)' comes to for the row "
                + "\(row). It has to be \(room). Nothing has been changed.")
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
