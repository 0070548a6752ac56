// Dates in PostgreSQL: seconds since 2001 in an object, microseconds since 2000 on the server. The store of a server converts by this,
// and who has to know beforehand what it keeps of a date.

import Foundation

package enum PostgreSQLDate {
    private static let offset: Int64 = 31_622_400_000_000
    private static let range = -211_841_827_200.0..<9_223_339_708_800.0
    /// The dates that there are, in words.
    package static let shownRange = "a date from 4713 BC to AD 294275"

    /// Nil for what PostgreSQL can't hold.
    package static func microseconds(_ seconds: TimeInterval) -> Int64? {
        guard range.contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        return Int64(whole) * 1_000_000 + Int64(((seconds - whole) * 1_000_000).rounded()) + offset
    }

    package static func seconds(_ microseconds: Int64) -> TimeInterval {
        // What is beyond every date (`infinity`) stays there.
        if microseconds == .max { return .infinity }
        if microseconds == .min { return -.infinity }
        // Only what is no date of PostgreSQL's is nearer to the end than that.
        let (difference, isBeyond) = microseconds.subtractingReportingOverflow(offset)
        return isBeyond ? -.infinity : Double(difference) / 1_000_000
    }
}
