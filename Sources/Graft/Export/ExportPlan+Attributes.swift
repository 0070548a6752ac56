// The values of attributes on their way out, of managed objects and of rows of snapshots.

import CoreData

/// What exports write.
protocol ExportedObject {
    /// The value of an attribute.
    func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue
    /// Whether an attribute has no value, or a to-one relationship leads nowhere.
    func isNull(_ number: Int, _ property: GraphSchema.Property) throws -> Bool
}

extension NSManagedObject: ExportedObject {
    func isNull(_ number: Int, _ property: GraphSchema.Property) throws -> Bool {
        property.isAttribute ? try holds(.null, number, property) : destination(number, property) == nil
    }
}

extension GraphSnapshot.Row: ExportedObject {
    func graphValue(_ number: Int, _ property: GraphSchema.Property) -> GraphValue {
        snapshot.value(property, of: reference)
    }

    func isNull(_ number: Int, _ property: GraphSchema.Property) -> Bool {
        property.isAttribute
            ? graphValue(number, property).isNull : snapshot.destinations(of: reference, property).isEmpty
    }
}

extension ExportPlan {
    /// Writes the value of an attribute.
    ///
    /// - Throws: ``GraftError`` with the entity and the property, for a value that has no form in JSON.
    @inline(__always)
    func write(
        _ value: GraphValue, _ number: Int, _ converter: AttributeConverter, to writer: inout JSONWriter
    ) throws {
        do {
            try converter.write(value, to: &writer)
        } catch let error as GraftError {
            throw error.located(in: .init(entity: name, property: properties[number].name))
        }
    }

    /// What a transformer makes of an attribute's value; nil where it has no JSON value for it. Null stays null.
    func json(_ number: Int, of object: some ExportedObject, by transformer: NamedTransformer) throws -> JSONValue? {
        guard let value = try object.graphValue(number, properties[number]).object else { return .null }
        guard let made = transformer.json(for: value) else { return nil }
        if let json = JSONValue(object: made) { return json }
        throw GraftError(
            .notRepresentable(
                value: "the \(type(of: made)) '\(made)' from the transformer '\(transformer.name)'", format: "JSON"),
            at: .init(entity: name, property: properties[number].name))
    }

    /// Whether an object has all that identifies it, and the mapping a place for it. Whether its owners have, too, only a writer can tell
    /// (``ItemWriter/isIdentified(_:_:)``).
    func hasIdentity(_ object: some ExportedObject) throws -> Bool {
        if identityItems.isEmpty { return false }
        return try properties.identify(by: identity) { try object.isNull($0, $1) }
    }

    /// The identity of an object where it is one value that can stand alone and needs no transformer; nil where it isn't.
    func bareIdentifier(of object: some ExportedObject) throws -> GraphValue? {
        guard identityItems.count == 1, case .attribute(let number, _) = identityItems[0].content else { return nil }
        let value = try object.graphValue(number, properties[number])
        return isBare(value) ? value : nil
    }

    /// Whether an identifying value can stand alone for its object.
    func isBare(_ value: GraphValue) -> Bool {
        guard identityItems.count == 1, case .attribute = identityItems[0].content else { return false }
        return !value.isNull && !value.isTree
    }

    /// Writes what ``bareIdentifier(of:)`` has returned.
    func write(bareIdentifier value: GraphValue, to writer: inout JSONWriter) throws {
        guard case .attribute(let number, let converter)? = identityItems.first?.content else { return }
        try write(value, number, converter, to: &writer)
    }

    /// Writes the identity of an object as a single value; returns false where it isn't one that could stand alone.
    func writeBareIdentifier(of object: some ExportedObject, to writer: inout JSONWriter) throws -> Bool {
        guard identityItems.count == 1 else { return false }
        switch identityItems[0].content {
        case .attribute:
            guard let value = try bareIdentifier(of: object) else { return false }
            try write(bareIdentifier: value, to: &writer)
            return true
        case .transformed(let number, let transformer):
            guard let json = try json(number, of: object, by: transformer), !json.isTree else { return false }
            try writer.value(json)
            return true
        case .toOne, .toMany, .step, .constant, .stableIdentifier:
            return false
        }
    }
}

extension GraphValue {
    /// Whether the value would be taken for an object, in the place of an identifier.
    fileprivate var isTree: Bool {
        switch self {
        case .json, .encoded: true
        default: false
        }
    }
}

extension JSONValue {
    /// Whether the value would be taken for an object, a list or nothing, in the place of an identifier.
    fileprivate var isTree: Bool {
        switch self {
        case .array, .object, .null: true
        case .bool, .number, .string: false
        }
    }
}
