// How the objects of one entity stand in JSON, compiled once from the model's annotations.

/// The mapping of one property.
///
/// What concerns a single property belongs here: the importer and the exporter look nowhere else.
struct PropertyMapping: Sendable {
    /// The keys that lead to the value.
    var path: [String]
    /// Whether the path was declared (`JSONKeyPath`); otherwise it is the property's name.
    var isDeclared: Bool
    /// Between JSON and an attribute's type.
    var converter: AttributeConverter?
    /// Comes before the converter on import, and after it on export.
    var transformer: NamedTransformer?
    /// How a relationship's objects are exported, where the model says it.
    var exportForm: ExportOptions.RelationshipForm?
}

/// The mapping of one entity.
struct EntityMapping: Sendable {
    /// Whether the entity, or one that it shares inheritance with, has a `JSONKeyPath`. Then only properties with one take
    /// part; otherwise all do that a store keeps, under their names.
    var isAnnotated: Bool
    /// By number of the property; nil for those that take no part.
    var properties: [PropertyMapping?]
    /// What stands under the keys of the entity's objects.
    var keys: KeyTree
}
