// Reading a model from disk, in whichever of its forms:
//
//     Name.xcdatamodeld/     versions and .xccurrentversion     source, as Xcode keeps it
//     Name.xcdatamodel/      contents (XML)                     one version's source
//     Name.momd/             versions and VersionInfo.plist     compiled
//     Name.mom               a keyed archive, or contents       one version, compiled
//
// Xcode compiles to keyed archives. The plugin ManagedObjectClasses, which needn't be built with all of this, writes the
// source with the classes' modules (Sources/ManagedObjectGenerator/ModelCompiler.swift).

public import Foundation
import ModelDocuments

extension NSManagedObjectModel {
    /// Reads a model: an `.xcdatamodeld`, `.xcdatamodel` or `.momd` folder or a `.mom` file.
    ///
    /// Of several versions it takes the current one. Returns nil where there is no model or a broken one; what is wrong with that is
    /// written to standard error.
    ///
    /// - Parameter url: A file URL.
    public convenience init?(contentsOf url: URL) {
        do {
            try self.init(readingContentsOf: url)
        } catch {
            // This initialiser is Core Data's, and has no place for the reason.
            Self.report(error)
            return nil
        }
    }

    /// Writes to standard error why there is no model. Whether there is a file at all is often tried out.
    static func report(_ error: any Error) {
        if let error = error as? ModelError, error.problems.map(\.finding) == [.missingFile] { return }
        do {
            try FileHandle.standardError.write(contentsOf: Data("CoreData: error: \(error)\n".utf8))
        } catch {
            // Nobody is there to be told.
        }
    }

    /// Reads a model: an `.xcdatamodeld`, `.xcdatamodel` or `.momd` folder or a `.mom` file.
    ///
    /// Of several versions it takes the current one. The model has passed ``validated()``.
    /// - Throws: ``ModelError`` with all that is wrong.
    package convenience init(readingContentsOf url: URL) throws {
        self.init()
        do {
            try ModelFile(at: url).read(into: self)
            versionFolders = ModelSearch.versionFolder(of: url).map { [$0] } ?? []
        } catch var error as ModelError {
            if error.source == nil { error.source = url.lastPathComponent }
            throw error
        }
    }
}

/// A model on disk.
private struct ModelFile {
    private enum Form {
        case sourceBundle, source, compiledBundle, compiled
    }

    private let url: URL
    private let form: Form

    init(at url: URL) throws {
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelError(.missingFile, source: url.path)
        }
        self.url = url
        form = isDirectory.boolValue ? try Self.formOfFolder(url) : try Self.formOfFile(url)
    }

    func read(into model: NSManagedObjectModel) throws {
        switch form {
        case .sourceBundle: try ModelFile(at: currentSource()).read(into: model)
        case .source: try readSource(into: model)
        case .compiledBundle: try ModelFile(at: currentCompiled()).read(into: model)
        case .compiled: try readCompiled(into: model)
        }
    }

    // MARK: Which form

    private static func formOfFolder(_ url: URL) throws -> Form {
        let names = try contents(of: url)
        if names.contains(where: { $0.hasSuffix(".xcdatamodel") }) { return .sourceBundle }
        if names.contains("contents") { return .source }
        if names.contains(where: { $0.hasSuffix(".mom") }) { return .compiledBundle }
        if names.contains("elements") { throw ModelError(.modelOfOldEditor, source: url.path) }
        throw ModelError(.notAModel, source: url.path)
    }

    private static func formOfFile(_ url: URL) throws -> Form {
        let beginning = try bytes(of: url).prefix(8)
        if beginning.elementsEqual("bplist00".utf8) { return .compiled }
        if url.lastPathComponent == "contents" { return .source }
        if url.pathExtension == "mom", beginning.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") { return .source }
        throw ModelError(.notAModel, source: url.path)
    }

    // MARK: Versions

    private func currentSource() throws -> URL {
        let versions = try Self.contents(of: url).filter { $0.hasSuffix(".xcdatamodel") }.sorted()
        let pointer = url.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: pointer.path) else {
            if versions.count == 1 { return url.appendingPathComponent(versions[0]) }
            throw ModelError(.noCurrentVersion(available: versions), source: url.path)
        }
        let name = try Self.propertyList(at: pointer)["_XCCurrentVersionName"] as? String
        return try version(name, of: versions)
    }

    private func currentCompiled() throws -> URL {
        let versions = try Self.contents(of: url).filter { $0.hasSuffix(".mom") }.sorted()
        let info = url.appendingPathComponent("VersionInfo.plist")
        guard FileManager.default.fileExists(atPath: info.path) else {
            if versions.count == 1 { return url.appendingPathComponent(versions[0]) }
            throw ModelError(.noCurrentVersion(available: versions), source: url.path)
        }
        let name = try Self.propertyList(at: info)["NSManagedObjectModel_CurrentVersionName"] as? String
        return try version(name.map { "\($0).mom" }, of: versions)
    }

    private func version(_ name: String?, of versions: [String]) throws -> URL {
        guard let name else { throw ModelError(.noCurrentVersion(available: versions), source: url.path) }
        guard versions.contains(name) else {
            throw ModelError(.unknownVersion(name, closest: ClosestName.to(name, among: versions)), source: url.path)
        }
        return url.appendingPathComponent(name)
    }

    // MARK: One version

    private func readSource(into model: NSManagedObjectModel) throws {
        let isFile = url.lastPathComponent == "contents" || url.pathExtension == "mom"
        let bytes = try Self.bytes(of: isFile ? url : url.appendingPathComponent("contents"))
        let root: XMLElementNode
        do {
            root = try XMLElementNode.root(of: bytes)
        } catch {
            throw ModelError(.badXML(line: error.line, column: error.column, reason: error.reason))
        }
        guard root.name == "model" else { throw ModelError(.notAModel, source: url.path) }
        var reader = XMLModelReader(model: model)
        try reader.read(root)
    }

    private func readCompiled(into model: NSManagedObjectModel) throws {
        try ModelUnarchiver.read(Self.bytes(of: url), into: model)
        try model.validated()
        let info = url.deletingLastPathComponent().appendingPathComponent("VersionInfo.plist")
        guard FileManager.default.fileExists(atPath: info.path) else { return }
        let hashes = try Self.propertyList(at: info)["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        model.knownVersionHashes = hashes?[url.deletingPathExtension().lastPathComponent] ?? [:]
    }

    // MARK: Files

    private static func contents(of folder: URL) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw ModelError(.unreadableFile(reason: FileError.words(of: error)), source: folder.path)
        }
    }

    private static func bytes(of file: URL) throws -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            throw ModelError(.unreadableFile(reason: FileError.words(of: error)), source: file.path)
        }
    }

    private static func propertyList(at file: URL) throws -> [String: Any] {
        let bytes = try bytes(of: file)
        do {
            return try PropertyListFile.object(of: bytes) as? [String: Any] ?? [:]
        } catch {
            throw ModelError(.unreadableFile(reason: "it is no property list: \(error.description)"), source: file.path)
        }
    }
}
