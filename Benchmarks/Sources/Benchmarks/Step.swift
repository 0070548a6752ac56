// A step of a benchmark in a process of its own: it starts with fresh memory, as a program does, and its largest memory
// is its own. (In one process, what earlier steps leave of the heap makes later ones up to a third slower.)

import CoreData
import Foundation
import Graft

/// Work that is measured in a process of its own.
enum Step: String {
    /// Makes an empty store.
    case making
    /// Imports a file into a store, in one save.
    case importing
    /// The same in batches, each saved.
    case importingBatches
    /// The same into a store with indexes on the identities.
    case importingIndexedBatches
    /// Writes the rows of a store to another file by the loop of ``RawStore``.
    case writingRows
    /// Reads all rows of a store into memory.
    case readingRows
    /// Exports the heroes of a store to a file, nested.
    case exporting
    /// The same with identifiers for relationships.
    case exportingIdentifiers
    /// Imports items that one attribute identifies.
    case importingItems
    /// Imports items that two attributes identify.
    case importingCompositeItems
    /// Imports the nodes of a graph with cycles.
    case importingNodes
    /// Exports them, nested.
    case exportingNodes
    /// Makes the difference between two stores.
    case comparing
    /// Archives a store, in JSON or in blocks.
    case archivingJSON, archivingBinary
    /// Restores an archive into a new store, in one save.
    case restoring
    /// The same in batches, each saved.
    case restoringBatches
    /// Writes a graph as a dictionary; makes the objects of one. The path names the graph: see ``DictionaryGraph``.
    case writingDictionaries, readingDictionaries
    /// Writes a graph as a dictionary, and that as JSON.
    case writingDictionaryData
    /// Creates, fetches, finds by an indexed attribute and walks over objects.
    case creatingObjects, fetchingObjects, findingObjects, walkingObjects
    /// The same with GRDB's records.
    case creatingRecords, fetchingRecords, findingRecords, walkingRecords
    /// Fetches the heroes and reads each attribute; changes a thousand of them, each in a save of its own.
    case fetchingHeroes, savingHeroes
    /// Holds objects; the count is the bytes of each.
    case holdingObjects

    /// What a step took, and what it did.
    struct Outcome {
        var cost: Cost
        /// In KB.
        var peakMemory: Int
        /// Objects inserted and updated, rows, or objects written.
        var count: Int

        /// The outcome of a step that has to have done so much.
        func requiring(_ expected: Int) throws -> Outcome {
            guard count == expected else {
                throw GraftError(
                    .other(finding: "\(count) objects where \(expected) were expected", remedy: "Repair the code."))
            }
            return self
        }
    }

    /// The argument that makes this program such a process.
    static let argument = "--step"

    /// Runs the step in a process of its own.
    func run(_ paths: URL...) throws -> Outcome { try run(paths) }

    /// Runs the step in a process of its own.
    func run(_ paths: [URL]) throws -> Outcome {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return try Self.run(
            program, [Self.argument, rawValue] + paths.map { $0.isFileURL ? $0.path : $0.absoluteString })
    }

    /// Runs a program that does such a step.
    static func run(_ program: URL, _ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, numbers.count == 4 else {
            let command = ([program.lastPathComponent] + arguments).joined(separator: " ")
            throw GraftError(.other(finding: "the step \(command) failed", remedy: "See its output."))
        }
        return Outcome(
            cost: Cost(seconds: numbers[0], processor: numbers[1]), peakMemory: Int(numbers[2]), count: Int(numbers[3]))
    }

    /// In that process: does the work and prints the outcome.
    static func runAsProcess(_ arguments: [String]) throws {
        guard let step = arguments.first.flatMap(Step.init), arguments.count > 1 else {
            throw GraftError(
                .other(finding: "\(argument) needs a step and its files", remedy: "Name a benchmark instead."))
        }
        let urls = arguments.dropFirst().map { argument in
            (argument.contains("://") ? URL(string: argument) : nil) ?? URL(filePath: argument)
        }
        let (count, cost) = try step.work(urls)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst()
            .first
        print(cost.seconds, cost.processor, peak ?? "0", count)
    }

