// From the columns of a result to a row's slots, and from a slot to a parameter.

#if PostgreSQL

    import CoreData
    import Foundation

    /// Reads the rows of an entity, and if asked for of all its descendants.
    struct PostgreSQLRows {
        private struct Position {
            let field: EntityPlan.Field
            let column: Int
            /// Where it stands of which entity the destination is; nil where there is only one.
            let entityColumn: Int?
        }

        /// How rows of one exact entity are read.
        private struct Variant {
            let plan: EntityPlan
            let positions: [Position]
        }

        /// What the statement selects.
        let list: String
        private let variants: [String: Variant]
        private let store: PostgreSQLStoreBackend
        private let table: String

        /// - Parameter slots: Those whose values are wanted; nil for all.
        init(_ entity: SQLEntity, _ includesSubentities: Bool, _ slots: [Int]?, store: PostgreSQLStoreBackend) {
            self.store = store
            table = entity.table
            var columns = ["t0._id", "t0._entity", "t0._version"]
            var known: [String: Int] = [:]
            func index(of column: String) -> Int {
                if let index = known[column] { return index }
                known[column] = columns.count
                columns.append(column)
                return columns.count - 1
            }
            var variants: [String: Variant] = [:]
            let numbers = includesSubentities ? entity.hierarchyNumbers : [entity.number]
            for entity in numbers.compactMap({ store.schema.entity(numbered: $0) }) {
                let plan = store.plan(of: entity)
                let positions = plan.fields.filter { slots?.contains($0.slot) ?? true }.map { field in
                    var entityColumn: Int?
                    if case .toOne(let toOne)? = entity.property(named: field.name) {
                        entityColumn = SQLDialect.postgreSQL.entity(of: toOne, "t0").map(index)
                    }
                    return Position(field: field, column: index(of: "t0.\(field.column)"), entityColumn: entityColumn)
                }
                variants[entity.name] = Variant(plan: plan, positions: positions)
            }
            list = columns.joined(separator: ", ")
            self.variants = variants
        }

        func row(_ result: PostgreSQLResult, _ index: Int) throws -> StoreRow {
            guard let key = try result.integer(index, 0), let name = try result.text(index, 1),
                let variant = variants[name]
            else {
                throw store.errors.bad(
                    "\(table)._entity of row \((try? result.integer(index, 0)) ?? 0)",
                    found: "'\(try result.text(index, 1) ?? "NULL")'",
                    expected: variants.keys.sorted().joined(separator: " or "))
            }
            var values = variant.plan.blank
            for position in variant.positions {
                values[position.field.slot] = try Self.value(
                    of: position.field, result, index, position.column, position.entityColumn, store: store
                ) { "\(name).\(position.field.name) (\(table).\(position.field.column) of row \(key))" }
            }
            return StoreRow(
                objectID: NSManagedObjectID(
                    entity: variant.plan.entity.description, space: variant.plan.space, number: key),
                version: try result.integer(index, 2) ?? 0, values: values)
        }

        // MARK: Values

        /// A column's value as a slot has it.
        static func value(
            of field: EntityPlan.Field, _ result: PostgreSQLResult, _ row: Int, _ column: Int, _ entityColumn: Int?,
            store: PostgreSQLStoreBackend, place: () -> String
        ) throws -> ManagedValue {
            try Self.value(result.value(row, column), of: field, store: store, place: place) {
                try entityColumn.flatMap { try result.text(row, $0) }
            }
        }

        /// - Parameter entity: The name of the destination's entity, where that is known.
        static func value(
            _ value: PostgreSQLValue, of field: EntityPlan.Field, store: PostgreSQLStoreBackend, place: () -> String,
            entity name: () throws -> String? = { nil }
        ) throws -> ManagedValue {
            switch (field.kind, value) {
            case (_, .null): return .null
            case (.integer, .integer(let integer)): return .integer(integer)
            case (.boolean, .boolean(let boolean)): return .boolean(boolean)
            case (.double, .real(let real)): return .double(real)
            case (.date, .timestamp(let microseconds)): return .date(PostgreSQLDate.seconds(microseconds))
            case (.string, .text(let text)): return .string(text)
            case (.uri, .text(let text)):
                if let url = URL(string: text), url.absoluteString == text { return .uri(url) }
            case (.uuid, .uuid(let uuid)): return .uuid(uuid)
            case (.decimal, .numeric("NaN")): return .decimal(.nan)
            case (.decimal, .numeric(let digits)):
                // A Decimal has 38 digits, or 39 up to 2^128; more would be rounded without a word. Nor has it infinity, of
                // which it would read 0.
                if digits.utf8.allSatisfy({ $0 <= 0x39 }), let decimal = Decimal(string: digits),
                    significantDigits(of: digits) <= 38 || decimal.description == digits
                {
                    return .decimal(decimal)
                }
            case (.data, .bytes(let data)): return .data(data)
            case (.transformable(let name, _), .bytes(let data)):
                return .transformable(TransformableValue(stored: data, transformerName: name))
            case (.toOne(let destination), .integer(let key)):
                var entity = destination.entity.description
                if let name = try name(), let actual = store.schema.entity(named: name) {
                    entity = actual.description
                }
                return .objectID(NSManagedObjectID(entity: entity, space: destination.space, number: key))
            default: break
            }
            throw store.errors.bad(place(), found: "\(value)", expected: "a value of the attribute's type")
        }

        /// The digits between the zeros before a number's first other digit and those behind its last one.
        private static func significantDigits(of number: String) -> Int {
            let digits = number.utf8.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
            return digits.count - digits.reversed().prefix { $0 == 0x30 }.count
        }

        /// A slot's value as a parameter. What is no number is no value, as in SQLite and in predicates.
        ///
        /// - Throws: `CocoaError` for what PostgreSQL can't hold, a reference to an object of another store, or a value that its
        ///   transformer refuses.
        static func parameter(
            _ value: ManagedValue, of field: EntityPlan.Field, row: NSManagedObjectID
        ) throws -> PostgreSQLParameter {
            let type = PostgreSQLType(field)
            func unfit(_ found: String, _ expected: String, _ remedy: String) -> CocoaError {
                CoreDataError.make(
                    .persistentStoreSave,
                    "'\(field.name)' of \(row) can't be kept in PostgreSQL: it is \(found), expected \(expected). \(remedy)"
                )
            }
            func reference(_ id: NSManagedObjectID) throws -> PostgreSQLValue {
                guard case .toOne(let destination) = field.kind, id.space === destination.space else {
                    throw CoreDataError.make(
                        .managedObjectExternalRelationship,
                        "'\(field.name)' of \(row) refers to \(id), which isn't a saved object of the same store. Insert that "
                            + "object into the same store, or take it out.")
                }
                return .integer(id.number)
            }
            let converted: PostgreSQLValue
            switch value {
            case .null: converted = .null
            case .double(let number) where number.isNaN, .date(let number) where number.isNaN: converted = .null
            case .decimal(let number) where number.isNaN: converted = .null
            case .string(let text):
                guard !text.utf8.contains(0) else {
                    throw unfit("a text with U+0000", "one without", "Take the character out, or keep bytes.")
                }
                converted = .text(text)
            case .integer(let integer): converted = .integer(integer)
            case .boolean(let boolean): converted = .boolean(boolean)
            case .double(let double): converted = .real(double)
            case .date(let seconds):
                guard let microseconds = PostgreSQLDate.microseconds(seconds) else {
                    throw unfit("\(seconds) s from 2001", PostgreSQLDate.shownRange, "Set another date.")
                }
                converted = .timestamp(microseconds)
            case .uuid(let uuid): converted = .uuid(uuid)
            case .uri(let url): converted = .text(url.absoluteString)
            case .decimal(let decimal): converted = .numeric(decimal.description)
            case .data(let data): converted = .bytes(data)
            case .transformable(let value): converted = .bytes(try value.storedBytes())
            case .objectID(let id): converted = try reference(id)
            case .object(let object): converted = try reference(object.objectID)
            case .objects, .unread, .memberIDs:
                fatalError("The to-many relationship '\(field.name)' of \(row) was given as a column's value.")
            }
            return PostgreSQLParameter(type: type, value: converted)
        }
    }

    extension PostgreSQLType {
        /// The type of a field's column.
        init(_ field: EntityPlan.Field) { self = field.type.map { PostgreSQLType($0) } ?? .integer }
    }

#endif
