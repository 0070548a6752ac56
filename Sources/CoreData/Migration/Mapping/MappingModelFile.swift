// Mapping models on disk: where they are, and which one is for two versions of a model.
//
//     Name.cdm                              compiled; has the version hashes of both models
//     Name.xcmappingmodel/xcmapping.xml     source; has the paths that the models had

import Foundation

/// A mapping model in a file or folder.
struct MappingModelFile {
    static let kinds = ["cdm", "xcmappingmodel"]

    let url: URL

    private enum Contents {
        case compiled(MappingModelArchive)
        case source(MappingModelSource)
    }

    /// The mappings, for models that are found beside the file.
    ///
    /// - Throws: ``ModelError`` with the file's name.
    func mappings() throws(ModelError) -> [NSEntityMapping] {
        switch try contents() {
        case .compiled(let archive): return try named { () throws(ModelError) in try archive.mappings() }
        case .source(let source):
            return try named { () throws(ModelError) in
                try source.mappings(from: model(source.sourcePath), to: model(source.destinationPath))
            }
        }
    }

    /// The mappings between two models; nil where the file is for others.
    ///
    /// - Throws: ``ModelError`` with the file's name.
    func mappings(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) throws(ModelError) -> [NSEntityMapping]? {
        switch try contents() {
        case .compiled(let archive):
            guard Self.fit(archive.outlines, source, destination) else { return nil }
            return try named { () throws(ModelError) in try archive.mappings() }
        case .source(let file):
            guard file.fits(source, destination), isFor(source, file.sourcePath),
                isFor(destination, file.destinationPath)
            else { return nil }
            return try named { () throws(ModelError) in try file.mappings(from: source, to: destination) }
        }
    }

    private func contents() throws(ModelError) -> Contents {
        try named { () throws(ModelError) in
            var isFolder: ObjCBool = false
            guard unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
                throw ModelError(.missingFile)
            }
            let file = isFolder.boolValue ? url.appendingPathComponent(MappingModelSource.fileName) : url
            let data: Data
            do {
                data = try Data(contentsOf: file)
            } catch {
                throw ModelError(.unreadableFile(reason: FileError.words(of: error)))
            }
            if data.starts(with: "bplist".utf8) { return .compiled(try MappingModelArchive(data)) }
            return .source(try MappingModelSource(data))
        }
    }

    private func named<T>(_ body: () throws(ModelError) -> T) throws(ModelError) -> T {
        do throws(ModelError) {
            return try body()
        } catch {
            throw ModelError(source: url.lastPathComponent, problems: error.problems)
        }
    }

    // MARK: Models

    /// Whether compiled mappings are between two models: they have the versions of all their entities, and no others. Of an entity whose
    /// version hash isn't known the name has to do.
    private static func fit(
        _ mappings: [NSEntityMapping], _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
    ) -> Bool {
        func hashes(
            _ name: KeyPath<NSEntityMapping, String?>, _ hash: KeyPath<NSEntityMapping, Data?>
        ) -> [String: Data] {
            Dictionary(
                mappings.compactMap { mapping in
                    mapping[keyPath: name].flatMap { name in mapping[keyPath: hash].map { (name, $0) } }
                }
            ) { first, _ in first }
        }
        func fits(_ found: [String: Data], _ model: NSManagedObjectModel, needsAll: Bool) -> Bool {
            let isKnown = found.allSatisfy { name, hash in
                guard let entity = model.entitiesByName[name] else { return false }
                let isComparable = entity.hasComputableVersionHash || model.knownVersionHashes[name] != nil
                return !isComparable || entity.versionHash == hash
            }
            let isWhole =
                !needsAll
                || model.entities.allSatisfy { $0.isAbstract || found[$0.name ?? ""] != nil }
            return isKnown && isWhole && !found.isEmpty
        }
        // What becomes of a source entity needn't be said: its objects are left behind.
        return fits(hashes(\.sourceEntityName, \.sourceEntityVersionHash), source, needsAll: false)
            && fits(hashes(\.destinationEntityName, \.destinationEntityVersionHash), destination, needsAll: true)
    }

    /// The version that a path names, where there is one of that name in a model beside the file or above it.
    private func model(_ path: String?) -> NSManagedObjectModel? {
        guard let path else { return nil }
        let parts = path.split(separator: "/").map(String.init)
        guard let version = parts.last else { return nil }
        let name = (version as NSString).deletingPathExtension
        var places = [version, "\(name).mom"]
        if parts.count > 1 {
            let folder = parts[parts.count - 2]
            let compiled = "\((folder as NSString).deletingPathExtension).momd"
            places = ["\(folder)/\(version)", "\(compiled)/\(name).mom"] + places
        }
        let folder = url.deletingLastPathComponent()
        return places.map { folder.appendingPathComponent($0) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
            .flatMap(NSManagedObjectModel.init(contentsOf:))
    }

    /// Whether a model is the version that a path names; where that isn't there, names have to do.
    private func isFor(_ model: NSManagedObjectModel, _ path: String?) -> Bool {
        guard let version = self.model(path) else { return true }
        return !ModelMatching(source: version, destination: model).needsMigration
    }
}

/// The search for the mapping model between two models.
struct MappingModelSearch {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel

    /// Looks into bundles, compiled ones first.
    func run(in bundles: [Bundle]) throws(ModelError) -> NSMappingModel? {
        var urls: [URL] = []
        for kind in MappingModelFile.kinds {
            for bundle in bundles {
                let found = bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []
                urls += found.map { URL(fileURLWithPath: $0.path ?? "") }.sorted { $0.path < $1.path }
            }
        }
        return try first(of: urls)
    }

    /// Looks beside the versions of the destination model, and in the program's bundles.
    func run() throws(ModelError) -> NSMappingModel? {
        var urls: [URL] = []
        for folder in destination.versionFolders + destination.versionFolders.map({ $0.deletingLastPathComponent() }) {
            // A folder that can't be listed has no mapping model to offer.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for kind in MappingModelFile.kinds {
                urls += names.filter { $0.hasSuffix(".\(kind)") }.sorted().map { folder.appendingPathComponent($0) }
            }
        }
        if let found = try first(of: urls) { return found }
        return try run(in: ResourceBundles.all)
    }

    private func first(of urls: [URL]) throws(ModelError) -> NSMappingModel? {
        for url in urls {
            if let mappings = try MappingModelFile(url: url).mappings(from: source, to: destination) {
                return NSMappingModel(mappings, file: url)
            }
        }
        return nil
    }
}
