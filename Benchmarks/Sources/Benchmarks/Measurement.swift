// Time measured, and shown as a table of ratios: a figure in seconds says something about one machine, the ratio to a
// peer in the same run says something about the code. The ratio of processor times is the one to look at on a machine
// that is busy with other things.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What something took.
struct Cost: Comparable {
    /// By the clock, in seconds.
    var seconds: Double
    /// Of the processor, in seconds: all threads, the system's work for them included.
    var processor: Double

    static let infinite = Cost(seconds: .infinity, processor: .infinity)

    static func < (one: Cost, other: Cost) -> Bool { one.seconds < other.seconds }

    /// The lower ones of both: what disturbs a run only ever makes it slower.
    func best(_ other: Cost) -> Cost {
        Cost(seconds: min(seconds, other.seconds), processor: min(processor, other.processor))
    }

    /// What each of so many things took.
    func each(of count: Int) -> Cost {
        Cost(seconds: seconds / Double(count), processor: processor / Double(count))
    }

    /// Runs the closure once.
    static func of<R>(_ body: () throws -> R) rethrows -> (result: R, cost: Cost) {
        let start = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
        let result = try body()
        return (
            result, Cost(seconds: now(CLOCK_MONOTONIC) - start.0, processor: now(CLOCK_PROCESS_CPUTIME_ID) - start.1)
        )
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The best of several runs.
func measure(_ runs: Int, _ body: () throws -> Int) rethrows -> Cost {
    var best = Cost.infinite
    var results: Set<Int> = []
    for _ in 0..<runs {
        let (result, cost) = try Cost.of(body)
        results.insert(result)
        best = best.best(cost)
    }
    if results.count > 1 { fatalError("The runs of a benchmark gave different results: \(results).") }
    return best
}

/// Rows that are printed as they come.
struct Table {
    /// Past any buffer, so that a row is there when it is done.
    private func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    private func column(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    func title(_ text: String, columns: [String] = ["time", "MB/s", "x peer", "CPU", "x peer"]) {
        line("\n\(text)\n\(String(repeating: "-", count: text.count))")
        row("", columns)
    }

    func note(_ text: String) { line(text) }

    func row(_ name: String, _ columns: [String]) {
        let padded = name + String(repeating: " ", count: max(0, 52 - name.count))
        line(padded + columns.map { column($0, 10) }.joined())
    }

    /// A row: time, throughput where there is a size, and how many times as fast as the peer, by the clock and by
    /// processor time.
    func add(_ name: String, _ cost: Cost, megabytes: Double? = nil, peer: Cost?) {
        row(
            name,
            [
                String(format: "%.3f s", cost.seconds),
                megabytes.map { String(format: "%.0f", $0 / cost.seconds) } ?? "",
                peer.map { String(format: "%.2f", $0.seconds / cost.seconds) } ?? "",
                String(format: "%.3f s", cost.processor),
                peer.map { String(format: "%.2f", $0.processor / cost.processor) } ?? "",
            ])
    }

    /// A ratio beside its goal. Met is what is met by the clock.
    func goal(_ name: String, _ cost: Cost, to peer: Cost, _ goal: String, isMet: (Double) -> Bool) {
        let ratio = cost.seconds / peer.seconds
        let figures = String(format: "%.2f (processor time: %.2f)", ratio, cost.processor / peer.processor)
        self.goal(name, figures, goal, isMet: isMet(ratio))
    }

    /// A figure beside its goal.
    func goal(_ name: String, _ figure: String, _ goal: String, isMet: Bool) {
        line("\(isMet ? "met   " : "MISSED") \(name): \(figure) (goal: \(goal))")
    }
}
