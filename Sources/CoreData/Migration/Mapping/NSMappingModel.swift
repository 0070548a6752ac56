// Mapping models: what becomes of each entity of one version of a model in the next. MappingModelFile.swift reads them.

public import Foundation

/// How the entities of one version of a model become those of another.
open class NSMappingModel: NSObject {
    /// The mappings, in the order in which a migration runs them.
    open var entityMappings: [NSEntityMapping]! = []

    /// The name of the file that the mappings were read from.
    final var file: String?

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

    /// Reads a mapping model: a compiled one (`.cdm`), or the source that Xcode edits (`.xcmappingmodel`).
    ///
    /// Returns nil where there is none, or a damaged one. A source has the version hashes
    /// of its models where these are beside it.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do {
            try self.init(readingContentsOf: url)
        } catch {
            // This initialiser is Core Data's, and has no place for the reason.
            return nil
        }
    }

    /// Reads a mapping model.
    ///
    /// - Throws: ``ModelError`` with what is wrong.
    package convenience init(readingContentsOf url: URL) throws {
        self.init(try MappingModelFile(url: url).mappings(), file: url)
    }

    /// Finds the mapping model between two models in bundles, compiled or not; nil for the program's own bundles.
    ///
    /// Returns nil where there is none.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        let search = MappingModelSearch(source: sourceModel, destination: destinationModel)
        do {
            guard let found = try search.run(in: bundles ?? ResourceBundles.all) else { return nil }
            self.init()
            entityMappings = found.entityMappings
            file = found.file
        } catch {
            // As above; a migration that looks for a mapping by itself says what is wrong with it.
            return nil
        }
    }

    convenience init(_ mappings: [NSEntityMapping], file: URL) {
        self.init()
        entityMappings = mappings
        self.file = file.lastPathComponent
    }

    /// Whether the other object is a mapping model with the same mappings, in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return other === self || entityMappings == other.entityMappings
    }

    open override var hash: Int { (entityMappings ?? []).map(\.name).hashValue }

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
