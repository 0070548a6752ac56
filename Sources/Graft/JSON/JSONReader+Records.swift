// Records: the objects of a file, whether it is one array of them, one object, or one object after the other (NDJSON).

extension JSONReader {
    enum RecordState { case atStart, inArray, inSequence, atEnd }

    /// Moves to the next record and returns its first token; nil after the last one.
    ///
    /// The records are the elements of the array that the text consists of, else the values that follow each other. With
    /// the format `sequence` they are always the latter, even if they are arrays. What hasn't been read of the record
    /// before is skipped.
    package mutating func nextRecord() throws -> JSONToken? {
        switch recordState {
        case .atStart:
            let token = try next()
            recordState = .inSequence
            guard token == .beginArray, format != .sequence else { return record(token) }
            recordState = .inArray
            // Nothing may follow the array.
            lexer.acceptsSequence = false
            return try nextRecord()
        case .inSequence:
            while lexer.depth > 0 { _ = try next() }
            return record(try next())
        case .inArray:
            while lexer.depth > 1 { _ = try next() }
            let token = try next()
            guard token == .endArray else { return token }
            recordState = .atEnd
            // Throws where anything follows.
            _ = try next()
            return nil
        case .atEnd:
            return nil
        }
    }

    private mutating func record(_ token: JSONToken) -> JSONToken? {
        guard token == .endOfInput else { return token }
        recordState = .atEnd
        return nil
    }
}
