// Each command that writes, killed at random moments: there is what was before or what was to be, and the next run takes away
// what is left. TORTURE_SECONDS=3600 (`make torture`) is the long form; TORTURE_SEED repeats one.

import Foundation
import Testing

@Suite(.serialized) struct TortureTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["TORTURE_SECONDS"].flatMap { Double($0) } ?? 5

    @Test func `a command that is killed has done all or nothing`() throws {
        let template = try TemporaryFolder()
        try FaultyJob.setUp(template, count: Self.seconds > 60 ? 400 : 60)
        let workshops = try FaultyJob.all.map { try FaultyWorkshop($0, template: template) }
        let seed = Self.environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        var numbers = SeededGenerator(seed: seed)
        var (rounds, killed, undone) = (0, 0, 0)
        let end = ContinuousClock.now + .seconds(Self.seconds)
        while rounds < workshops.count || ContinuousClock.now < end {
            let workshop = workshops[rounds % workshops.count]
            rounds += 1
            try workshop.reset()
            // A busy machine is slower than it was when the job was timed.
            let delay = Double.random(in: 0...workshop.duration * 1.2, using: &numbers)
            let run = try run(Project.executable, workshop.job.arguments, input: nil, in: workshop.folder) { process in
                Thread.sleep(forTimeInterval: delay)
                kill(process.processIdentifier, SIGKILL)
            }
            if run.isKilled { killed += 1 }
            if try workshop.job.state(workshop.folder) == workshop.before { undone += 1 }
            try workshop.expectWhole(
                "seed \(seed), round \(rounds), after \(delay) s", mustBeDone: !run.isKilled,
                mayLeaveValues: run.isKilled)
        }
        #expect(killed > 0, "Every command ended before it was killed; seed \(seed)")
        if Self.seconds > 60 { print("\(rounds) rounds, \(killed) killed, \(undone) with nothing done; seed \(seed)") }
    }
}
