// Imports into one file through several coordinators, as several processes have them: each has its turn from the first look-up
// to the save.

import CoreData
import Foundation
import Graft
import Synchronization
import Testing

@Suite struct ImportTurnTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "graft-turns-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    /// A container of its own on the same file.
    private func container(_ options: [String: NSObject] = [:]) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Turns", managedObjectModel: ComicModel.make())
        let description = NSPersistentStoreDescription(url: folder.appending(path: "Turns.sqlite"))
        for (key, value) in options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private func count(_ entity: String, _ container: NSPersistentContainer) throws -> Int {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    private static var rollbackMode: [String: NSObject] {
        [NSSQLitePragmasOption: ["journal_mode": "DELETE"] as NSDictionary]
    }

    @Test(arguments: [false, true], [false, true])
    func `imports through several coordinators at the same time don't double anything`(
        inRollbackMode: Bool, savesEachBatch: Bool
    ) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let records = (0..<300).map {
            #"{"id": "\#($0)", "name": "N\#($0)", "powers": [{"id": "\#($0 % 9)", "name": "P"}]}"#
        }
        let text = Data(records.joined(separator: "\n").utf8)
        let containers = try (0..<4).map { _ in try container(inRollbackMode ? Self.rollbackMode : [:]) }
        let inserted = Mutex(0)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: containers.count) { number in
            var options = ImportOptions()
            options.batchSize = 20
            options.savesEachBatch = savesEachBatch
            do {
                let report = try containers[number].importJSON(
                    from: [.data(text)], entity: "Character", options: options)
                inserted.withLock { $0 += report.total.inserted }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try count("Character", containers[0]) == 300)
        #expect(try count("Power", containers[0]) == 9)
        #expect(inserted.withLock { $0 } == 309)
    }

    /// Objects without identity are matched by contents: what another import has made between two batches is found, and what
    /// this one has made itself stands for one row each.
    @Test func `batches see what others have written between them`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var sketch = ModelSketch()
        sketch.entity("Line", [.attribute("text", json: "text")])
        let model = sketch.model()
        func open() throws -> NSPersistentContainer {
            let container = NSPersistentContainer(name: "Lines", managedObjectModel: model)
            container.persistentStoreDescriptions = [
                NSPersistentStoreDescription(url: folder.appending(path: "Lines.sqlite"))
            ]
            var failure: (any Error)?
            container.loadPersistentStores { _, error in failure = error }
            if let failure { throw failure }
            return container
        }
        let (first, second) = (try open(), try open())
        let pipe = Pipe()
        let report = Mutex<ImportReport?>(nil)
        let done = DispatchSemaphore(value: 0)
        let source = ImportSource.handle(pipe.fileHandleForReading, name: "pipe")
        Thread.detachNewThread {
            var options = ImportOptions()
            options.batchSize = 1
            options.savesEachBatch = true
            options.checksInputFirst = false
            let result = try? first.importJSON(from: [source], entity: "Line", options: options)
            report.withLock { $0 = result }
            done.signal()
        }
        try pipe.fileHandleForWriting.write(contentsOf: Data(#"{"text": "a"} {"text": "b"} "#.utf8))
        let deadline = ContinuousClock.now + .seconds(30)
        while try count("Line", second) < 1, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.01) }
        try second.importJSON(from: [.data(Data(#"[{"text": "a"}, {"text": "x"}]"#.utf8))], entity: "Line")
        try pipe.fileHandleForWriting.write(contentsOf: Data(#"{"text": "a"} {"text": "x"} {"text": "y"}"#.utf8))
        try pipe.fileHandleForWriting.close()
        #expect(done.wait(timeout: .now() + 30) == .success)
        // a, b, and a second a of the first; x of the second, which the first one finds; y.
        #expect(report.withLock { $0?["Line"].inserted } == 4)
        #expect(try count("Line", second) == 5)
    }

    @Test func `a file that is open under two configurations takes imports`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func container(_ configurations: [String?]) throws -> NSPersistentContainer {
            var sketch = ModelSketch()
            for name in ["Tag", "Prize"] { sketch.entity(name, [.attribute("title", json: "title")]) }
            let model = sketch.model()
            for entity in model.entities { model.setEntities([entity], forConfigurationName: "\(entity.name ?? "")s") }
            let container = NSPersistentContainer(name: "Both", managedObjectModel: model)
            container.persistentStoreDescriptions = configurations.map { configuration in
                let description = NSPersistentStoreDescription(url: folder.appending(path: "Both.sqlite"))
                description.configuration = configuration
                return description
            }
            var failure: (any Error)?
            container.loadPersistentStores { _, error in failure = failure ?? error }
            if let failure { throw failure }
            return container
        }
        // A file of the whole model.
        let whole = try container([nil])
        for store in whole.persistentStoreCoordinator.persistentStores {
            try whole.persistentStoreCoordinator.remove(store)
        }
        let both = try container(["Tags", "Prizes"])
        for entity in ["Tag", "Prize"] {
            // An import that waits for itself ends by this alone.
            let progress = Progress(totalUnitCount: 1)
            DispatchQueue.global().asyncAfter(deadline: .now() + 20) { progress.cancel() }
            let data = ImportSource.data(Data(#"[{"title": "a"}, {"title": "b"}]"#.utf8))
            let report = try both.importJSON(from: [data], entity: entity, progress: progress)
            #expect(report.total.inserted == 2)
            #expect(try count(entity, both) == 2)
        }
    }

    // Apple's stores have no lock that an import could hold: whoever only saves doesn't wait.
    @Test(.needsOurCoreData)
    func `others read while an import has its turn, and save when it has ended`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let importing = try container()
        try importing.importJSON(from: [.data(Data(#"{"id": "1", "name": "A"}"#.utf8))], entity: "Character")
        let other = try container(["NSPersistentStoreTimeoutOption": 0 as NSNumber])
        let slow = SlowImport(into: importing)
        try slow.begin()
        let context = other.newBackgroundContext()
        let power = NSEntityDescription.insertNewObject(forEntityName: "Power", into: context)
        func isLocked(_ round: Int) -> Bool {
            power.setValue("P\(round)", forKey: "name")
            do {
                try context.save()
                return false
            } catch {
                return "\(error)".contains("locked")
            }
        }
        var round = 0
        while !isLocked(round), round < 3000 {
            round += 1
            Thread.sleep(forTimeInterval: 0.005)
        }
        #expect(round < 3000, "the turn keeps others from writing")
        // Readers of both go on.
        #expect(try count("Character", other) == 1)
        #expect(try count("Character", importing) == 1)
        #expect(try slow.end())
        try context.save()
        #expect(try count("Character", other) == 3)
    }

    @Test(arguments: isPortable ? [true, false] : [true])
    func `an import that waits for its turn can be cancelled`(isOtherContainer: Bool) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let holder = try container()
        let waiting = isOtherContainer ? try container() : holder
        let slow = SlowImport(into: holder)
        try slow.begin()
        let other = try container(["NSPersistentStoreTimeoutOption": 0 as NSNumber])
        func isFree() -> Bool {
            // Where no timeout says how long to wait.
            let progress = Progress(totalUnitCount: 1)
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { progress.cancel() }
            let nine = ImportSource.data(Data(#"{"id": "9"}"#.utf8))
            return (try? other.importJSON(from: [nine], entity: "Character", progress: progress)) != nil
        }
        var round = 0
        while isFree(), round < 3000 {
            round += 1
            Thread.sleep(forTimeInterval: 0.005)
        }
        let progress = Progress(totalUnitCount: 1)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { progress.cancel() }
        let error = graftError {
            try waiting.importJSON(
                from: [.data(Data(#"{"id": "5"}"#.utf8))], entity: "Character", progress: progress)
        }
        #expect(error?.problem == .cancelled)
        #expect(try slow.end())
    }
}

/// An import that waits for the rest of its input, with its turn.
private final class SlowImport {
    private let container: NSPersistentContainer
    private let pipe = Pipe()
    private let done = DispatchSemaphore(value: 0)

    init(into container: NSPersistentContainer) { self.container = container }

    /// Gives it two records, each a batch of its own.
    func begin() throws {
        let source = ImportSource.handle(pipe.fileHandleForReading, name: "pipe")
        Thread.detachNewThread { [container, done] in
            var options = ImportOptions()
            options.batchSize = 1
            _ = try? container.importJSON(from: [source], entity: "Character", options: options)
            done.signal()
        }
        try pipe.fileHandleForWriting.write(
            contentsOf: Data(#"{"id": "2", "name": "B"} {"id": "3", "name": "C"} "#.utf8))
    }

    /// Ends the input; false where the import doesn't end, too.
    func end() throws -> Bool {
        try pipe.fileHandleForWriting.close()
        return done.wait(timeout: .now() + 30) == .success
    }
}
