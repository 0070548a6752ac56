// SHA-256 and SHA-512 (FIPS 180-4) for the version hashes and digests of models: texts of some hundred bytes, a few for
// each entity. Written here rather than taken from a package, because the one that resolves builds 283,000 lines of C for
// it, which every user waited for. What isn't needed isn't here: no keys, no protection against timing.
//
//     SHA256.hash("abc".utf8) = ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad
//
// The rounds are written once for each width of a word: in a debug build generic arithmetic would take 30 times as long.

import Foundation

typealias SHA256 = SecureHash<SHA256Function>
typealias SHA512 = SecureHash<SHA512Function>

/// What the two functions differ in (FIPS 180-4, sections 4 to 6).
protocol SecureHashFunction {
    /// 32 bits for SHA-256, 64 for SHA-512. A block has 16 of them.
    associatedtype Word: FixedWidthInteger & UnsignedInteger

    /// The fractional parts of the square roots of the first eight primes.
    static var initialState: [Word] { get }
    /// Works a block of 16 words into the state.
    static func compress(_ block: [Word], into state: inout [Word])
}

/// A hash that is computed as bytes come in.
struct SecureHash<Function: SecureHashFunction> {
    private typealias Word = Function.Word

    private var state = Function.initialState
    /// The bytes that don't fill a block yet.
    private var pending: [UInt8] = []
    private var byteCount = 0

    private static var wordSize: Int { Word.bitWidth / 8 }
    private static var blockSize: Int { 16 * wordSize }

    /// Returns the hash of bytes that are there at once.
    static func hash(_ bytes: some Sequence<UInt8>) -> Data {
        var hash = Self()
        hash.update(bytes)
        return hash.finalize()
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        let before = pending.count
        pending.append(contentsOf: bytes)
        byteCount += pending.count - before
        var start = 0
        while pending.count - start >= Self.blockSize {
            Function.compress(Self.words(pending[start..<start + Self.blockSize]), into: &state)
            start += Self.blockSize
        }
        pending.removeFirst(start)
    }

    /// Returns the hash of all bytes, in the order of big-endian words.
    consuming func finalize() -> Data {
        let bitCount = UInt64(byteCount) * 8
        // A single one bit, zeros, and the length as the last two words of a block (section 5.1).
        let end = (pending.count + 1 + 2 * Self.wordSize + Self.blockSize - 1) / Self.blockSize * Self.blockSize
        update([0x80] + [UInt8](repeating: 0, count: end - pending.count - 9) + bitCount.bigEndianBytes)
        return Data(state.flatMap(\.bigEndianBytes))
    }

    private static func words(_ bytes: ArraySlice<UInt8>) -> [Word] {
        // Safe: a block has 16 words, and each is read in its place.
        unsafe bytes.withUnsafeBytes { block in
            (0..<16).map { Word(bigEndian: unsafe block.loadUnaligned(fromByteOffset: $0 * wordSize, as: Word.self)) }
        }
    }
}

enum SHA256Function: SecureHashFunction {
    /// The first 32 bits of what SHA-512 has for its first 64 rounds.
    private static let roundConstants = SHA512Function.roundConstants.prefix(64).map { UInt32($0 >> 32) }
    static let initialState = SHA512Function.initialState.map { UInt32($0 >> 32) }

    static func compress(_ block: [UInt32], into state: inout [UInt32]) {
        var schedule = block
        for round in 16..<64 {
            let (early, late) = (schedule[round - 15], schedule[round - 2])
            let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
            let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
            schedule.append(first &+ second &+ schedule[round - 7] &+ schedule[round - 16])
        }
        let constants = roundConstants
        var (a, b, c, d, e, f, g, h) = state.eight
        for round in 0..<64 {
            let sum = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let first = h &+ sum &+ (e & f ^ ~e & g) &+ constants[round] &+ schedule[round]
            let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
}

enum SHA512Function: SecureHashFunction {
    /// The fractional parts of the cube roots of the first 80 primes.
    fileprivate static let roundConstants: [UInt64] = [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ]
    static let initialState: [UInt64] = [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ]

    static func compress(_ block: [UInt64], into state: inout [UInt64]) {
        var schedule = block
        for round in 16..<80 {
            let (early, late) = (schedule[round - 15], schedule[round - 2])
            let first = early.rotated(1) ^ early.rotated(8) ^ early >> 7
            let second = late.rotated(19) ^ late.rotated(61) ^ late >> 6
            schedule.append(first &+ second &+ schedule[round - 7] &+ schedule[round - 16])
        }
        let constants = roundConstants
        var (a, b, c, d, e, f, g, h) = state.eight
        for round in 0..<80 {
            let sum = e.rotated(14) ^ e.rotated(18) ^ e.rotated(41)
            let first = h &+ sum &+ (e & f ^ ~e & g) &+ constants[round] &+ schedule[round]
            let second = (a.rotated(28) ^ a.rotated(34) ^ a.rotated(39)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
}

extension Array {
    /// A state's words by their names in the standard, a to h.
    fileprivate var eight: (Element, Element, Element, Element, Element, Element, Element, Element) {
        (self[0], self[1], self[2], self[3], self[4], self[5], self[6], self[7])
    }
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self &>> count | self &<< (32 - count) }
}

extension UInt64 {
    fileprivate func rotated(_ count: UInt64) -> UInt64 { self &>> count | self &<< (64 - count) }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        // Safe: the bytes of a number of our own are copied.
        unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) }
    }
}