    private func work(_ urls: [URL]) throws -> (Int, Cost) {
        switch self {
        case .archivingJSON, .archivingBinary:
            var options = GraphArchive.WritingOptions()
            options.encoding = self == .archivingJSON ? .json : .binary
            return try withContainer(urls[0]) { container in
                try Cost.of {
                    let header = try container.writeArchive(to: .file(urls[1]), options: options)
                    return header.entities.first { $0.name == "Hero" }?.objectCount ?? 0
                }
            }
        case .restoring, .restoringBatches:
            var options = GraphArchive.RestoringOptions()
            options.savesEachBatch = self == .restoringBatches
            return try withContainer(urls[1]) { container in
                try Cost.of {
                    try container.restore(GraphArchive(contentsOf: urls[0]), options: options)["Hero"].inserted
                }
            }
        case .making: return try withContainer(urls[0]) { _ in Cost.of { 0 } }
        case .importing, .importingBatches, .importingIndexedBatches:
            var options = ImportOptions()
            options.savesEachBatch = self != .importing
            return try withContainer(urls[1], HeroModel.make(isIndexed: self == .importingIndexedBatches)) {
                container in
                try Cost.of {
                    let report = try container.importJSON(contentsOf: [urls[0]], entity: "Hero", options: options)
                    return report["Hero"].inserted + report["Hero"].updated
                }
            }
        case .importingItems, .importingCompositeItems:
            let model = ItemFile.model(isComposite: self == .importingCompositeItems)
            return try withContainer(urls[1], model) { container in
                try Cost.of {
                    try container.importJSON(contentsOf: [urls[0]], entity: "Item")["Item"].inserted
                }
            }
        case .importingNodes:
            return try withContainer(urls[1], NodeFile.model()) { container in
                try Cost.of {
                    try container.importJSON(contentsOf: [urls[0]], entity: "Node")["Node"].inserted
                }
            }
        case .exportingNodes:
            return try withContainer(urls[0], NodeFile.model()) { container in
                try Cost.of { try container.exportJSON(ExportRequest(entity: "Node"), to: .file(urls[1])) }
            }
        case .writingRows:
            let rows = try RawStore(path: urls[0].path)
            let cost = try rows.write(to: urls[1].path)
            guard try RawStore(path: urls[1].path).rowCount == rows.rowCount else {
                throw GraftError(.other(finding: "the loop wrote other rows than it read", remedy: "Repair RawStore."))
            }
            return (rows.rowCount, cost)
        case .readingRows:
            return try Cost.of { try RawStore(path: urls[0].path).rowCount }
        case .exporting, .exportingIdentifiers:
            var options = ExportOptions()
            options.relationshipForm = self == .exporting ? .nested : .identifier
            return try withContainer(urls[0]) { container in
                try Cost.of {
                    try container.exportJSON(ExportRequest(entity: "Hero"), to: .file(urls[1]), options: options)
                }
            }
        case .creatingObjects, .fetchingObjects, .findingObjects, .walkingObjects, .holdingObjects, .creatingRecords,
            .fetchingRecords, .findingRecords, .walkingRecords:
            return try withContainer(urls[0], ItemObject.model()) { container in
                try ObjectWork.run(self, urls[0], container.newBackgroundContext())
            }
        case .fetchingHeroes:
            return try withContainer(urls[0]) { container in
                try Cost.of { try HeroModel.fetch(container.newBackgroundContext()) }
            }
        case .savingHeroes:
            return try withContainer(urls[0]) { container in
                try Cost.of { try HeroModel.save(container.newBackgroundContext()) }
            }
        case .writingDictionaries: return try DictionaryGraph(urls[0]).write()
        case .writingDictionaryData: return try DictionaryGraph(urls[0]).writeData()
        case .readingDictionaries: return try DictionaryGraph(urls[0]).read()
        case .comparing:
            return try withContainer(urls[0]) { old in
                try withContainer(urls[1]) { new in
                    try Cost.of { try GraphDiff(from: old, to: new).count }
                }
            }
        }
    }

    /// Opens a store, by default one with the heroes' model, for the duration of a call.
    private func withContainer<R>(
        _ store: URL, _ model: NSManagedObjectModel = HeroModel.make(), _ body: (NSPersistentContainer) throws -> R
    ) throws -> R {
        try body(.loaded(model, at: store))
    }
}
