// One operation on a store, tried again and again with another operation of the disk failing: whatever fails, the operation is
// done or gives an error, the store is as before or as after, what was open goes on, and no file stays open.

package import Foundation

/// An operation, and what has to hold of it.
package struct FaultTrial {
    /// Something that is opened while all is well, and then at work on a failing disk.
    package struct Session {
        package var run: () throws -> Void
        package var close: () throws -> Void

        package init(run: @escaping () throws -> Void, close: @escaping () throws -> Void = {}) {
            self.run = run
            self.close = close
        }
    }

    /// What was tried.
    package struct Report {
        /// How often something failed.
        package fileprivate(set) var faults = 0
        /// How often the operation got over it.
        package fileprivate(set) var successes = 0
        package fileprivate(set) var problems: [String] = []
    }

    private struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private let setUp: (URL) throws -> Void
    private let begin: (URL) throws -> Session
    private let state: (URL) throws -> String

    /// - Parameters:
    ///   - setUp: Makes what is there before, in a folder.
    ///   - begin: Opens what is in a folder.
    ///   - state: Describes what is in a folder; throws where it is damaged.
    package init(
        setUp: @escaping (URL) throws -> Void = { _ in }, begin: @escaping (URL) throws -> Session,
        state: @escaping (URL) throws -> String
    ) {
        self.setUp = setUp
        self.begin = begin
        self.state = state
    }

    /// Lets the first operation of the disk fail, the second, and so on, until the operation ends before one fails.
    ///
    /// - Parameters:
    ///   - isThorough: Whether each one is tried, rather than a few: others for each kind of fault.
    ///   - seeds: What decides, after a crash, what of the last writes is there; each is tried.
    package func run(
        operations: FaultyDisk.Operations = .any, fault: FaultyDisk.Fault, isThorough: Bool, seeds: Range<UInt64>
    ) throws -> Report {
        let disk = try FaultyDisk()
        let template = disk.folder.appending(path: "before", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
        try setUp(template)
        let before = try state(template)
        let after = try withCopy(of: template) { folder in
            let session = try begin(folder)
            try session.run()
            try session.close()
            return try state(folder)
        }
        var report = Report()
        for seed in fault == .crash ? seeds : 0..<1 {
            var number = isThorough ? 1 : fault.firstNumber
            while try attempt(number, operations, fault, seed, disk, template, before, after, &report) {
                number = isThorough ? number + 1 : number * 7
            }
        }
        return report
    }

    /// - Returns: Whether something failed.
    private func attempt(
        _ number: Int, _ operations: FaultyDisk.Operations, _ fault: FaultyDisk.Fault, _ seed: UInt64,
        _ disk: FaultyDisk, _ template: URL, _ before: String, _ after: String, _ report: inout Report
    ) throws -> Bool {
        try withCopy(of: template) { folder in
            var failures = 0
            do {
                // Everything that is open goes with this scope.
                let error = try attempt(folder, number, operations, fault, disk, before, after, &failures)
                if fault == .crash { disk.restart(seed: seed &+ UInt64(number)) }
                let open = try disk.openFiles
                guard open.isEmpty else { throw Problem(description: "still open: \(open)") }
                // Only what was synchronized survives a crash, and a commit in the log isn't, unless the store says so.
                let now = try state(folder)
                if fault != .crash || now != before {
                    try require(now, error, before, after, isRepeated: fault != .crash)
                }
                if failures > 0, error == nil { report.successes += 1 }
            } catch {
                _ = disk.disarm()
                if fault == .crash { disk.restart(seed: seed &+ UInt64(number)) }
                report.problems.append("\(fault) at \(number), seed \(seed): \(error)")
            }
            if failures > 0 { report.faults += 1 }
            return failures > 0
        }
    }

    /// - Returns: The error of the operation.
    private func attempt(
        _ folder: URL, _ number: Int, _ operations: FaultyDisk.Operations, _ fault: FaultyDisk.Fault,
        _ disk: FaultyDisk, _ before: String, _ after: String, _ failures: inout Int
    ) throws -> (any Error)? {
        let session = try begin(folder)
        disk.arm(operations, at: number, fault)
        var failure: (any Error)?
        do { try session.run() } catch { failure = error }
        if fault == .crash {
            // What is left of the process can only fail.
            try? session.close()
            failures = disk.disarm()
            return failure
        }
        failures = disk.disarm()
        let now = try state(folder)
        try require(now, failure, before, after, isRepeated: false)
        // An error may come after the commit, and then there is nothing to repeat.
        if failure != nil, now != after { try session.run() }
        try session.close()
        return failure
    }

    private func require(
        _ state: String, _ error: (any Error)?, _ before: String, _ after: String, isRepeated: Bool
    ) throws {
        let isAllowed = state == after || (error != nil && !isRepeated && state == before)
        guard !isAllowed else { return }
        let expected = error == nil || isRepeated ? after : "\(before)\nor \(after)"
        throw Problem(
            description:
                "after \(error.map { "\($0)" } ?? "no error") there is\n\(state)\nwhere there should be\n\(expected)"
        )
    }

    private func withCopy<T>(of template: URL, _ body: (URL) throws -> T) throws -> T {
        let folder = template.deletingLastPathComponent().appending(path: "now", directoryHint: .isDirectory)
        try FileManager.default.copyItem(at: template, to: folder)
        defer { removeCopy(folder) }
        return try body(folder)
    }

    private func removeCopy(_ folder: URL) {
        do { try FileManager.default.removeItem(at: folder) } catch { fatalError("\(folder.path): \(error)") }
    }
}
