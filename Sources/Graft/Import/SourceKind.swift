// What a file or a text is, told by its bytes. The one place that answers this: imports, snapshots, archives and all commands of
// the tool ask here, so that none of them takes a file for what it isn't.
//
//     SQLite format 3        a store
//     8B 47 52 41 46 54 ..   an archive in blocks
//     {"$archive": ...       an archive in lines
//     {"Hero": [{ ...        a whole graph: an object whose keys are entities' names, with their objects in arrays
//     {"$graft": ...         the same, of an earlier version
//     {"changed": [{"key"    a diff
//     [{"op": "add", "path"  a JSON Patch
//     {"base": {...          a tracker's file
//     {"batchCount": 1, ...  the report of an import
//     [ or {                 JSON or NDJSON: records

import Foundation

/// What a source holds.
package enum SourceKind: Hashable, Sendable {
    /// Nothing, or white space alone.
    case empty
    /// JSON or NDJSON of any other kind: records.
    case json
    case archive(GraphArchive.Encoding)
    /// A whole graph in one object: the objects of each entity under its name.
    case export
    case store
    case diff
    case jsonPatch
    case tracker
    case report
    /// Text that is no JSON. Who reads it as such says where it is wrong.
    case text
    /// None of these, in words: binary data, another format.
    case other(String)

    /// What compiled models are, and other things.
    package static let propertyList = SourceKind.other("a binary property list")

    /// How many bytes are looked at, at most.
    static let beginningLength = 1 << 16

    /// - Parameters:
    ///   - bytes: The first bytes: up to ``beginningLength``, fewer where there are no more yet.
    ///   - isEntity: Whether a name is an entity's. Without a model, nothing tells a whole graph from a Merge Patch or a record.
    init(ofBeginning bytes: [UInt8], isEntity: (String) -> Bool = { _ in false }) {
        if bytes.starts(with: Self.storeBeginning) {
            self = .store
        } else if bytes.starts(with: ArchiveBlock.magic) {
            self = .archive(.binary)
        } else if bytes.starts(with: Self.lineArchiveStart) {
            self = .archive(.json)
        } else if let format = Self.foreignFormats.first(where: { bytes.starts(with: $0.magic) }) {
            self = .other(format.words)
        } else {
            self = Self.textKind(bytes, isEntity)
        }
    }

    /// Whether more bytes can't change what these are, as far as the formats with a magic number go.
    static func isTold(by bytes: [UInt8]) -> Bool {
        let magics = [storeBeginning, ArchiveBlock.magic, lineArchiveStart]
        if magics.contains(where: { bytes.count < $0.count && $0.starts(with: bytes) }) { return false }
        return bytes.contains { !isSpace($0) }
    }

    /// The first key of a text that consists of an object.
    static func firstKey(ofBeginning bytes: [UInt8]) -> String? {
        var scan = SignatureScan(bytes)
        return scan.firstKey()
    }

    // MARK: Formats

    static let storeBeginning = Array("SQLite format 3\0".utf8)
    /// What earlier versions' exports of a whole graph begin with.
    static let earlierExportKey = "$graft"
    private static let lineArchiveStart = Array(#"{"$archive""#.utf8)

    private static let foreignFormats: [(magic: [UInt8], words: String)] = [
        ([0x1F, 0x8B], packed[0]), (Array("PK\u{3}\u{4}".utf8), packed[1]),
        (Array("bplist".utf8), "a binary property list"), (Array("<".utf8), "XML or HTML"),
        ([0xFF, 0xFE, 0, 0], otherEncodings[1]), ([0, 0, 0xFE, 0xFF], otherEncodings[1]),
        ([0xFF, 0xFE], otherEncodings[0]), ([0xFE, 0xFF], otherEncodings[0]),
        // Without a mark, by what JSON begins with.
        (Array("[\0".utf8), otherEncodings[0]), (Array("{\0".utf8), otherEncodings[0]),
        (Array("\0[".utf8), otherEncodings[0]), (Array("\0{".utf8), otherEncodings[0]),
    ]
    private static let packed = ["compressed with gzip", "a ZIP archive"]
    private static let otherEncodings = ["text in UTF-16", "text in UTF-32"]

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }

    private static func textKind(_ bytes: [UInt8], _ isEntity: (String) -> Bool) -> SourceKind {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let first = text.first(where: { !isSpace($0) }) else { return .empty }
        if first < 0x20 || first >= 0x7F { return .other("binary data") }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            return "\"-0123456789tfn".utf8.contains(first) ? .json : .text
        }
        var scan = SignatureScan(bytes)
        return scan.kind(isEntity)
    }
}

