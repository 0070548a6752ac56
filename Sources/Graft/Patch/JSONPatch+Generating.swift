// Making a patch from two documents. Elements of arrays are matched by what identifies them, where that is known, else
// by being equal; ListAlignment.swift finds the steps. A patch is made so that it applies: indexes count in the array
// as the operations before have left it, and what is inside elements is changed after all elements have their places.

extension JSONPatch {
    /// How a patch is made from two documents.
    public struct Options: Sendable {
        /// Whether a `test` operation comes before each value that is removed, replaced or moved.
        public var testsOldValues = false

        /// The key paths whose values identify the elements of an array that a pointer leads to; nil or empty where the
        /// elements are matched by being equal. A pointer's indexes are those of the new document. An element without
        /// one of the values is matched by being equal.
        public var identity: @Sendable (_ array: JSONPatch.Pointer) -> [[String]]? = { _ in nil }

        /// No tests, and no identities.
        public init() {}

        /// Elements of all arrays are identified by the members with these keys.
        public static func identified(by keys: [String]) -> Options {
            var options = Options()
            let paths = keys.map { [$0] }
            options.identity = { _ in paths }
            return options
        }
    }

    /// Creates the patch that leads from one document to another.
    ///
    /// Applied to a document equal to the old one, it gives one equal to the new one. Elements that change their place
    /// are moved, as few of them as possible. Only what is inside arrays is moved; nothing is copied.
    ///
    /// - Throws: ``GraftError`` with `tooDeep` for documents deeper than ``JSONValue/maximumDepth``.
    /// - Complexity: O(*n* log *n*) for elements with identities. Others are compared as wholes once for each array
    ///   that they are in.
    public init(from old: JSONValue, to new: JSONValue, options: Options = Options()) throws {
        _ = try (old.extent(), new.extent())
        var generator = PatchGenerator(options: options)
        generator.compare(old, new)
        operations = generator.operations
    }
}

/// Collects the operations of a patch.
private struct PatchGenerator {
    let options: JSONPatch.Options
    var operations: [JSONPatch.Operation] = []
    private var path = JSONPatch.Pointer()

    init(options: JSONPatch.Options) { self.options = options }

    mutating func compare(_ old: JSONValue, _ new: JSONValue) {
        switch (old, new) {
        case (.object(let old), .object(let new)): compare(old, new)
        case (.array(let old), .array(let new)): compare(old, new)
        default:
            guard old != new else { return }
            test(old, path)
            operations.append(.replace(path, new))
        }
    }

    private mutating func compare(_ old: JSONValue.Object, _ new: JSONValue.Object) {
        let (oldIndex, newIndex) = (old.indexByKey(), new.indexByKey())
        for member in old.uniqueMembers where newIndex[JSONKeyBytes(member.key)] == nil {
            test(member.value, path.appending(member.key))
            operations.append(.remove(path.appending(member.key)))
        }
        for member in new.uniqueMembers {
            if let index = oldIndex[JSONKeyBytes(member.key)] {
                inside(member.key) { $0.compare(old.members[index].value, member.value) }
            } else {
                operations.append(.add(path.appending(member.key), member.value))
            }
        }
    }

    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue]) {
        let paths = options.identity(path) ?? []
        let oldKeys = old.map { ElementKey($0, paths) }
        let newKeys = new.map { ElementKey($0, paths) }
        let alignment = ListAlignment(
            from: oldKeys, to: newKeys, unnamed: ({ !oldKeys[$0].isIdentity }, { !newKeys[$0].isIdentity }),
            canBecome: { Self.canBecome(old[$0], new[$1]) })
        var current = options.testsOldValues ? old : []
        for step in alignment.steps { take(step, new, &current) }
        for (index, origin) in alignment.origins.enumerated() {
            guard let origin else { continue }
            // Equal as a whole, unless an identity or a place matched them.
            if !newKeys[index].isIdentity, oldKeys[origin] == newKeys[index] { continue }
            inside(String(index)) { $0.compare(old[origin], new[index]) }
        }
    }

    /// Whether changing an element is shorter than replacing it: objects have a key in common.
    private static func canBecome(_ old: JSONValue, _ new: JSONValue) -> Bool {
        guard case .object(let old) = old, case .object(let new) = new else { return true }
        let keys = old.indexByKey()
        return old.members.isEmpty || new.members.contains { keys[JSONKeyBytes($0.key)] != nil }
    }

    /// - Parameter current: The array as the operations so far have left it, where tests need it.
    private mutating func take(_ step: ListAlignment.Step, _ new: [JSONValue], _ current: inout [JSONValue]) {
        switch step {
        case .remove(let index, _):
            if options.testsOldValues { test(current.remove(at: index), path.appending(index)) }
            operations.append(.remove(path.appending(index)))
        case .insert(let index, let newIndex):
            if options.testsOldValues { current.insert(new[newIndex], at: index) }
            operations.append(.add(path.appending(index), new[newIndex]))
        case .move(let from, let to):
            if options.testsOldValues {
                let value = current.remove(at: from)
                test(value, path.appending(from))
                current.insert(value, at: to)
            }
            operations.append(.move(from: path.appending(from), to: path.appending(to)))
        }
    }

    private mutating func test(_ value: JSONValue, _ place: JSONPatch.Pointer) {
        if options.testsOldValues { operations.append(.test(place, value)) }
    }

    private mutating func inside(_ token: String, _ body: (inout PatchGenerator) -> Void) {
        path.tokens.append(token)
        body(&self)
        path.tokens.removeLast()
    }
}

/// What an element of an array is known by.
private enum ElementKey: Hashable {
    case identity([JSONValue])
    case whole(JSONValue)

    init(_ element: JSONValue, _ paths: [[String]]) {
        var values: [JSONValue] = []
        for path in paths {
            var value: JSONValue? = element
            for key in path { value = value?[key] }
            guard let value, !value.isNull else { break }
            values.append(value)
        }
        self = paths.isEmpty || values.count < paths.count ? .whole(element) : .identity(values)
    }

    var isIdentity: Bool {
        if case .identity = self { true } else { false }
    }
}
