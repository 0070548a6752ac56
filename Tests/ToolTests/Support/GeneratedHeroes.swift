// Heroes by the thousand, for jobs that have to last a moment.

/// Returns a JSON array of heroes with the IDs from 1 up, each with its publisher and a power.
///
/// - Parameter sharing: Whether heroes share publishers and powers. Otherwise each hero is three objects.
func generatedHeroes(_ count: Int, sharing: Bool = true) -> String {
    let heroes = (1...count).map { id in
        let (publisher, power) = sharing ? (id % 7, id % 11) : (id, id)
        return """
            {"id": "\(id)", "name": "Hero \(id) äöü", "rescues": \(id % 50), \
            "appearance": {"first_seen": "2001-02-03T04:05:06Z"}, \
            "publisher": {"id": "\(publisher)", "name": "Publisher \(publisher)"}, \
            "powers": [{"id": "\(power)", "name": "Power \(power)"}]}
            """
    }
    return "[\n" + heroes.joined(separator: ",\n") + "\n]\n"
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
