// Derived attributes whose triggers in Core Data's own files aren't known: `canonical:(name)`, `now()`, `sum:(books.pages)`,
// the count of a many-to-many relationship, and every other expression over the row, the destination of a to-one relationship or
// the members of a to-many one; in PostgreSQL, all of them. Here is what they read. How a database follows that is its own:
// SQLite/SQLComputedAttribute+SQLite.swift, PostgreSQLStore/PostgreSQLDerivedAttributes.swift.

import Foundation

/// One derived attribute, computed by SQL.
package struct SQLComputedAttribute: CustomStringConvertible {
    /// Where a value comes from that a trigger has to watch.
    package enum Source: Hashable {
        case ownColumn(String)
        /// `ZBOOK.ZAUTHOR` leads to rows whose columns are used.
        case toOne(table: String, reference: String, column: String)
        case members(table: String, owner: String, column: String?)
        case joined(table: String, owner: String, member: String, members: String, column: String?, isReflexive: Bool)
        /// Every save of the row.
        case save
    }

    package let entity: SQLEntity
    package let column: String
    package let sources: [Source]
    private let schema: SQLSchema
    private let attribute: NSDerivedAttributeDescription

    /// Whether the value depends on the moment alone.
    package var isMoment: Bool { sources == [.save] }

    /// - Throws: ``SQLSchemaError`` naming the attribute, for what SQL can't compute or no trigger can follow.
    package init(
        _ attribute: NSDerivedAttributeDescription, _ own: SQLAttribute, of entity: SQLEntity, in schema: SQLSchema
    ) throws {
        (self.entity, self.attribute, self.schema) = (entity, attribute, schema)
        column = own.column
        func unsupported(_ reason: String) -> SQLSchemaError {
            SQLSchemaError(.unsupported(what: "Derived attribute \(entity.name).\(attribute.name)", reason: reason))
        }
        guard let expression = attribute.derivationExpression else {
            throw unsupported("it has no derivation expression")
        }
        if expression.isNow {
            guard attribute.attributeType == .dateAttributeType else {
                throw unsupported("now() is a date, and the attribute is none")
            }
            sources = [.save]
            return
        }
        do {
            sources = try Self.sources(of: expression, entity)
            var select = newSelect
            _ = try value(&select)
        } catch let problem as PredicateSQLProblem {
            throw unsupported("'\(expression)': \(problem.reason)")
        } catch let error as CocoaError {
            throw unsupported(error.errorUserInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)")
        }
    }

    package var name: String { attribute.name }
    package var description: String { "\(entity.name).\(name)" }

    /// Selects rows that have the attribute, as `t0`.
    package var newSelect: SQLSelect { SQLSelect(schema: schema, entity: entity, includesSubentities: true) }

    /// The value of a row that is being selected, in the form that its column holds. For others than moments.
    package func value(_ select: inout SQLSelect) throws -> SQLFragment {
        guard let expression = attribute.derivationExpression else { return SQLFragment(sql: "NULL") }
        return try select.value(of: expression, for: attribute, space: nil)
    }

    // MARK: What it comes from

    private static func sources(of expression: NSExpression, _ entity: SQLEntity) throws -> [Source] {
        guard let paths = expression.keyPaths else {
            throw PredicateSQLProblem("it can't be told when its value changes")
        }
        var sources: [Source] = []
        for path in paths {
            for source in try Self.sources(ofPath: path, entity) where !sources.contains(source) {
                sources.append(source)
            }
        }
        return sources
    }

    private static func sources(ofPath path: String, _ entity: SQLEntity) throws -> [Source] {
        let names = path.split(separator: ".").map(String.init).filter {
            !$0.hasPrefix("@") && $0.lowercased() != "self"
        }
        guard let first = names.first, names.count <= 2, let property = entity.property(named: first) else {
            throw PredicateSQLProblem(
                "the key path '\(path)' leads further than one relationship, or to nothing stored")
        }
        /// The column of an attribute at the other end.
        func column(_ destination: SQLEntity) throws -> String? {
            guard names.count == 2 else { return nil }
            if case .attribute(let attribute)? = destination.property(named: names[1]) { return attribute.column }
            throw PredicateSQLProblem("'\(names[1])' is no stored attribute of '\(destination.name)'")
        }
        switch property {
        case .attribute(let attribute) where names.count == 1: return [.ownColumn(attribute.column)]
        case .attribute: throw PredicateSQLProblem("'\(first)' is no relationship")
        case .toOne(let toOne):
            guard let column = try column(toOne.destination) else { return [.ownColumn(toOne.column)] }
            return [
                .ownColumn(toOne.column),
                .toOne(table: toOne.destination.table, reference: toOne.column, column: column),
            ]
        case .toMany(let toMany):
            let column = try column(toMany.destination)
            switch toMany.storage {
            case .foreignKey(let key): return [.members(table: key.table, owner: key.column, column: column)]
            case .joinTable(let join):
                return [
                    .joined(
                        table: join.table, owner: join.ownerColumn, member: join.memberColumn,
                        members: toMany.destination.table, column: column, isReflexive: join.isReflexive)
                ]
            }
        }
    }
}

extension SQLSchema {
    /// All derived attributes of a store without triggers of Core Data's.
    ///
    /// - Throws: ``SQLSchemaError`` for one that can't be kept.
    package func derivedAttributes() throws -> [SQLComputedAttribute] {
        let derived = SQLDerivedAttributes(schema: self)
        return try entities.flatMap { entity in
            try derived.attributes(of: entity).compactMap { attribute in
                guard case .attribute(let own)? = entity.property(named: attribute.name) else { return nil }
                return try SQLComputedAttribute(attribute, own, of: entity, in: self)
            }
        }
    }
}
