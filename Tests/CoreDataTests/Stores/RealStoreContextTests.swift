// Real stores through containers and contexts, as a program opens them: what they hold against what SQLite says, and what
// an insertion, a change and a deletion leave as it was.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite(.needsReferenceData) struct RealStoreContextTests {
    /// Where a store's model comes from.
    enum Origin: String, CaseIterable, Sendable {
        case source, compiled, carried
    }

    struct Opening: CustomTestStringConvertible, Sendable {
        let real: RealStore, origin: Origin
        var testDescription: String { "\(real.path), \(origin.rawValue) model" }

        /// Nil where there is no such model.
        func model() throws -> NSManagedObjectModel? {
            switch origin {
            case .source: return try real.model()
            case .carried:
                return try SQLiteStoreFile.modelCache(at: real.url).map { try NSManagedObjectModel(modelCache: $0) }
            case .compiled:
                let metadata = try SQLiteStoreFile.metadata(at: real.url)
                let project = real.path.prefix { $0 != "/" }
                return try ModelTestData.compiled.filter { $0.hasPrefix("\(project)/") }.lazy
                    .map(ModelTestData.model)
                    .first { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
            }
        }
    }

    static let openings = RealStore.all.flatMap { real in Origin.allCases.map { Opening(real: real, origin: $0) } }

    @Test func `every real store carries its model, and six have a compiled one beside them`() throws {
        let counts = try Origin.allCases.map { origin in
            try Self.openings.count { opening in try opening.origin == origin && opening.model() != nil }
        }
        #expect(counts == [9, 6, 9])
    }

    // MARK: Reading

    private func context(
        _ model: NSManagedObjectModel, _ url: URL, isReadOnly: Bool = false
    ) throws -> NSManagedObjectContext {
        let container = NSPersistentContainer(name: "Real", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        description.isReadOnly = isReadOnly
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container.newBackgroundContext()
    }

    /// The entities' tables and numbers, as the file has them; migration left an old name in one.
    private func tables(_ real: RealStore, _ model: NSManagedObjectModel) throws -> [String: (
        table: String, number: Int
    )] {
        let isMigrated = real.path.hasSuffix("SampleModel_V2.sqlite")
        let numbers = try real.read { db in
            try Row.fetchAll(db, sql: "SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000").map { row in
                let name: String = row["Z_NAME"], number: Int = row["Z_ENT"]
                return (isMigrated && name == "ExpensiveSportCar" ? "LuxuryCar" : name, number)
            }
        }
        let numberByName = Dictionary(uniqueKeysWithValues: numbers)
        var result: [String: (table: String, number: Int)] = [:]
        for entity in model.entities {
            var root = entity
            while let parent = root.superentity { root = parent }
            let name = try #require(entity.name)
            result[name] = ("Z\(try #require(root.name).uppercased())", try #require(numberByName[name]))
        }
        return result
    }

    @Test(arguments: openings)
    func `a real store has as many objects as rows, with the values that SQLite says`(_ opening: Opening) throws {
        guard let model = try opening.model() else { return }
        let tables = try tables(opening.real, model)
        let context = try context(model, opening.real.url, isReadOnly: true)
        try context.performAndWait {
            for entity in model.entities {
                let name = try #require(entity.name), place = try #require(tables[name])
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                let objects = try context.fetch(request)
                let rows = try opening.real.read { db in
                    try Row.fetchAll(
                        db, sql: "SELECT * FROM \(place.table) WHERE Z_ENT = ? ORDER BY Z_PK", arguments: [place.number]
                    )
                }
                #expect(try context.count(for: request) == rows.count, "\(name)")
                #expect(objects.map(primaryKey) == rows.map { $0["Z_PK"] as Int64 }, "\(name)")
                // A sample, all over the table.
                for index in stride(from: 0, to: rows.count, by: max(1, rows.count / 25)) {
                    for property in entity.properties where !property.isTransient {
                        expectEqual(objects[index], property, rows[index])
                    }
                }
            }
        }
    }

    private func primaryKey(_ object: NSManagedObject) -> Int64 { key(object.objectID) }

    private func key(_ id: NSManagedObjectID) -> Int64 {
        Int64(id.uriRepresentation().lastPathComponent.dropFirst()) ?? -1
    }

    /// Compares a property with its column.
    private func expectEqual(_ object: NSManagedObject, _ property: NSPropertyDescription, _ row: Row) {
        let column = "Z\(property.name.uppercased())"
        let value = object.value(forKey: property.name)
        let place: Comment = "\(object.entity.name ?? "").\(property.name) of row \(primaryKey(object))"
        switch property {
        case let relationship as NSRelationshipDescription:
            if relationship.isToMany { return }
            #expect((value as? NSManagedObject).map(primaryKey) == row[column] as Int64?, place)
        case let attribute as NSAttributeDescription:
            #expect(row.hasColumn(column), place)
            expectEqual(value, attribute.attributeType, row[column] as DatabaseValue, place)
        default: break
        }
    }

    private func expectEqual(_ value: Any?, _ type: NSAttributeType, _ stored: DatabaseValue, _ place: Comment) {
        if stored.isNull {
            #expect(value == nil, place)
            return
        }
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            #expect((value as? NSNumber)?.int64Value == Int64.fromDatabaseValue(stored), place)
        case .doubleAttributeType, .floatAttributeType:
            #expect((value as? NSNumber)?.doubleValue == Double.fromDatabaseValue(stored), place)
        case .decimalAttributeType:
            #expect((value as? NSDecimalNumber)?.doubleValue == Double.fromDatabaseValue(stored), place)
        case .dateAttributeType:
            #expect((value as? Date)?.timeIntervalSinceReferenceDate == Double.fromDatabaseValue(stored), place)
        case .stringAttributeType: #expect(value as? String == String.fromDatabaseValue(stored), place)
        case .URIAttributeType: #expect((value as? URL)?.absoluteString == String.fromDatabaseValue(stored), place)
        case .UUIDAttributeType: #expect((value as? UUID) == UUID.fromDatabaseValue(stored), place)
        case .binaryDataAttributeType: #expect(value as? Data == Data.fromDatabaseValue(stored), place)
        // Of transformable values the store has the archive's bytes only.
        default: #expect(Data.fromDatabaseValue(stored)?.isEmpty == false, place)
        }
    }

    // MARK: Writing

    /// A file's schema, metadata and rows as text, without the rows that a body names and the highest key of a table.
    private func dump(_ url: URL, without changed: [(table: String, key: Int64)], _ counted: String) throws -> [String]
    {
        let queue = try DatabaseQueue(path: url.path)
        defer { try? queue.close() }
        return try queue.read { db in
            var lines = try String.fetchAll(
                db, sql: "SELECT name || ' ' || IFNULL(sql, '') FROM sqlite_master ORDER BY rowid")
            lines.append("schema cookie \(try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? -1)")
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            for table in tables {
                for row in try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"") {
                    if changed.contains(where: { $0.table == table && $0.key == row["Z_PK"] as Int64? }) { continue }
                    var values = Array(row.databaseValues)
                    if table == "Z_PRIMARYKEY", row["Z_NAME"] == counted { values.removeLast() }
                    lines.append("\(table) \(values)")
                }
            }
            return lines
        }
    }

    /// An entity whose objects have a text and need no other object; one with objects, where there are any.
    private func writable(_ model: NSManagedObjectModel, _ context: NSManagedObjectContext) throws -> (
        NSEntityDescription, String
    ) {
        for entity in model.entities
        where !entity.isAbstract && entity.relationshipsByName.values.allSatisfy({ $0.isOptional || $0.isToMany }) {
            let text = entity.attributesByName.values
                .filter { $0.attributeType == .stringAttributeType && !$0.isTransient }.map(\.name).min()
            let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
            if let text, count > 0 || model.entities.last === entity { return (entity, text) }
        }
        throw RealStore.RealStoreError(description: "No entity has a text.")
    }

    @Test(arguments: RealStore.all)
    func `inserting, changing and deleting in a real store leaves untouched rows, schema and metadata as they were`(
        _ real: RealStore
    ) throws {
        let folder = try TemporaryFolder()
        let url = try real.copied(into: folder)
        let model = try real.model()
        let tables = try tables(real, model)
        var changed: [(table: String, key: Int64)] = []
        var context: NSManagedObjectContext? = try self.context(model, url)
        let (entity, text) = try #require(context.map { try writable(model, $0) })
        let name = try #require(entity.name), table = try #require(tables[name]).table
        let original = try originalCopy(real, folder)
        try context?.performAndWait {
            guard let context else { return }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.fetchLimit = 1
            let first = try context.fetch(request).first
            let inserted = NSManagedObject(entity: entity, insertInto: context)
            fill(inserted)
            inserted.setValue("inserted", forKey: text)
            try context.save()
            changed.append((table, primaryKey(inserted)))
            if let first {
                changed.append((table, primaryKey(first)))
                first.setValue("changed", forKey: text)
            }
            try context.save()
            context.delete(inserted)
            try context.save()
            try context.persistentStoreCoordinator?.persistentStores.forEach {
                try context.persistentStoreCoordinator?.remove($0)
            }
        }
        context = nil
        var root = entity
        while let parent = root.superentity { root = parent }
        let counted =
            real.path.hasSuffix("SampleModel_V2.sqlite") && root.name == "LuxuryCar"
            ? "ExpensiveSportCar" : root.name ?? ""
        #expect(try dump(url, without: changed, counted) == dump(original, without: changed, counted))
        let left = try DatabaseQueue(path: url.path)
        defer { try? left.close() }
        let texts = try left.read { db in
            try changed.map {
                try String.fetchOne(
                    db, sql: "SELECT Z\(text.uppercased()) FROM \(table) WHERE Z_PK = ?", arguments: [$0.key])
            }
        }
        #expect(texts == (changed.count == 2 ? [nil, "changed"] : [nil]))
    }

    private func originalCopy(_ real: RealStore, _ folder: TemporaryFolder) throws -> URL {
        let copy = folder.url.appendingPathComponent("Original.sqlite")
        try FileManager.default.copyItem(at: real.url, to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        return copy
    }

    /// Gives mandatory attributes without a default a value.
    private func fill(_ object: NSManagedObject) {
        for attribute in object.entity.attributesByName.values
        where !attribute.isOptional && object.value(forKey: attribute.name) == nil {
            let value: Any? =
                switch attribute.attributeType {
                case .stringAttributeType: "text \(UUID().uuidString)"
                case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0)
                case .UUIDAttributeType: UUID()
                case .binaryDataAttributeType: Data([1])
                case .transformableAttributeType: NSArray()
                default: 1
                }
            object.setValue(value, forKey: attribute.name)
        }
    }
}
