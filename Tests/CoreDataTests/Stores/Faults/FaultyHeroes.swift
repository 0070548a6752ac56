// The store that is at work on a failing disk, and what it holds, in words.

import Foundation
import GRDB

@testable import CoreData

enum FaultyHeroes {
    private struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// Heroes with photos that are kept in files of their own.
    static func model() throws -> NSManagedObjectModel {
        let model = TestModel.heroes()
        try model.entity("Hero").properties.append(
            TestModel.attribute("photo", .binaryDataAttributeType, external: true))
        return model
    }

    /// The next version of the model.
    static func nextModel() throws -> NSManagedObjectModel {
        try model().next { model in
            try model.entity("Hero").attribute("name").name = "title"
            try model.entity("Hero").attribute("title").renamingIdentifier = "name"
            try model.entity("Power").relationship("hero").maxCount = 0
        }
    }

    static func store(in folder: URL) -> URL { folder.appendingPathComponent("Heroes.sqlite") }

    /// A context on the store in a folder, and how to close it.
    static func open(
        _ folder: URL, _ model: NSManagedObjectModel, pragmas: [String: String] = [:], more: [String: Any] = [:]
    ) throws -> (context: NSManagedObjectContext, close: () throws -> Void) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options: [String: Any] = [
            NSPersistentHistoryTrackingKey: NSNumber(value: true), NSSQLitePragmasOption: pragmas,
            // Nobody else is there to wait for.
            "NSPersistentStoreTimeoutOption": NSNumber(value: 2),
        ]
        options.merge(more) { $1 }
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store(in: folder), options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (context, { try coordinator.remove(store) })
    }

    /// Makes a store with some heroes in a folder.
    static func make(_ folder: URL, count: Int = 12) throws {
        let (context, close) = try open(folder, model())
        let team = context.insert("Team", ["name": "first"])
        var mentor: NSManagedObject?
        for number in 0..<count {
            let hero = context.insert(
                number.isMultiple(of: 3) ? "Sidekick" : "Hero", ["name": "hero \(number)", "age": number])
            hero.setValue(NSSet(object: team), forKey: "teams")
            hero.setValue(mentor, forKey: "mentor")
            if number < 2 { hero.setValue(photo(UInt8(number)), forKey: "photo") }
            context.insert("Power", ["name": "power \(number)", "hero": hero])
            mentor = mentor ?? hero
        }
        try context.save()
        try close()
    }

    /// A value that is large enough for a file of its own.
    static func photo(_ byte: UInt8) -> Data { Data(repeating: byte, count: ExternalDataFolder.threshold + 1) }

    // MARK: What there is

    /// What a folder's store holds.
    ///
    /// - Throws: Where the store, or a file beside it, is damaged.
    static func state(_ folder: URL) throws -> String {
        let url = store(in: folder)
        guard let size = FileState(url.path)?.size, size > 0 else { return "nothing" }
        // Opened by the store itself first: nobody else is there after a crash who takes back what was broken off.
        let (name, model, context, close) = try openAnyVersion(folder)
        let lines = try lines(context)
        let history = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        let transactions = history.result as? [NSPersistentHistoryTransaction]
        try close()
        let queue = try DatabaseQueue(path: url.path)
        let integrity = try queue.read { try $0.texts("PRAGMA integrity_check") }
        try queue.close()
        guard integrity == ["ok"] else { throw Damage(description: "integrity: \(integrity)") }
        try requireSound(url, model)
        return ([name] + lines + ["\(transactions?.count ?? -1) transactions"]).joined(separator: "\n")
    }

    private static func openAnyVersion(
        _ folder: URL
    ) throws -> (String, NSManagedObjectModel, NSManagedObjectContext, () throws -> Void) {
        do {
            let model = try model()
            let (context, close) = try open(folder, model)
            return ("first version", model, context, close)
        } catch let error as CocoaError where error.code == .persistentStoreIncompatibleVersionHash {
            let model = try nextModel()
            let (context, close) = try open(folder, model)
            return ("next version", model, context, close)
        }
    }

    private static func requireSound(_ url: URL, _ model: NSManagedObjectModel) throws {
        var findings: [StoreFinding] = []
        _ = try StoreCheck(store: url, model: model).run { findings.append($0) }
        findings.removeAll { $0.kind.isNote }
        guard findings.isEmpty else { throw Damage(description: "\(findings)") }
    }

    /// The objects, one in each line, by their names: a save that fails uses up keys.
    private static func lines(_ context: NSManagedObjectContext) throws -> [String] {
        let model = context.persistentStoreCoordinator?.managedObjectModel
        return try (model?.entities ?? []).filter { $0.superentity == nil }.flatMap { entity in
            try context.all(entity.name ?? "").map { object in
                let values = object.entity.propertiesByName.sorted { $0.key < $1.key }.map { name, _ in
                    "\(name): \(text(object.value(forKey: name)))"
                }
                return "\(object.entity.name ?? "") \(values.joined(separator: ", "))"
            }.sorted()
        }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let data as Data: "\(data.count) bytes of \(Set(data).sorted())"
        case let object as NSManagedObject:
            "\(object.value(forKey: object.entity.propertiesByName["name"] == nil ? "title" : "name") ?? "")"
        case let set as NSOrderedSet: "\(set.array.map(text))"
        case let set as NSSet: "\(set.allObjects.map(text).sorted())"
        case let value?: "\(value)"
        }
    }
}
