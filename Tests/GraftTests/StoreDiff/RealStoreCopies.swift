// Copies of stores that others have written, and what plain key-value coding finds in them.

import CoreData
import Foundation
import Testing

/// A folder of copies, which goes with it.
final class RealStoreCopies {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
    private var containers: [NSPersistentContainer] = []

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit {
        for coordinator in containers.map(\.persistentStoreCoordinator) {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens a copy of a store, with its log.
    func copy(_ path: String, _ name: String) throws -> NSPersistentContainer {
        let url = folder.appendingPathComponent(name)
        for end in ["", "-wal"] {
            let original = sharedData.path + "/" + path + end
            guard FileManager.default.fileExists(atPath: original) else { continue }
            try FileManager.default.copyItem(atPath: original, toPath: url.path + end)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path + end)
        }
        return try open(url, try #require(try SQLiteStoreFile.model(at: url)))
    }

    func open(_ url: URL, _ model: NSManagedObjectModel) throws -> NSPersistentContainer {
        let container = try NSPersistentContainer.opened(url, model) { $0.shouldMigrateStoreAutomatically = false }
        containers.append(container)
        return container
    }
}

extension NSManagedObjectID {
    /// The entity and the number of the row.
    var shortName: String { "\(entity.name ?? "")/\(uriRepresentation().lastPathComponent)" }
}

extension NSPersistentContainer {
    func read<T>(_ body: (NSManagedObjectContext) throws -> T) throws -> T {
        let context = newBackgroundContext()
        return try context.performAndWait { try body(context) }
    }

    /// What each row holds, by its name, told through key-value coding alone.
    ///
    /// - Parameter isChosen: The relationships whose members are told.
    func rows(_ isChosen: (NSRelationshipDescription) -> Bool = { _ in true }) throws -> [String: String] {
        try read { context in
            Dictionary(
                uniqueKeysWithValues: try context.everything().map { object in
                    let attributes = object.entity.attributesByName.filter {
                        !$0.value.isTransient && !($0.value is NSDerivedAttributeDescription)
                    }.sorted { $0.key < $1.key }
                    let values = attributes.map { "\($0.key)=\(GraphFingerprint.text(object.value(forKey: $0.key)))" }
                    let relationships = object.entity.relationshipsByName.filter { isChosen($0.value) }
                    let links = relationships.sorted { $0.key < $1.key }.map { name, relationship in
                        let members = object.objectIDs(forRelationshipNamed: name).map(\.shortName)
                        return "\(name):\(relationship.isOrdered ? members : members.sorted())"
                    }
                    return (object.objectID.shortName, (values + links).joined(separator: " "))
                })
        }
    }
}
