// Archives: what an export of several entities writes, so that it can be read back as the same graph.
//
//     {"$graft": {"format": "archive", "version": 1},
//      "Country": [{"id": 1, "name": "Afghanistan", "region": 3, "timezones": [{"zoneName": "Asia/Kabul"}]}],
//      "Note":    [{"$id": "Note/1", "text": "...", "next": {"$ref": "Note/2"}}]}
//
// An object stands once under its own entity, unless it is nested in its owner. References are identifiers, identifying
// attributes in an object, or the names of rows that have no identity. Where an object isn't of the relationship's own
// destination entity, `$entity` comes first and says of which.

/// Where the reader is in an archive.
struct ArchiveState {
    /// A name that rows go by: the entity and a number.
    struct RowName: Hashable, Comparable {
        var entity: Int
        var number: Int

        static func < (one: RowName, other: RowName) -> Bool {
            (one.entity, one.number) < (other.entity, other.number)
        }
    }

    struct NamedRow {
        var reference: RowReference
        /// Whether the row itself has been read, not only references to it.
        var isRead: Bool
        /// Where the name stood first.
        var offset: Int
    }

    /// The entity whose objects are being read.
    var entity: Int?
    var rows: [RowName: NamedRow] = [:]
}

extension SnapshotReader {
    /// The version of the form that is written and understood.
    static let archiveVersion = 1

    /// Begins an archive, whose header key has just been read.
    mutating func beginArchive() throws {
        _ = try reader.next()
        let place = reader.place
        let header = try reader.value()
        guard case .number(let version)? = header["version"], let number = version.int64 else {
            throw GraftError(
                .wrongType(found: "an archive without a version", expected: "{\"version\": \(Self.archiveVersion)}"),
                at: place)
        }
        guard number == Self.archiveVersion else {
            throw GraftError(
                .other(
                    finding: "the archive is of version \(number), and this Graft reads version \(Self.archiveVersion)",
                    remedy: "Use the version of Graft that wrote it, or a newer one."), at: place)
        }
        archive = ArchiveState()
        try useArchiveMapping()
    }

    /// Reads the next object of an archive; returns false at its end.
    mutating func readArchiveRecord() throws -> Bool {
        while true {
            let token = try reader.next()
            switch (token, archive?.entity) {
            case (.beginObject, .some(let entity)):
                addRoot(try readObject(of: entity, offset: reader.tokenOffset))
                return true
            case (.endArray, .some):
                archive?.entity = nil
            case (.key(let key), .none):
                try beginGroup(named: reader.string(of: key))
            case (.endObject, .none):
                try checkRowNames()
                snapshot.namedRows = (archive?.rows ?? [:]).sorted { $0.key < $1.key }.map(\.value.reference)
                // Throws where anything follows.
                while let token = try reader.nextRecord() { throw trailing(token) }
                return false
            default:
                throw reader.error(
                    .wrongType(found: AttributeConverter.words(for: token, reader), expected: "an object"),
                    entity: archive?.entity.map { plans[$0].name })
            }
        }
    }

    private func trailing(_ token: JSONToken) -> GraftError {
        reader.error(
            .invalidJSON(
                found: AttributeConverter.words(for: token, reader), expected: "the end of the text after an archive"))
    }

    private mutating func beginGroup(named name: String) throws {
        do {
            archive?.entity = try mapping.schema.requiredNumber(ofEntity: name)
        } catch let error as GraftError {
            throw error.located(in: reader.place)
        }
        let token = try reader.next()
        guard token == .beginArray else {
            throw reader.error(
                .wrongType(found: AttributeConverter.words(for: token, reader), expected: "an array of objects"),
                entity: name)
        }
    }

    /// Reads an object of an archive from the token after its brace.
    mutating func readArchiveObject(of destination: Int, offset: Int, first: JSONToken) throws -> RowReference {
        var entity = destination
        var token = first
        var name: ArchiveState.RowName?
        while case .key(let key) = token {
            if reader.matches(key, ArchiveKey.entityName) {
                entity = try readEntityName(within: destination)
            } else if reader.matches(key, ArchiveKey.rowName) {
                name = try readRowName(within: entity)
            } else if reader.matches(key, ArchiveKey.rowReference) {
                let reference = try readRowReference(within: destination)
                while try reader.next() != .endObject { try reader.skipValue() }
                return reference
            } else {
                break
            }
            token = try reader.next()
        }
        let row = snapshot.tables[entity].appendRow(offset: offset)
        let plan = plans[entity]
        try readMembers(plan.keys, of: plan, row: row, first: token)
        let reference = snapshot.settle(
            RowReference(entity: entity, row: row), identity: plan.identityColumns, space: plan.identitySpace)
        guard let name else { return reference }
        return try define(name, as: reference)
    }

    private mutating func readEntityName(within destination: Int) throws -> Int {
        guard case .string(let text) = try reader.next() else { throw badName("the name of an entity") }
        do {
            let entity = try mapping.schema.requiredNumber(ofEntity: reader.string(of: text))
            if mapping.schema.isEntity(entity, kindOf: destination) { return entity }
        } catch let error as GraftError {
            throw error.located(in: reader.place)
        }
        throw badName("\(plans[destination].name) or an entity that inherits from it")
    }

    /// Reads the name of a row, such as `Note/12`.
    private mutating func readRowName(within destination: Int) throws -> ArchiveState.RowName {
        guard case .string(let text) = try reader.next() else {
            throw badName("the name of a row, such as \"Note/12\"")
        }
        let name = reader.string(of: text)
        guard let slash = name.lastIndex(of: "/"), let number = Int(name[name.index(after: slash)...]),
            let entity = mapping.schema.number(ofEntity: String(name[..<slash]))
        else { throw badName("the name of a row, such as \"Note/12\"") }
        guard mapping.schema.isEntity(entity, kindOf: destination) else {
            throw badName("the name of a \(plans[destination].name)")
        }
        return ArchiveState.RowName(entity: entity, number: number)
    }

    private func badName(_ expected: String) -> GraftError {
        reader.error(.wrongType(found: AttributeConverter.words(for: reader.latest, reader), expected: expected))
    }

    /// The row with a name; one that comes later gets its place now.
    private mutating func readRowReference(within destination: Int) throws -> RowReference {
        let name = try readRowName(within: destination)
        if let known = archive?.rows[name] { return known.reference }
        let row = snapshot.tables[name.entity].appendRow(offset: reader.tokenOffset)
        let reference = RowReference(entity: name.entity, row: row)
        archive?.rows[name] = .init(reference: reference, isRead: false, offset: reader.tokenOffset)
        return reference
    }

    /// Gives a row its name, and its place to the references that came before it.
    private mutating func define(_ name: ArchiveState.RowName, as reference: RowReference) throws -> RowReference {
        guard let known = archive?.rows[name] else {
            archive?.rows[name] = .init(reference: reference, isRead: true, offset: reader.tokenOffset)
            return reference
        }
        if known.isRead {
            throw reader.error(.duplicateIdentity("\(plans[name.entity].name)/\(name.number)"))
        }
        snapshot.forward(known.reference, to: reference)
        archive?.rows[name] = .init(reference: reference, isRead: true, offset: known.offset)
        return reference
    }

    /// Finds names that were referred to and never given.
    private func checkRowNames() throws {
        let missing = (archive?.rows ?? [:]).filter { !$1.isRead }.min { $0.value.offset < $1.value.offset }
        guard let missing else { return }
        throw GraftError(
            .unresolvedReference(entity: plans[missing.key.entity].name, identity: String(missing.key.number)),
            at: reader.place(offset: missing.value.offset, path: nil))
    }
}
