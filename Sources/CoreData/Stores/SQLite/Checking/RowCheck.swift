// The rows of a table one by one: whether each is of an entity that the table has, and each value can be read as the model has
// it; and the files in which large values lie.

import Foundation
import GRDB

/// A look at every row of a store.
struct RowCheck {
    let schema: SQLSchema
    let external: ExternalDataFolder
    let report: (StoreFinding) throws -> Void
    private(set) var rowCount = 0
    private(set) var unreadTransformables = 0
    /// The tables with rows whose key is no number. What leads nowhere may lead to one of them.
    private(set) var tablesWithoutKeys: Set<String> = []
    /// The files that no row has referred to so far.
    private var unused: Set<UUID> = []
    /// Those of them whose names aren't as Core Data gives them.
    private var others: Set<String> = []

    init(
        schema: SQLSchema, external: ExternalDataFolder, report: @escaping (StoreFinding) throws -> Void
    ) throws {
        self.schema = schema
        self.external = external
        self.report = report
        // The values that lie in it are found to be unreadable.
        for name in external.isNoFolder ? [] : try external.names() {
            if let id = UUID(uuidString: name), id.uuidString == name { unused.insert(id) } else { others.insert(name) }
        }
    }

    // MARK: Rows

    mutating func run(_ db: Database, _ table: SQLTable) throws {
        let entities = schema.entities.filter { $0.rootNumber == table.rootNumber }
        let space = RowSpace(storeIdentifier: "", store: nil)
        let plan = SelectPlan(
            plans: entities.map { EntityPlan(entity: $0, schema: schema) { _ in space } }, slots: nil)
        let strays = StrayRows(schema: schema, table: table)
        for stray in try strays.withKeysOfOthers(db) { try report(StoreFinding(.duplicateRow, stray)) }
        let statement = try RowStatement(db, "SELECT \(plan.columns.joined(separator: ", ")) FROM \(table.name)")
        defer { statement.reset() }
        while try statement.step() {
            rowCount += 1
            guard statement.storage(at: 0) == .integer else {
                tablesWithoutKeys.insert(table.name)
                try report(StoreFinding(.unreadableValue, .withoutKey(statement, strays.root)))
                continue
            }
            let key = statement.integer(at: 0)
            let isNumbered = statement.storage(at: 1) == .integer
            guard isNumbered, let variant = plan.variants[statement.integer(at: 1)],
                !variant.plan.description.isAbstract
            else {
                try report(StoreFinding(.unknownEntity, .ofNoEntity(statement, strays.root, schema)))
                continue
            }
            let entity = variant.plan.entity
            // What has no version is counted from 0; a rule says so of all of them.
            if ![.integer, .null].contains(statement.storage(at: 2)) {
                try report(
                    StoreFinding(
                        .unreadableValue, entity: entity.name, row: key,
                        "its version (Z_OPT) is \(statement.shown(at: 2)) where an integer is expected",
                        mend: .impossible("Write a number there: 1, for instance.")))
            }
            if key < 1 {
                try report(
                    StoreFinding(
                        .forbiddenValue, entity: entity.name, row: key,
                        "its key (Z_PK) is \(key), where those of Core Data begin with 1: restored from an archive, it has another",
                        mend: .impossible("Give it a free key, also where rows lead to it, if that matters.")))
            }
            for position in variant.positions { try check(position, statement, entity, key) }
        }
    }

    // MARK: Values

    private mutating func check(
        _ position: SelectPlan.Position, _ statement: RowStatement, _ entity: SQLEntity, _ key: Int64
    ) throws {
        let field = position.field
        guard statement.storage(at: position.column) != .null else { return try checkNull(field, entity, key) }
        do {
            switch field.kind {
            // Reading takes its bytes, but no app has written it like that.
            case .data where statement.storage(at: position.column) == .text:
                throw RowError(
                    place: field.column, found: statement.shown(at: position.column), expected: "bytes (a BLOB)")
            case .data(isExternal: true) where statement.storage(at: position.column) == .blob:
                try checkBytes(position, statement, entity, key, nil)
            case .transformable(let name, let isExternal) where statement.storage(at: position.column) == .blob:
                let damage = Self.reader(name)
                if damage == nil { unreadTransformables += 1 }
                if isExternal {
                    try checkBytes(position, statement, entity, key, damage)
                } else if let damage, let reason = damage(statement.data(at: position.column)) {
                    try report(unreadable(field, entity, key, reason))
                }
            case .toOne where statement.storage(at: position.column) == .integer:
                // Which rows there are, and of which entities, are questions of their own.
                return
            default:
                let value = try RowDecoder.value(
                    of: field, in: statement, at: position.column, entityColumn: position.entityColumn, external: nil,
                    place: { field.column })
                try Self.requireRoom(for: value, field, statement.shown(at: position.column))
                var breach = Self.breach(by: value, field, entity, statement.shown(at: position.column))
                if case .boolean = value, ![0, 1].contains(statement.double(at: position.column)) {
                    breach = "is \(statement.shown(at: position.column)) where a Boolean is 0 or 1"
                }
                if let breach {
                    try report(
                        StoreFinding(
                            .forbiddenValue, entity: entity.name, row: key, property: field.name, breach,
                            mend: .impossible("A value would be invented: correct it, or the model.")))
                }
            }
        } catch let error as RowError {
            try report(
                StoreFinding(
                    .unreadableValue, entity: entity.name, row: key, property: field.name,
                    "found \(error.found) where \(error.owner) \(error.expected) (\(entity.table).\(error.place))",
                    mend: .impossible("Correct the value, or restore the row from a copy.")))
        }
    }

