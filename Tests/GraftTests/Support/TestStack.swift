// Contexts on stores for tests, and short ways to ask what is in them.

import CoreData
import Foundation
import Graft
import Testing

enum StoreKind: CaseIterable, CustomTestStringConvertible {
    case inMemory, sqlite

    var testDescription: String { self == .inMemory ? "in memory" : "SQLite" }
}

/// A container on one store. The store's file goes with it.
final class TestStack {
    let container: NSPersistentContainer
    private let folder: URL?

    init(_ model: NSManagedObjectModel, _ kind: StoreKind = .inMemory) throws {
        container = NSPersistentContainer(name: "Test", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        if kind == .sqlite {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "graft-tests-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.folder = folder
            description.url = folder.appendingPathComponent("Test.sqlite")
            description.type = NSSQLiteStoreType
        } else {
            folder = nil
            description.type = NSInMemoryStoreType
            description.url = nil
        }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
    }

    deinit {
        for store in container.persistentStoreCoordinator.persistentStores {
            try? container.persistentStoreCoordinator.remove(store)
        }
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Runs a block on a fresh context.
    func perform<T>(_ block: (NSManagedObjectContext) throws -> T) throws -> T {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try block(context) }
    }

    /// Imports a text and saves.
    @discardableResult
    func importJSON(
        _ text: String, _ entity: String? = nil, options: ImportOptions = ImportOptions()
    ) throws -> ImportReport {
        try container.importJSON(from: [.data(Data(text.utf8))], entity: entity, options: options)
    }

    func count(_ entity: String) throws -> Int {
        try perform { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) }
    }
}

extension NSManagedObjectContext {
    /// All objects of an entity, in the order of a key.
    func all(_ entity: String, by key: String? = nil) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
        return try fetch(request)
    }

    /// All objects of all entities, in a defined order.
    func everything() throws -> [NSManagedObject] {
        let entities = persistentStoreCoordinator?.managedObjectModel.entities ?? []
        return try entities.filter { $0.superentity == nil }.flatMap { try all($0.name ?? "") }.sorted {
            $0.objectID.uriRepresentation().absoluteString < $1.objectID.uriRepresentation().absoluteString
        }
    }

    /// The object for which a key has a value.
    func one(_ entity: String, _ key: String, _ value: Any) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "%K == %@", argumentArray: [key, value])
        return try fetch(request).first
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }
    func number(_ key: String) -> Int64? { (value(forKey: key) as? NSNumber)?.int64Value }
    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }

    /// The texts that the members of a to-many relationship have under a key, sorted unless the relationship is ordered.
    func texts(_ key: String, _ attribute: String) -> [String] {
        if let ordered = value(forKey: key) as? NSOrderedSet {
            return ordered.array.compactMap { ($0 as? NSManagedObject)?.text(attribute) }
        }
        let set = value(forKey: key) as? NSSet ?? NSSet()
        return set.allObjects.compactMap { ($0 as? NSManagedObject)?.text(attribute) }.sorted()
    }
}

/// The GraftError that a block throws.
func graftError(_ block: () throws -> Void) -> GraftError? {
    do {
        try block()
        return nil
    } catch {
        return error as? GraftError
    }
}

/// The folder of real data beside the project.
let sharedData: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    repeat {
        folder.deleteLastPathComponent()
    } while folder.path != "/"
        && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
    return folder.deletingLastPathComponent().appendingPathComponent("shared/data")
}()

/// Whether this is `make test-portable`: what Apple's Core Data has as API is all there is.
let isPortable = ProcessInfo.processInfo.environment["GRAFT_PORTABLE"] != nil

extension Trait where Self == ConditionTrait {
    /// Skips a test where the project stands alone, without the real data beside it.
    static var needsReferenceData: Self {
        .enabled("The reference data isn't there") { FileManager.default.fileExists(atPath: sharedData.path) }
    }

    /// Skips a test that shows what can't be had from Core Data's public API.
    static var needsOurCoreData: Self { .disabled(if: isPortable, "Apple's Core Data can't do this") }
}
