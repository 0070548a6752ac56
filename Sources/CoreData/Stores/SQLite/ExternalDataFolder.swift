// Values of attributes that allow external storage. Their column has a byte in front: 1 and the bytes themselves, or 2
// and the name of a file (a UUID in ASCII and a zero byte) that holds the bytes.
//
//     Heroes.sqlite
//     .Heroes_SUPPORT/_EXTERNAL_DATA/0F6B3C52-...     the raw bytes

import Foundation

/// The folder beside a store in which large values lie.
struct ExternalDataFolder: Sendable {
    /// How a column holds a value.
    enum Form {
        case inline
        case file
        /// Written before the attribute allowed external storage.
        case unprefixed

        init(prefix: UInt8, byteCount: Int) {
            switch (prefix, byteCount) {
            case (ExternalDataFolder.inlinePrefix, _): self = .inline
            case (ExternalDataFolder.filePrefix, ExternalDataFolder.referenceLength): self = .file
            default: self = .unprefixed
            }
        }
    }

    static let inlinePrefix: UInt8 = 1
    static let filePrefix: UInt8 = 2
    /// The prefix, 36 characters and a zero byte.
    static let referenceLength = 38
    /// Values from this size on go into files. Core Data's limit is about the same.
    static let threshold = 100 * 1024

    let url: URL
    /// The store's file.
    let store: URL

    /// The folder of a store; it need not exist. It is beside the file itself, as the log of its transactions is, whatever links lead there.
    init(storeURL url: URL) {
        let storeURL = URL(fileURLWithPath: FileState.real(url.path))
        store = storeURL
        let name = storeURL.deletingPathExtension().lastPathComponent
        self.url = storeURL.deletingLastPathComponent()
            .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
            .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// Everything of the store that lies beside its file.
    var supportFolder: URL { url.deletingLastPathComponent() }

    /// The bytes of a file; nil where the reference is ill-formed or the file is missing: as in Core Data, that is a missing
    /// value, which doesn't fail the fetch of all the others.
    ///
    /// - Throws: `CocoaError` where there is a file that can't be read. Its value isn't lost, and nobody may take it for missing.
    func contents(reference: Data) throws -> Data? {
        guard let file = file(of: reference) else { return nil }
        if let state = FileState(file.path), !state.isRegular {
            throw Self.unreadable(file, "it isn't a file", "Put the file back from a copy.")
        }
        do {
            return try Data(contentsOf: file, options: .mappedIfSafe)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        } catch {
            try requireFolder()
            throw Self.unreadable(
                file, FileError.words(of: error), "Check that it is a file and may be read, and the disk.",
                underlying: error as NSError)
        }
    }

    /// The bytes of a value's file, as ``contents(reference:)`` has them.
    ///
    /// - Parameter place: Whose value it is.
    /// - Throws: ``RowError`` where there is a file that can't be read.
    func contents(reference: Data, of place: () -> String) throws -> Data? {
        do {
            return try contents(reference: reference)
        } catch let error as CocoaError {
            throw RowError(
                place: place(),
                found: "a value in \(error.filePath ?? "a file"), which can't be read "
                    + "(\(FileError.words(of: error.underlying ?? error))),",
                expected: "binary data", remedy: "Put the file back from a copy, or see to it that it may be read")
        }
    }

    /// The error of a value that is there and can't be read.
    ///
    /// - Parameter underlying: What the file system says; nil where it wasn't asked.
    private static func unreadable(
        _ file: URL, _ cause: String, _ remedy: String, underlying: NSError? = nil
    ) -> CocoaError {
        let sentence = cause.hasSuffix(".") ? cause : cause + "."
        return CoreDataError.make(
            .fileReadUnknown, "The large value in \(file.path) can't be read: \(sentence) \(remedy)",
            userInfo: [
                NSFilePathErrorKey: file.path,
                NSUnderlyingErrorKey: underlying ?? CoreDataError.make(.fileReadUnknown, cause) as NSError,
            ])
    }

    /// The file that a column refers to; nil for an inline value.
    func file(of reference: Data) -> URL? {
        Self.name(in: reference).map(url.appendingPathComponent)
    }

    /// The name of the file that a column refers to; nil for an inline value.
    static func name(in reference: Data) -> String? {
        guard reference.count == referenceLength, reference.first == filePrefix else { return nil }
        let name = String(decoding: reference.dropFirst().dropLast(), as: UTF8.self)
        return UUID(uuidString: name) == nil ? nil : name
    }

    /// Writes a new file and returns what the column has to hold.
    ///
    /// - Throws: The file system's error; then there is no file.
    func write(_ data: Data) throws -> (reference: Data, file: URL) {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let name = UUID().uuidString
        let file = url.appendingPathComponent(name)
        do {
            // Nothing refers to it before it is whole.
            try data.write(to: file, options: .withoutOverwriting)
            try Self.synchronize(file)
        } catch {
            // There may be none.
            try? FileManager.default.removeItem(at: file)
            throw error
        }
        return (Data([Self.filePrefix]) + Data(name.utf8) + Data([0]), file)
    }

    /// Copies a file of another folder, under its own name. It has that name only when it is whole and on the disk.
    func copy(_ file: URL) throws {
        let name = file.lastPathComponent
        let part = url.appendingPathComponent(".\(name)")
        let manager = FileManager.default
        // What a killed process has left.
        if manager.fileExists(atPath: part.path) { try manager.removeItem(at: part) }
        // What a link leads to, which from here would be something else.
        try manager.copyItem(at: file.resolvingSymlinksInPath(), to: part)
        try Self.synchronize(part)
        try manager.moveItem(at: part, to: url.appendingPathComponent(name))
    }

    /// Sees to it that the disk remembers which files there are.
    func synchronize() throws {
        for folder in [url, supportFolder, supportFolder.deletingLastPathComponent()] { try Self.synchronize(folder) }
    }

    private static func synchronize(_ item: URL) throws {
        // Safe: the string lives as long as the call.
        let descriptor = unsafe open(item.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(item) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError(item) }
    }

    private static func systemError(_ item: URL) -> CocoaError {
        let cause = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        return CoreDataError.make(
            .fileWriteUnknown,
            "\(item.path) couldn't be written to the disk: \(FileError.words(of: cause)). Check the free space and the disk, "
                + "and try again.",
            userInfo: [NSFilePathErrorKey: item.path, NSUnderlyingErrorKey: cause])
    }

    static func inline(_ data: Data) -> Data { Data([inlinePrefix]) + data }
}
