// One model of several, and the models of bundles.

public import Foundation

extension NSManagedObjectModel {
    /// Reads all models of some bundles and merges them.
    ///
    /// - Parameter bundles: Nil for the main one, and the resources beside the program.
    /// - Returns: Nil where there is no model, or two have different entities of the same name. Broken ones are left out; what is wrong
    ///   with them is written to standard error.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let models = models(in: bundles)
        return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models)
    }

    /// Reads all models of some bundles and merges those whose entities a store has.
    ///
    /// - Parameters:
    ///   - bundles: Nil for the main one. All versions of a versioned model are considered.
    ///   - metadata: The store's metadata.
    /// - Returns: Nil where the models don't describe all of the store.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: models(in: bundles, allVersions: true), forStoreMetadata: metadata)
    }

    /// Merges models into a new one, which is empty where there is none.
    ///
    /// - Returns: Nil for no list, or where two models have different entities of the same name.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models else { return nil }
        self.init()
        for copy in models.map({ $0.copied() }) {
            guard merge(copy) else { return nil }
        }
    }

    /// Merges those of some models whose entities a store has.
    ///
    /// - Returns: Nil where the models don't describe all of the store.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data] else { return nil }
        let fitting = models.filter { model in
            model.entityVersionHashesByName.allSatisfy { stored[$0.key] == $0.value }
        }
        guard !fitting.isEmpty else { return nil }
        self.init(byMerging: fitting)
        guard Set(entitiesByName.keys) == Set(stored.keys) else { return nil }
    }

    /// Takes a model's contents over; false where an entity of that name is here already and is another one.
    private func merge(_ other: NSManagedObjectModel) -> Bool {
        for entity in other.entities {
            guard let known = entitiesByName[entity.name ?? ""] else { continue }
            if known.versionHash != entity.versionHash {
                Self.report(ModelError(problems: [ModelError.Problem(.otherNamesake, entity: entity.name)]))
                return false
            }
        }
        let isNew = { (entity: NSEntityDescription) in self.entitiesByName[entity.name ?? ""] == nil }
        let added = other.entities.filter(isNew)
        let configurations = other.configurations.map { ($0, other.entities(forConfigurationName: $0) ?? []) }
        let identifiers = other.versionIdentifiers
        let hashes = other.knownVersionHashes
        isFlattened = isFlattened || other.isFlattened
        versionFolders += other.versionFolders.filter { !versionFolders.contains($0) }
        // The namesakes have to live until nothing refers to them any more.
        let all = other.entities
        other.entities = []
        entities += added
        withExtendedLifetime(all) {
            for entity in added { entity.rejoin(self) }
        }
        versionIdentifiers.formUnion(identifiers)
        knownVersionHashes.merge(hashes) { mine, _ in mine }
        takeFetchRequestTemplates(of: other)
        for (name, members) in configurations {
            let mine = entities(forConfigurationName: name) ?? []
            let theirs = members.compactMap { entitiesByName[$0.name ?? ""] }
            setEntities(mine + theirs.filter { entity in !mine.contains { $0 === entity } }, forConfigurationName: name)
        }
        return true
    }

    /// The models that lie in bundles, in the order of the bundles and of their names. Broken ones are left out. Where the program's own
    /// bundle has none, those beside it count: there the package manager puts what Apple's tools put into it.
    private class func models(in bundles: [Bundle]?, allVersions: Bool = false) -> [NSManagedObjectModel] {
        func found(_ bundles: [Bundle]) -> [NSManagedObjectModel] {
            bundles.flatMap { bundle in
                ModelSearch(allVersions: allVersions).urls(in: bundle)
                    .compactMap(NSManagedObjectModel.init(contentsOf:))
            }
        }
        guard let bundles else { return found(ResourceBundles.all) }
        let models = found(bundles)
        let isMain = bundles.contains { $0.bundleURL.standardizedFileURL == Bundle.main.bundleURL.standardizedFileURL }
        return models.isEmpty && isMain ? found(ResourceBundles.all) : models
    }
}

extension NSEntityDescription {
    /// Connects the entity to the entities of a merged model instead of their namesakes that were left behind.
    fileprivate func rejoin(_ model: NSManagedObjectModel) {
        if let parent = superentity, parent.model !== model, let namesake = model.entitiesByName[parent.name ?? ""] {
            namesake.subentities.append(self)
        }
        subentities = subentities.filter { $0.model === model }
        for case let relationship as NSRelationshipDescription in ownProperties {
            guard let old = relationship.destinationEntity, let name = old.name, old.model !== model,
                let destination = model.entitiesByName[name]
            else { continue }
            let inverse = relationship.inverseRelationship?.name
            relationship.destinationEntity = destination
            relationship.inverseRelationship = inverse.flatMap { destination.relationshipsByName[$0] }
        }
    }
}

/// Where models lie in a bundle: beside its other resources, and in the folders of its languages.
struct ModelSearch {
    let allVersions: Bool

    func urls(in bundle: Bundle) -> [URL] {
        let found: [URL] = ["momd", "mom", "xcdatamodeld", "xcdatamodel"].flatMap { kind in
            (bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []).map {
                URL(fileURLWithPath: $0.path ?? "")
            }
        }
        let sorted = found.sorted { $0.path < $1.path }
        return allVersions ? sorted.flatMap(versions) : sorted
    }

    /// The folder of all versions that a model or one of its versions is in; nil for one that stands alone.
    static func versionFolder(of url: URL) -> URL? {
        let folders = ["momd", "xcdatamodeld"]
        // The file `contents` of a source is a model, too.
        let candidates = [
            url, url.deletingLastPathComponent(), url.deletingLastPathComponent().deletingLastPathComponent(),
        ]
        return candidates.first { folders.contains($0.pathExtension) }
    }

    /// The versions in a model's folder; anything else is its own only version.
    func versions(of url: URL) -> [URL] {
        guard ["momd", "xcdatamodeld"].contains(url.pathExtension) else { return [url] }
        let inner = url.pathExtension == "momd" ? "mom" : "xcdatamodel"
        // A folder that can't be listed has no versions, and a model without them is no model.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { $0.hasSuffix(".\(inner)") }.sorted().map { url.appendingPathComponent($0) }
    }
}
