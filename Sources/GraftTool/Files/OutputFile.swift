// Where a command writes its result: the file that was named, or standard output. A result never replaces what it was made from: no
// store, nothing that belongs to one, no configuration, and none of the files that the command reads or writes otherwise.

import Foundation
import Graft
import Synchronization

enum OutputFile {
    /// The path of a result; nil for standard output, which `-` is, too.
    static func path(_ output: String?) -> String? { output == "-" ? nil : output }

    /// Says what was written into a file.
    static func report(_ output: String?, _ console: Console) throws {
        guard let output = path(output), FileKind(ofPath: output) == .file else { return }
        let target = FilePath.target(of: output).path
        let size = try FileManager.default.attributesOfItem(atPath: target)[.size] as? NSNumber
        try console.report(["\(output): \(size?.int64Value ?? 0) bytes"], after: "\(output) is written")
    }

    /// The place of a result.
    ///
    /// - Parameters:
    ///   - output: The file's path; nil for standard output.
    ///   - files: The paths of everything else that the command reads or writes.
    /// - Throws: ``GraftError`` with the problem `unwritableFile`; in plain words where something would be lost.
    static func destination(_ output: String?, besides files: [String?], _ console: Console) throws -> ExportDestination
    {
        guard let output = path(output) else { return .handle(FileHandle(fileDescriptor: console.output)) }
        try FileKind.requireName(output)
        try StoreAccess.requireFile(output, remedy: "Name a file for the result.")
        // A link keeps pointing where it points, and the file there is replaced.
        let url = FilePath.target(of: output)
        switch FileKind(ofPath: url.path) {
        case .missing, .file:
            try requireReplaceable(output, besides: files.compactMap(\.self))
            try FileKind.requireFolder(of: url, shownAs: output)
            return .file(url)
        case .folder, .server:
            throw GraftError(.unwritableFile(reason: "it is a folder"), at: .init(source: output))
        case .device:
            guard let handle = FileHandle(forWritingAtPath: url.path) else {
                throw GraftError(.unwritableFile(reason: SystemError.reason()), at: .init(source: output))
            }
            return .handle(handle)
        }
    }

    /// Writes what a store has, shows how far that is, and lists what was left out.
    ///
    /// - Parameter body: Writes it. Whatever it leaves out because it is damaged, it hands on.
    /// - Returns: How much was left out.
    static func write(
        _ output: String?, of store: String, model: String?, _ console: Console,
        _ body: (ExportDestination, _ onDamage: @escaping @Sendable (GraftError) -> Void, Progress) throws -> Void
    ) throws -> Int {
        let damages = Mutex<[GraftError]>([])
        // On a terminal the result itself shows how far the work is.
        let isShown = output != nil || isatty(console.output) == 0
        return try console.working(isShown ? StoreAccess.title(of: store) : nil) { progress in
            do {
                let destination = try destination(output, besides: [store, model], console)
                try body(destination, { error in damages.withLock { $0.append(error) } }, progress)
            } catch  where output == nil && console.isOutputClosed {
                throw OutputClosed()
            } catch let error as GraftError {
                guard case .unwritableFile = error.problem else { throw error }
                throw error.located(in: GraftError.Place(source: output ?? "standard output"))
            }
            let leftOut = damages.withLock { $0 }
            for error in leftOut { console.note("left out: \(error.description)") }
            try report(output, console)
            return leftOut.count
        }
    }

    // MARK: What is never replaced

    /// Refuses the path of what belongs to a store: its log, its journal, its external data, its configuration.
    ///
    /// - Parameter stores: Stores that may not be there yet, and models.
    static func requireNoPartOfStore(_ path: String, besides stores: [String] = []) throws {
        // Where there is none yet, the result would become one.
        for store in stores where FileKind.isSameFile(ModelTransformers.configuration(beside: store).url.path, path) {
            throw refusal(path, "the configuration of \(StoreAccess.title(of: store)) has its place there")
        }
        let url = FilePath.target(of: path)
        for ending in logEndings where url.path.hasSuffix(ending) {
            let store = String(url.path.dropLast(ending.count))
            if mayBeStore(store) || stores.contains(where: { FileKind.isSameFile($0, store) }) {
                throw refusal(path, "a store keeps its log there, under the name that it needs")
            }
        }
        let isExternalData = url.deletingLastPathComponent().pathComponents.contains {
            $0.hasPrefix(".") && $0.hasSuffix("_SUPPORT")
        }
        if isExternalData { throw refusal(path, "a store keeps its external data in that folder") }
    }

    /// Refuses the place of a new store where something else would be read as a store's or a model's.
    static func requirePlaceOfStore(_ path: String) throws {
        try requireNoPartOfStore(path)
        guard FilePath.target(of: path).path.hasSuffix(".\(ModelTransformers.configurationExtension)") else { return }
        throw refusal(path, "the configuration of a store or a model has such a name, and that can't be a store")
    }

    private static let logEndings = ["-wal", "-shm", "-journal"]

    private static func requireReplaceable(_ output: String, besides files: [String]) throws {
        if files.contains(where: { FileKind.isSameFile($0, output) || FileKind.isFile(output, inFolder: $0) }) {
            throw refusal(output, "the result would replace a file that the command itself reads or writes")
        }
        try requireNoPartOfStore(output, besides: files)
        if mayBeStore(output) {
            let isReadable = FileManager.default.isReadableFile(atPath: output)
            throw refusal(
                output,
                "the result would replace \(isReadable ? "a store" : "a file that can't be read and may be a store")",
                remedy: "Name another file, or remove the \(isReadable ? "store" : "file") first.")
        }
    }

    private static func refusal(
        _ path: String, _ finding: String, remedy: String = "Name another file."
    ) -> GraftError {
        GraftError(.other(finding: finding, remedy: remedy), at: .init(source: path))
    }

    /// Whether a file's first bytes are a store's, or can't be read and told.
    private static func mayBeStore(_ path: String) -> Bool {
        guard FileKind(ofPath: path) == .file else { return false }
        do {
            return try FileKind.contents(of: path) == .store
        } catch {
            return true
        }
    }
}
