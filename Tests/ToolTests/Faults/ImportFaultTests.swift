// Importing and restoring through Graft's API on a disk that fails; Tests/CoreDataTests/Stores/Faults is for stores by themselves.

#if canImport(FaultyFiles)
    import CoreData
    import FaultyFiles
    import Foundation
    import Graft
    import Testing

    @Suite(.serialized) struct ImportFaultTests {
        private static let isThorough = ProcessInfo.processInfo.environment["FAULTS"] == "all"

        private static func store(in folder: URL) -> URL { folder.appending(path: "Heroes.sqlite") }

        private static func open(_ folder: URL) throws -> (NSPersistentContainer, close: () throws -> Void) {
            let model = try #require(NSManagedObjectModel(contentsOf: URL(filePath: Project.heroesModel)))
            let container = NSPersistentContainer(name: "Heroes", managedObjectModel: model)
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store(in: folder))]
            var failure: (any Error)?
            container.loadPersistentStores { failure = $1 }
            if let failure { throw failure }
            let coordinator = container.persistentStoreCoordinator
            return (container, { for store in coordinator.persistentStores { try coordinator.remove(store) } })
        }

        private static func state(_ folder: URL) throws -> String {
            let file = StoreFile(path: store(in: folder).path)
            try #require(try file.integrity == ["ok"])
            var content = try file.contentWithoutKeyCounters
            // Opening a store may add to these; keys that a failed import has reserved stay unused.
            for table in ["Z_METADATA", "Z_MODELCACHE"] { content[table] = nil }
            return content.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.count) rows" }.joined(
                separator: "\n")
        }

        private func expectSafe(_ body: @escaping (NSPersistentContainer) throws -> Void) throws {
            let trial = FaultTrial(
                setUp: { folder in
                    let (container, close) = try Self.open(folder)
                    let heroes = try Data(contentsOf: Project.heroes.appending(path: "heroes.json"))
                    try container.importJSON(from: [.data(heroes)], entity: "Hero")
                    try close()
                },
                begin: { folder in
                    let (container, close) = try Self.open(folder)
                    return .init(run: { try body(container) }, close: close)
                }, state: Self.state)
            for fault in FaultyDisk.Fault.allCases {
                let report = try trial.run(
                    fault: fault, isThorough: Self.isThorough, seeds: 0..<(Self.isThorough ? 3 : 1))
                #expect(report.faults > 0)
                #expect(report.problems == [], "of \(report.faults) faults")
                if Self.isThorough { print("\(fault): \(report.faults) faults, \(report.successes) without an error") }
            }
        }

        @Test func `an import is whole or not at all`() throws {
            let more = ImportSource.data(Data(generatedHeroes(5).utf8))
            try expectSafe { try $0.importJSON(from: [more], entity: "Hero") }
        }

        @Test func `a restored archive is whole or not at all`() throws {
            let folder = try TemporaryFolder()
            let (container, close) = try Self.open(folder.url)
            try container.importJSON(from: [.data(Data(generatedHeroes(5).utf8))], entity: "Hero")
            let file = folder.url.appending(path: "heroes.graft")
            try container.writeArchive(to: .file(file))
            try close()
            let archive = GraphArchive(contentsOf: file)
            try expectSafe { try $0.restore(archive) }
        }
    }
#endif