/// Tells the kinds of JSON apart by the first keys.
private struct SignatureScan: ~Copyable {
    private enum Shape { case number, string, array, object, other }

    private var reader: JSONReader

    init(_ bytes: [UInt8]) { reader = JSONReader(bytes, format: .sequence) }

    /// The kind of the text. Where it ends early, or isn't JSON any more, what has been seen until then decides.
    mutating func kind(_ isEntity: (String) -> Bool) -> SourceKind {
        guard let token = next() else { return .json }
        if token == .beginArray { return isPatch() ? .jsonPatch : .json }
        return token == .beginObject ? objectKind(isEntity) : .json
    }

    /// The key that the text begins with, if it is an object.
    mutating func firstKey() -> String? {
        guard next() == .beginObject, case .key(let text)? = next() else { return nil }
        return reader.string(of: text)
    }

    private static let diffKeys = Set(GraphDiff.CodingKeys.allCases.map(\.rawValue))
    private static let trackerKeys = Set(TrackerState.CodingKeys.allCases.map(\.rawValue))
    private static let reportKeys = Set(ImportReport.CodingKeys.allCases.map(\.rawValue))

    private mutating func objectKind(_ isEntity: (String) -> Bool) -> SourceKind {
        var shapes: [String: Shape] = [:]
        var hasContents = false
        while case .key(let text)? = next() {
            let key = reader.string(of: text)
            if shapes.isEmpty, key == SourceKind.earlierExportKey { return .export }
            guard Self.diffKeys.contains(key) || Self.trackerKeys.contains(key) || Self.reportKeys.contains(key) else {
                return shapes.isEmpty && isEntity(key) && isArrayOfObjects() ? .export : .json
            }
            guard
                let shape = valueShape(
                    isContents: ["deleted", "inserted", "changed"].contains(key), &hasContents)
            else {
                shapes[key] = .other
                break
            }
            shapes[key] = shape
        }
        let keys = Set(shapes.keys)
        if hasContents, keys.isSubset(of: Self.diffKeys) { return .diff }
        if keys.isSubset(of: Self.trackerKeys), keys.contains("base"), shapes["base"] != .array { return .tracker }
        if keys.isSubset(of: Self.reportKeys), keys.contains("batchCount") || keys.contains("fetchCount") {
            return .report
        }
        return .json
    }

    /// Whether the next value is an array of objects, or the text ends in it before that could be told.
    private mutating func isArrayOfObjects() -> Bool {
        guard next() == .beginArray else { return false }
        let first = next()
        return first == .beginObject || first == .endArray || first == nil
    }

    /// Reads a value; nil where the text ends in it.
    ///
    /// - Parameters:
    ///   - isContents: Whether it may be the objects of a diff.
    ///   - hasContents: Becomes true where it is.
    private mutating func valueShape(isContents: Bool, _ hasContents: inout Bool) -> Shape? {
        guard let token = next() else { return nil }
        let depth = reader.depth
        if isContents, token == .beginArray {
            guard let element = next() else { return nil }
            if element == .endArray {
                hasContents = true
                return .array
            }
            if element == .beginObject, case .key(let text)? = next() {
                hasContents = ["key", "properties"].contains(reader.string(of: text))
            }
        }
        let isOpen = token == .beginArray || token == .beginObject
        while isOpen, reader.depth >= depth { guard next() != nil else { return nil } }
        switch token {
        case .beginArray: return .array
        case .beginObject: return .object
        case .number: return .number
        case .string: return .string
        default: return .other
        }
    }

    /// Whether the array's first element is an operation of RFC 6902.
    private mutating func isPatch() -> Bool {
        guard next() == .beginObject else { return false }
        var operation: String?
        var path: String?
        while case .key(let text)? = next() {
            switch reader.string(of: text) {
            case "op":
                guard case .string(let value)? = next() else { return false }
                operation = reader.string(of: value)
            case "path":
                guard case .string(let value)? = next() else { return false }
                path = reader.string(of: value)
            case "from", "value":
                let depth = reader.depth
                guard next() != nil else { break }
                while reader.depth > depth { guard next() != nil else { break } }
            default: return false
            }
        }
        guard let operation, let path else { return false }
        return ["add", "remove", "replace", "move", "copy", "test"].contains(operation)
            && (path.isEmpty || path.hasPrefix("/"))
    }

