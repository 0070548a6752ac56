// How an entity's slots and columns correspond, worked out once when a store opens, so that reading and writing rows
// look nothing up by name. Parameters of an INSERT and fields of a row are in the order of `fields`.

import Foundation

/// The columns of one entity's rows.
package final class EntityPlan: @unchecked Sendable {
    // Safe to share: all properties are constants, and a model is immutable once a coordinator uses it.

    /// How a column's value stands in a slot.
    package enum Kind {
        case integer, boolean, double, date, decimal, string, uri, uuid
        case data(isExternal: Bool)
        case transformable(name: String?, isExternal: Bool)
        case toOne(Destination)

        /// Whether the bytes may lie in files of their own.
        var isExternal: Bool {
            switch self {
            case .data(let isExternal), .transformable(_, let isExternal): isExternal
            default: false
            }
        }
    }

    /// A kind without what belongs to it, for the loops over rows.
    enum Form: UInt8 {
        case integer, boolean, double, date, string, uuid
        /// What takes more than a look at the column.
        case other

        init(_ kind: Kind) {
            self =
                switch kind {
                case .integer: .integer
                case .boolean: .boolean
                case .double: .double
                case .date: .date
                case .string: .string
                case .uuid: .uuid
                case .decimal, .uri, .data, .transformable, .toOne: .other
                }
        }
    }

    /// What a to-one column can refer to.
    package final class Destination {
        /// As the model declares it.
        package let entity: SQLEntity
        package let kind: ObjectKind
        /// The kinds by `Z_ENT`, where a second column names the actual entity; nil where there is only one.
        package let kindByNumber: [Int64: ObjectKind]?

        package var space: RowSpace { kind.space }

        init(entity: SQLEntity, space: RowSpace, entityByNumber: [Int64: NSEntityDescription]?) {
            self.entity = entity
            kind = ObjectKind(entity.description, space)
            kindByNumber = entityByNumber?.mapValues { ObjectKind($0, space) }
        }
    }

    /// An attribute or to-one relationship. A class, because the loops over rows pass fields around, and a structure's
    /// strings would be retained one by one.
    package final class Field {
        package let slot: Int
        /// For messages.
        package let name: String
        package let column: String
        /// The column with the destination's entity number.
        package let entityColumn: String?
        package let kind: Kind
        let form: Form
        package let hasEntityColumn: Bool
        /// Kept by a trigger, hence never written.
        package let isDerived: Bool
        /// As the model has it; nil for a relationship.
        package let type: NSAttributeType?

        init(
            slot: Int, name: String, column: String, entityColumn: String?, kind: Kind, isDerived: Bool,
            type: NSAttributeType? = nil
        ) {
            self.type = type
            self.slot = slot
            self.name = name
            self.column = column
            self.entityColumn = entityColumn
            self.kind = kind
            form = Form(kind)
            self.isDerived = isDerived
            hasEntityColumn = entityColumn != nil
        }
    }

    package let entity: SQLEntity
    package let kind: ObjectKind
    package let fields: [Field]
    /// The field of a slot; nil for to-many and transient ones.
    package let fieldBySlot: [Int?]
    /// The stored to-many relationships by slot.
    package let toMany: [(slot: Int, relationship: SQLToMany)]
    /// A row's values before its columns are read: unread relationships, and the defaults of transient properties.
    package let blank: SlotValues

    package var description: NSEntityDescription { entity.description }

    package var space: RowSpace { kind.space }

    package init(entity: SQLEntity, schema: SQLSchema, space: (SQLEntity) -> RowSpace) {
        let layout = entity.description.layout
        self.entity = entity
        kind = ObjectKind(entity.description, space(entity))
        var blank = layout.blank
        var fields: [Field] = []
        var toMany: [(slot: Int, relationship: SQLToMany)] = []
        var fieldBySlot = [Int?](repeating: nil, count: layout.slots.count)
        for (index, slot) in layout.slots.enumerated() {
            guard !slot.isTransient, let property = entity.property(named: slot.name) else {
                blank[index] = layout.defaults[index]
                continue
            }
            switch property {
            case .attribute(let attribute):
                fieldBySlot[index] = fields.count
                fields.append(
                    Field(
                        slot: index, name: slot.name, column: attribute.column, entityColumn: nil,
                        kind: Self.kind(of: attribute.description),
                        isDerived: attribute.description is NSDerivedAttributeDescription, type: attribute.type))
            case .toOne(let toOne):
                fieldBySlot[index] = fields.count
                let destination = Destination(
                    entity: toOne.destination, space: space(toOne.destination),
                    entityByNumber: toOne.entityColumn == nil
                        ? nil : Self.entities(under: toOne.destination, in: schema))
                fields.append(
                    Field(
                        slot: index, name: slot.name, column: toOne.column, entityColumn: toOne.entityColumn,
                        kind: .toOne(destination), isDerived: false))
            case .toMany(let relationship): toMany.append((index, relationship))
            }
        }
        self.blank = blank
        self.fields = fields
        self.toMany = toMany
        self.fieldBySlot = fieldBySlot
    }

    /// The descriptions of an entity and its descendants by `Z_ENT`.
    package static func entities(under entity: SQLEntity, in schema: SQLSchema) -> [Int64: NSEntityDescription] {
        var entities: [Int64: NSEntityDescription] = [:]
        for number in entity.hierarchyNumbers {
            entities[Int64(number)] = schema.entity(numbered: number)?.description
        }
        return entities
    }

    package static func kind(of attribute: NSAttributeDescription) -> Kind {
        switch attribute.attributeType {
        case .booleanAttributeType: .boolean
        case .doubleAttributeType, .floatAttributeType: .double
        case .dateAttributeType: .date
        case .decimalAttributeType: .decimal
        case .stringAttributeType: .string
        case .URIAttributeType: .uri
        case .UUIDAttributeType: .uuid
        case .binaryDataAttributeType: .data(isExternal: attribute.allowsExternalBinaryDataStorage)
        case .transformableAttributeType:
            .transformable(
                name: attribute.valueTransformerName, isExternal: attribute.allowsExternalBinaryDataStorage)
        default: .integer
        }
    }
}

