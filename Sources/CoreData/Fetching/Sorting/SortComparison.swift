// How a sort descriptor compares two values. SQLite calls the same code through the collations that a store registers, so
// that both put everything in the same order.

import Foundation

/// The methods that a sort descriptor's selector may name.
enum SortComparison: String, CaseIterable {
    /// Strings by their bytes, numbers, dates and so on by value.
    case standard = "compare:"
    case caseInsensitive = "caseInsensitiveCompare:"
    case localized = "localizedCompare:"
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    case localizedStandard = "localizedStandardCompare:"

    /// The order of two strings.
    func order(_ a: String, _ b: String) -> ComparisonResult {
        switch self {
        case .standard: StringComparison.byteOrder(a, b)
        case .caseInsensitive: StringComparison.order(a, b, .caseInsensitive)
        case .localized: a.localizedCompare(b)
        case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b)
        case .localizedStandard: a.localizedStandardCompare(b)
        }
    }

    /// The order of two values: nothing comes first, then numbers, strings, dates, data, UUIDs, objects.
    func order(_ a: Operand, _ b: Operand) -> ComparisonResult {
        if case .string(let a) = a, case .string(let b) = b { return order(a, b) }
        if let order = a.order(relativeTo: b) { return order }
        let (rankA, rankB) = (a.rank, b.rank)
        if rankA != rankB { return rankA < rankB ? .orderedAscending : .orderedDescending }
        guard case .object(let a) = a, case .object(let b) = b, let a = a.objectID, let b = b.objectID else {
            return .orderedSame
        }
        // Saved objects by their primary keys, unsaved ones behind them in the order of their creation.
        if a.isTemporaryID != b.isTemporaryID { return a.isTemporaryID ? .orderedDescending : .orderedAscending }
        return a.number == b.number ? .orderedSame : (a.number < b.number ? .orderedAscending : .orderedDescending)
    }
}

extension Operand {
    fileprivate var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .string: 2
        case .date: 3
        case .data: 4
        case .uuid: 5
        case .object: 6
        case .collection, .opaque: 7
        }
    }
}
