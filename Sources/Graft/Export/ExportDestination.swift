// Where an export writes its text.

public import Foundation

/// A place for JSON text: a file, or an open file or pipe.
public struct ExportDestination: Sendable {
    private enum Content: Sendable {
        case file(URL)
        case handle(SharedHandle)
    }

    private struct SharedHandle: @unchecked Sendable {
        // Safe: the export alone writes to it, on one thread.
        let handle: FileHandle
    }

    private let content: Content

    /// A file. It is replaced when the export has succeeded, and not before.
    public static func file(_ url: URL) -> ExportDestination { ExportDestination(content: .file(url)) }

    /// An open file or a pipe, such as standard output. It stays open.
    public static func handle(_ handle: FileHandle) -> ExportDestination {
        ExportDestination(content: .handle(SharedHandle(handle: handle)))
    }

    /// Calls the closure with the open file.
    ///
    /// - Throws: ``GraftError`` with `unwritableFile`; what the closure throws. A file is then as it was.
    func write<T>(_ body: (FileHandle) throws -> T) throws -> T {
        switch content {
        case .handle(let shared): return try body(shared.handle)
        case .file(let url): return try Self.replace(url, body)
        }
    }

    /// Writes a text that is there already.
    ///
    /// - Throws: ``GraftError`` with `unwritableFile`. A file is then as it was.
    package func write(_ text: Data) throws {
        try write { file in
            do {
                try file.write(contentsOf: text)
            } catch {
                throw GraftError(.unwritableFile(reason: GraftError.words(of: error)))
            }
        }
    }

    private static func replace<T>(_ url: URL, _ body: (FileHandle) throws -> T) throws -> T {
        DraftFile.removeLeftovers(of: url)
        let draft: DraftFile
        do {
            draft = try DraftFile(of: url)
        } catch {
            throw GraftError(
                .unwritableFile(reason: "it can't be made"), at: .init(source: url.path), underlying: error)
        }
        do {
            // What the store can't read is no failure of the file.
            let result = try CoreDataErrors.graftErrors { try body(draft.handle) }
            try draft.commit()
            return result
        } catch {
            draft.discard()
            if let error = error as? GraftError { throw error.located(in: .init(source: url.lastPathComponent)) }
            throw GraftError(
                .unwritableFile(reason: url.path), at: .init(source: url.lastPathComponent), underlying: error)
        }
    }
}
