// Where an import takes its text from.

import CoreData
public import Foundation

/// A text to import: a file, bytes in memory, or a pipe.
public struct ImportSource: Sendable {
    enum Content: Sendable {
        case file(URL)
        case data(Data)
        case handle(SharedHandle)
    }

    let content: Content
    /// The name of the text in errors.
    package let name: String?
    /// The entity of its records; nil for that of the import.
    package var entity: String?
    /// What of the text is a list of objects that are gone.
    enum Deletions: Sendable {
        /// Nothing; the text has records.
        case none
        /// All of it.
        case all
        /// What is under the key path that the entity has for it.
        case listed
    }

    private(set) var deletions = Deletions.none
    /// Whether the file was made for the import and goes with it.
    private(set) var isTemporary = false

    private init(content: Content, name: String?, entity: String?) {
        self.content = content
        self.name = name
        self.entity = entity
    }

    /// A file, read in pieces. A named pipe is read once, as an open one is.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - entity: The entity of its objects, where that isn't the one that the import names.
    public static func file(_ url: URL, entity: String? = nil) -> ImportSource {
        if url.isPipe, let handle = FileHandle(forReadingAtPath: url.path) {
            return .handle(handle, name: url.lastPathComponent, entity: entity)
        }
        return ImportSource(content: .file(url), name: url.lastPathComponent, entity: entity)
    }

    /// Bytes in memory.
    ///
    /// - Parameters:
    ///   - data: JSON, NDJSON or an archive.
    ///   - name: What errors call them.
    ///   - entity: The entity of its objects, where that isn't the one that the import names.
    public static func data(_ data: Data, name: String? = nil, entity: String? = nil) -> ImportSource {
        ImportSource(content: .data(data), name: name, entity: entity)
    }

    /// An open file or a pipe, such as standard input; read once, to its end. Where it has to be read twice
    /// (``ImportOptions/checksInputFirst``), it is copied to a temporary file first.
    public static func handle(_ handle: FileHandle, name: String? = nil, entity: String? = nil) -> ImportSource {
        ImportSource(content: .handle(SharedHandle(handle)), name: name, entity: entity)
    }

    /// What errors call standard input. It is no file's name, and no entity is named after it.
    package static let standardInputName = "standard input"

    /// The same source as a list of objects that are gone: identifiers, or objects with their identity. The import deletes
    /// them.
    public func deleting() -> ImportSource {
        var source = self
        source.deletions = .all
        return source
    }

    /// Whether the text may have a list of objects that are gone beside its records.
    ///
    /// - Parameter entityName: The entity of the records.
    func hasDeletedList(_ entityName: String?, _ mapping: GraphMapping) throws -> Bool {
        guard deletions == .none, mapping.entities.contains(where: { !$0.deletedListPath.isEmpty }),
            try kind(of: entityName, in: mapping.schema) == .json
        else { return false }
        return try !mapping.entities[mapping.entity(named: entityName)].deletedListPath.isEmpty
    }

    /// The list of objects that are gone within the text; the source has to be one that can be read again.
    func deletedList() -> ImportSource {
        var source = self
        source.deletions = .listed
        return source
    }

    /// The number of bytes, where it is known.
    var size: Int64? {
        switch content {
        case .file(let url):
            // Only for progress: whether the file can be read turns out when it is opened.
            return (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.int64Value
        case .data(let data): return Int64(data.count)
        case .handle: return nil
        }
    }

    /// The same text from where it can be read again: a pipe is copied to a temporary file.
    package func rereadable() throws -> ImportSource {
        guard case .handle(let shared) = content else { return self }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString).json")
        do {
            let copy = try FileHandle.makePrivateFile(at: url)
            while case let chunk = try shared.read(atMost: 1 << 20), !chunk.isEmpty {
                try copy.write(contentsOf: chunk)
            }
            try copy.close()
        } catch {
            // It may not be there.
            try? FileManager.default.removeItem(at: url)
            throw GraftError(
                .unreadableFile(reason: "it can't be copied to \(url.path) to be read twice"),
                at: .init(source: name), underlying: error)
        }
        var source = ImportSource(content: .file(url), name: name, entity: entity)
        source.deletions = deletions
        source.isTemporary = true
        return source
    }

