// From a slot to a statement's parameter: the counterpart of RowDecoder.swift.

import Foundation

/// Binds slots' values in the form that Core Data stores them in.
struct ValueBinder {
    private let numbers: [ObjectIdentifier: Int64]
    private let files: ExternalFiles

    init(store: SQLiteStoreBackend, files: ExternalFiles) {
        numbers = store.numbers
        self.files = files
    }

    /// Binds a value and, for a to-one relationship, its destination's entity number.
    ///
    /// - Parameter index: The first parameter; afterwards the one behind the last.
    /// - Throws: `CocoaError` for a reference to an object of another store or without a permanent ID, or a value
    ///   that its
    ///   transformer refuses.
    @inline(__always)
    func bind(
        _ value: ManagedValue, of field: EntityPlan.Field, to statement: RowStatement, at index: inout Int32,
        row: NSManagedObjectID
    ) throws {
        try bindValue(value, of: field, to: statement, at: index, row: row)
        index += 1
        guard field.hasEntityColumn else { return }
        if let id = value.referencedID, let number = numbers[ObjectIdentifier(id.entity)] {
            try statement.bind(number, at: index)
        } else {
            try statement.bindNull(at: index)
        }
        index += 1
    }

    /// Binds a value alone.
    func bindValue(
        _ value: ManagedValue, of field: EntityPlan.Field, to statement: RowStatement, at index: Int32,
        row: NSManagedObjectID
    ) throws {
        switch value {
        case .null: try statement.bindNull(at: index)
        case .string(let string): try statement.bind(string, at: index)
        case .integer(let integer): try statement.bind(integer, at: index)
        case .boolean(let boolean): try statement.bind(boolean ? 1 : 0 as Int64, at: index)
        case .double(let double): try statement.bind(double, at: index)
        case .date(let seconds): try statement.bind(seconds, at: index)
        case .uuid(let uuid): try statement.bind(uuid, at: index)
        case .uri(let url): try statement.bind(url.absoluteString, at: index)
        case .decimal(let decimal): try statement.bind(Self.stored(decimal), at: index)
        case .data(let data): try bind(data, of: field, to: statement, at: index)
        case .transformable(let value): try bind(value.storedBytes(), of: field, to: statement, at: index)
        case .objectID(let id): try bind(id, of: field, to: statement, at: index, row: row)
        case .object(let object): try bind(object.objectID, of: field, to: statement, at: index, row: row)
        case .objects, .unread, .memberIDs:
            fatalError("The to-many relationship '\(field.name)' of \(row) was given as a column's value.")
        }
    }

    /// An attribute's value in the form that its column holds.
    ///
    /// - Throws: `CocoaError` for a value that its transformer refuses.
    func stored(_ value: ManagedValue, of field: EntityPlan.Field) throws -> SQLValue {
        switch value {
        case .null, .objectID, .object, .objects, .unread, .memberIDs: return .null
        case .string(let string): return .text(string)
        case .integer(let integer): return .integer(integer)
        case .boolean(let boolean): return .integer(boolean ? 1 : 0)
        case .double(let double): return .real(double)
        case .date(let seconds): return .real(seconds)
        case .uuid(let uuid): return .blob(uuid.bytes)
        case .uri(let url): return .text(url.absoluteString)
        case .decimal(let decimal): return Self.stored(decimal)
        case .data(let data): return .blob(field.kind.isExternal ? try files.stored(data) : data)
        case .transformable(let value):
            let data = try value.storedBytes()
            return .blob(field.kind.isExternal ? try files.stored(data) : data)
        }
    }

    static func stored(_ decimal: Decimal) -> SQLValue {
        // SQLite would round a text itself, and not always to the nearest double.
        let text = "\(decimal)"
        if decimal.isNaN { return .null }
        return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) } ?? .text(text)
    }

    private func bind(
        _ data: Data, of field: EntityPlan.Field, to statement: RowStatement, at index: Int32
    ) throws {
        switch field.kind {
        case .data(isExternal: true), .transformable(_, isExternal: true):
            try statement.bind(files.stored(data), at: index)
        default: try statement.bind(data, at: index)
        }
    }

    private func bind(
        _ id: NSManagedObjectID, of field: EntityPlan.Field, to statement: RowStatement, at index: Int32,
        row: NSManagedObjectID
    ) throws {
        guard case .toOne(let destination) = field.kind, destination.space === id.space else {
            throw CoreDataError.make(
                .managedObjectExternalRelationship,
                "'\(field.name)' of \(row) refers to \(id), which isn't a saved object of the same store. Insert that "
                    + "object into the same store, or set the relationship to nil.")
        }
        try statement.bind(id.number, at: index)
    }
}
