// The JSON value of an attribute on its way out: a value for the converter, or what a transformer has made of it.

import CoreData

enum AttributeOutput {
    case converted(GraphValue, AttributeConverter, Place)
    case transformed(JSONValue)

    /// Where an error is, should the value have no form in JSON.
    struct Place {
        let plan: ExportPlan
        let number: Int
    }

    /// Takes an attribute's value; nil where its transformer has no JSON value for it.
    init?(
        _ object: NSManagedObject, _ number: Int, _ plan: ExportPlan, _ converter: AttributeConverter,
        _ transformer: NamedTransformer?
    ) throws {
        let value = try object.graphValue(number, plan.properties[number])
        guard let transformer, let boxed = value.object else {
            self = .converted(value, converter, Place(plan: plan, number: number))
            return
        }
        guard let json = transformer.json(for: boxed) else { return nil }
        guard let tree = JSONValue(object: json) else {
            throw GraftError(
                .notRepresentable(
                    value: "the \(type(of: json)) '\(json)' from the transformer '\(transformer.name)'", format: "JSON"),
                at: .init(entity: plan.name, property: plan.properties[number].name))
        }
        self = .transformed(tree)
    }

    var isNull: Bool {
        switch self {
        case .converted(let value, _, _): value.isNull
        case .transformed(let value): value.isNull
        }
    }

    /// Whether the value would be taken for an object or a list of objects, in the place of an identifier.
    var isTree: Bool {
        switch self {
        case .converted(let value, _, _):
            switch value {
            case .json, .encoded: true
            default: false
            }
        case .transformed(let value):
            switch value {
            case .array, .object, .null: true
            default: false
            }
        }
    }

    func write(to writer: inout JSONWriter) throws {
        switch self {
        case .transformed(let value): try writer.value(value)
        case .converted(let value, let converter, let place):
            do {
                try converter.write(value, to: &writer)
            } catch let error as GraftError {
                throw error.located(
                    in: .init(entity: place.plan.name, property: place.plan.properties[place.number].name))
            }
        }
    }
}
