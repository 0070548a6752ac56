// Key paths in SQL. From a row, to-one relationships lead to other rows (a missing one makes the value NULL), a to-many one
// to a collection; from a collection, a path goes on from each member, and members without the row on the way drop out.

import Foundation

extension PredicateSQL {
    /// What a path leads to from a member of something.
    func follow(_ path: KeyPathSteps, from element: SQLElement) throws -> SQLOperand {
        try follow(path, of: .scalar(try value(of: element)))
    }

    /// What a path leads to from a value, a row or the members of a collection.
    func follow(_ path: KeyPathSteps, of start: SQLOperand) throws -> SQLOperand {
        var operand = start
        var keys = CompositeKeys()
        for step in path.steps {
            switch step {
            case .key(let key):
                guard let name = keys.name(key, of: operand.entity?.description) else { continue }
                operand = try value(forKey: name, of: operand)
            case .collection(let collection, let rest):
                operand = try aggregate(collection, of: operand, rest: keys.completing(rest), path: path.text)
            case .unknownOperator(let name):
                throw PredicateSQLProblem("the key path '\(path.text)' has the unknown operator \(name)")
            }
        }
        guard let layout = operand.entity?.description.layout,
            let composite = keys.composite.flatMap({ layout.composites[$0] })
        else { return operand }
        return .list(try composite.slots.map { try value(forKey: layout.slots[$0].name, of: operand) })
    }

    private func value(forKey key: String, of operand: SQLOperand) throws -> SQLOperand {
        switch operand {
        case .scalar(let scalar):
            if let object = scalar.object { return try property(key, of: object) }
            return .scalar(try attribute(key, of: scalar))
        case .collection(let collection): return .collection(try property(key, ofMembers: collection))
        case .list, .constants:
            throw PredicateSQLProblem("the key '\(key)' can't be read from the members of a list")
        }
    }

    // MARK: Rows

    /// The key of a row.
    func key(of object: SQLObject) throws -> SQLScalar {
        let column: String
        var canBeNull = true
        switch object.place {
        case .root(let path):
            column =
                path.isEmpty ? "t0.\(dialect.key)" : try select.target(ofKeyPath: path.joined(separator: ".")).column
            canBeNull = !path.isEmpty
        case .table(let alias):
            column = "\(alias).\(dialect.key)"
            canBeNull = false
        case .reference(let reference): column = reference
        }
        var scalar = SQLScalar(column, kind: .object(root: object.entity.rootNumber), canBeNull: canBeNull)
        scalar.object = object
        return scalar
    }

    /// A property of a row, and the alias of the table that has it.
    private func find(
        _ name: String, of object: SQLObject, isRequired: Bool
    ) throws -> (alias: String, property: SQLProperty) {
        if case .root(let path) = object.place {
            let target = try select.target(ofKeyPath: (path + [name]).joined(separator: "."))
            if let property = target.property { return (target.alias, property) }
        }
        guard let property = object.entity.property(named: name) else {
            throw PredicateSQLProblem(Self.unknown(name, of: object.entity))
        }
        return (try alias(of: object, isRequired: isRequired), property)
    }

    private func alias(of object: SQLObject, isRequired: Bool) throws -> String {
        switch object.place {
        case .table(let alias): return alias
        case .reference(let column):
            guard let source = object.source else { break }
            return source.table(
                object.entity.table, key: dialect.key, referredToBy: column, isRequired: isRequired, newAlias: newAlias)
        case .root: break
        }
        throw PredicateSQLProblem("the entity '\(object.entity.name)' can't be reached")
    }

    private static func unknown(_ name: String, of entity: SQLEntity) -> String {
        "the property '\(name)' of '\(entity.name)' \(entity.description.reasonAgainst(name)); stored are "
            + entity.properties.keys.sorted().joined(separator: ", ")
    }

    private func property(_ name: String, of object: SQLObject) throws -> SQLOperand {
        if object.entity.property(named: name) == nil {
            if name == "objectID" { return .scalar(try key(of: object)) }
            if name == "entity" { return .scalar(try entityNumber(of: object)) }
        }
        let (alias, property) = try find(name, of: object, isRequired: false)
        switch property {
        case .attribute(let attribute): return .scalar(column(attribute, alias))
        case .toOne(let toOne): return .scalar(try key(of: destination(toOne, alias, of: object, name)))
        case .toMany(let toMany):
            let member = newAlias()
            let source: SQLSource
            let owner = try ownerKey(of: object, alias)
            switch toMany.storage {
            case .joinTable(let join) where !join.isReflexive:
                let link = newAlias()
                source = SQLSource(table: join.table, alias: link)
                source.join(
                    toMany.destination.table, as: member, on: "\(member).\(dialect.key) = \(link).\(join.memberColumn)")
                source.add(SQLCondition(fragment: SQLFragment(sql: "\(link).\(join.ownerColumn) = \(owner)")))
            default:
                source = SQLSource(table: toMany.destination.table, alias: member)
                source.add(SQLCondition(fragment: SQLFragment(sql: membership(toMany, member, owner))))
            }
            let object = SQLObject(entity: toMany.destination, place: .table(alias: member), source: source)
            return .collection(SQLCollection(source: source, element: .object(object)))
        }
    }

    private func ownerKey(of object: SQLObject, _ alias: String) throws -> String {
        if case .reference(let column) = object.place { return column }
        return "\(alias).\(dialect.key)"
    }

