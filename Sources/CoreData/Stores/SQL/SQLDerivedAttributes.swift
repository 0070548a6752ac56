// Derived attributes are kept by triggers, in the words that Core Data uses: the number of objects in a to-many
// relationship (`pages.@count`), and an attribute of a to-one's destination (`author.name`). SQLComputedAttribute.swift is for
// all others.
//
//     Z_DA_<table the trigger is on>_<Entity>_<derivedAttribute>_<SOURCE|PARAMETER>_<event>
//
// SOURCE is the table with the derived attribute, PARAMETER the one that it is derived from. Every trigger reports what
// it touched through a function that the writing connection has to have (SQLiteStore's connections do).

import Foundation

/// The triggers of one schema's derived attributes.
struct SQLDerivedAttributes {
    let schema: SQLSchema

    /// The functions that the triggers call, each with five arguments.
    static let functionNames = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        // Stores of older systems have `ZT_…` triggers, which call this one.
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    /// The name of a trigger.
    static func triggerName(on table: String, _ entity: SQLEntity, _ attribute: String, _ event: String) -> String {
        "Z_DA_\(table)_\(entity.name)_\(attribute)_\(event)"
    }

    /// Who keeps an attribute.
    enum Kind {
        /// Triggers of the file, as Core Data makes them; nil for what has no column.
        case triggers(SQLKeptAttribute?)
        case computed(SQLComputedAttribute)
    }

    /// The triggers in the file.
    ///
    /// - Throws: ``SQLSchemaError`` for a derivation that can't be kept.
    func triggers(of entity: SQLEntity) throws -> [String] {
        try attributes(of: entity).flatMap { attribute -> [String] in
            guard case .triggers(let kept?) = try kind(of: attribute, of: entity) else { return [] }
            return kept.triggers.map(\.sql)
        }
    }

    /// The derived attributes that an entity declares, by name.
    func attributes(of entity: SQLEntity) -> [NSDerivedAttributeDescription] {
        entity.description.ownProperties.compactMap { $0 as? NSDerivedAttributeDescription }
            .sorted { SQLNaming.precedes($0.name, $1.name) }
    }

    /// Who keeps an attribute.
    ///
    /// - Throws: As ``triggers(of:)``.
    func kind(of attribute: NSDerivedAttributeDescription, of entity: SQLEntity) throws -> Kind {
        guard case .attribute(let own)? = entity.property(named: attribute.name) else { return .triggers(nil) }
        if let known = known(attribute, own, of: entity) { return .triggers(known) }
        return .computed(try SQLComputedAttribute(attribute, own, of: entity, in: schema))
    }

    /// What the triggers keep that Core Data makes; nil for an expression for which they aren't known.
    private func known(
        _ attribute: NSDerivedAttributeDescription, _ own: SQLAttribute, of entity: SQLEntity
    ) -> SQLKeptAttribute? {
        guard let expression = attribute.derivationExpression else { return nil }
        let target = Target(entity: entity, name: attribute.name, column: own.column)
        if let relationship = Self.countedRelationship(expression) {
            guard case .toMany(let toMany)? = entity.property(named: relationship),
                case .foreignKey(let key) = toMany.storage
            else { return nil }
            return counted(target, key)
        }
        guard expression.expressionType == .keyPath else { return nil }
        let path = expression.keyPath.split(separator: ".").map(String.init)
        guard path.count == 2, case .toOne(let toOne)? = entity.property(named: path[0]),
            case .attribute(let source)? = toOne.destination.property(named: path[1]),
            Self.canCopy(source.description, to: attribute)
        else { return nil }
        return copied(target, toOne, source)
    }

    /// Whether the column of one attribute can be that of another as it stands. One of bytes that may lie in files has a byte in front of
    /// them, or the name of a file that belongs to one row.
    private static func canCopy(_ source: NSAttributeDescription, to copy: NSAttributeDescription) -> Bool {
        if source.allowsExternalBinaryDataStorage || copy.allowsExternalBinaryDataStorage { return false }
        if source.attributeType == copy.attributeType {
            return source.valueTransformerName == copy.valueTransformerName
        }
        // A text needn't be a URI.
        return copy.attributeType != .URIAttributeType && SQLKind(of: source).isComparable(to: SQLKind(of: copy))
    }

    /// The relationship of `pages.@count` or `count:(pages)`.
    private static func countedRelationship(_ expression: NSExpression) -> String? {
        switch expression.expressionType {
        case .keyPath:
            let path = expression.keyPath
            return path.hasSuffix(".@count") ? String(path.dropLast(".@count".count)) : nil
        case .function:
            guard expression.function == "count:", let argument = expression.arguments?.first,
                argument.expressionType == .keyPath
            else { return nil }
            return argument.keyPath
        default: return nil
        }
    }