    /// A store keeps a number that is wider than its attribute; but nothing takes it from there.
    private static func requireRoom(
        for value: ManagedValue, _ field: EntityPlan.Field, _ found: @autoclosure () -> String
    ) throws {
        var expected = field.type?.room(exceededBy: value)
        if field.type == .floatAttributeType, case .double(let number) = value, number.isFinite, !Float(number).isFinite
        {
            expected =
                "a number of single precision (\(-Float.greatestFiniteMagnitude) to \(Float.greatestFiniteMagnitude))"
        }
        guard let expected else { return }
        throw RowError(place: field.column, found: found(), expected: expected)
    }

    /// What everything can read, and the model forbids or nothing else can say.
    private static func breach(
        by value: ManagedValue, _ field: EntityPlan.Field, _ entity: SQLEntity, _ found: @autoclosure () -> String
    ) -> String? {
        switch value {
        case .double(let number) where !number.isFinite: return "is \(number), for which JSON has no form"
        // The seconds of a date that JSON can tell fit into 64 bits.
        case .date(let number) where Int64(exactly: abs(number).rounded(.down)) == nil:
            return "is \(number) seconds from 2001, a date for which JSON has no form"
        default: break
        }
        let property = entity.description.layout.slots[field.slot].property
        if property.validationRules.isEmpty { return nil }
        let boxed = value.boxedAttribute
        do {
            for rule in property.validationRules {
                if let breach = try rule.breach(by: boxed, of: property) { return breach }
            }
        } catch {
            return "is \(found()), of which can't be said whether the model allows it: \(error.localizedDescription)"
        }
        return nil
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
            let isFirst = noteUse(of: file.lastPathComponent)
            let place = "\(external.supportFolder.lastPathComponent)/\(external.url.lastPathComponent)"
            let finding = "its value is in \(place)/\(file.lastPathComponent), which"
            do {
                guard let contents = try external.contents(reference: reference) else {
                    return try report(missing(field, entity, key, "\(finding) isn't there"))
                }
                bytes = contents
                if !isFirst { try report(shared(field, entity, key, finding)) }
            } catch let error as CocoaError {
                let cause = FileError.words(of: error.underlying ?? error)
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

    private func shared(
        _ field: EntityPlan.Field, _ entity: SQLEntity, _ key: Int64, _ finding: String
    ) -> StoreFinding {
        StoreFinding(
            .sharedFile, entity: entity.name, row: key, property: field.name,
            "\(finding) another value is in, too: Core Data deletes it when either of them goes",
            mend: .impossible("Set the value again: it gets a file of its own."))
    }

    /// - Returns: Whether nothing has referred to the file before.
    @discardableResult
    private mutating func noteUse(of name: String) -> Bool {
        if others.remove(name) != nil { return true }
        guard let id = UUID(uuidString: name), id.uuidString == name else { return false }
        return unused.remove(id) != nil
    }

    /// The files that nothing has referred to. Call it when all tables have been read.
    mutating func checkFiles(_ db: Database) throws {
        if unused.isEmpty, others.isEmpty { return }
        // Rows that no entity has, and tables that the model doesn't know, may need them.
        for name in try ExternalDataFolder.references(db) { noteUse(of: name) }
        if unused.isEmpty, others.isEmpty { return }
        // And so may a backup that lies beside the store.
        guard let needed = external.neededByNeighbours else { return }
        for name in needed { noteUse(of: name) }
        for name in (unused.map(\.uuidString) + others).sorted() {
            try report(
                StoreFinding(
                    .unusedFile, "no row refers to the file \(external.url.appendingPathComponent(name).path)",
                    mend: .impossible("It may be what is left of a value: delete it when it isn't needed.")))
        }
    }
}
