// The bytes of an archive, in order and once.

import Foundation

/// Reads an archive's bytes.
struct ArchiveInput {
    /// What errors call the archive.
    let name: String?
    /// How many bytes have been taken.
    private(set) var offset = 0
    private let more: (Int) throws -> Data

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
        case .handle(let shared): more = shared.read
        case .file(let url): more = FileReading.byteSource(of: try source.open(url))
        }
    }

    /// Appends the next bytes: as many as asked for, fewer only at the end.
    mutating func append(_ count: Int, to bytes: inout [UInt8]) throws {
        let wanted = bytes.count + count
        while bytes.count < wanted {
            // In pieces: a damaged length must not claim memory that the file can't fill.
            let piece = try more(min(wanted - bytes.count, 1 << 20))
            if piece.isEmpty { break }
            bytes.append(contentsOf: piece)
            offset += piece.count
        }
    }

    /// The next bytes: as many as asked for, fewer only at the end.
    mutating func bytes(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try append(count, to: &bytes)
        return bytes
    }
}