    /// The same source for an import that leaves the copy where it is: whoever made it needs it again.
    package var kept: ImportSource {
        var source = self
        source.isTemporary = false
        return source
    }

    /// Removes the copy that ``rereadable()`` made.
    package func removeTemporaryFile() {
        guard isTemporary, case .file(let url) = content else { return }
        // A file that stays behind in the temporary folder is no failure of the import.
        try? FileManager.default.removeItem(at: url)
    }

    /// What the source holds, told by its first bytes. Nothing of a pipe gets lost by it.
    ///
    /// - Parameter isEntity: Whether a name is an entity's, for telling the JSON of a whole graph.
    /// - Throws: ``GraftError`` with `unreadableFile`.
    package func kind(isEntity: (String) -> Bool = { _ in false }) throws -> SourceKind {
        SourceKind(ofBeginning: try beginning(), isEntity: isEntity)
    }

    /// What the source is for a model. Where an entity is named, an object is a record of it.
    func kind(of entityName: String?, in schema: GraphSchema) throws -> SourceKind {
        try kind { entityName == nil && schema.number(ofEntity: $0) != nil }
    }

    /// The same source; with the entity that it is named after (`heroes.json` has heroes, as in an inferred model), where its records
    /// can be of several entities, and that is one of them.
    func named(for entityName: String?, _ model: NSManagedObjectModel) throws -> ImportSource {
        let name = ModelInference.entityName(of: self)
        guard entity == nil, entityName == nil, model.entitiesByName[name] != nil else { return self }
        let schema = try CompiledModel.of(model).schema
        let roots = schema.rootEntityNames
        guard roots.count != 1, roots.isEmpty || roots.contains(name), try kind(of: nil, in: schema) == .json
        else { return self }
        var source = self
        source.entity = name
        return source
    }

    /// The first key of a text that consists of an object.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`.
    package func firstKey() throws -> String? { SourceKind.firstKey(ofBeginning: try beginning()) }

    private func beginning() throws -> [UInt8] {
        switch content {
        case .data(let data): return Array(data.prefix(SourceKind.beginningLength))
        case .handle(let shared): return try shared.beginning()
        case .file(let url):
            if url.isOpenStore { return SourceKind.storeBeginning }
            let handle = try open(url)
            defer { try? handle.close() }
            return try SharedHandle(handle).beginning()
        }
    }

    /// Whether reading it never has to wait for somebody.
    var canBeReadAhead: Bool { if case .handle = content { false } else { true } }

    /// Opens a file.
    func open(_ url: URL) throws -> FileHandle {
        do {
            return try FileHandle(forReadingFrom: url)
        } catch {
            throw GraftError(
                .unreadableFile(reason: url.path), at: .init(source: url.lastPathComponent), underlying: error)
        }
    }

    /// Opens the text.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`.
    func makeReader(_ options: ImportOptions) throws -> JSONReader {
        var limits = JSONReader.Options()
        limits.maximumDepth = options.maximumDepth
        switch content {
        case .data(let data):
            var reader = JSONReader(data, format: options.format, options: limits)
            reader.sourceName = name
            return reader
        case .handle(let shared):
            // What was looked at of a file has been given back; what was looked at of a pipe comes first.
            var reader =
                shared.isAtBeginning
                ? JSONReader(shared.handle, format: options.format, options: limits)
                : JSONReader(source: shared.read, format: options.format, options: limits)
            reader.sourceName = name
            return reader
        case .file(let url):
            var reader = JSONReader(try open(url), format: options.format, options: limits)
            reader.sourceName = name
            return reader
        }
    }
}

extension [ImportSource] {
    /// The same texts from where they can be read again. Where one of them can't be copied, no copy stays.
    package func rereadable() throws -> [ImportSource] {
        var copies: [ImportSource] = []
        do {
            for source in self { copies.append(try source.rereadable()) }
        } catch {
            for (copy, source) in zip(copies, self) where !source.isTemporary { copy.removeTemporaryFile() }
            throw error
        }
        return copies
    }
}

extension URL {
    /// Whether there is a pipe or a socket, links followed: what can be read only once.
    package var isPipe: Bool {
        var status = stat()
        // Safe: the call fills a structure of ours, and copies the path.
        guard unsafe stat(path, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }
}
