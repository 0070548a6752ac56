// An open file or a pipe from which an import reads, after a look at its first bytes.

import Foundation

/// An open file that one reader after the other reads from, and whose first bytes can be looked at before.
final class SharedHandle: @unchecked Sendable {
    // Safe: the import alone reads from it, on one thread.
    let handle: FileHandle
    /// What was looked at and couldn't be given back.
    private var ahead = Data()

    init(_ handle: FileHandle) { self.handle = handle }

    /// Whether nothing is kept back here, so that the handle itself may be read.
    var isAtBeginning: Bool { ahead.isEmpty }

    /// Returns the next bytes: what is there, none at the end.
    func read(atMost count: Int) throws -> Data {
        if ahead.isEmpty { return try FileReading.byteSource(of: handle)(count) }
        let piece = ahead.prefix(count)
        ahead = Data(ahead.dropFirst(count))
        return Data(piece)
    }

    /// Returns the first bytes, as many as are there, and waits only for those that tell what the file is.
    func beginning() throws -> [UInt8] {
        if ahead.isEmpty {
            let source = FileReading.byteSource(of: handle)
            while !SourceKind.isTold(by: Array(ahead.prefix(SourceKind.beginningLength))) {
                let piece = try source(SourceKind.beginningLength)
                ahead += piece
                if piece.isEmpty || ahead.count >= SourceKind.beginningLength { break }
            }
            if FileReading.goBack(handle, by: ahead.count) {
                defer { ahead = Data() }
                return Array(ahead.prefix(SourceKind.beginningLength))
            }
        }
        return Array(ahead.prefix(SourceKind.beginningLength))
    }
}
