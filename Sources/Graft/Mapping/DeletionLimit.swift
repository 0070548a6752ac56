// How much may be deleted at once: one limit for whatever deletes, be it a relationship's policy, the policy for orphans,
// tombstones, owned objects that their owner has no more, or a diff. What goes with its owner counts, too.

import Foundation

extension MappingOptions {
    /// How many objects of an entity may be deleted at once; more are an error, and nothing is changed.
    public enum DeletionLimit: Hashable, Sendable {
        /// So many objects.
        case count(Int)
        /// A part of the entity's objects, but at least so many.
        case percent(Double, atLeast: Int = 0)

        /// Reads `100` or `10%`; nil for another text.
        public init?(_ text: String) {
            if text.hasSuffix("%") {
                guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
                self = .percent(percent)
            } else {
                guard let count = Int(text), count >= 0 else { return nil }
                self = .count(count)
            }
        }

        /// How many objects may be deleted where there are so many.
        func allowed(of total: Int) -> Int {
            switch self {
            case .count(let count): count
            case .percent(let percent, let least): max(least, Int((Double(total) * percent / 100).rounded(.down)))
            }
        }
    }
}

extension [MappingOptions.DeletionLimit] {
    /// How many objects may be deleted where there are so many, by each of the limits.
    func allowed(of total: Int) -> Int { map { $0.allowed(of: total) }.min() ?? total }
}

/// A limit that is exceeded.
struct ExceededDeletionLimit {
    var entity: String
    var deleted: Int
    var total: Int
    var allowed: Int

    /// What was found, without the entity.
    var finding: String { Self.finding(deleted, of: total, limit: allowed) }

    /// What was found, as the report of a dry run has it.
    var sentence: String { "\(entity): \(finding)" }

    var error: GraftError {
        GraftError(.tooManyDeletions(count: deleted, of: total, limit: allowed), at: .init(entity: entity))
    }

    static func finding(_ count: Int, of total: Int, limit: Int) -> String {
        "\(count) of \(total) objects would be deleted, and the limit is \(limit)"
    }
}
