// Reading and writing a managed object's properties: the one place that differs between Apple's Core Data, where
// key-value coding boxes every value, and ours, where a property is a slot. A property's number is that of the schema.

import CoreData
import Foundation

#if canImport(Darwin) || GRAFT_PORTABLE
    extension NSManagedObject {
        /// The value of an attribute.
        func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            guard let object = value(forKeyPath: property.name) else { return .null }
            let kind = property.attributeKind ?? .transformable
            if let value = GraphValue(held: object, kind: kind) { return value }
            guard kind == .transformable else {
                throw GraftError(
                    .wrongType(found: "\(type(of: object))", expected: kind.description),
                    at: .init(entity: entity.name, property: property.name))
            }
            return .encoded(try GraphValue.storedBytes(of: object, transformerName(property)))
        }

        /// Whether an attribute has a value already.
        func holds(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            switch (try graphValue(number, property), wanted) {
            case (.double(let value), .double(let wanted)):
                value == wanted || value.isNaN && wanted.isNaN
                    || property.attributeKind == .float && value == wanted.keptByFloat
            case (let value, let wanted): value.isSameIdentity(as: wanted)
            }
        }

        /// Sets an attribute.
        func assign(_ value: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws {
            switch value {
            case .encoded(let bytes):
                let name = transformerName(property)
                guard let object = try GraphValue.object(ofStored: bytes, name) else {
                    let maker = name.map { "the value transformer '\($0)'" } ?? "the classes of the objects"
                    throw GraftError(
                        .other(
                            finding: "nothing makes an object of these \(bytes.count) bytes",
                            remedy: "Register \(maker)."), at: .init(entity: entity.name, property: property.name))
                }
                setPart(object, property.name)
            case .json(let tree):
                try tree.requireHeld(at: .init(entity: entity.name, property: property.name))
                setPart(tree.shaped(like: self.value(forKeyPath: property.name)), property.name)
            default: setPart(value.object, property.name)
            }
        }

        /// Sets an attribute, or an element of a composite one by its path.
        private func setPart(_ value: Any?, _ path: String) {
            let names = path.split(separator: ".").map(String.init)
            guard names.count > 1 else { return setValue(value, forKey: path) }
            func setting(_ rest: ArraySlice<String>, in tree: Any?) -> [String: Any]? {
                var tree = tree as? [String: Any] ?? [:]
                guard let name = rest.first else { return tree }
                tree[name] = rest.count == 1 ? value : setting(rest.dropFirst(), in: tree[name])
                return tree.isEmpty ? nil : tree
            }
            setValue(setting(names.dropFirst(), in: self.value(forKey: names[0])), forKey: names[0])
        }

        /// The object at the other end of a to-one relationship.
        func destination(_ number: Int, _ property: GraphSchema.Property) -> NSManagedObject? {
            value(forKey: property.name) as? NSManagedObject
        }

        /// Sets a to-one relationship.
        func assign(_ destination: NSManagedObject?, _ number: Int, _ property: GraphSchema.Property) {
            setValue(destination, forKey: property.name)
        }

        /// Sets one end of a one-to-one relationship. Core Data sets the other one, too, so null says nothing.
        func assignOneEnd(_ destination: NSManagedObject?, _ number: Int, _ property: GraphSchema.Property) {
            if let destination { setValue(destination, forKey: property.name) }
        }

        /// The members of a to-many relationship, those of an unordered one in a defined order.
        func members(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObject] {
            switch value(forKey: property.name) {
            case let set as NSOrderedSet: return set.array.compactMap { $0 as? NSManagedObject }
            case let set as NSSet:
                return set.allObjects.compactMap { $0 as? NSManagedObject }
                    .sorted { $0.objectID.isMadeBefore($1.objectID) }
            default: return []
            }
        }

        /// The ID of the object at the other end of a to-one relationship.
        func destinationID(_ number: Int, _ property: GraphSchema.Property) -> NSManagedObjectID? {
            objectIDs(forRelationshipNamed: property.name).first
        }

        /// The IDs of the members of a to-many relationship, in the order of ``members(_:_:)``. No object is made for one.
        func memberIDs(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObjectID] {
            let ids = objectIDs(forRelationshipNamed: property.name)
            if property.isOrdered { return ids }
            return ids.sorted { $0.isMadeBefore($1) }
        }

        /// Whether it is known without making objects that a to-many relationship has these members. Here it never is.
        func hasMembers(_ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property) -> Bool { false }

        /// Replaces the members of a to-many relationship.
        func assign(_ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property) {
            let value: Any = property.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
            setValue(value, forKey: property.name)
        }
    }

    extension NSManagedObjectID {
        /// The order of making, as far as the number of a row tells it; what isn't saved yet comes last.
        fileprivate func isMadeBefore(_ other: NSManagedObjectID) -> Bool {
            switch (row, other.row) {
            case (let one?, let two?) where one != two: one < two
            case (nil, _?): false
            case (_?, nil): true
            default: uriRepresentation().absoluteString < other.uriRepresentation().absoluteString
            }
        }
    }