    private func destination(_ toOne: SQLToOne, _ alias: String, of object: SQLObject, _ name: String) -> SQLObject {
        if case .root(let path) = object.place {
            return SQLObject(entity: toOne.destination, place: .root(path + [name]))
        }
        return SQLObject(
            entity: toOne.destination, place: .reference(column: "\(alias).\(toOne.column)"), source: object.source)
    }

    /// The condition that a row is a member of an owner's relationship.
    private func membership(_ toMany: SQLToMany, _ member: String, _ owner: String) -> String {
        switch toMany.storage {
        case .foreignKey(let key): return "\(member).\(key.column) = \(owner)"
        case .joinTable(let join):
            let forward = "SELECT \(join.memberColumn) FROM \(join.table) WHERE \(join.ownerColumn) = \(owner)"
            guard join.isReflexive else { return "\(member).\(dialect.key) IN (\(forward))" }
            // A pair stands in the table once, in either direction.
            let backward = "SELECT \(join.ownerColumn) FROM \(join.table) WHERE \(join.memberColumn) = \(owner)"
            return "\(member).\(dialect.key) IN (\(forward) UNION \(backward))"
        }
    }

    // MARK: Members

    private func property(_ name: String, ofMembers collection: SQLCollection) throws -> SQLCollection {
        var result = collection
        switch collection.element {
        case .value(let value):
            if let object = value.object {
                result.element = .object(object)
                return try property(name, ofMembers: result)
            }
            result.element = .value(try attribute(name, of: value))
            result.source.add(value.isNull.negated)
            return result
        case .object(let object):
            if object.entity.property(named: name) == nil {
                if name == "objectID" { return result }
                if name == "entity" {
                    result.element = .value(try entityNumber(of: object))
                    return result
                }
            }
            let (alias, property) = try find(name, of: object, isRequired: true)
            switch property {
            case .attribute(let attribute): result.element = .value(column(attribute, alias))
            case .toOne(let toOne):
                result.element = .value(try key(of: destination(toOne, alias, of: object, name)))
            case .toMany(let toMany):
                let member = newAlias()
                result.source.join(
                    toMany.destination.table, as: member,
                    on: membership(toMany, member, try ownerKey(of: object, alias)))
                result.element = .object(
                    SQLObject(entity: toMany.destination, place: .table(alias: member), source: result.source))
            }
            return result
        }
    }

    // MARK: Values

    /// A column with the kind of its attribute.
    private func column(_ attribute: SQLAttribute, _ alias: String) -> SQLScalar {
        SQLScalar(
            dialect.value("\(alias).\(attribute.column)", of: attribute.description),
            kind: SQLKind(of: attribute.description))
    }

    /// `Z_ENT` of a row.
    private func entityNumber(of object: SQLObject) throws -> SQLScalar {
        var scalar: SQLScalar
        switch object.place {
        case .table(let alias): scalar = SQLScalar("\(alias).\(dialect.entity)", kind: .entity, canBeNull: false)
        case .root(let path) where path.isEmpty:
            scalar = SQLScalar("t0.\(dialect.entity)", kind: .entity, canBeNull: false)
        case .root, .reference:
            let key = try key(of: object).fragment.sql
            let table = object.entity.table
            let alias = newAlias()
            scalar = SQLScalar(
                "(SELECT \(alias).\(dialect.entity) FROM \(table) AS \(alias) WHERE \(alias).\(dialect.key) = \(key))",
                kind: .entity)
        }
        scalar.object = nil
        return scalar
    }

    /// What a value that is no row answers to a key: the length of a text, the name of an entity.
    private func attribute(_ key: String, of value: SQLScalar) throws -> SQLScalar {
        switch (value.kind, key) {
        case (.null, _): return .null
        case (.entity, "name"): return entityName(value)
        case (.string, "length"), (.data, "length"): return try call(.length, [value], kind: .number)
        case (.string, "lowercaseString"), (.string, "lowercased"): return try call(.lowercase, [value], kind: .string)
        case (.string, "uppercaseString"), (.string, "uppercased"): return try call(.uppercase, [value], kind: .string)
        case (.string, "description"), (.string, "absoluteString"): return value
        case (.date, "timeIntervalSinceReferenceDate"):
            let seconds = dialect.number(value)
            return SQLScalar(seconds.sql, seconds.arguments, kind: .number)
        case (.number, "stringValue"), (.decimal, "stringValue"), (.number, "description"), (.decimal, "description"),
            (.uuid, "UUIDString"), (.uuid, "uuidString"):
            let type = SQLScalar("?", [.text(Casting.string.rawValue)], kind: .string, canBeNull: false)
            return try call(.cast, [value, type], kind: .string)
        default: throw PredicateSQLProblem("the key '\(key)' can't be read from a value")
        }
    }

    private func entityName(_ value: SQLScalar) -> SQLScalar {
        if dialect == .postgreSQL {
            return SQLScalar(value.fragment.sql, value.fragment.arguments, kind: .string, canBeNull: value.canBeNull)
        }
        var sql = "CASE \(value.fragment.sql)"
        var arguments = value.fragment.arguments
        for entity in select.schema.entities {
            sql += " WHEN \(entity.number) THEN ?"
            arguments.append(.text(entity.name))
        }
        return SQLScalar("(\(sql) END)", arguments, kind: .string, canBeNull: value.canBeNull)
    }
}
