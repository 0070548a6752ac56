// Version hashes of whole models, and the question whether a store fits a model.

public import Foundation

extension NSManagedObjectModel {
    /// The version hash of each entity.
    public var entityVersionHashesByName: [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
    }

    /// One text for all version hashes, as `VersionInfo.plist` has it: base64 of SHA-256 over the entities' hashes by name.
    public var versionChecksum: String {
        var hash = ModelHash()
        for (_, entityHash) in sortedVersionHashes { hash.add(entityHash) }
        return hash.finished().base64EncodedString()
    }

    /// The checksums of the versions of a model, by the names of their files without extension.
    ///
    /// - Throws: An error with the place in the file for a version that can't be read; `CocoaError` where there is no model.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        let versions = ModelSearch(allVersions: true).versions(of: modelURL)
        if versions.isEmpty { throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: modelURL.path]) }
        let pairs = try versions.map { url in
            let model = try NSManagedObjectModel(readingContentsOf: url)
            return (url.deletingPathExtension().lastPathComponent, model.versionChecksum)
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// What a store's metadata have as `NSStoreModelVersionHashesDigest`: base64 of SHA-512 over names and hashes.
    package var versionHashesDigest: String {
        var hash = SHA512()
        for (name, entityHash) in sortedVersionHashes {
            hash.update(name.utf8)
            hash.update(entityHash)
        }
        return hash.finalize().base64EncodedString()
    }

    private var sortedVersionHashes: [(name: String, hash: Data)] {
        entityVersionHashesByName.map { (name: $0.key, hash: $0.value) }
            .sorted { NSEntityDescription.precedes($0.name, $1.name) }
    }

    /// Returns whether a store with these metadata has the entities of a configuration as this model describes them.
    ///
    /// An entity whose hash can't be computed (``NSEntityDescription/versionHash``) fits any hash.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data],
            let members = entities(forConfigurationName: configuration)
        else { return false }
        return stored.count == members.count
            && members.allSatisfy { entity in
                guard let name = entity.name, let hash = stored[name] else { return false }
                return !entity.hasComputableVersionHash || hash == entity.versionHash
            }
    }

    /// Takes over a store's hashes for the entities whose own can't be computed, so that writing the store's metadata
    /// keeps them. Call it before the model is in use.
    package func adoptVersionHashes(fromStoreMetadata metadata: [String: Any]) {
        guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data] else { return }
        for entity in entities where !entity.hasComputableVersionHash {
            if let name = entity.name, let hash = stored[name] { knownVersionHashes[name] = hash }
        }
    }
}
