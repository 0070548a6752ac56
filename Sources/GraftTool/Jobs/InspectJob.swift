// What `graft inspect` does.

import CoreData
import Foundation
import Graft

/// A look into a store, a model or an archive.
struct InspectJob {
    var file: String
    /// The model of a store.
    var model: String?
    var isJSON: Bool

    /// - Returns: Whether all could be read.
    func run(on console: Console) throws -> Bool {
        // A folder is a model, and so are a file in one and a property list.
        let isModel = FileKind(ofPath: file) == .folder || StoreAccess.isModelFile(file)
        let kind = isModel ? .propertyList : try FileKind.contents(of: file)
        switch kind {
        case .archive:
            if model != nil { throw Self.modelOfModel(file) }
            let report = try archiveReport()
            try show(report, ReportText.lines(report), console)
            return true
        case .propertyList:
            if model != nil { throw Self.modelOfModel(file) }
            let report = ModelFileReport(file: file, model: ModelReport(try StoreAccess.model(at: file)))
            try show(report, ReportText.lines(report), console)
            return true
        default:
            try StoreAccess.requireStore(file)
            let report = try storeReport()
            try show(report, ReportText.lines(report), console)
            for damage in report.damages { console.note(damage) }
            return report.damages.isEmpty
        }
    }

    private func show(_ report: some Encodable, _ lines: [String], _ console: Console) throws {
        guard isJSON else {
            for line in lines { try console.print(line) }
            return
        }
        try console.print(ReportText.json(report))
    }

    private static func modelOfModel(_ file: String) -> GraftError {
        GraftError(
            .other(finding: "--model is for a store, and this is none", remedy: "Leave it out."),
            at: GraftError.Place(source: file))
    }

    private func archiveReport() throws -> ArchiveReport {
        let archive = GraphArchive(contentsOf: URL(fileURLWithPath: file))
        return ArchiveReport(
            file: file, size: try Self.size(of: file), hasModel: try archive.model() != nil,
            header: try archive.header())
    }

    func storeReport() throws -> StoreReport {
        let container = try StoreAccess.openForReading(file, modelPath: model)
        let metadata = container.persistentStoreCoordinator.persistentStores.first?.metadata ?? [:]
        var report = ModelReport(container.managedObjectModel)
        let context = container.newBackgroundContext()
        var damages: [String] = []
        /// Goes on without what can't be read.
        func read<T>(_ body: () throws -> T?) -> T? {
            do {
                return try body()
            } catch {
                let words = StoreAccess.shown(Tool.words(of: error))
                if !damages.contains(words) { damages.append(words) }
                return nil
            }
        }
        context.performAndWait {
            for index in report.entities.indices where !report.entities[index].isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: report.entities[index].name)
                request.includesSubentities = false
                report.entities[index].objectCount = read { try context.count(for: request) }
            }
        }
        let missingFiles = read { try StoreAccess.missingFiles(file, model: container.managedObjectModel) }
        return StoreReport(
            file: StoreAccess.shown(file), size: FileKind(ofPath: file) == .server ? nil : try Self.size(of: file),
            uuid: metadata[NSStoreUUIDKey] as? String ?? "",
            type: metadata[NSStoreTypeKey] as? String ?? "",
            frameworkVersion: (metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue,
            missingFiles: missingFiles, damages: damages, model: report)
    }

    /// The bytes of a store's file and of its log.
    private static func size(of path: String) throws -> Int {
        let path = FilePath.target(of: path).path
        return try [path, path + "-wal"].filter(FileManager.default.fileExists).reduce(0) { sum, file in
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
            return sum + (size?.intValue ?? 0)
        }
    }
}
