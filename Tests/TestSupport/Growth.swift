// How work grows with its input: as a ratio within one run, so that neither a slow machine nor other tests beside it count.

import Foundation

package enum Growth {
    /// How many times as much of this thread's processor time the larger input takes. The best of some attempts counts.
    package static func ratio(attempts: Int = 3, small: () throws -> Void, large: () throws -> Void) rethrows -> Double
    {
        let times = try (0..<attempts).map { _ in (try time(small), try time(large)) }
        return (times.map(\.1).min() ?? 0) / max(times.map(\.0).min() ?? 0, 1e-6)
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = now
        try body()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        // Safe: the call fills a structure of ours.
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
