// Stores that others have written, most of them of models that declare no identity: each can be compared with a copy, whatever was
// changed in that, and with what comes back from its archive.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite(.needsReferenceData, .serialized) struct RealStoreDiffTests {
    /// Stores that say of each link the same at both ends, and all of whose links lead somewhere.
    private static let sound =
        RealStore.all.filter { $0.count > 0 }.map { "stores/\($0.file)" }
        + RealStoreArchiveTests.paths.filter { !$0.contains("Notes") && !$0.contains("Photos-26") }

    /// A folder of copies, which goes with it.
    private final class Copies {
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
            let description = NSPersistentStoreDescription(url: url)
            description.shouldMigrateStoreAutomatically = false
            let container = NSPersistentContainer(name: "Real", managedObjectModel: model)
            container.persistentStoreDescriptions = [description]
            var failure: (any Error)?
            container.loadPersistentStores { failure = $1 }
            if let failure { throw failure }
            containers.append(container)
            return container
        }
    }

    @Test(arguments: sound)
    func `a restored store has no difference from the original`(_ path: String) throws {
        let copies = try Copies()
        let original = try copies.copy(path, "Original.sqlite")
        let file = copies.folder.appendingPathComponent("archive")
        try original.writeArchive(to: .file(file), options: .init(.binary))
        let archive = GraphArchive(contentsOf: file)
        let restored = try copies.open(
            copies.folder.appendingPathComponent("Restored.sqlite"), try #require(try archive.model()))
        try restored.restore(archive)
        #expect(try GraphDiff(from: original, to: restored).isEmpty)
        #expect(try GraphDiff(from: restored, to: original).isEmpty)
        let stores = [original, restored].map { $0.persistentStoreCoordinator.persistentStores[0].identifier ?? "" }
        #expect(stores[0] == stores[1])
    }

    /// Each store with each number of changes, or each second one with one of them.
    private static let changes = sound.enumerated().flatMap { index, path in
        [1, 10, 100].enumerated().filter { Laws.isThorough || (index + $0.offset) % 6 == 0 }.map { (path, $0.element) }
    }

    @Test(arguments: changes)
    func `what was changed in a copy is found, carried over and taken back`(_ path: String, _ count: Int) throws {
        let copies = try Copies()
        let (original, copy) = (try copies.copy(path, "Original.sqlite"), try copies.copy(path, "Copy.sqlite"))
        var random = SeededGenerator(seed: count)
        let before = try rows(copy)
        try change(copy, count, &random)
        let after = try rows(copy)
        // Who knows the base needs no proof that the rows are the same.
        let base = try read(original) { try GraphSnapshot(of: $0).lineage }
        let options = DiffOptions(guessesKeys: true, base: base)
        let diff = try GraphDiff(from: original, to: copy, options: options)
        #expect(try GraphDiff(from: original, to: copy, options: options, readingAll: true) == diff)
        let changed = before.keys.filter { after[$0] != nil && after[$0] != before[$0] }
        #expect(try Set(names(diff.deleted.map(\.key), diff, original)) == Set(before.keys).subtracting(after.keys))
        #expect(try Set(names(diff.inserted.map(\.key), diff, copy)) == Set(after.keys).subtracting(before.keys))
        #expect(try Set(names(diff.changed.map(\.key), diff, copy)) == Set(changed))
        // Stores break the rules of their own models, so nothing is asked of those.
        try apply(diff, to: original, options)
        #expect(try GraphDiff(from: original, to: copy, options: options).isEmpty)
        #expect(try rows(original).count == after.count)
        try apply(diff.inverted, to: original, options)
        let untouched = try copies.copy(path, "Untouched.sqlite")
        #expect(try GraphDiff(from: original, to: untouched, options: options).isEmpty)
        #expect(try rows(original).count == before.count)
    }

    private func apply(_ diff: GraphDiff, to container: NSPersistentContainer, _ options: DiffOptions) throws {
        try container.apply(diff, options: GraphDiff.ApplyingOptions(diff: options))
    }

    private func read<T>(
        _ container: NSPersistentContainer, _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try body(context) }
    }

    /// What each row holds, by its name, told through key-value coding alone.
    private func rows(_ container: NSPersistentContainer) throws -> [String: String] {
        try read(container) { context in
            Dictionary(
                uniqueKeysWithValues: try context.everything().map { object in
                    let attributes = object.entity.attributesByName.filter {
                        !$0.value.isTransient && !($0.value is NSDerivedAttributeDescription)
                    }.sorted { $0.key < $1.key }
                    let values = attributes.map { "\($0.key)=\(GraphFingerprint.text(object.value(forKey: $0.key)))" }
                    let links = object.entity.relationshipsByName.sorted { $0.key < $1.key }.map { name, relationship in
                        let members = object.objectIDs(forRelationshipNamed: name).map(Self.name)
                        return "\(name):\(relationship.isOrdered ? members : members.sorted())"
                    }
                    return (Self.name(object.objectID), (values + links).joined(separator: " "))
                })
        }
    }

    private static func name(_ id: NSManagedObjectID) -> String {
        "\(id.entity.name ?? "")/\(id.uriRepresentation().lastPathComponent)"
    }

    private func names(
        _ keys: [ObjectKey], _ diff: GraphDiff, _ container: NSPersistentContainer
    ) throws -> [String] {
        try read(container) { context in
            let objects = try context.objects(with: keys, in: diff.identification)
            #expect(objects.count == keys.count)
            return objects.values.map { Self.name($0.objectID) }
        }
    }

    /// Changes values and links, and inserts and deletes objects, at random, as far as the model's rules allow it.
    private func change(
        _ container: NSPersistentContainer, _ count: Int, _ random: inout SeededGenerator
    ) throws {
        var generator = random
        try read(container) { context in
            var done = 0
            var objects = try context.everything()
            for _ in 0..<count * 4 where done < count && !objects.isEmpty {
                let object = objects[generator.below(objects.count)]
                var inserted: [NSManagedObject] = []
                switch generator.below(10) {
                // Who has no inverse is left leading nowhere, and a diff refuses that.
                case 0: if !Self.isLedToOneWay(object.entity) { context.delete(object) }
                case 1: inserted = [copy(object, in: context, done)]
                case 2, 3: link(object, objects, &generator)
                default: set(object, done, &generator)
                }
                do {
                    try context.save()
                    done += 1
                    // Deletions cascade.
                    objects = objects.filter { $0.managedObjectContext != nil } + inserted
                } catch {
                    context.rollback()
                }
            }
            #expect(done > 0)
        }
        random = generator
    }

    private static func isLedToOneWay(_ entity: NSEntityDescription) -> Bool {
        entity.managedObjectModel.entities.flatMap(\.relationshipsByName.values).contains { relationship in
            relationship.inverseRelationship == nil
                && relationship.destinationEntity.map(entity.isKindOf(entity:)) ?? false
        }
    }

    /// What may identify objects stays: another identity is another object.
    private func mayChange(_ attribute: NSAttributeDescription) -> Bool {
        let name = attribute.name.lowercased()
        let isUnique = attribute.entity.uniquenessConstraints.joined().contains { "\($0)" == attribute.name }
        return !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) && !isUnique
            && !["id", "uuid", "guid", "identifier", "license", "\(attribute.entity.name ?? "")id".lowercased()]
                .contains(name)
    }

    private func set(_ object: NSManagedObject, _ number: Int, _ random: inout SeededGenerator) {
        let attributes = object.entity.attributesByName.values.filter(mayChange).sorted { $0.name < $1.name }
        guard !attributes.isEmpty else { return }
        let attribute = attributes[random.below(attributes.count)]
        switch attribute.attributeType {
        case .stringAttributeType: object.setValue("changed \(number)", forKey: attribute.name)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            object.setValue(number + 2, forKey: attribute.name)
        case .doubleAttributeType, .floatAttributeType: object.setValue(Double(number) + 0.5, forKey: attribute.name)
        case .dateAttributeType:
            object.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: attribute.name)
        default: break
        }
    }

    private func link(_ object: NSManagedObject, _ objects: [NSManagedObject], _ random: inout SeededGenerator) {
        let toOnes = object.entity.relationshipsByName.values.filter { !$0.isToMany }.sorted { $0.name < $1.name }
        guard !toOnes.isEmpty else { return }
        let relationship = toOnes[random.below(toOnes.count)]
        let ends = objects.filter { end in
            relationship.destinationEntity.map { end.entity.isKindOf(entity: $0) } ?? false
        }
        object.setValue(ends.isEmpty ? nil : ends[random.below(ends.count)], forKey: relationship.name)
    }

    /// A new object with an object's values, and an identity of its own.
    private func copy(
        _ object: NSManagedObject, in context: NSManagedObjectContext, _ number: Int
    ) -> NSManagedObject {
        let copy = NSEntityDescription.insertNewObject(forEntityName: object.entity.name ?? "", into: context)
        for (name, attribute) in object.entity.attributesByName where !(attribute is NSDerivedAttributeDescription) {
            copy.setValue(object.value(forKey: name), forKey: name)
            if mayChange(attribute) { continue }
            switch attribute.attributeType {
            case .stringAttributeType: copy.setValue("new \(number)", forKey: name)
            case .UUIDAttributeType: copy.setValue(UUID(), forKey: name)
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                copy.setValue(30000 + number, forKey: name)
            default: break
            }
        }
        return copy
    }
}
