// Migrations between the versions of real models: real stores with the rows that they came with, and stores that are made
// for a version and filled. What must come out is computed here from the objects of the older version and the names of
// the newer one, without the migration's own matching.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite(.needsReferenceData) struct RealMigrationTests {
    /// A step from one version of a real model to another.
    struct Step: CustomTestStringConvertible, Sendable {
        var from: String
        var to: String
        var testDescription: String { "\(from) -> \(to)" }

        /// From each version to the ones before and after it, and to the first and the last.
        static let all: [Step] = projects.flatMap(steps)

        private static func steps(_ versions: [String]) -> [Step] {
            var steps: [Step] = []
            for from in versions.indices {
                for to in versions.indices where to != from {
                    let isNear = abs(to - from) == 1 || to == 0 || to == versions.count - 1
                    if isNear { steps.append(Step(from: versions[from], to: versions[to])) }
                }
            }
            return steps
        }

        /// The versions of each model, by name.
        static let projects: [[String]] = {
            let byProject = Dictionary(grouping: ModelTestData.sources, by: project)
            return byProject.keys.sorted().map { byProject[$0, default: []].sorted() }
        }()

        static func project(_ path: String) -> String { String(path.prefix { $0 != "/" }) }
    }

    /// A real store and a version of its model that it isn't of.
    struct StoreStep: CustomTestStringConvertible, Sendable {
        var store: RealStore
        var to: String
        var testDescription: String { "\(store.path) -> \(to)" }

        /// To the first and the last version.
        static let all: [StoreStep] = RealStore.all.flatMap(steps)

        private static func steps(_ store: RealStore) -> [StoreStep] {
            let versions = ModelTestData.sources.filter { Step.project($0) == Step.project(store.path) }.sorted()
            return Set([versions.first, versions.last].compactMap { $0 }).sorted()
                .map { StoreStep(store: store, to: $0) }
        }
    }

    @Test(arguments: Laws.cases(Step.all, oneOf: 3))
    func `a filled store of one version becomes one of another, or the reasons against it are listed`(
        _ step: Step
    ) throws {
        let source = try ModelTestData.model(step.from)
        let store = try MigratingStore(source) { context in
            var generator = SeededGenerator(seed: 7)
            try RandomObjects(model: source, perEntity: 4).insert(into: context, using: &generator)
        }
        try check(store, from: try ModelTestData.model(step.from), to: try ModelTestData.model(step.to))
    }

    @Test(arguments: Laws.cases(StoreStep.all, oneOf: 2))
    func `a real store becomes one of another version, or the reasons against it are listed`(_ step: StoreStep) throws {
        let store = try MigratingStore()
        try FileManager.default.copyItem(at: step.store.url, to: store.url)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.url.path)
        let destination = try ModelTestData.model(step.to)
        let metadata = try SQLiteStoreFile.metadata(at: store.url)
        if destination.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return }
        try check(store, from: try step.store.model(), to: destination)
    }

    @Test func `most versions of the real models can be migrated to the next`() throws {
        let inferable = try Step.all.filter { step in
            let matching = ModelMatching(
                source: try ModelTestData.model(step.from), destination: try ModelTestData.model(step.to))
            return !matching.differences().contains { $0.obstacle != nil }
        }
        #expect(inferable.count > Step.all.count / 3, "\(inferable.count) of \(Step.all.count)")
    }

    private func check(
        _ store: MigratingStore, from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) throws {
        let before = try ObjectTable(store.open(source, nil))
        try store.close()
        let bytes = try Data(contentsOf: store.url)
        let differences = ModelMatching(source: source, destination: destination).differences()
        let obstacles = differences.filter { $0.obstacle != nil }
        if !obstacles.isEmpty {
            let error = try store.refusal(destination)
            let lackValuesAlone = obstacles.allSatisfy { $0.obstacle == .noDefault }
            #expect(error.code == (lackValuesAlone ? .migration : .migrationMissingMappingModel))
            #expect(error.info["obstacles"] as? [String] == obstacles.map(\.description))
            #expect(try Data(contentsOf: store.url) == bytes)
            return
        }
        let expected = try before.migrated(to: destination)
        let after = try ObjectTable(store.open(destination))
        #expect(after.differences(from: expected) == [])
        #expect(
            try store.statements().filter { !$0.contains("ACHANGE") && !$0.contains("ATRANSACTION") }
                == MigratingStore.statements(ofNew: try destination.next { _ in }))
        #expect(try store.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        // It is a store of the newer version now, and nothing else.
        #expect(try store.open(destination, nil).all(destination.entities[0].name ?? "").count >= 0)
    }
}
