// What a private declaration's symbol says of its file, so that files may use the same names: the MD5 sum (RFC 1321) of the
// names of the module and the file. How Swift makes it is in its lib/AST/Module.cpp; the tests compare it with the compiler's.

import Foundation

/// The part of a symbol's name that tells the private declarations of files apart.
enum FileDiscriminator {
    /// `_CAFE6049B9C2D12526727364F99AD6E1` of the module `Todos` and the file `Foo.swift`, whatever folder it is in.
    static func of(file: String, module: String) -> String {
        let name = file.split(separator: "/").last ?? ""
        let digits = Array("0123456789ABCDEF".utf8)
        let sum = MD5.sum(of: Array((module + name).utf8))
        return "_" + String(decoding: sum.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// The sum of RFC 1321. It tells names apart and protects nothing.
private enum MD5 {
    private static let rotations: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let sines = (1...64).map { UInt32(4_294_967_296 * abs(sin(Double($0)))) }

    static func sum(of message: [UInt8]) -> [UInt8] {
        let bytes = padded(message)
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for start in stride(from: 0, to: bytes.count, by: 64) {
            let words = stride(from: start, to: start + 64, by: 4).map { place in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
            }
            add(words, to: &state)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    }

    /// The message, a one bit, zeros up to 8 bytes before the end of a block, and the number of the message's bits.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }

    private static func add(_ words: [UInt32], to state: inout [UInt32]) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, index) =
                switch step / 16 {
                case 0: ((b & c) | (~b & d), step)
                case 1: ((b & d) | (c & ~d), (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let sum = a &+ mixed &+ sines[step] &+ words[index]
            let rotation = rotations[step / 16][step % 4]
            (a, d, c) = (d, c, b)
            b = b &+ (sum << rotation | sum >> (32 - rotation))
        }
        for (place, value) in [a, b, c, d].enumerated() { state[place] = state[place] &+ value }
    }
}
