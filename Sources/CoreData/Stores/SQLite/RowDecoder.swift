// From a row of a result to slots. Tolerant where Core Data's own files vary (whole dates and decimals are integers,
// because their columns have numeric affinity); anything else that doesn't fit the attribute is an error with its
// place.

import Foundation

/// A value in a file that doesn't fit the model.
struct RowError: Error {
    /// Entity and property, table and column, and key: `Hero.born (ZHERO.ZBORN of row 12)`.
    let place: String
    let found: String
    let expected: String
    /// Who says what is expected.
    var owner = "the model has"
    var remedy = "Correct the row, or restore the store from a copy"

    var description: String { "\(place): found \(found) where \(owner) \(expected)." }
}

/// Reads the rows of one fetch.
struct RowDecoder {
    private let plan: SelectPlan
    private let external: ExternalDataFolder?
    /// How the rows of the entity are read of which the last one was.
    private var variant: SelectPlan.Variant?
    private var variantNumber: Int64 = -1
    private var blank: SlotValues = []
    private var steps: [SelectPlan.Step] = []

    init(plan: SelectPlan, external: ExternalDataFolder?) {
        self.plan = plan
        self.external = external
    }

    /// The row that the statement stands on.
    ///
    /// - Throws: ``RowError`` for a row of an entity that isn't fetched, or a value that doesn't fit.
    mutating func row(of statement: RowStatement) throws -> StoreRow {
        let key = try statement.integer(at: 0, of: "\(table).Z_PK")
        let number = try statement.integer(at: 1, of: "\(table).Z_ENT of row \(key)")
        if number != variantNumber { try take(number, key) }
        guard let variant else { throw unknown(number, key) }
        var values = blank
        try values.setAll(steps.count) { index in
            let step = steps[index]
            let value =
                try Self.value(of: step.form, in: statement, at: step.column)
                ?? value(variant, index, in: statement, key)
            return (Int(step.slot), value)
        }
        // Rows that another program has written may have no version.
        let version =
            statement.storage(at: 2) == .null ? 0 : try statement.integer(at: 2, of: "\(table).Z_OPT of row \(key)")
        return StoreRow(
            objectID: NSManagedObjectID(variant.plan.kind, number: key), version: version, values: values)
    }

    /// The value at a position that takes more than a look at the column.
    @inline(never)
    private func value(
        _ variant: SelectPlan.Variant, _ index: Int, in statement: RowStatement, _ key: Int64
    ) throws -> ManagedValue {
        let position = variant.positions[index]
        return try Self.value(
            of: position.field, in: statement, at: position.column, entityColumn: position.entityColumn,
            external: external, place: { Self.place(variant.plan, position.field, key) })
    }

    /// Looks up how the rows of an entity are read.
    private mutating func take(_ number: Int64, _ key: Int64) throws {
        guard let found = plan.variants[number] else { throw unknown(number, key) }
        (variant, variantNumber) = (found, number)
        (blank, steps) = (found.plan.blank, found.steps)
    }

    private func unknown(_ number: Int64, _ key: Int64) -> RowError {
        SQLiteStoreBackend.unknownEntity(number, in: table, row: key)
    }

    private var table: String { plan.variants.values.first?.plan.entity.table ?? "" }

    private static func place(_ plan: EntityPlan, _ field: EntityPlan.Field, _ key: Int64) -> String {
        "\(plan.entity.name).\(field.name) (\(plan.entity.table).\(field.column) of row \(key))"
    }

    // MARK: Values

    /// A column's value as a slot has it.
    static func value(
        of field: EntityPlan.Field, in statement: RowStatement, at column: Int32, entityColumn: Int32,
        external: ExternalDataFolder?, place: () -> String
    ) throws -> ManagedValue {
        if let value = value(of: field.form, in: statement, at: column) { return value }
        let storage = statement.storage(at: column)
        switch field.kind {
        case .toOne(let destination):
            if storage == .integer {
                return try reference(
                    to: destination, key: statement.integer(at: column), statement, entityColumn, place)
            }
        case .data(let isExternal):
            if storage == .blob {
                return try data(in: statement, at: column, isExternal ? external : nil, isExternal, place)
                    .map { .data($0) } ?? .null
            }
        case .transformable(let name, let isExternal):
            if storage == .blob {
                let data = try data(in: statement, at: column, isExternal ? external : nil, isExternal, place)
                return data.map { .transformable(TransformableValue(stored: $0, transformerName: name)) } ?? .null
            }
        case .integer, .boolean, .double, .date, .string, .uuid, .uri, .decimal: break
        }
        return try converted(field.kind, statement, column, storage, place)
    }