    /// The next token; nil at the end of the bytes and where they aren't JSON.
    private mutating func next() -> JSONToken? {
        do {
            let token = try reader.next()
            return token == .endOfInput ? nil : token
        } catch {
            // What is wrong is said by whoever reads all of the text.
            return nil
        }
    }
}

// MARK: - Refusing

extension SourceKind {
    /// What a call or a command needs.
    package enum Need: Sendable {
        /// Objects: an import, a snapshot, one side of a comparison.
        case graph
        /// Everything that there is of a graph, not some records: one side of a merge.
        case wholeGraph
        /// JSON's objects, whatever they are: what a model is inferred from.
        case records
        case archive
        case patch
        case store
        case model
        case trackerFile
    }

    /// Whether a call that needs something can use it.
    package func isFit(for need: Need) -> Bool {
        switch (self, need) {
        case (.json, .graph), (.text, .graph), (.empty, .graph), (.archive, .graph), (.export, .graph),
            (.store, .graph):
            true
        case (.archive, .wholeGraph), (.export, .wholeGraph), (.store, .wholeGraph): true
        case (.json, .records), (.text, .records), (.empty, .records), (.export, .records): true
        case (.archive, .archive), (.store, .store), (.tracker, .trackerFile): true
        // Any object is a Merge Patch.
        case (.diff, .patch), (.jsonPatch, .patch), (.json, .patch), (.text, .patch): true
        // A store and an archive carry their models.
        case (.store, .model), (.archive, .model): true
        default: false
        }
    }

    /// Refuses a source that a call can't use, and says what can.
    ///
    /// - Throws: ``GraftError`` with `wrongKind`.
    package func require(_ need: Need, source name: String?) throws {
        if !isFit(for: need) { throw refusal(for: need, source: name) }
    }

    /// Refuses a source that is empty: more likely a download that failed than data that has nothing.
    ///
    /// - Throws: ``GraftError``.
    package func requireContents(source name: String?) throws {
        guard self == .empty else { return }
        throw GraftError(
            .other(
                finding: "the input is empty, where JSON, an archive or a store is expected",
                remedy: "Look at what should have written it; where there is nothing to import, JSON says so: []."),
            at: .init(source: name))
    }

    /// The error for a source that a call can't use.
    func refusal(for need: Need, source name: String?) -> GraftError {
        GraftError(
            .wrongKind(found: words, expected: need.words, remedy: remedy(for: need)), at: .init(source: name))
    }

    /// The kind, such as `a diff`.
    package var words: String {
        switch self {
        case .empty: "empty"
        case .json: "JSON"
        case .text: "text that isn't JSON"
        case .archive(.json): "an archive in lines"
        case .archive(.binary): "an archive in blocks"
        case .export: "the JSON of a whole graph"
        case .store: "a store"
        case .diff: "a diff"
        case .jsonPatch: "a JSON Patch"
        case .tracker: "a tracker's file"
        case .report: "the report of an import"
        case .other(let words): words
        }
    }

    /// What can be done with it instead.
    private func remedy(for need: Need) -> String {
        switch self {
        case .empty: "Name a file with contents."
        case .json where need == .model, .export where need == .model: "Make a model of it: graft infer."
        case .json, .export: "Import it into a store: graft import, or importJSON(from:)."
        case .archive where need == .records, .store where need == .records:
            "It was made with a model: graft inspect shows it, and graft diagram draws it."
        case .archive: "Restore it: graft restore, or restore(_:)."
        case .store: "Name it as the store: graft export, graft archive and graft diff read one."
        case .diff, .jsonPatch: "Apply it to a store: graft apply, or apply(_:)."
        case .tracker: "Open it beside its store: GraphTracker(file:context:)."
        case .report: "It says what an import did. Name the data of that import: graft import."
        case .other(let words) where Self.otherEncodings.contains(words):
            "Write it in UTF-8, as JSON is: iconv -t UTF-8."
        case .other(let words) where Self.packed.contains(words): "Unpack it first: gunzip, unzip."
        case .text, .other: "Name \(need.words)."
        }
    }
}

extension SourceKind.Need {
    /// What is needed.
    fileprivate var words: String {
        switch self {
        case .graph: "JSON, NDJSON, an archive or a store"
        case .wholeGraph: "a store or an archive"
        case .records: "JSON or NDJSON"
        case .archive: "an archive"
        case .patch: "a diff, a JSON Patch or a Merge Patch"
        case .store: "a store"
        case .model: "a model, or a store or an archive that carries one"
        case .trackerFile: "a tracker's file"
        }
    }
}
