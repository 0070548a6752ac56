// What the values of an attribute are like: how many there are, which, between which bounds, and how they are spread.

import Foundation

/// The values of one attribute in some objects, in numbers.
struct ValueStatistics {
    /// A part of the values, with how many there are.
    struct Share {
        var label: String
        var count: Int
    }

    private(set) var total = 0
    private(set) var filled = 0
    /// The lengths of all values; numbers and dates have 8 bytes.
    private(set) var bytes = 0
    private var counts: [ExactValue: Int] = [:]

    mutating func add(_ value: GraphValue) {
        total += 1
        guard !value.isNull else { return }
        filled += 1
        bytes += value.byteCount
        counts[ExactValue(value), default: 0] += 1
    }

    var distinct: Int { counts.count }

    /// The smallest and the largest value, where values have a size; of texts and bytes, their lengths.
    func range(_ text: (GraphValue) -> String) -> String? {
        let measured = counts.keys.map(\.value).filter { $0.size != nil }
        guard let least = measured.min(by: { $0.isSmaller(than: $1) }),
            let most = measured.max(by: { $0.isSmaller(than: $1) })
        else { return nil }
        if least.hasLength {
            let unit = least.isText ? "characters" : "bytes"
            let (shortest, longest) = (Int(least.size ?? 0), Int(most.size ?? 0))
            return shortest == longest ? "\(shortest) \(unit)" : "\(shortest) to \(longest) \(unit)"
        }
        return least.isSmaller(than: most) ? "\(text(least)) to \(text(most))" : text(least)
    }

    /// How numbers and dates are spread, in equal steps from the smallest to the largest; nil for other values, for few, and for
    /// some that are farther apart than a number can say.
    func histogram(steps: Int = 12) -> [Int]? {
        let measured = counts.filter { !$0.key.value.hasLength }.compactMap { value, count in
            value.value.size.map { (size: $0, count: count) }
        }
        guard measured.count > 5, let least = measured.map(\.size).min(), let most = measured.map(\.size).max(),
            least < most, (most - least).isFinite
        else { return nil }
        return measured.reduce(into: [Int](repeating: 0, count: steps)) { bins, value in
            bins[min(steps - 1, Int((value.size - least) / (most - least) * Double(steps)))] += value.count
        }
    }

    /// The values that occur most often, where some are repeated.
    func mostFrequent(_ limit: Int = 4, _ text: (GraphValue) -> String) -> [Share] {
        guard distinct < filled else { return [] }
        return counts.map { Share(label: text($0.key.value), count: $0.value) }
            .sorted { $0.count != $1.count ? $0.count > $1.count : $0.label < $1.label }.prefix(limit).map { $0 }
    }
}

extension GraphValue {
    /// The size of a number or a date; the length of a text or of bytes; nil for anything else, and what isn't finite.
    fileprivate var size: Double? {
        let size: Double? =
            switch self {
            case .integer(let value): Double(value)
            case .double(let value), .date(let value): value
            case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
            case .string(let text): Double(text.count)
            case .data(let bytes), .encoded(let bytes): Double(bytes.count)
            case .null, .boolean, .uuid, .uri, .json: nil
            }
        return size.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Compares what has a size: not every integer and decimal number has a double of its own.
    fileprivate func isSmaller(than other: GraphValue) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.decimal(let one), .decimal(let other)): one < other
        default: (size ?? 0) < (other.size ?? 0)
        }
    }

    fileprivate var byteCount: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer, .double, .decimal, .date: 8
        case .uuid: 16
        case .string(let text): text.utf8.count
        case .data(let bytes), .encoded(let bytes): bytes.count
        case .uri, .json: description.utf8.count
        }
    }

    fileprivate var isText: Bool { if case .string = self { true } else { false } }

    fileprivate var hasLength: Bool {
        switch self {
        case .string, .data, .encoded: true
        default: false
        }
    }
}
