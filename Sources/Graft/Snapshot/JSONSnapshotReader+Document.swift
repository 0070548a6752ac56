// Reading the JSON of a whole graph, which Export/GraphDocument.swift describes and writes.
//
// What earlier versions exported is read, too. It begins with `"$graft": {"version": 1}`, objects without identity can be nested in
// their owners, and the others have names such as `"Note/2"` in place of numbers.

/// Where the reader is in a document.
struct DocumentState {
    struct NumberedRow {
        var reference: RowReference
        /// Whether the row itself has been read, not only references to it.
        var isRead: Bool
        /// The entity that references ask for.
        var entity: Int
        /// Where the number stood first.
        var offset: Int
    }

    var hasBegun = false
    /// The entity whose objects are being read.
    var entity: Int?
    /// By `$id`, as text.
    var rows: [JSONKeyBytes: NumberedRow] = [:]
    /// The numbers that stand after other keys of their objects.
    var lateNumbers: [RowReference: (key: JSONKeyBytes, offset: Int)] = [:]
}

extension JSONSnapshotReader {
    /// Whether the text is a document.
    var isDocument: Bool { document != nil }

    /// Reads the next object of a document; returns false at its end.
    mutating func readDocumentRecord() throws -> Bool {
        if document?.hasBegun == false {
            document?.hasBegun = true
            guard let token = try reader.nextRecord(), token == .beginObject else {
                throw unexpected("an object with the objects of each entity in an array")
            }
        }
        while true {
            let token = try reader.next()
            switch (token, document?.entity) {
            case (.beginObject, .some(let entity)):
                addRoot(try readObject(of: entity, offset: reader.tokenOffset))
                return true
            case (.endArray, .some):
                document?.entity = nil
            case (.key(let key), .none):
                try beginGroup(named: reader.string(of: key))
            case (.endObject, .none):
                try checkNumbers()
                // Throws where anything follows.
                while let token = try reader.nextRecord() { throw reader.trailing(token) }
                return false
            default:
                throw reader.unexpected(token, "an object", entity: document?.entity.map { plans[$0].name })
            }
        }
    }

    private mutating func beginGroup(named name: String) throws {
        if name == SourceKind.earlierExportKey { return try reader.skipValue() }
        do {
            document?.entity = try mapping.schema.requiredNumber(ofEntity: name)
        } catch let error as GraftError {
            throw error.located(in: reader.place)
        }
        let token = try reader.next()
        guard token == .beginArray else {
            throw reader.unexpected(token, "an array of objects", entity: name)
        }
    }

    /// Reads an object of a document from the token after its brace.
    mutating func readDocumentObject(of destination: Int, offset: Int, first: JSONToken) throws -> RowReference {
        var entity = destination
        var token = first
        var number: (key: JSONKeyBytes, offset: Int)?
        while case .key(let key) = token {
            if reader.matches(key, DictionaryKey.entity) {
                entity = try readEntityName(within: destination)
            } else if reader.matches(key, DictionaryKey.number) {
                if number != nil { throw repeatedNumber(of: plans[entity]) }
                number = (try readNumber(), reader.tokenOffset)
            } else if reader.matches(key, DictionaryKey.reference) {
                let reference = try readNumberedReference(within: destination)
                while try reader.next() != .endObject { try reader.skipValue() }
                return reference
            } else {
                break
            }
            token = try reader.next()
        }
        let row = snapshot.tables[entity].appendRow(offset: offset)
        let plan = plans[entity]
        try readRecordMembers(of: plan, row: row, offset: offset, first: token, .all)
        let own = RowReference(entity: entity, row: row)
        if let late = document?.lateNumbers.removeValue(forKey: own) {
            if number != nil { throw repeatedNumber(of: plan) }
            number = late
        }
        let reference = snapshot.settle(own, identity: plan.identityColumns, space: plan.identitySpace)
        guard let number else { return reference }
        return try define(number.key, at: number.offset, as: reference)
    }

    /// Reads a number that stands after other keys of its object; returns false for a key that isn't a document's own.
    ///
    /// - Throws: ``GraftError`` for what has to be known before the others are read.
    mutating func readLateKey(_ key: JSONText, of plan: JSONEntityPlan, row: Int) throws -> Bool {
        if reader.matches(key, DictionaryKey.number) {
            let number = (try readNumber(), reader.tokenOffset)
            let former = document?.lateNumbers.updateValue(number, forKey: RowReference(entity: plan.number, row: row))
            if former != nil { throw repeatedNumber(of: plan) }
            return true
        }
        for name in [DictionaryKey.entity, DictionaryKey.reference] where reader.matches(key, name) {
            throw reader.error(
                .other(finding: "the key '\(name)' stands after others", remedy: "Put it first in its object."),
                entity: plan.name)
        }
        return false
    }

