// How deep and how large a value is, counted with a stack of our own and given up at a limit: a few `copy` operations
// can make a value of billions of parts that shares its storage, and that nobody can write down.

extension JSONValue {
    /// How deep arrays and objects are nested (0 for a text), and how many values there are.
    ///
    /// - Throws: ``GraftError`` with `tooDeep` or `tooLarge`.
    func extent(maximumDepth: Int = Self.maximumDepth, maximumCount: Int = .max) throws -> (depth: Int, count: Int) {
        var open: [(value: JSONValue, depth: Int)] = [(self, 0)]
        var extent = (depth: 0, count: 0)
        while let (value, depth) = open.popLast() {
            extent.count += 1
            guard extent.count <= maximumCount else {
                throw GraftError(.tooLarge(what: "the number of values that a patch makes", limit: maximumCount))
            }
            switch value {
            case .array(let elements):
                open.append(contentsOf: elements.lazy.map { ($0, depth + 1) })
            case .object(let object):
                open.append(contentsOf: object.members.lazy.map { ($0.value, depth + 1) })
            default: continue
            }
            extent.depth = max(extent.depth, depth + 1)
            guard extent.depth <= maximumDepth else { throw GraftError(.tooDeep(limit: maximumDepth)) }
        }
        return extent
    }
}
