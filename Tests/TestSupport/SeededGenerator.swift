// Randomness for property tests: a failure names its seed, and the seed gives the same run again.

/// Random numbers that are the same in every run (SplitMix64: Steele, Lea, Flood 2014).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The seed is mixed, too: the sequences of neighbours would be the same but for one step otherwise.
    package init(seed: some BinaryInteger) {
        state = Self.mixed(UInt64(truncatingIfNeeded: seed) &* 0xD134_2543_DE82_EF95)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ state: UInt64) -> UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }

    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
