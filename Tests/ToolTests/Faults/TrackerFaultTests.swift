// A tracker that takes an answer while the n-th call to the system that concerns its file fails, or while its process is killed just
// before that call: the file is the old or the new one, and the next start goes on. FAULTS=all tries every n.

import CoreData
import Foundation
import Graft
import Testing

#if os(Linux)
    @Suite(.serialized) struct TrackerFaultTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let isThorough = environment["FAULTS"] == "all"
        /// The variable with the folder, in the process in which calls fail.
        private static let variable = "GRAFT_TRACKER_FOLDER"

        /// What there is: a store, and elsewhere the file, so that only calls about the file fail.
        private struct Place {
            let folder: URL
            var watched: URL { folder.appending(path: "watched") }
            var file: URL { watched.appending(path: "Heroes.graft-sync") }
            var outcome: URL { folder.appending(path: "outcome") }
            var store: URL { folder.appending(path: "Heroes.sqlite") }

            /// Opens the store, and a tracker with the file.
            func withTracker<T>(_ body: (GraphTracker) throws -> T) throws -> T {
                let model = try #require(NSManagedObjectModel(contentsOf: URL(filePath: Project.heroesModel)))
                let container = NSPersistentContainer(name: "Heroes", managedObjectModel: model)
                container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store)]
                var failure: (any Error)?
                container.loadPersistentStores { failure = $1 }
                if let failure { throw failure }
                let coordinator = container.persistentStoreCoordinator
                defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
                let context = container.newBackgroundContext()
                return try context.performAndWait { try body(GraphTracker(file: file, context: context)) }
            }

            /// Takes the server's state: heroes of a name.
            static func receive(_ name: String, _ tracker: GraphTracker) throws {
                let heroes = (1...3).map { #"{"id": \#($0), "name": "\#(name)"}"# }.joined(separator: ",")
                try tracker.receive(json: Data("[\(heroes)]".utf8), entity: "Hero", isWhole: true)
            }

            static func names(_ tracker: GraphTracker) throws -> Set<String> {
                let heroes = try tracker.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Hero"))
                return Set(heroes.map { $0.value(forKey: "name") as? String ?? "none" })
            }
        }

        @Test(.enabled("Only in a process of its own") { environment[variable] != nil })
        func `at work in a process of its own`() throws {
            let place = Place(folder: URL(filePath: try #require(Self.environment[Self.variable])))
            var outcome = "done"
            do {
                try place.withTracker { try Place.receive("New", $0) }
            } catch {
                outcome = "\(error)"
            }
            try Data(outcome.utf8).write(to: place.outcome)
        }

        @Test(
            .enabled("There is no C compiler, or this is the other process") {
                CallFaultTests.hasCompiler && environment[variable] == nil
            }, arguments: [CallFaultTests.Kind.once, .always, .kill])
        func `a call that fails leaves the old or the new file, and the next start goes on`(
            _ kind: CallFaultTests.Kind
        ) throws {
            let tools = try TemporaryFolder()
            let library = try CallFaultTests.library(in: tools)
            let template = Place(folder: tools.url.appending(path: "template"))
            try FileManager.default.createDirectory(at: template.watched, withIntermediateDirectories: true)
            try template.withTracker { try Place.receive("Old", $0) }
            let place = Place(folder: tools.url.appending(path: "place"))
            var (faults, undone) = (0, 0)
            var number = 1
            while true {
                try? FileManager.default.removeItem(at: place.folder)
                try FileManager.default.copyItem(at: template.folder, to: place.folder)
                guard let run = try run(place, library, kind, number, tools) else { break }
                faults += 1
                let origin = "\(kind) at \(number): \(run.diagnostics)"
                let outcome = try? String(contentsOf: place.outcome, encoding: .utf8)
                #expect((outcome == nil) == (kind == .kill) && run.isKilled == (kind == .kill), "\(origin)")
                try place.withTracker { tracker in
                    #expect(tracker.resumeError == nil, "\(origin)")
                    let names = try Place.names(tracker)
                    // An answer that was written down is taken up again.
                    #expect(names == ["New"] || outcome != "done" && names == ["Old"], "\(origin): \(names)")
                    #expect(try tracker.pendingChange().isEmpty, "\(origin)")
                    if names == ["Old"] { undone += 1 }
                    try Place.receive("New", tracker)
                    #expect(try Place.names(tracker) == ["New"] && tracker.pendingChange().isEmpty, "\(origin)")
                }
                let left = try FileManager.default.contentsOfDirectory(atPath: place.watched.path).sorted()
                #expect(left == ["Heroes.graft-sync"], "\(kind) at \(number): \(left)")
                number = Self.isThorough ? number + 1 : number + 2
            }
            #expect(faults > 4 && undone > 0 && undone < faults, "\(faults) faults, \(undone) undone")
        }

        /// - Returns: Nil where the work ended before the call.
        private func run(
            _ place: Place, _ library: String, _ kind: CallFaultTests.Kind, _ number: Int, _ tools: TemporaryFolder
        ) throws -> ToolRun? {
            let report = try TemporaryFolder()
            let environment = [
                "LD_PRELOAD": library, "FAULT_FOLDER": place.watched.path, "FAULT_NUMBER": "\(number)",
                "FAULT_KIND": kind.rawValue, "FAULT_REPORT": report.path("reached"), Self.variable: place.folder.path,
            ]
            let tests = URL(filePath: CommandLine.arguments[0])
            let run = try ToolTests.run(
                tests, ["--testing-library", "swift-testing", "--filter", "TrackerFaultTests"], input: nil, in: tools,
                environment: environment)
            return try report.names.isEmpty ? nil : run
        }
    }
#endif
