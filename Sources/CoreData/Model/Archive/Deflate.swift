// Raw DEFLATE (RFC 1951: no zlib or gzip header) with zlib. All calls of the C library are here.

import CZlib
import Foundation

/// Compression without a header.
package enum Deflate {
    /// Data that can't be expanded.
    package struct Damage: Error {
        package var reason: String
    }

    /// The largest model cache that is expanded; the largest known one has 1.5 MB.
    package static let largest = 256 << 20

    /// zlib counts in 32 bits.
    private static let longestInput = Int(UInt32.max)
    private static let chunk = 64 << 10
    private static let headerless: Int32 = -15

    /// Expands data.
    ///
    /// - Parameter limit: The most bytes that are given.
    /// - Throws: ``Damage`` for data that isn't DEFLATE, that ends early, or that expands beyond the limit.
    package static func inflated(_ data: Data, limit: Int = largest) throws(Damage) -> Data {
        guard data.count <= Self.longestInput else { throw Damage(reason: "it has more than 4 GB") }
        var stream = unsafe z_stream()
        guard
            unsafe inflateInit2_(&stream, headerless, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw Damage(reason: "zlib can't be started") }
        defer { unsafe inflateEnd(&stream) }
        let (result, status) = unsafe run(&stream, over: data, limit: limit) { unsafe inflate(&$0, Z_NO_FLUSH) }
        guard result.count <= limit else { throw Damage(reason: "it expands to more than \(limit) bytes") }
        guard status == Z_STREAM_END else { throw Damage(reason: "its compression is damaged") }
        return result
    }

    /// Compresses data.
    ///
    /// - Parameter isFast: Whether time counts more than the last percents of size.
    package static func deflated(_ data: Data, isFast: Bool = false) -> Data {
        guard data.count <= Self.longestInput else { fatalError("Data of more than 4 GB can't be compressed at once.") }
        var stream = unsafe z_stream()
        let status = unsafe deflateInit2_(
            &stream, isFast ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION, Z_DEFLATED, headerless, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { fatalError("zlib can't be started (\(status)). There is no memory left.") }
        defer { unsafe deflateEnd(&stream) }
        return unsafe run(&stream, over: data, limit: .max) { unsafe deflate(&$0, Z_FINISH) }.result
    }

    /// Feeds a stream with data until it ends, fails, or has given more than `limit` bytes.
    private static func run(
        _ stream: inout z_stream, over data: Data, limit: Int, step: (inout z_stream) -> Int32
    ) -> (result: Data, status: Int32) {
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: chunk)
        var result = Data()
        var status = Z_OK
        let count = input.count
        unsafe input.withUnsafeMutableBufferPointer { source in
            // Safe: the pointers that the stream keeps are used only in here, where the arrays stay in place, and the
            // counts are those of the arrays, which `longestInput` keeps within 32 bits.
            unsafe stream.next_in = source.baseAddress
            unsafe stream.avail_in = UInt32(clamping: count)
            repeat {
                let filled = unsafe output.withUnsafeMutableBufferPointer { target in
                    unsafe stream.next_out = target.baseAddress
                    unsafe stream.avail_out = UInt32(target.count)
                    status = unsafe step(&stream)
                    return unsafe target.count - Int(stream.avail_out)
                }
                result.append(contentsOf: output[..<filled])
                // No progress means that the data ended early.
                if filled == 0, status != Z_STREAM_END { break }
            } while (status == Z_OK || status == Z_BUF_ERROR) && result.count <= limit
        }
        return (result, status)
    }
}
