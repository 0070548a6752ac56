// A graph in one file: exact, complete, checked, and independent of the mapping to JSON. The folder's other files write and
// read it; docs/archive-format.md describes the format so that others can.
//
// Not to be confused with the JSON that `exportJSON` writes and `importJSON` reads: that has the keys and the forms that the
// mapping's annotations ask for, and is for people and for other programs.

public import CoreData
public import Foundation

/// An archive: a graph of objects, or all of a store, in one file.
///
/// Each object is in it once, with its entity, its identity, every attribute exactly as the store has it, and its
/// relationships, cycles and orders included; and, unless left out, the model, so that a store can be made of it.
///
///     try container.writeArchive(to: .file(url))
///     ...
///     let archive = GraphArchive(contentsOf: url)
///     try emptyContainer.restore(archive)
///
/// Checksums of each line or block and of the whole file find every damaged byte, and tell where it is. Writing and reading
/// keep in memory one batch of objects, and of all others an ID and a number.
public struct GraphArchive: Sendable {
    /// The version of the format that is written; no higher one can be read.
    public static let formatVersion = 2

    /// Where the archive is.
    public let source: ImportSource

    /// An archive in a file, in memory or from a pipe. What comes from a pipe can be read once: restored, verified, or asked for
    /// its header.
    public init(_ source: ImportSource) { self.source = source }

    /// An archive in a file.
    public init(contentsOf url: URL) { source = .file(url) }

    /// An archive in memory.
    public init(_ data: Data) { source = .data(data) }

    /// Whether a file begins as an archive does.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`.
    public static func isArchive(contentsOf url: URL) throws -> Bool {
        try ImportSource.file(url).kind().isFit(for: .archive)
    }

    /// Reads what the archive says about itself. The rest isn't verified.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile` or `damagedArchive`.
    public func header() throws -> Header { try decoder().header }

    /// Reads the model in the archive; nil where it was left out.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile` or `damagedArchive`; what is wrong with the model.
    public func model() throws -> NSManagedObjectModel? {
        let decoder = try decoder()
        let hashes = decoder.header.entities.map { ($0.name, $0.versionHash) }
        return try decoder.model.map { bytes in
            try ArchivePacking.model(bytes, hashes: Dictionary(hashes) { first, _ in first })
        }
    }

    /// Reads the whole archive and verifies every checksum, every value and every reference.
    ///
    /// - Parameter progress: Is told how far it is, in bytes; cancelling it ends the work.
    /// - Throws: ``GraftError``, for damage with `damagedArchive` and the line or the byte at which its block begins.
    @discardableResult
    public func verify(progress: Progress? = nil) throws -> Header {
        let progress = ByteProgress(progress, sources: [source], isReadTwice: false)
        let header = try verify(progress)
        progress.finish()
        return header
    }

    /// - Parameter look: Is shown each record.
    func verify(_ progress: ByteProgress, _ look: (ArchiveRecord) throws -> Void = { _ in }) throws -> Header {
        let decoder = try decoder()
        var count = 0
        while let record = try decoder.next() {
            try look(record)
            count += 1
            guard count & 0x3FF == 0 else { continue }
            try progress.checkCancellation()
            progress.advance(to: decoder.offset)
        }
        return decoder.header
    }

    // MARK: Opening

    /// Opens the archive and reads its header.
    func decoder() throws -> any ArchiveDecoder {
        try CoreDataErrors.graftErrors {
            let kind = try source.kind()
            switch kind {
            case .archive(.json): return try LineArchiveDecoder(ArchiveInput(source))
            case .archive(.binary): return try BlockArchiveDecoder(ArchiveInput(source))
            case .json, .text, .other, .empty:
                // An archive whose first bytes are damaged looks like any of these.
                throw GraftError(
                    .damagedArchive(
                        found: kind == .empty ? "nothing" : "a beginning as of \(kind.words)",
                        expected: "that of an archive (JSON is for graft import, or importJSON(from:))"),
                    at: .init(source: source.name, byteOffset: 0))
            default: throw kind.refusal(for: .archive, source: source.name)
            }
        }
    }
}
