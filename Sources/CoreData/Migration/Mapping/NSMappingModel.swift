// Mapping models: what becomes of each entity of one version of a model in the next. Compiled ones (.cdm) aren't read;
// see docs/divergences.md.

public import Foundation

/// How the entities of one version of a model become those of another.
open class NSMappingModel: NSObject {
    /// The mappings, in the order in which a migration runs them.
    open var entityMappings: [NSEntityMapping]! = []

    /// The models that the mapping was inferred from, as long as nothing in it has been changed; such a mapping moves rows
    /// and not objects.
    final var inference: Inference?

    /// What was inferred, and from what.
    final class Inference {
        let matching: ModelMatching
        let signature: [String]

        init(matching: ModelMatching, signature: [String]) {
            self.matching = matching
            self.signature = signature
        }
    }

    /// A mapping model without mappings.
    public override init() { super.init() }

    /// Core Data reads a compiled mapping model here. There is no reader for these: it returns nil.
    ///
    /// - Note: Divergence 18 in `docs/divergences.md`.
    public init?(contentsOf url: URL?) { return nil }

    /// Core Data looks for a compiled mapping model in bundles. There is no reader for these: it returns nil, as where a
    /// bundle has none.
    ///
    /// - Note: Divergence 18 in `docs/divergences.md`.
    public init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) { return nil }

    /// The mappings by their names.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// The inference, if the mappings are still the inferred ones.
    final var unchangedInference: Inference? {
        guard let inference, inference.signature == (entityMappings ?? []).map(\.signature) else { return nil }
        return inference
    }
}
