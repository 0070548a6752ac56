// The one row of Z_METADATA: the store's UUID, and a binary property list with the model's version hashes and whatever
// the application keeps there.

import Foundation
import GRDB

/// What a store says about itself.
package struct StoreMetadata {
    /// `Z_UUID`: upper case, with dashes.
    package var identifier: String
    /// `Z_PLIST`; the UUID isn't in it.
    package var entries: [String: Any]

    /// The version of Core Data as which a new store presents itself (macOS 14).
    static let frameworkVersion = 1344

    private enum Key {
        static let frameworkVersion = "NSPersistenceFrameworkVersion"
        static let hashesVersion = "NSStoreModelVersionHashesVersion"
        static let digest = "NSStoreModelVersionHashesDigest"
        static let checksum = NSPersistentStoreModelVersionChecksumKey
        static let autoVacuum = "_NSAutoVacuumLevel"
        /// What describes the file itself and can't be removed by setting other metadata.
        static let structural = [
            NSStoreTypeKey, frameworkVersion, NSStoreModelVersionHashesKey, hashesVersion,
            NSStoreModelVersionIdentifiersKey, digest, checksum, autoVacuum,
        ]
    }

    package init(identifier: String, entries: [String: Any]) {
        self.identifier = identifier
        self.entries = entries
    }

    /// The metadata of a new store.
    ///
    /// - Parameter known: Hashes for entities whose own can't be computed, where the model doesn't know them either.
    package init(newStoreOf model: NSManagedObjectModel, configuration: String?, known: [String: Data] = [:]) {
        let entities = SQLSchema.entities(of: model, configuration: configuration)
        let hashes = entities.map { entity -> (name: String, hash: Data) in
            let name = entity.name ?? ""
            let isOpen = !entity.hasComputableVersionHash && model.knownVersionHashes[name] == nil
            return (name, isOpen ? known[name] ?? entity.versionHash : entity.versionHash)
        }.sorted { SQLNaming.precedes($0.name, $1.name) }
        var digest = SHA512()
        var checksum = SHA256()
        for (name, hash) in hashes {
            digest.update(name.utf8)
            digest.update(hash)
            checksum.update(hash)
        }
        identifier = UUID().uuidString
        entries = [
            NSStoreTypeKey: NSSQLiteStoreType,
            Key.frameworkVersion: Self.frameworkVersion,
            NSStoreModelVersionHashesKey: Dictionary(hashes) { first, _ in first },
            Key.hashesVersion: 3,
            NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.map { "\($0)" }.sorted(),
            Key.digest: digest.finalize().base64EncodedString(),
            Key.checksum: checksum.finalize().base64EncodedString(),
            Key.autoVacuum: "2",
        ]
    }

    /// The metadata as the API shows them: type and UUID are always there.
    package var dictionary: [String: Any] {
        var dictionary = entries
        dictionary[NSStoreUUIDKey] = identifier
        if dictionary[NSStoreTypeKey] == nil { dictionary[NSStoreTypeKey] = NSSQLiteStoreType }
        return dictionary
    }

    /// Takes over what an application has set. Entries that describe the file stay as they are.
    package mutating func replaceEntries(by dictionary: [String: Any]) {
        var replaced = dictionary
        replaced[NSStoreUUIDKey] = nil
        for key in Key.structural { replaced[key] = entries[key] }
        entries = replaced
    }

    /// The metadata of the same store after its migration to another version: the UUID and the application's entries stay.
    ///
    /// - Parameter unchanged: The hashes of entities in which nothing has changed.
    package func migrated(
        to model: NSManagedObjectModel, configuration: String?, unchanged: [String: Data]
    ) -> StoreMetadata {
        let made = StoreMetadata(newStoreOf: model, configuration: configuration, known: unchanged).entries
        var migrated = entries
        // The file's own level of vacuuming doesn't change.
        for key in Key.structural where key != Key.autoVacuum { migrated[key] = made[key] }
        let version = entries[Key.frameworkVersion] as? Int ?? 0
        migrated[Key.frameworkVersion] = max(version, Self.frameworkVersion)
        return StoreMetadata(identifier: identifier, entries: migrated)
    }

    var versionHashes: [String: Data] { entries[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:] }

    /// One phrase for each entity that a configuration of the model has otherwise than the store: by their version hashes, and where
    /// these don't tell all, by the model that the store carries.
    ///
    /// - Parameter carried: Gives that model; nil where there is none that can be read.
    package func differences(
        from model: NSManagedObjectModel, configuration: String?, carried: () throws -> NSManagedObjectModel?
    ) rethrows -> [String] {
        let differences = differences(from: model, configuration: configuration)
        guard differences.isEmpty, model.entities.contains(where: \.hasUnhashedDetails), let carried = try carried(),
            isDescribed(by: carried)
        else { return differences }
        carried.adoptVersionHashes(fromStoreMetadata: dictionary)
        return ModelMatching(source: carried, destination: model).unhashedDifferences(configuration: configuration)
    }

    /// Whether a model has the store's entities as the store has them.
    private func isDescribed(by model: NSManagedObjectModel) -> Bool {
        let entities = model.entitiesByName
        return versionHashes.allSatisfy { name, hash in
            entities[name].map { !$0.hasComputableVersionHash || $0.versionHash == hash } ?? false
        }
    }

    /// One phrase for each entity that a configuration of the model has otherwise than the store.
    package func differences(from model: NSManagedObjectModel, configuration: String?) -> [String] {
        let stored = versionHashes
        if model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: entries) { return [] }
        // A store of one configuration may also have been saved with the hashes of the whole model.
        if configuration != nil, model.isConfiguration(withName: nil, compatibleWithStoreMetadata: entries) {
            return []
        }
        let entities = SQLSchema.entities(of: model, configuration: configuration)
        let modelled = Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
        return Set(stored.keys).union(modelled.keys).sorted(by: SQLNaming.precedes).compactMap { name in
            switch (stored[name], modelled[name]) {
            case (let hash?, let entity?):
                if !entity.hasComputableVersionHash || hash == entity.versionHash { return nil }
                return "entity '\(name)' differs"
            case (_?, nil): return "entity '\(name)' is in the store only"
            case (nil, _): return "entity '\(name)' is in the model only"
            }
        }
    }

    // MARK: The table

    /// - Throws: `CocoaError` where the row is missing or no property list.
    static func read(_ db: Database, errors: SQLiteErrors) throws -> StoreMetadata {
        var found: (identifier: String?, data: Data?)?
        try db.readRows(of: "Z_METADATA", ["Z_UUID", "Z_PLIST"], "ORDER BY Z_VERSION LIMIT 1") { row in
            let identifier = try row.text(0)
            // It becomes part of the objects' URIs.
            let isFit = identifier?.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIILetterOrDigit } ?? true
            guard isFit else { throw row.error(0, expected: "a UUID") }
            found = (identifier, try row.data(1))
        }
        guard let found else { throw errors.badMetadata("Z_METADATA is empty") }
        guard let identifier = found.identifier, !identifier.isEmpty else {
            throw errors.badMetadata("Z_METADATA.Z_UUID is empty")
        }
        guard let data = found.data else { throw errors.badMetadata("Z_METADATA.Z_PLIST is empty") }
        let list: Any
        do {
            list = try PropertyListFile.object(of: data)
        } catch {
            throw errors.badMetadata("Z_METADATA.Z_PLIST is no property list (\(error.description))")
        }
        guard let entries = list as? [String: Any] else {
            throw errors.badMetadata("Z_METADATA.Z_PLIST is no dictionary")
        }
        let metadata = StoreMetadata(identifier: identifier, entries: entries)
        if let type = entries[NSStoreTypeKey] as? String, type != NSSQLiteStoreType { throw errors.wrongType(type) }
        return metadata
    }

    func insert(_ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            arguments: [identifier, try propertyList()])
    }

    func update(_ db: Database) throws {
        try db.execute(
            sql: "UPDATE Z_METADATA SET Z_UUID = ?, Z_PLIST = ?", arguments: [identifier, try propertyList()])
    }

    package func propertyList() throws -> Data {
        let deep = entries.filter { BinaryPropertyListReader.isTooDeep($0.value, depth: 1) }
        if let key = deep.keys.min() {
            throw CoreDataError.make(
                .persistentStoreSave,
                "The store's metadata hold a value under '\(key)' that is nested more than \(BinaryPropertyListReader.deepest) "
                    + "deep: nobody could read it again. Keep a flatter one there, or data.")
        }
        guard PropertyListSerialization.propertyList(entries, isValidFor: .binary) else {
            throw CoreDataError.make(
                .persistentStoreSave,
                "The store's metadata hold a value that can't stand in a property list. Use strings, numbers, dates, "
                    + "data, arrays and dictionaries.")
        }
        return try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
    }
}

extension UInt8 {
    var isASCIILetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
