// What is alike of the dictionaries of a fetch, as they come out: of several, the first one stays.

/// The dictionaries that have come so far.
struct DistinctDictionaries {
    private let names: [String]
    private var seen: Set<[OperandKey]> = []

    /// - Parameter names: The keys of the dictionaries.
    init(names: [String]) { self.names = names }

    /// Whether no dictionary before is like one.
    mutating func insert(_ dictionary: [String: Any]) -> Bool {
        seen.insert(names.map { OperandKey(Operand(dictionary[$0])) }).inserted
    }
}