    /// A column's value where it stands as Core Data writes it, null included; nil where more has to be asked.
    @inline(__always)
    private static func value(
        of form: EntityPlan.Form, in statement: RowStatement, at column: Int32
    ) -> ManagedValue? {
        let storage = statement.storage(at: column)
        if storage == .null { return .null }
        switch form {
        case .string: return storage == .text ? statement.wellFormedText(at: column).map { .string($0) } : nil
        case .integer: return storage == .integer ? .integer(statement.integer(at: column)) : nil
        case .boolean: return storage == .integer ? .boolean(statement.integer(at: column) != 0) : nil
        case .double: return storage == .real || storage == .integer ? .double(statement.double(at: column)) : nil
        case .date: return storage == .real || storage == .integer ? .date(statement.double(at: column)) : nil
        case .uuid: return storage == .blob ? statement.uuid(at: column).map { .uuid($0) } : nil
        case .other: return nil
        }
    }

    private static func reference(
        to destination: EntityPlan.Destination, key: Int64, _ statement: RowStatement, _ entityColumn: Int32,
        _ place: () -> String
    ) throws -> ManagedValue {
        var kind = destination.kind
        if entityColumn >= 0, let kindByNumber = destination.kindByNumber,
            statement.storage(at: entityColumn) != .null
        {
            let number = try statement.integer(at: entityColumn, of: "the entity number of \(place())")
            guard let actual = kindByNumber[number] else {
                throw RowError(
                    place: place(), found: "entity number \(number)",
                    expected: "'\(destination.entity.name)' or a sub-entity (\(destination.entity.hierarchyNumbers))")
            }
            kind = actual
        }
        return .objectID(NSManagedObjectID(kind, number: key))
    }

    /// The bytes of a binary column; nil where they are in a file that isn't there, as Core Data has it.
    private static func data(
        in statement: RowStatement, at column: Int32, _ external: ExternalDataFolder?, _ hasPrefix: Bool,
        _ place: () -> String
    ) throws -> Data? {
        guard hasPrefix, let prefix = statement.firstByte(at: column) else { return statement.data(at: column) }
        switch ExternalDataFolder.Form(prefix: prefix, byteCount: statement.byteCount(at: column)) {
        case .inline: return statement.data(at: column, droppingFirst: 1)
        case .file: return try external?.contents(reference: statement.data(at: column), of: place)
        case .unprefixed: return statement.data(at: column)
        }
    }

    /// What isn't in the form that Core Data writes.
    private static func converted(
        _ kind: EntityPlan.Kind, _ statement: RowStatement, _ column: Int32, _ storage: RowStatement.Storage,
        _ place: () -> String
    ) throws -> ManagedValue {
        guard let text = storage == .blob ? "" : statement.wellFormedText(at: column) else {
            let found = "\(statement.shown(at: column)), which isn't UTF-8"
            throw RowError(place: place(), found: found, expected: expectation(of: kind))
        }
        switch kind {
        case .integer:
            if let integer = Int64(text) ?? number(text).flatMap({ Int64(exactly: $0) }) { return .integer(integer) }
        case .boolean:
            if let number = number(text) { return .boolean(number != 0) }
        case .double:
            if let number = number(text) { return .double(number) }
        case .date:
            if let number = number(text) { return .date(number) }
        case .decimal:
            // The shortest text that reads back as the same double: 0.1 and not 0.1000000000000000055.
            let digits = storage == .real ? "\(statement.double(at: column))" : text
            // Of what has no digits, an infinity, `Decimal(string:)` makes 0.
            if storage == .integer || number(digits) != nil,
                let decimal = Decimal(string: digits) ?? Decimal(large: digits)
            {
                return .decimal(decimal)
            }
        case .string:
            if storage != .blob { return .string(text) }
        case .uri:
            // Of what a URL would have to escape, another text would become.
            if storage != .blob, let url = URL(string: text), url.absoluteString == text { return .uri(url) }
        case .uuid:
            if storage == .text, let uuid = UUID(uuidString: text) { return .uuid(uuid) }
        case .data:
            if storage == .text { return .data(statement.data(at: column)) }
        case .transformable, .toOne: break
        }
        throw RowError(place: place(), found: statement.shown(at: column), expected: expectation(of: kind))
    }

    /// The number that the whole of a text is, in decimal digits.
    private static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) } ? Double(text) : nil
    }

    private static func expectation(of kind: EntityPlan.Kind) -> String {
        switch kind {
        case .integer: "an integer"
        case .boolean: "a boolean (0 or 1)"
        case .double: "a number"
        case .date: "a date (seconds since 2001)"
        case .decimal: "a decimal number"
        case .string: "a string"
        case .uri: "a URI that stays as it is when it is read"
        case .uuid: "a UUID of 16 bytes"
        case .data: "binary data"
        case .transformable: "the bytes of a transformable value"
        case .toOne: "the key of a row"
        }
    }
}

extension Decimal {
    /// The decimal of a double's text with an exponent above 127, of which `Decimal(string:)` makes one only where it is written out.
    fileprivate init?(large text: String) {
        let parts = text.split(separator: "e")
        guard parts.count == 2, let power = Int(parts[1]), (128...165).contains(power) else { return nil }
        let mantissa = parts[0].split(separator: ".")
        let zeros = power - (mantissa.count > 1 ? mantissa[1].count : 0)
        self.init(string: mantissa.joined() + String(repeating: "0", count: zeros))
    }
}
