// What batch requests say, in slots: the rows of an insertion, the assignments of an update. Bad input is an error here,
// before a store has seen anything of it.

import Foundation

/// The rows of a batch insertion, one after the other.
final class BatchRows {
    private let entity: NSEntityDescription
    private let layout: EntityLayout
    private let request: NSBatchInsertRequest
    private var position = 0

    init(entity: NSEntityDescription, request: NSBatchInsertRequest) {
        self.entity = entity
        layout = entity.layout
        self.request = request
    }

    /// - Throws: `CocoaError` (`.coreData`) naming the row, the attribute and what was found;
    ///   `.validationMissingMandatoryProperty` for a row without a value that the model demands.
    func next() throws -> StoreBatchInsertion.Row? {
        defer { position += 1 }
        guard let row = try given() else { return nil }
        try check(row)
        return row
    }

    private func given() throws -> StoreBatchInsertion.Row? {
        if let objects = request.objectsToInsert {
            return position < objects.count ? try row(objects[position]) : nil
        }
        if let handler = request.dictionaryHandler {
            let dictionary = NSMutableDictionary()
            if handler(dictionary) { return nil }
            var values: [String: Any] = [:]
            for (key, value) in dictionary { values["\(key)"] = value }
            return try row(values)
        }
        guard let handler = request.managedObjectHandler else { return nil }
        let object = layout.objectClass.init(making: entity, in: nil)
        return handler(object) ? nil : try row(object)
    }

    private func row(_ dictionary: [String: Any]) throws -> StoreBatchInsertion.Row {
        var row = StoreBatchInsertion.Row(values: layout.defaults, given: SlotSet())
        for (name, value) in try withElements(dictionary) {
            guard let slot = layout.slot(named: name) else {
                throw problem("has no property '\(name)'. It has: \(layout.nameList)")
            }
            guard let attribute = layout.slots[slot].property as? NSAttributeDescription else {
                throw problem(
                    "has the relationship '\(name)', which a batch can't set. Insert objects in a context instead")
            }
            let value: Any? = value is NSNull ? nil : value
            guard let managed = ManagedValue(boxed: value, for: attribute) else {
                throw problem(
                    "can't hold \(value.map { "\(type(of: $0)) '\($0)'" } ?? "nil") in '\(name)'. Convert it to the "
                        + "attribute's type first")
            }
            row.values[slot] = managed
            row.given.insert(slot)
        }
        return row
    }

    /// The same with the elements of composite attributes in their place.
    private func withElements(_ dictionary: [String: Any]) throws -> [String: Any] {
        if layout.composites.isEmpty { return dictionary }
        var result: [String: Any] = [:]
        for (name, value) in dictionary {
            guard let composite = layout.composites[name] else {
                result[name] = value
                continue
            }
            guard let parts = composite.values(value) else {
                throw problem(
                    "can't hold \(type(of: value)) '\(value)' in '\(name)'. It takes a dictionary with the keys "
                        + composite.elements.map(\.name).joined(separator: ", "))
            }
            for (slot, value) in parts { result[layout.slots[slot].name] = value ?? NSNull() }
        }
        return result
    }

    private func row(_ object: NSManagedObject) throws -> StoreBatchInsertion.Row {
        var row = StoreBatchInsertion.Row(values: layout.defaults, given: object.touched)
        for slot in layout.slots.indices {
            if layout.slots[slot].isRelationship {
                if object.touched.contains(slot) {
                    throw problem(
                        "has the relationship '\(layout.slots[slot].name)', which a batch can't set. Insert objects in a "
                            + "context instead")
                }
            } else {
                row.values[slot] = object.values[slot]
            }
        }
        return row
    }

    /// The attributes that a batch sets, and of which the model demands something.
    private lazy var checked: [(slot: Int, attribute: NSAttributeDescription)] = layout.slots.indices.compactMap {
        slot in
        guard layout.isChecked[slot], !layout.slots[slot].isTransient,
            let attribute = layout.slots[slot].property as? NSAttributeDescription,
            !(attribute is NSDerivedAttributeDescription)
        else { return nil }
        return (slot, attribute)
    }