    private func repeatedNumber(of plan: JSONEntityPlan) -> GraftError {
        reader.error(
            .other(
                finding: "the object has the key '\(DictionaryKey.number)' twice", remedy: "Leave one of the two."),
            entity: plan.name)
    }

    private mutating func readEntityName(within destination: Int) throws -> Int {
        guard case .string(let text) = try reader.next() else { throw unexpected("the name of an entity") }
        do {
            let entity = try mapping.schema.requiredNumber(ofEntity: reader.string(of: text))
            if mapping.schema.isEntity(entity, kindOf: destination) { return entity }
        } catch let error as GraftError {
            throw error.located(in: reader.place)
        }
        throw unexpected("\(plans[destination].name) or an entity that inherits from it")
    }

    private mutating func readNumber() throws -> JSONKeyBytes {
        switch try reader.next() {
        case .number(let text), .string(let text): return JSONKeyBytes(reader.string(of: text))
        default: throw unexpected("the number of an object")
        }
    }

    private func unexpected(_ expected: String) -> GraftError {
        reader.unexpected(reader.latest, expected, entity: nil)
    }

    /// The row with a number; one that comes later gets its place now.
    private mutating func readNumberedReference(within destination: Int) throws -> RowReference {
        let number = try readNumber()
        guard let known = document?.rows[number] else {
            let row = snapshot.tables[destination].appendRow(offset: reader.tokenOffset)
            let reference = RowReference(entity: destination, row: row)
            document?.rows[number] = .init(
                reference: reference, isRead: false, entity: destination, offset: reader.tokenOffset)
            return reference
        }
        if known.isRead {
            let entity = snapshot.resolved(known.reference).entity
            guard mapping.schema.isEntity(entity, kindOf: destination) else {
                throw misfit(number, entity, destination)
            }
        } else if !mapping.schema.isEntity(known.entity, kindOf: destination) {
            guard mapping.schema.isEntity(destination, kindOf: known.entity) else {
                throw misfit(number, known.entity, destination)
            }
            document?.rows[number]?.entity = destination
        }
        return known.reference
    }

    private func misfit(_ number: JSONKeyBytes, _ entity: Int, _ destination: Int) -> GraftError {
        reader.error(
            .wrongType(
                found: "\(DictionaryKey.reference) \(number.text), which is of '\(plans[entity].name)',",
                expected: "an object of '\(plans[destination].name)'"))
    }

    /// Gives a row its number, and its place to the references that came before it.
    private mutating func define(_ number: JSONKeyBytes, at offset: Int, as reference: RowReference) throws
        -> RowReference
    {
        let known = document?.rows[number]
        if known?.isRead ?? false {
            throw GraftError(
                .duplicateIdentity("\(DictionaryKey.number) \(number.text)"),
                at: reader.place(offset: offset, path: nil))
        }
        if let known {
            guard mapping.schema.isEntity(reference.entity, kindOf: known.entity) else {
                throw misfit(number, reference.entity, known.entity)
            }
            snapshot.forward(known.reference, to: reference)
        }
        document?.rows[number] = .init(
            reference: reference, isRead: true, entity: reference.entity, offset: known?.offset ?? offset)
        return reference
    }

    /// Finds objects that have numbers of their own, and one identity.
    func checkDistinctNumbers() throws {
        var known: [RowReference: JSONKeyBytes] = [:]
        for (number, row) in (document?.rows ?? [:]).sorted(by: { $0.value.offset < $1.value.offset }) {
            guard let first = known.updateValue(number, forKey: snapshot.resolved(row.reference)) else { continue }
            let key = DictionaryKey.number
            throw GraftError(
                .other(
                    finding: "the object with the \(key) \(number.text) has the identity of the one with \(first.text)",
                    remedy: "Give one of them another identity, or leave it out."),
                at: reader.place(offset: row.offset, path: nil)
            ).located(in: .init(entity: plans[row.entity].name))
        }
    }

    /// Finds numbers that were referred to and never given.
    private func checkNumbers() throws {
        let missing = (document?.rows ?? [:]).filter { !$1.isRead }.min { $0.value.offset < $1.value.offset }
        guard let missing else { return }
        throw GraftError(
            .unresolvedReference(
                entity: plans[missing.value.entity].name, identity: "\(DictionaryKey.reference) \(missing.key.text)"),
            at: reader.place(offset: missing.value.offset, path: nil))
    }
}
