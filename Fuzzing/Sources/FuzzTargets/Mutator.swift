// Mutations that need no coverage, for tests that have none.

package import Foundation

/// Changes bytes at random, but the same each time.
package struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// SplitMix64 (Steele, Lea and Flood, 2014).
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The data with one to eight changes: bytes set, taken out, doubled or moved.
    package mutating func mutated(_ data: Data) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...8, using: &self) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &self)
            let end = min(bytes.count, start + Int.random(in: 1...16, using: &self))
            let piece = Array(bytes[start..<end])
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[start] = UInt8.random(in: .min ... .max, using: &self)
            case 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &self))
            default:
                let target = Int.random(in: 0...(bytes.count - piece.count), using: &self)
                bytes.replaceSubrange(target..<(target + piece.count), with: piece)
            }
        }
        return Data(bytes)
    }
}
