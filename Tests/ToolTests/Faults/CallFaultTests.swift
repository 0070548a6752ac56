// Each command that writes, while the n-th call to the system that concerns its files fails: opening, reading, writing,
// synchronizing, renaming, by whoever makes it. Or while the process is killed, or interrupted, just before that call. FAULTS=all
// tries every n.

import Foundation
import Testing

#if os(Linux)
    @Suite(.serialized) struct CallFaultTests {
        enum Kind: String, CaseIterable {
            case once, always, kill, interrupt
        }

        private static let isThorough = ProcessInfo.processInfo.environment["FAULTS"] == "all"
        static let hasCompiler = ["/usr/bin/cc", "/usr/local/bin/cc"].contains(
            where: FileManager.default.isExecutableFile)

        /// The library that makes calls fail (Resources/faulty_calls.c).
        static func library(in folder: TemporaryFolder) throws -> String {
            let source = Project.resources.appending(path: "faulty_calls.c").path
            let library = folder.path("faulty_calls.so")
            let built = try shell("cc -shared -fPIC -O1 -o '\(library)' '\(source)' -ldl", in: folder)
            try #require(built.status == 0, "\(built.diagnostics)")
            return library
        }

        /// - Returns: Nil where the command ended before the call.
        private func run(
            _ workshop: FaultyWorkshop, _ library: String, _ kind: Kind, _ number: Int, _ signal: Int32 = SIGINT
        ) throws -> ToolRun? {
            let report = try TemporaryFolder()
            let environment = [
                "LD_PRELOAD": library, "FAULT_FOLDER": workshop.folder.url.path, "FAULT_NUMBER": "\(number)",
                "FAULT_KIND": kind.rawValue, "FAULT_SIGNAL": "\(signal)", "FAULT_REPORT": report.path("reached"),
            ]
            let run = try graft(workshop.job.arguments, in: workshop.folder, environment: environment)
            return try report.names.isEmpty ? nil : run
        }

        @Test(.enabled("There is no C compiler") { Self.hasCompiler })
        func `a call that fails leaves all or nothing, and an error for people`() throws {
            let template = try TemporaryFolder()
            try FaultyJob.setUp(template, count: 3)
            let tools = try TemporaryFolder()
            let library = try Self.library(in: tools)
            for (number, job) in FaultyJob.all.enumerated() {
                let workshop = try FaultyWorkshop(job, template: template)
                var faults = 0
                // The short form tries each call with one kind at most, and each job with two kinds.
                for (index, kind) in Kind.allCases.enumerated() where Self.isThorough || (number + index) % 2 == 0 {
                    var number = Self.isThorough ? 1 : 1 + index
                    while true {
                        try workshop.reset()
                        guard let run = try run(workshop, library, kind, number) else { break }
                        faults += 1
                        try expect(run, kind, workshop, "\(kind) at \(number): \(run.diagnostics)")
                        number = Self.isThorough ? number + 1 : number * 6
                    }
                }
                #expect(faults > (Self.isThorough ? 5 : 2))
                if Self.isThorough { print("\(job.name): \(faults) faults") }
            }
        }

        @Test(.enabled("There is no C compiler") { Self.hasCompiler }, arguments: [SIGTERM, SIGHUP])
        func `a merge that is ended leaves all or nothing, and says by its code what has ended it`(_ signal: Int32)
            throws
        {
            let template = try TemporaryFolder()
            try FaultyJob.setUp(template, count: 3)
            let tools = try TemporaryFolder()
            let library = try Self.library(in: tools)
            for job in FaultyJob.all where job.arguments[0] == "merge" {
                let workshop = try FaultyWorkshop(job, template: template)
                var number = 1
                var codes: Set<Int32> = []
                while true {
                    try workshop.reset()
                    guard let run = try run(workshop, library, .interrupt, number, signal) else { break }
                    codes.insert(run.status)
                    try expect(run, .interrupt, workshop, "\(signal) at \(number): \(run.diagnostics)", signal)
                    number = Self.isThorough ? number + 1 : number * 6
                }
                // 143 and 129; 0 where it came too late.
                #expect(codes.subtracting([0]) == [128 + signal], "\(job.name)")
            }
        }

        private func expect(
            _ run: ToolRun, _ kind: Kind, _ workshop: FaultyWorkshop, _ place: String, _ signal: Int32 = SIGINT
        ) throws {
            let name = workshop.job.name
            #expect(run.isKilled == (kind == .kill), "\(name), \(place)")
            if !run.isKilled, run.status != 0 {
                // Before it the runtime may say which model it can't read.
                let lines = run.diagnostics.split(separator: "\n")
                #expect(lines.contains { $0.hasPrefix("graft: ") }, "\(name), \(place)")
                #expect(!run.showsRawError, "\(name), \(place)")
            }
            if kind == .interrupt, run.status != 0 {
                // Where it is too late to cancel, the job is done.
                #expect(run.status == 128 + signal && run.diagnostics.contains("cancelled"), "\(name), \(place)")
                try workshop.expectNothingElse(place)
            }
            // What can't be removed any more stays.
            try workshop.expectWhole(
                place, mustBeDone: !run.isKilled && run.status == 0, mayLeaveValues: run.isKilled || kind == .always)
        }
    }
#endif
