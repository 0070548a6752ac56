// Applying a patch: operation by operation on a copy, so that a failure leaves nothing behind (RFC 6902, section 5).

extension JSONPatch {
    /// How many values all `copy` operations of a patch may add.
    public static let maximumCopiedCount = 1 << 24

    /// Returns the document that the patch leads to.
    ///
    /// - Throws: ``GraftError`` with `inapplicablePatch` for the first operation that doesn't fit: its number from 0,
    ///   its pointer, what was found there and what was expected; with `tooDeep` where the result would be deeper than
    ///   ``JSONValue/maximumDepth``; with `tooLarge` beyond ``maximumCopiedCount``.
    /// - Complexity: O(*p* + *w*) for each operation, *p* the size of its value and *w* the widths of the arrays and
    ///   objects on its path.
    public func applying(to document: JSONValue) throws -> JSONValue {
        var run = PatchRun(document: document)
        for (number, operation) in operations.enumerated() { try run.apply(operation, number) }
        return run.document
    }

    /// Replaces a document by the one that the patch leads to. It stays as it is where this throws.
    ///
    /// - Throws: What ``applying(to:)`` throws.
    public func apply(to document: inout JSONValue) throws { document = try applying(to: document) }
}

/// A document on its way.
private struct PatchRun {
    var document: JSONValue
    private var copiedCount = 0

    init(document: JSONValue) { self.document = document }

    mutating func apply(_ operation: JSONPatch.Operation, _ number: Int) throws {
        try checkExtent(of: operation, number)
        var pointer = operation.path
        do throws(PointerFault) {
            switch operation {
            case .add(let path, let value):
                try add(value, path)
            case .remove(let path):
                _ = try remove(path)
            case .replace(let path, let value):
                try replace(value, path)
            case .move(let from, let to):
                try checkMove(from, to)
                pointer = from
                let value = try remove(from)
                pointer = to
                try add(value, to)
            case .copy(let from, let to):
                pointer = from
                let value = try document.find(from.tokens[...])
                pointer = to
                try add(value, to)
            case .test(let path, let value):
                let found = try document.find(path.tokens[...])
                guard found == value else {
                    throw PointerFault(
                        depth: path.tokens.count, found: found.description, expected: value.description)
                }
            }
        } catch {
            throw GraftError(error, operation: number, pointer: pointer)
        }
    }

    private mutating func add(_ value: JSONValue, _ path: JSONPatch.Pointer) throws(PointerFault) {
        guard !path.tokens.isEmpty else { return document = value }
        try document.withParent(path.tokens[...]) { (parent, token, depth) throws(PointerFault) in
            try parent.add(value, token, depth)
        }
    }

    private mutating func remove(_ path: JSONPatch.Pointer) throws(PointerFault) -> JSONValue {
        guard !path.tokens.isEmpty else {
            throw PointerFault(depth: 0, found: "the whole document", expected: "a value in an array or object")
        }
        return try document.withParent(path.tokens[...]) { (parent, token, depth) throws(PointerFault) in
            try parent.remove(token, depth)
        }
    }

    private mutating func replace(_ value: JSONValue, _ path: JSONPatch.Pointer) throws(PointerFault) {
        guard !path.tokens.isEmpty else { return document = value }
        try document.withParent(path.tokens[...]) { (parent, token, depth) throws(PointerFault) in
            try parent.replace(value, token, depth)
        }
    }

    private func checkMove(_ from: JSONPatch.Pointer, _ to: JSONPatch.Pointer) throws(PointerFault) {
        guard from != to, from.contains(to) else { return }
        throw PointerFault(
            depth: to.tokens.count, found: "the target '\(to)'", expected: "a place outside of what is moved")
    }

    /// Sees to it that the result can still be written and compared.
    private mutating func checkExtent(of operation: JSONPatch.Operation, _ number: Int) throws {
        let depth = operation.path.tokens.count
        switch operation {
        case .add(_, let value), .replace(_, let value):
            let extent = try value.extent()
            guard depth + extent.depth <= JSONValue.maximumDepth else { throw tooDeep }
        case .copy(let from, _):
            let rest = JSONPatch.maximumCopiedCount - copiedCount
            guard let value = try? document.find(from.tokens[...]) else { return }
            let extent: (depth: Int, count: Int)
            do {
                extent = try value.extent(maximumCount: rest)
            } catch let error as GraftError where error.problem != tooDeep.problem {
                throw GraftError(
                    .tooLarge(
                        what: "the number of values that operation \(number) and those before it copy",
                        limit: JSONPatch.maximumCopiedCount))
            }
            copiedCount += extent.count
            guard depth + extent.depth <= JSONValue.maximumDepth else { throw tooDeep }
        case .move(let from, _) where depth > from.tokens.count:
            guard let value = try? document.find(from.tokens[...]) else { return }
            guard depth + (try value.extent().depth) <= JSONValue.maximumDepth else { throw tooDeep }
        default: return
        }
    }

    private var tooDeep: GraftError { GraftError(.tooDeep(limit: JSONValue.maximumDepth)) }
}
