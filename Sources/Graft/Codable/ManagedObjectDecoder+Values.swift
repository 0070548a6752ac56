// The values of attributes from a container, each as the type that the attribute has: so the coder's own strategies apply,
// and its own errors say what doesn't fit.

import CoreData
import Foundation

extension ManagedObjectDecoder {
    /// The value of an attribute: nil where its key isn't there, null where the container has null.
    func value(
        of attribute: CodingPlan.Attribute, in container: Container, _ plan: CodingPlan
    ) throws -> GraphValue? {
        if let transformer = attribute.transformer {
            return try transformed(attribute, transformer, in: container, plan)
        }
        return try present(attribute, in: container) ?? (container.contains(attribute.key) ? .null : nil)
    }

    /// The value of an attribute; nil where there is none.
    @inline(__always)
    private func present(_ attribute: CodingPlan.Attribute, in container: Container) throws -> GraphValue? {
        let key = attribute.key
        switch attribute.kind {
        case .string: return try container.decodeIfPresent(String.self, forKey: key).map { .string($0) }
        case .integer16: return try container.decodeIfPresent(Int16.self, forKey: key).map { .integer(Int64($0)) }
        case .integer32: return try container.decodeIfPresent(Int32.self, forKey: key).map { .integer(Int64($0)) }
        case .integer64: return try container.decodeIfPresent(Int64.self, forKey: key).map { .integer($0) }
        case .boolean: return try container.decodeIfPresent(Bool.self, forKey: key).map { .boolean($0) }
        case .double: return try container.decodeIfPresent(Double.self, forKey: key).map { .double($0) }
        case .float: return try container.decodeIfPresent(Float.self, forKey: key).map { .double(Double($0)) }
        case .decimal:
            return try container.decodeIfPresent(Decimal.self, forKey: key).map {
                .decimal($0).kept(known.rounding)
            }
        case .date:
            return try container.decodeIfPresent(Date.self, forKey: key).map {
                .date($0.timeIntervalSinceReferenceDate).kept(known.rounding)
            }
        case .binary: return try container.decodeIfPresent(Data.self, forKey: key).map { .data($0) }
        case .uuid: return try container.decodeIfPresent(UUID.self, forKey: key).map { .uuid($0) }
        case .uri: return try container.decodeIfPresent(URL.self, forKey: key).map { .uri($0) }
        case .transformable:
            return try container.decodeIfPresent(JSONValue.self, forKey: key).map(AttributeConverter.unwrapped)
        }
    }

    private func transformed(
        _ attribute: CodingPlan.Attribute, _ transformer: NamedTransformer, in container: Container,
        _ plan: CodingPlan
    ) throws -> GraphValue? {
        guard let json = try container.decodeIfPresent(JSONValue.self, forKey: attribute.key) else {
            return container.contains(attribute.key) ? .null : nil
        }
        do {
            try json.requireHeld()
            guard let object = transformer.value(for: json) else {
                throw GraftError(transformer.refusal(of: json.description))
            }
            return try DictionaryValue.value(of: object, AttributeConverter(attribute.kind)).kept(known.rounding)
        } catch let error as GraftError {
            var place = Self.place(container.codingPath + [attribute.key], plan.entity.name)
            place.property = attribute.property.name
            throw error.located(in: place)
        }
    }
}
