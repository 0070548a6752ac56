// Objects that aren't the whole text: below a key of it (`JSONRootKeyPath`), or under keys instead of in an array.
//
//     {"status": "ok", "data": {"heroes": [{"id": 1}, {"id": 2}]}, "next": null}        data.heroes
//     {"data": {"heroes": {"1": {"name": "A"}, "2": {"name": "B"}}}}                    data.heroes, keyed

/// What is around the objects of a text.
struct Envelope {
    enum Contents {
        /// Objects in an array, or under keys.
        case elements, keyed
        /// One object, whose brace has been read.
        case single
        /// No more of them.
        case finished
    }

    var contents: Contents
    /// How many arrays and objects are open around the objects.
    var depth: Int
}

extension JSONSnapshotReader {
    /// Whether the records stand in an array, where each of them may be a mere identifier.
    var isInArray: Bool { envelope.map { $0.contents == .elements } ?? (reader.recordState == .inArray) }

    /// Goes to the next record and returns its first token; nil after the last one. What hasn't been read of the record
    /// before is skipped.
    mutating func nextRecord() throws -> JSONToken? {
        if envelope == nil {
            guard let token = try reader.nextRecord() else { return nil }
            if recordCount > 0 || reader.recordState != .inSequence || token != .beginObject {
                // There is no list beside the records of an array.
                if deletions == .listed { return nil }
                elementIndex = reader.recordState == .inArray ? recordCount : -1
                return token
            }
            guard try isEnveloped() else { return token }
            try beginEnvelope()
        }
        return try nextInEnvelope()
    }

    /// Whether the records are somewhere in the object that has just begun.
    private mutating func isEnveloped() throws -> Bool {
        let entity = mapping.entities[try entity()]
        return !path(of: entity).isEmpty || !listsDeletions && entity.collectionForm == .keyed
    }

    /// Where the objects are.
    private func path(of entity: EntityMapping) -> [String] {
        switch deletions {
        case .listed: entity.deletedListPath
        case .all: []
        case .none?, nil: entity.rootPath
        }
    }

    /// Goes to the records, in a text that is an object whose brace has been read.
    private mutating func beginEnvelope() throws {
        let entity = try entity()
        let path = path(of: mapping.entities[entity])
        var token = JSONToken.beginObject
        for key in path {
            guard token == .beginObject, let value = try value(of: key) else {
                if !listsDeletions { throw missing(path, entity) }
                // Nothing is gone.
                return envelope = Envelope(contents: .finished, depth: reader.depth)
            }
            token = value
        }
        let isKeyed = !listsDeletions && mapping.entities[entity].collectionForm == .keyed
        switch token {
        case .beginArray: envelope = Envelope(contents: .elements, depth: reader.depth)
        case .beginObject where isKeyed: envelope = Envelope(contents: .keyed, depth: reader.depth)
        case .beginObject: envelope = Envelope(contents: .single, depth: reader.depth - 1)
        case .null: envelope = Envelope(contents: .finished, depth: reader.depth)
        default:
            throw reader.unexpected(token, "an array of objects", entity: plans[entity].name)
        }
    }

    private mutating func nextInEnvelope() throws -> JSONToken? {
        guard let current = envelope else { return nil }
        switch current.contents {
        case .elements:
            while reader.depth > current.depth { _ = try reader.next() }
            elementIndex = recordCount
            let token = try reader.next()
            return token == .endArray ? try finishEnvelope() : token
        case .keyed:
            while reader.depth > current.depth { _ = try reader.next() }
            while case .key(let text) = try reader.next() {
                let key = reader.string(of: text)
                let token = try reader.next()
                // A null stands for no object.
                if token == .null { continue }
                elementIndex = recordCount
                elementKey = token == .beginObject ? key : nil
                return token
            }
            return try finishEnvelope()
        case .single:
            envelope?.contents = .finished
            elementIndex = -1
            return .beginObject
        case .finished:
            return try finishEnvelope()
        }
    }

    /// Reads what comes after the records.
    private mutating func finishEnvelope() throws -> JSONToken? {
        envelope?.contents = .finished
        // Who read the records has read it, and it needn't be one text.
        if deletions == .listed { return nil }
        // Throws where the rest isn't JSON.
        if let token = try reader.nextRecord() { throw reader.trailing(token) }
        return nil
    }

    /// Reads the keys of an object up to one of them, and returns the first token of its value; nil where it isn't there.
    private mutating func value(of key: String) throws -> JSONToken? {
        while case .key(let text) = try reader.next() {
            if reader.matches(text, key) { return try reader.next() }
            try reader.skipValue()
        }
        return nil
    }

    private func missing(_ path: [String], _ entity: Int) -> GraftError {
        reader.error(
            .other(
                finding: "the text has nothing under '\(path.joined(separator: "."))', where the objects of "
                    + "'\(plans[entity].name)' are",
                remedy: "Correct JSONRootKeyPath, or import this text into another entity."),
            entity: plans[entity].name)
    }
}
