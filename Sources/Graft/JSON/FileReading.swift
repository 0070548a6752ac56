// One read from a file descriptor. FileHandle's own calls wait until a pipe has delivered all that was asked for, which
// would keep a record back that has already arrived.

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

enum FileReading {
    /// A source that returns what is there without waiting for a full chunk.
    static func byteSource(of file: FileHandle) -> JSONReader.ByteSource {
        { count in
            do {
                return try bytes(of: file, atMost: count)
            } catch {
                throw GraftError(.unreadableFile(reason: "reading stopped"), underlying: error)
            }
        }
    }

    /// Returns the bytes that are there, at least one unless the file is at its end.
    static func bytes(of file: FileHandle, atMost count: Int) throws -> Data {
        #if os(Windows)
            return try file.read(upToCount: count) ?? Data()
        #else
            return try unsafe bytes(count) { unsafe read(file.fileDescriptor, $0.baseAddress, $0.count) }
        #endif
    }

    /// Returns a function that reads from an offset, without moving the file's own; nil for what can't be read twice, such
    /// as a pipe. Offsets count from where the file is now.
    static func reading(_ file: FileHandle) -> ((_ offset: Int, _ count: Int) throws -> Data)? {
        #if os(Windows)
            return nil
        #else
            let start = lseek(file.fileDescriptor, 0, SEEK_CUR)
            guard start >= 0 else { return nil }
            return { offset, count in
                let position = start + off_t(offset)
                return try unsafe bytes(count) { unsafe pread(file.fileDescriptor, $0.baseAddress, $0.count, position) }
            }
        #endif
    }

    /// Gives back the bytes that were read last; returns whether that is possible, which it isn't for a pipe.
    static func goBack(_ file: FileHandle, by count: Int) -> Bool {
        #if os(Windows)
            return false
        #else
            return lseek(file.fileDescriptor, -off_t(count), SEEK_CUR) >= 0
        #endif
    }

    #if !os(Windows)
        /// Fills bytes by a system call, and repeats it when a signal interrupts it.
        private static func bytes(_ count: Int, _ call: (UnsafeMutableRawBufferPointer) -> Int) throws -> Data {
            var bytes = Data(count: count)
            while true {
                // Safe: the buffer has the size that is passed.
                let got = unsafe bytes.withUnsafeMutableBytes { unsafe call($0) }
                if got >= 0 {
                    bytes.count = got
                    return bytes
                }
                if errno != EINTR { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            }
        }
    #endif
}
