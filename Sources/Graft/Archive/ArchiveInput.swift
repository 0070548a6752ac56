// The bytes of an archive, in order and once.

import Foundation

/// Reads an archive's bytes.
struct ArchiveInput {
    /// What errors call the archive.
    let name: String?
    /// How many bytes have been taken.
    private(set) var offset = 0
    private let more: (Int) throws -> Data
    /// Bytes that were given back.
    private var returned: [UInt8] = []

    /// - Throws: ``GraftError`` with `unreadableFile`.
    init(_ source: ImportSource) throws {
        name = source.name
        switch source.content {
        case .data(let data):
            var position = data.startIndex
            more = { count in
                let end = min(position + count, data.endIndex)
                defer { position = end }
                return data[position..<end]
            }
        case .handle(let shared): more = FileReading.byteSource(of: shared.handle)
        case .file(let url):
            do {
                more = FileReading.byteSource(of: try FileHandle(forReadingFrom: url))
            } catch {
                throw GraftError(
                    .unreadableFile(reason: url.path), at: .init(source: source.name), underlying: error)
            }
        }
    }

    /// Appends the next bytes: as many as asked for, fewer only at the end.
    mutating func append(_ count: Int, to bytes: inout [UInt8]) throws {
        let wanted = bytes.count + count
        if !returned.isEmpty {
            let piece = returned.prefix(count)
            bytes += piece
            offset += piece.count
            returned.removeFirst(piece.count)
        }
        while bytes.count < wanted {
            // In pieces: a damaged length must not claim memory that the file can't fill.
            let piece = try more(min(wanted - bytes.count, 1 << 20))
            if piece.isEmpty { break }
            bytes.append(contentsOf: piece)
            offset += piece.count
        }
    }

    /// Gives back what was taken last.
    mutating func putBack(_ bytes: [UInt8]) {
        returned = bytes + returned
        offset -= bytes.count
    }

    /// The next bytes: as many as asked for, fewer only at the end.
    mutating func bytes(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try append(count, to: &bytes)
        return bytes
    }
}
