// What an archive begins with: versions, the model's fingerprint, and which properties its objects have. The same JSON in
// both encodings; docs/archive-format.md describes it member by member.

public import Foundation

extension GraphArchive {
    /// The encoding of an archive.
    public enum Encoding: String, Sendable, CaseIterable, Codable {
        /// One object per line, sorted, each line with its checksum: an unchanged object is an unchanged line.
        case json
        /// Blocks of compact records, each with its checksums.
        case binary
    }

    /// What an archive says about itself.
    public struct Header: Sendable, Hashable, Codable {
        /// A property that the archive has values of.
        public struct Property: Sendable, Hashable, Codable {
            /// The property's name.
            public var name: String
            /// The type of an attribute as the archive's format names it (`string`, `integer64`), or `toOne`, `toMany`, `orderedToMany`.
            public var type: String
            /// The entity that a relationship leads to.
            public var destination: String?
        }

        /// An entity of the model that the archive was made with.
        public struct Entity: Sendable, Hashable, Codable {
            /// The entity's name.
            public var name: String
            /// The name of its super-entity.
            public var superentity: String?
            /// Its version hash, Core Data's fingerprint.
            public var versionHash: Data
            /// How many objects the archive has of the entity itself, sub-entities not included.
            public var objectCount: Int
            /// The properties that are archived, by name; empty for an abstract entity.
            public var properties: [Property]
        }

        /// The version of the format; ``GraphArchive/formatVersion`` is the one that this library writes.
        public var version: Int
        /// The encoding.
        public var encoding: Encoding
        /// One text for all version hashes of the model, as `VersionInfo.plist` has it.
        public var modelChecksum: String
        /// The entities, in the order of their objects in the archive.
        public var entities: [Entity]
        /// Which store the archive is of, where its objects have rows in one: a store that is restored from it is a copy of that
        /// one.
        public var lineage: GraphSnapshot.Lineage?

        /// How many objects the archive has.
        public var objectCount: Int { entities.reduce(0) { $0 + $1.objectCount } }
    }
}

extension GraphArchive.Header {
    /// The header as JSON in one line, members by name.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Reads a header whose checksum was right.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive`, or for a version of the format that isn't known.
    init(json: Data) throws {
        struct Version: Decodable { var version: Int }
        let decoder = JSONDecoder()
        do {
            self = try decoder.decode(Self.self, from: json)
        } catch {
            // That of a later version may have another form.
            if let version = try? decoder.decode(Version.self, from: json).version { try Self.requireKnown(version) }
            throw GraftError(
                .damagedArchive(found: "an unknown header", expected: "one of version 1"), underlying: error)
        }
        try Self.requireKnown(version)
        let counts = entities.map(\.objectCount)
        guard counts.allSatisfy({ $0 >= 0 && $0 <= Int(Int32.max) }), objectCount <= Int(Int32.max) else {
            throw GraftError(.damagedArchive(found: "impossible object counts", expected: "up to 2147483647 objects"))
        }
        try lineage?.requireSound()
    }

    private static func requireKnown(_ version: Int) throws {
        guard version <= GraphArchive.formatVersion, version > 0 else {
            throw GraftError(
                .other(
                    finding: "the archive has version \(version) of the format, and this is version "
                        + "\(GraphArchive.formatVersion)",
                    remedy: "Use a newer version of Graft."))
        }
    }

    /// The entities as records count them.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive` for a header that contradicts itself.
    func archiveEntities() throws -> [ArchiveEntity] {
        let numbers = try numbers()
        let made = try entities.map { entity in
            var made = ArchiveEntity(name: entity.name)
            made.parent = try entity.superentity.map { name in
                guard let parent = numbers[name] else {
                    throw Self.damaged("the super-entity '\(name)'", "an entity of the archive", entity)
                }
                return parent
            }
            var names: Set<String> = []
            for (index, property) in entity.properties.enumerated() {
                guard names.insert(property.name).inserted else {
                    throw Self.damaged("a property for the second time", "another one", entity, property)
                }
                let form = try form(of: property, entity, isLast: index == entity.properties.count - 1)
                let end = property.destination.flatMap { numbers[$0] }
                if case .attribute = form {
                } else if end == nil {
                    let name = property.destination.map { "'\($0)'" } ?? "nothing"
                    throw Self.damaged("a relationship to \(name)", "an entity of the archive", entity, property)
                }
                made.append(property.name, form, destination: property.destination, end: end)
            }
            return made
        }
        try requireEnds(of: made)
        return made
    }

    private static func damaged(
        _ found: String, _ expected: String, _ entity: Entity, _ property: Property? = nil
    ) -> GraftError {
        GraftError(
            .damagedArchive(found: found, expected: expected), at: .init(entity: entity.name, property: property?.name))
    }

    private func form(of property: Property, _ entity: Entity, isLast: Bool) throws -> ArchiveEntity.Form {
        guard let form = ArchiveEntity.Form(property.type) else {
            throw Self.damaged("the type '\(property.type)'", "a type of properties", entity, property)
        }
        guard property.name == ArchiveEntity.rowKey else { return form }
        guard case .attribute(.integer64) = form, isLast else {
            throw Self.damaged(
                "the number of a row as '\(property.type)'\(isLast ? "" : " before other properties")",
                "'\(AttributeKind.integer64.rawValue)' behind them", entity, property)
        }
        return form
    }

    /// The numbers of the entities by name.
    private func numbers() throws -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (number, entity) in entities.enumerated() {
            guard numbers.updateValue(number, forKey: entity.name) == nil else {
                throw Self.damaged("an entity for the second time", "another one", entity)
            }
        }
        return numbers
    }

    /// Requires that each inheritance has an end.
    private func requireEnds(of made: [ArchiveEntity]) throws {
        for (number, entity) in entities.enumerated() {
            var depth = 0
            var ancestor = made[number].parent
            while let next = ancestor {
                depth += 1
                guard depth < 256 else { throw Self.damaged("an inheritance without end", "a topmost entity", entity) }
                ancestor = made[next].parent
            }
        }
    }
}

extension ArchiveEntity.Form {
    /// The form that a header's type names.
    init?(_ type: String) {
        switch type {
        case "toOne": self = .toOne
        case "toMany": self = .toMany(isOrdered: false)
        case "orderedToMany": self = .toMany(isOrdered: true)
        default:
            guard let kind = AttributeKind(rawValue: type) else { return nil }
            self = .attribute(kind)
        }
    }

    /// The form's name in a header.
    var type: String {
        switch self {
        case .attribute(let kind): kind.rawValue
        case .toOne: "toOne"
        case .toMany(isOrdered: false): "toMany"
        case .toMany(isOrdered: true): "orderedToMany"
        }
    }
}