    /// Observed (iOS 18.3): a batch insertion demands the mandatory attributes. What a batch can't set isn't demanded.
    private func check(_ row: StoreBatchInsertion.Row) throws {
        for (slot, attribute) in checked {
            let definition = layout.slots[slot], value = row.values[slot]
            if let expected = attribute.attributeType.room(exceededBy: value) {
                throw problem("has \(value.boxedAttribute ?? "") in '\(definition.name)', which has to be \(expected)")
            }
            guard !definition.isOptional, value.isNull || value.isNaN else { continue }
            throw problem(
                "needs a value of '\(definition.name)'. Give one", .validationMissingMandatoryProperty,
                [NSValidationKeyErrorKey: definition.name, NSValidationValueErrorKey: NSNull()])
        }
    }

    private func problem(
        _ finding: String, _ code: CocoaError.Code = .coreData, _ info: [String: Any] = [:]
    ) -> CocoaError {
        CoreDataError.make(
            code, "Row \(position) of a batch insertion: the entity '\(entity.name ?? "")' \(finding).", userInfo: info)
    }
}

/// The assignments of a batch update.
struct BatchAssignments {
    let entity: NSEntityDescription

    /// In the order of the entity's slots.
    ///
    /// - Throws: `CocoaError` (`.coreData`) naming the property.
    func assignments(of properties: [AnyHashable: Any]) throws -> [StoreBatchAssignment] {
        var bySlot: [Int: StoreBatchAssignment] = [:]
        for (key, value) in properties {
            let (slot, attribute) = try attribute(key)
            bySlot[slot] = StoreBatchAssignment(
                name: entity.layout.slots[slot].name, attribute: attribute, value: try self.value(value, of: attribute))
        }
        if bySlot.isEmpty { throw problem("propertiesToUpdate is empty", "Say what shall change") }
        return bySlot.keys.sorted().compactMap { bySlot[$0] }
    }

    private func attribute(_ key: AnyHashable) throws -> (Int, NSAttributeDescription) {
        guard let name = key as? String ?? (key.base as? NSPropertyDescription)?.name else {
            throw problem(
                "propertiesToUpdate has a \(type(of: key.base)) as a key", "Use names or property descriptions")
        }
        let layout = entity.layout
        guard let slot = layout.slot(named: name) else {
            throw problem("it has no property '\(name)'", "It has: \(layout.nameList)")
        }
        guard let attribute = layout.slots[slot].property as? NSAttributeDescription, !layout.slots[slot].isTransient,
            !(attribute is NSDerivedAttributeDescription)
        else {
            throw problem(
                "'\(name)' is no stored attribute", "Relationships, transient and derived attributes can't be updated")
        }
        return (slot, attribute)
    }

    private func value(_ value: Any, of attribute: NSAttributeDescription) throws -> StoreBatchAssignment.Value {
        var constant: Any? = value is NSNull ? nil : value
        if let expression = value as? NSExpression {
            guard expression.expressionType == .constantValue else { return .expression(expression) }
            constant = expression.constantValue
        }
        guard let managed = ManagedValue(boxed: constant, for: attribute) else {
            throw problem(
                "'\(attribute.name)' can't hold \(constant.map { "\(type(of: $0)) '\($0)'" } ?? "nil")",
                "Convert it to the attribute's type first")
        }
        if let expected = attribute.attributeType.room(exceededBy: managed) {
            throw problem("'\(attribute.name)' can't hold \(constant ?? "")", "It has to be \(expected)")
        }
        return .constant(managed)
    }

    private func problem(_ finding: String, _ remedy: String) -> CocoaError {
        CoreDataError.make(.coreData, "A batch update of '\(entity.name ?? "")': \(finding). \(remedy).")
    }
}
