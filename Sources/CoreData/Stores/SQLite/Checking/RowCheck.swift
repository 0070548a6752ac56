// The rows of a table one by one: whether each is of an entity that the table has, and each value can be read as the model has
// it; and the files in which large values lie.

import Foundation
import GRDB

/// A look at every row of a store.
struct RowCheck {
    let schema: SQLSchema
    let external: ExternalDataFolder
    /// The numbers that `Z_PRIMARYKEY` has, some of them of entities that the model doesn't have.
    let numbers: Set<Int>
    let report: (StoreFinding) throws -> Void
    private(set) var rowCount = 0
    private(set) var unreadTransformables = 0
    /// The files that no row has referred to so far.
    private var unused: Set<UUID> = []
    private var others: [String] = []

    init(
        schema: SQLSchema, external: ExternalDataFolder, numbers: Set<Int>,
        report: @escaping (StoreFinding) throws -> Void
    ) throws {
        self.schema = schema
        self.external = external
        self.numbers = numbers
        self.report = report
        guard FileManager.default.fileExists(atPath: external.url.path) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: external.url.path) {
            if let id = UUID(uuidString: name), id.uuidString == name { unused.insert(id) } else { others.append(name) }
        }
    }

    // MARK: Rows

    mutating func run(_ db: Database, _ table: SQLTable) throws {
        let entities = schema.entities.filter { $0.rootNumber == table.rootNumber }
        let space = RowSpace(storeIdentifier: "", store: nil)
        let plan = SelectPlan(
            plans: entities.map { EntityPlan(entity: $0, schema: schema) { _ in space } }, slots: nil)
        let root = entities.first { $0.isRoot }?.name ?? ""
        let statement = try RowStatement(db, "SELECT \(plan.columns.joined(separator: ", ")) FROM \(table.name)")
        defer { statement.reset() }
        while try statement.step() {
            rowCount += 1
            let key = statement.integer(at: 0)
            guard let variant = try variant(statement, key, plan, root) else { continue }
            let entity = variant.plan.entity
            if ![.integer, .null].contains(statement.storage(at: 2)) {
                try report(
                    StoreFinding(
                        .unreadableValue, entity: entity.name, row: key,
                        "its version (Z_OPT) is \(statement.shown(at: 2)) where an integer is expected",
                        mend: .impossible("Write a number there: 1, for instance.")))
            }
            for position in variant.positions { try check(position, statement, entity, key) }
        }
    }

    private func variant(
        _ statement: RowStatement, _ key: Int64, _ plan: SelectPlan, _ root: String
    ) throws -> SelectPlan.Variant? {
        let number = statement.integer(at: 1)
        if statement.storage(at: 1) == .integer {
            if let variant = plan.variants[number] { return variant }
            // Of an entity that the store has and the model hasn't.
            if schema.entity(numbered: Int(truncatingIfNeeded: number)) == nil,
                numbers.contains(Int(truncatingIfNeeded: number))
            {
                return nil
            }
        }
        try report(
            StoreFinding(
                .unknownEntity, entity: root, row: key,
                "its entity number (Z_ENT) is \(statement.shown(at: 1)), which isn't '\(root)' or a sub-entity",
                mend: .impossible("What it was can't be told: correct the number, or delete the row.")))
        return nil
    }

    // MARK: Values

    private mutating func check(
        _ position: SelectPlan.Position, _ statement: RowStatement, _ entity: SQLEntity, _ key: Int64
    ) throws {
        let field = position.field
        guard statement.storage(at: position.column) != .null else { return try checkNull(field, entity, key) }
        do {
            switch field.kind {
            case .data(isExternal: true): try checkBytes(position, statement, entity, key, nil)
            case .transformable(let name, let isExternal) where statement.storage(at: position.column) == .blob:
                let damage = Self.reader(name)
                if damage == nil { unreadTransformables += 1 }
                if isExternal {
                    try checkBytes(position, statement, entity, key, damage)
                } else if let damage, let reason = damage(statement.data(at: position.column)) {
                    try report(unreadable(field, entity, key, reason))
                }
            default:
                _ = try RowDecoder.value(
                    of: field, in: statement, at: position.column, entityColumn: position.entityColumn, external: nil,
                    place: { field.column })
            }
        } catch let error as RowError {
            try report(
                StoreFinding(
                    .unreadableValue, entity: entity.name, row: key, property: field.name,
                    "found \(error.found) where \(error.owner) \(error.expected) (\(entity.table).\(error.place))",
                    mend: .impossible("Correct the value, or restore the row from a copy.")))
        }
    }

    private func checkNull(_ field: EntityPlan.Field, _ entity: SQLEntity, _ key: Int64) throws {
        guard let property = entity.description.propertiesByName[field.name], !property.isOptional, !field.isDerived
        else { return }
        if let relationship = property as? NSRelationshipDescription {
            let destination = relationship.destinationEntity?.name ?? ""
            try report(
                StoreFinding(
                    .orphan, entity: entity.name, row: key, property: field.name,
                    "has no '\(destination)', which the model says is mandatory",
                    mend: .impossible("Which one it was can't be told: give it one, or delete the row.")))
        } else {
            try report(
                StoreFinding(
                    .missingValue, entity: entity.name, row: key, property: field.name,
                    "has no value, which the model says is mandatory",
                    mend: .impossible("A value would be invented: give it one, or make the attribute optional.")))
        }
    }

    private func unreadable(
        _ field: EntityPlan.Field, _ entity: SQLEntity, _ key: Int64, _ reason: String
    ) -> StoreFinding {
        StoreFinding(
            .unreadableValue, entity: entity.name, row: key, property: field.name,
            "its bytes are no keyed archive that can be read: \(reason)",
            mend: .impossible("Restore the value from a copy."))
    }

    /// What says why bytes can't be read; nil where only the application's transformer could.
    private static func reader(_ name: String?) -> ((Data) -> String?)? {
        let archive: (Data) -> String? = { ArchivedObjectReader.damage(of: $0) }
        guard let name, !name.isEmpty, name != "NSKeyedUnarchiveFromData" else { return archive }
        let transformer = ValueTransformer.transformer(forName: NSValueTransformerName(name))
        return transformer is NSSecureUnarchiveFromDataTransformer ? archive : nil
    }

    // MARK: External files

    private mutating func checkBytes(
        _ position: SelectPlan.Position, _ statement: RowStatement, _ entity: SQLEntity, _ key: Int64,
        _ damage: ((Data) -> String?)?
    ) throws {
        let field = position.field
        let count = statement.byteCount(at: position.column)
        guard let prefix = statement.firstByte(at: position.column) else { return }
        let bytes: Data
        switch ExternalDataFolder.Form(prefix: prefix, byteCount: count) {
        case .inline: bytes = statement.data(at: position.column, droppingFirst: 1)
        case .unprefixed: bytes = statement.data(at: position.column)
        case .file:
            let reference = statement.data(at: position.column)
            guard let file = external.file(of: reference) else {
                return try report(
                    missing(field, entity, key, "refers to a file without a name that can be one"))
            }
            if let id = UUID(uuidString: file.lastPathComponent) { unused.remove(id) }
            let place = "\(external.supportFolder.lastPathComponent)/\(external.url.lastPathComponent)"
            let finding = "its value is in \(place)/\(file.lastPathComponent), which"
            do {
                guard let contents = try external.contents(reference: reference) else {
                    return try report(missing(field, entity, key, "\(finding) isn't there"))
                }
                bytes = contents
            } catch let error as CocoaError {
                let cause = (error.underlying ?? error).localizedDescription
                return try report(
                    StoreFinding(
                        .unreadableValue, entity: entity.name, row: key, property: field.name,
                        "\(finding) can't be read: \(cause)",
                        mend: .impossible("Check that it is a file and may be read, and the disk.")))
            }
        }
        if let damage, let reason = damage(bytes) { try report(unreadable(field, entity, key, reason)) }
    }

    private func missing(
        _ field: EntityPlan.Field, _ entity: SQLEntity, _ key: Int64, _ finding: String
    ) -> StoreFinding {
        StoreFinding(
            .missingFile, entity: entity.name, row: key, property: field.name, finding,
            mend: .impossible("Put the file back from a copy, or set the value to null."))
    }

    /// The files that nothing has referred to. Call it when all tables have been read.
    func checkFiles() throws {
        for name in (unused.map(\.uuidString) + others).sorted() {
            try report(
                StoreFinding(
                    .unusedFile, "no row refers to the file \(external.url.appendingPathComponent(name).path)",
                    mend: .impossible(
                        "It may be what is left of a value: delete it when it isn't needed, and no other store has this "
                            + "folder.")))
        }
    }
}