    /// The column that the triggers keep.
    private struct Target {
        let entity: SQLEntity
        let name: String
        let column: String
        var table: String { entity.table }

        /// A trigger on a table.
        func trigger(on table: String, _ event: String, _ body: String) -> SQLKeptAttribute.Trigger {
            let name = SQLDerivedAttributes.triggerName(on: table, entity, name, event)
            return SQLKeptAttribute.Trigger(name: name, sql: "CREATE TRIGGER \(name) AFTER \(body)")
        }

        /// Reports the rows touched.
        func report(_ condition: String, inserting: Bool = false) -> String {
            let function = SQLDerivedAttributes.functionNames[inserting ? 1 : 0]
            return "SELECT \(function)('\(table)', Z_ENT, Z_PK, '\(name)', \(column)) FROM \(table) WHERE \(condition)"
        }
    }

    private func counted(_ target: Target, _ key: SQLForeignKey) -> SQLKeptAttribute {
        let (table, column, members, owner) = (target.table, target.column, key.table, key.column)
        func counting(_ event: String, _ when: String, _ row: String, _ change: String) -> SQLKeptAttribute.Trigger {
            target.trigger(
                on: members, "PARAMETER_\(event)",
                "\(when) ON \(members) FOR EACH ROW WHEN (\(row).\(owner) NOT NULL) BEGIN "
                    + "UPDATE \(table) SET \(column) = \(change) WHERE Z_PK = \(row).\(owner); "
                    + target.report("Z_PK = \(row).\(owner)") + "; END")
        }
        return SQLKeptAttribute(
            entity: target.entity, name: target.name, column: column,
            triggers: [
                counting("INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
                counting("UPDATE_INCREMENT", "UPDATE OF \(owner)", "NEW", "\(column) + 1"),
                counting("UPDATE_DECREMENT", "UPDATE OF \(owner)", "OLD", "\(column) - 1"),
                counting("DELETE", "DELETE", "OLD", "\(column) - 1"),
                target.trigger(
                    on: table, "SOURCE_INSERT",
                    "INSERT ON \(table) FOR EACH ROW BEGIN UPDATE \(table) SET \(column) = "
                        + "(SELECT IFNULL(COUNT(\(owner)), 0) FROM \(members) WHERE \(owner) = NEW.Z_PK) "
                        + "WHERE Z_PK = NEW.Z_PK; " + target.report("Z_PK = NEW.Z_PK", inserting: true) + "; END"),
            ], value: "(SELECT COUNT(*) FROM \(members) AS s WHERE s.\(owner) = t.Z_PK)")
    }

    private func copied(_ target: Target, _ toOne: SQLToOne, _ source: SQLAttribute) -> SQLKeptAttribute {
        let (table, column, reference) = (target.table, target.column, toOne.column)
        let (origin, value) = (toOne.destination.table, source.column)
        func pulling(_ event: String, _ when: String, inserting: Bool) -> SQLKeptAttribute.Trigger {
            target.trigger(
                on: table, "SOURCE_\(event)",
                "\(when) ON \(table) FOR EACH ROW BEGIN UPDATE \(table) SET \(column) = (SELECT \(value) FROM \(origin) "
                    + "WHERE Z_PK = NEW.\(reference)) WHERE Z_PK = NEW.Z_PK; "
                    + target.report("Z_PK = NEW.Z_PK", inserting: inserting) + "; END")
        }
        func pushing(_ event: String, _ when: String, inserting: Bool) -> SQLKeptAttribute.Trigger {
            target.trigger(
                on: origin, "PARAMETER_\(event)",
                "\(when) ON \(origin) FOR EACH ROW BEGIN "
                    + "UPDATE \(table) SET \(column) = NEW.\(value) WHERE \(reference) = NEW.Z_PK; "
                    + target.report("\(reference) = NEW.Z_PK", inserting: inserting) + "; END")
        }
        return SQLKeptAttribute(
            entity: target.entity, name: target.name, column: column,
            triggers: [
                pulling("INSERT", "INSERT", inserting: true),
                pulling("UPDATE", "UPDATE OF \(reference)", inserting: false),
                pushing("INSERT", "INSERT", inserting: true),
                pushing("UPDATE", "UPDATE OF \(value)", inserting: false),
            ], value: "(SELECT s.\(value) FROM \(origin) AS s WHERE s.Z_PK = t.\(reference))")
    }
}

/// A derived attribute that triggers of the file keep.
struct SQLKeptAttribute {
    struct Trigger {
        let name: String
        let sql: String
    }

    let entity: SQLEntity
    let name: String
    let column: String
    let triggers: [Trigger]
    /// What a row `t` of its table has in it.
    let value: String
}
