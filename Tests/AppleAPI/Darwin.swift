// swift-format-ignore-file
// What `import Darwin` and `import Foundation` bring on Apple's platforms, Foundation on Linux lacks, and Graft uses.

public import Foundation
@_exported public import Glibc

extension NSData {
    /// The ways of compressing.
    public enum CompressionAlgorithm: Int, Sendable { case lzfse, lz4, lzma, zlib }
    /// The bytes compressed.
    public func compressed(using algorithm: CompressionAlgorithm) throws -> Self { fatalError("A declaration alone.") }
    /// The bytes expanded.
    public func decompressed(using algorithm: CompressionAlgorithm) throws -> Self { fatalError("A declaration alone.") }
}
