// Finding the model that a store was made with: among the versions that lie beside the destination model, in the bundles
// of the process, and in the store itself. Core Data looks in bundles only; a store that carries its model can be
// migrated here even where that version has been deleted from the project.

import Foundation

/// The search for the model of one store.
struct SourceModelSearch {
    let store: URL
    let metadata: [String: Any]
    let configuration: String?
    let destination: NSManagedObjectModel

    struct Result {
        var model: NSManagedObjectModel?
        /// Where it was looked for, for messages.
        var searched: [String] = []
    }

    /// The first model that describes the store: a version with the very hashes (several may have them; what the store carries says
    /// which), else what the store carries, else a version of which some hashes can't be computed and the others fit, else several models
    /// together.
    func run() -> Result {
        var result = Result()
        let versions = allVersions(&result)
        let carried = carriedModel()
        result.model = versions.first { isExact($0) && agrees($0, with: carried) }
        if result.model != nil { return result }
        result.searched.append("the store itself")
        result.model = carried ?? versions.first(where: fits) ?? merged(versions)
        return result
    }

    private func agrees(_ version: NSManagedObjectModel, with carried: NSManagedObjectModel?) -> Bool {
        guard let carried else { return true }
        return ModelMatching(source: carried, destination: version).unhashedDifferences(configuration: nil).isEmpty
    }

    private func allVersions(_ result: inout Result) -> [NSManagedObjectModel] {
        var urls: [URL] = []
        for folder in destination.versionFolders {
            result.searched.append(folder.lastPathComponent)
            urls += ModelSearch(allVersions: true).versions(of: folder)
        }
        for bundle in [Bundle.main] + Bundle.allBundles {
            urls += ModelSearch(allVersions: true).urls(in: bundle)
        }
        result.searched.append("the bundles of the process")
        var seen: Set<String> = []
        // A version that can't be read isn't the one that is looked for, or the search ends with its error: not found.
        return urls.filter { seen.insert($0.standardizedFileURL.path).inserted }
            .compactMap(NSManagedObjectModel.init(contentsOf:))
    }

    private func carriedModel() -> NSManagedObjectModel? {
        // A cache that is damaged is as good as none.
        guard let model = try? SQLiteStoreFile.model(at: store), fits(model) else { return nil }
        return model
    }

    private var hashes: [String: Data] { metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:] }

    private func isExact(_ model: NSManagedObjectModel) -> Bool {
        configurations(of: model).contains { name in
            let entities = model.entities(forConfigurationName: name) ?? []
            let found = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
            return found == hashes
        }
    }

    private func fits(_ model: NSManagedObjectModel) -> Bool {
        configurations(of: model).contains {
            model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
        }
    }

    private func configurations(of model: NSManagedObjectModel) -> [String?] {
        configuration == nil ? [nil] : [configuration, nil]
    }

    private func merged(_ versions: [NSManagedObjectModel]) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: versions, forStoreMetadata: metadata)
    }
}