/// What a fetch of an entity selects: the columns of the entity and, if asked for, of all its descendants.
final class SelectPlan: @unchecked Sendable {
    // Safe to share: all properties are constants.

    /// Where a field's value stands in the result.
    struct Position {
        let field: EntityPlan.Field
        let column: Int32
        /// Where the destination's entity number stands; -1 where the field has none.
        let entityColumn: Int32
    }

    /// The same without references, which a loop over rows would count.
    struct Step {
        let form: EntityPlan.Form
        let slot: Int32
        let column: Int32
    }

    /// How rows of one exact entity are read.
    final class Variant {
        let plan: EntityPlan
        let positions: [Position]
        /// By position.
        let steps: [Step]

        init(plan: EntityPlan, positions: [Position]) {
            self.plan = plan
            self.positions = positions
            steps = positions.map { Step(form: $0.field.form, slot: Int32($0.field.slot), column: $0.column) }
        }
    }

    /// The selected columns; the first three are `Z_PK, Z_ENT, Z_OPT`.
    let columns: [String]
    /// By `Z_ENT`.
    let variants: [Int64: Variant]

    /// - Parameter slots: Those whose values are wanted; nil for all.
    init(plans: [EntityPlan], slots: [Int]?) {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var indexByColumn: [String: Int32] = [:]
        func index(of column: String) -> Int32 {
            if let known = indexByColumn[column] { return known }
            let index = Int32(columns.count)
            columns.append(column)
            indexByColumn[column] = index
            return index
        }
        var variants: [Int64: Variant] = [:]
        for plan in plans {
            let fields = plan.fields.filter { slots?.contains($0.slot) ?? true }
            let positions = fields.map { field in
                Position(
                    field: field, column: index(of: field.column), entityColumn: field.entityColumn.map(index) ?? -1)
            }
            variants[Int64(plan.entity.number)] = Variant(plan: plan, positions: positions)
        }
        self.columns = columns
        self.variants = variants
    }
}