#else
    extension NSManagedObject {
        /// The value of an attribute.
        func graphValue(_ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
            try GraphValue(slotValue(number), property.attributeKind)
        }

        /// Whether an attribute has a value already.
        @inline(__always)
        func holds(_ wanted: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws -> Bool {
            try slotValue(number).holds(wanted, property.attributeKind)
        }

        /// Sets an attribute.
        @inline(__always)
        func assign(_ value: GraphValue, _ number: Int, _ property: GraphSchema.Property) throws {
            setSlot(number, to: try ManagedValue(value, entityLayout, number, in: slotValue(number)))
        }

        /// The object at the other end of a to-one relationship.
        @inline(__always)
        func destination(_ number: Int, _ property: GraphSchema.Property) -> NSManagedObject? {
            if case .object(let object) = slotValue(number) { object } else { nil }
        }

        /// Sets a to-one relationship.
        @inline(__always)
        func assign(_ destination: NSManagedObject?, _ number: Int, _ property: GraphSchema.Property) {
            setSlot(number, to: destination.map(ManagedValue.object) ?? .null)
        }

        /// Sets one end of a one-to-one relationship and leaves the other one as it is.
        func assignOneEnd(_ destination: NSManagedObject?, _ number: Int, _ property: GraphSchema.Property) {
            setOneEnd(number, to: destination)
        }

        /// The members of a to-many relationship, those of an unordered one in a defined order.
        func members(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObject] {
            if case .objects(let members) = slotValue(number) { members.objects } else { [] }
        }

        /// The ID of the object at the other end of a to-one relationship.
        func destinationID(_ number: Int, _ property: GraphSchema.Property) -> NSManagedObjectID? {
            slotDestinationID(number)
        }

        /// The IDs of the members of a to-many relationship, in the order of ``members(_:_:)``. No object is made for one.
        func memberIDs(_ number: Int, _ property: GraphSchema.Property) -> [NSManagedObjectID] { memberIDs(number) }

        /// Whether it is known without making objects that a to-many relationship has these members.
        func hasMembers(_ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property) -> Bool {
            hasMembers(number, members)
        }

        /// Replaces the members of a to-many relationship.
        @inline(__always)
        func assign(_ members: [NSManagedObject], _ number: Int, _ property: GraphSchema.Property) {
            setMembers(number, to: members)
        }
    }

    extension ManagedValue {
        /// A value as the slot of an attribute holds it.
        ///
        /// - Parameter old: What it is to hold in the place of: a tree keeps the classes.
        /// - Throws: ``GraftError`` for a tree that no transformable attribute can hold.
        @inline(__always)
        init(_ value: GraphValue, _ layout: EntityLayout, _ slot: Int, in old: ManagedValue = .null) throws {
            self =
                switch value {
                case .null: .null
                case .boolean(let value): .boolean(value)
                case .integer(let value): .integer(value)
                case .double(let value): .double(value)
                case .decimal(let value): .decimal(value)
                case .string(let value): .string(value)
                case .date(let value): .date(value)
                case .data(let value): .data(value)
                case .uuid(let value): .uuid(value)
                case .uri(let value): .uri(value)
                case .json(let tree): .transformable(try TransformableValue(tree, layout, slot, in: old))
                case .encoded(let bytes):
                    .transformable(TransformableValue(stored: bytes, transformerName: layout.transformerName(slot)))
                }
        }

        /// Whether an attribute's slot has a value already.
        @inline(__always)
        func holds(_ wanted: GraphValue, _ kind: AttributeKind?) throws -> Bool {
            switch (self, wanted) {
            case (.null, .null): true
            case (.integer(let value), .integer(let wanted)): value == wanted
            case (.double(let value), .double(let wanted)):
                value == wanted || value.isNaN && wanted.isNaN
                    || kind == .float && value.keptByFloat == wanted.keptByFloat
            case (.date(let value), .date(let wanted)): value == wanted
            case (.boolean(let value), .boolean(let wanted)): value == wanted
            case (.string(let value), .string(let wanted)): value.hasSameBytes(as: wanted)
            default: try GraphValue(self, kind) == wanted
            }
        }
    }

    extension GraphValue {
        /// The value of an attribute's slot.
        ///
        /// - Parameter kind: The attribute's type; nil for the number as the store has it, whatever a `Float` would have of it.
        @inline(__always)
        init(_ value: ManagedValue, _ kind: AttributeKind?) throws {
            self =
                switch value {
                case .boolean(let value): .boolean(value)
                case .integer(let value): .integer(value)
                case .double(let value): .double(kind == .float ? value.keptByFloat : value)
                case .string(let value): .string(value)
                case .date(let value): .date(value)
                case .data(let value): .data(value)
                case .uuid(let value): .uuid(value)
                case .decimal(let value): .decimal(value)
                case .uri(let value): .uri(value)
                case .transformable(let value): try value.graphValue
                default: .null
                }
        }
    }

    extension EntityLayout {
        fileprivate func transformerName(_ slot: Int) -> String? {
            (slots[slot].property as? NSAttributeDescription)?.valueTransformerName
        }
    }

    extension TransformableValue {
        fileprivate convenience init(
            _ tree: JSONValue, _ layout: EntityLayout, _ slot: Int, in old: ManagedValue
        ) throws {
            try tree.requireHeld(at: .init(entity: layout.entity.name, property: layout.slots[slot].name))
            let name = layout.transformerName(slot)
            if case .transformable(let old) = old, let shape = old.shape {
                self.init(shape: tree.shaped(like: shape), plain: tree.object, transformerName: name)
            } else {
                self.init(object: tree.object, transformerName: name)
            }
        }

        /// A tree where the object is one, else the bytes that a store keeps for it.
        fileprivate var graphValue: GraphValue {
            get throws {
                if let object, let tree = JSONValue(object: object) { return .json(tree) }
                return .encoded(try storedBytes())
            }
        }
    }
#endif
