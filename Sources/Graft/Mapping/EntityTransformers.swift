// What an entity's annotations do to its JSON objects as a whole, before a key of theirs is looked at: Groot's dictionary
// transformer and entity mapper. Neither is inherited.

import Foundation

/// The transformers of one entity's JSON objects.
struct EntityTransformers: Sendable {
    /// Makes another object of each object.
    var dictionary: NamedTransformer?
    /// Names the sub-entity of an object, when the first transformer has been applied.
    var mapper: NamedTransformer?

    /// The transformers of an entity; nil where it has none.
    init?(_ mapping: EntityMapping) {
        if mapping.dictionaryTransformer == nil, mapping.entityMapper == nil { return nil }
        dictionary = mapping.dictionaryTransformer
        mapper = mapping.entityMapper
    }
}
