// Which shapes become entities, and which of them the same: what stands in several places with the same keys and types, or
// what another file has as records. Two places are one entity only where an export of each still gives its data.

/// The entities of some shapes.
final class ShapePlan {
    /// What stands under a key.
    enum Content {
        case attribute(ScalarType)
        /// Kept as it is, with the reason.
        case tree(String)
        case object(ObjectShape)
        case objects(ObjectShape)
    }

    /// What becomes an entity.
    struct Entity {
        /// The places whose objects are not those of another: all with the same keys and types.
        var shapes: [ObjectShape]
        /// The first place, which all are like.
        var shape: ObjectShape { shapes[0] }
        /// The candidate that identifies its objects, and the values and contents of all places.
        var identity: String?
        var contents: [UInt64: UInt64] = [:]
        /// Whether an object stands in several places.
        var isShared = false
        /// The entities that are nested in it.
        var nested: Set<Int> = []
        /// Where its objects stand.
        var paths: [String]
    }

    private(set) var entities: [Entity] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    /// The shapes of which an array has two equal objects.
    private var repeatedInArrays: Set<ObjectIdentifier> = []
    /// The entities of records, and the others by the key under which their objects stand, in singular.
    private var roots = 0
    private var named: [String: [Int]] = [:]
    private var identities: [ObjectIdentifier: IdentityCandidate?] = [:]

    init(_ roots: [ObjectShape]) {
        for root in roots { collectRepetitions(root) }
        for root in roots { add([root]) }
        self.roots = entities.count
        var next = 0
        while next < entities.count {
            for member in entities[next].shape.members {
                let children = entities[next].shapes.compactMap { $0[member.key].flatMap(entityShape) }
                if !children.isEmpty { place(children, in: next) }
            }
            next += 1
        }
    }

    /// The number of the entity of a shape.
    func number(of shape: ObjectShape) -> Int? { numbers[ObjectIdentifier(shape)] }

    /// What stands under the same key in all places of an entity whose objects are not those of another.
    func twins(of member: MemberShape, in number: Int) -> [MemberShape] {
        entities[number].shapes.compactMap { $0[member.key] }
    }

    // MARK: Contents

    /// What stands under a key, over all objects.
    func content(of member: MemberShape) -> Content {
        let (direct, elements) = (member.direct, member.elements)
        if member.repetitions > 0, direct.objects + elements.objects > 0 {
            return .tree("the key is repeated in an object")
        }
        let kinds = [direct.scalars.count, direct.objects, direct.arrays].count { $0 > 0 }
        if kinds > 1 { return .tree("texts, objects and arrays are mixed") }
        if direct.scalars.count > 0 {
            return direct.scalars.type(named: member.key).map { .attribute($0) }
                ?? .tree("no type holds all of \(direct.scalars.evidence)")
        }
        if direct.objects > 0 { return entityShape(of: member, { .object($0) }) }
        if direct.arrays == 0 { return .tree("always null") }
        if elements.total == 0 { return .tree("always an empty array") }
        if elements.objects == elements.total { return entityShape(of: member, { .objects($0) }) }
        return .tree(
            elements.scalars.count == elements.total ? "arrays of \(elements.scalars.evidence)" : "mixed arrays")
    }

    private func entityShape(of member: MemberShape, _ content: (ObjectShape) -> Content) -> Content {
        guard let shape = member.child else { return .tree("nested too deep") }
        if let obstacle = shape.obstacle { return .tree(obstacle) }
        if shape.members.isEmpty { return .tree("always an empty object") }
        return isDictionary(shape) ? .tree("the keys are values: \(shape.members[0].key)") : content(shape)
    }

    /// Whether the keys of objects are data, as in translations by language or numbers by day.
    private func isDictionary(_ shape: ObjectShape) -> Bool {
        let members = shape.members
        guard !shape.isRecursive else { return false }
        if members.contains(where: { $0.key.first?.isNumber == true || $0.key.contains { " /:".contains($0) } }) {
            return true
        }
        let isUniform =
            members.allSatisfy { $0.direct.scalars.texts == $0.direct.total }
            || members.allSatisfy { $0.direct.scalars.numbers == $0.direct.total }
            || members.allSatisfy { $0.direct.objects == $0.direct.total }
        guard isUniform, members.count >= 3 else { return false }
        let isSparse = members.count >= 8 && members.reduce(0) { $0 + $1.presence } * 2 < members.count * shape.count
        return isSparse || members.contains { $0.key.wholeMatch(of: /[a-z]{2,3}-[A-Z]{2}/) != nil }
    }

    /// The shape of what stands under a key, where it becomes an entity.
    private func entityShape(of member: MemberShape) -> ObjectShape? {
        switch content(of: member) {
        case .object(let child), .objects(let child): child
        case .attribute, .tree: nil
        }
    }

    /// The key of the one list in a file's one object, which may be a page of a server's answer.
    func keyOfRecords(below shape: ObjectShape) -> String? {
        guard shape.isRoot, shape.count == 1 else { return nil }
        let lists = shape.members.filter { if case .objects = content(of: $0) { true } else { false } }
        return lists.count == 1 ? SourcePath(keys: [lists[0].key]).description : nil
    }

    // MARK: Entities

    private func add(_ shapes: [ObjectShape]) {
        let number = entities.count
        let shape = shapes[0]
        entities.append(Entity(shapes: [], identity: identity(of: shape)?.key, paths: []))
        if !shape.isRoot { named[EnglishNames.singular(shape.key), default: []].append(number) }
        for shape in shapes { join(shape, number) }
    }

    /// Makes the objects of a place an entity's, and those that are nested in them those of what is nested in its other places.
    private func join(_ shape: ObjectShape, _ number: Int) {
        guard numbers.updateValue(number, forKey: ObjectIdentifier(shape)) == nil else { return }
        if let candidate = identity(of: shape) {
            let isKnown = candidate.contents.keys.contains { entities[number].contents[$0] != nil }
            if isKnown || candidate.repetitions > 0 { entities[number].isShared = true }
            entities[number].contents.merge(candidate.contents) { first, _ in first }
        }
        entities[number].paths.append(shape.path)
        let isFirst = entities[number].shapes.isEmpty
        guard isFirst || !entities[number].shape.isRoot else { return }
        entities[number].shapes.append(shape)
        if isFirst { return }
        for member in entities[number].shape.members {
            guard let known = entityShape(of: member).flatMap(self.number(of:)),
                let child = shape[member.key].flatMap(entityShape)
            else { continue }
            join(child, known)
        }
    }

    /// Finds the entity of objects that are nested in those of another, in all of its places under the same key.
    private func place(_ shapes: [ObjectShape], in owner: Int) {
        if let known = number(of: shapes[0]) {
            entities[owner].nested.insert(known)
            return
        }
        let near = Array(0..<roots) + named[EnglishNames.singular(shapes[0].key), default: []]
        func fits(_ number: Int) -> Bool {
            var comparison = Comparison()
            return shapes.allSatisfy { isSame($0, as: number, &comparison) } && !reaches(owner, from: number)
        }
        let match = near.first(where: fits) ?? entities.indices.first { hasEqualObject(shapes, as: $0) && fits($0) }
        if let match {
            for shape in shapes { join(shape, match) }
        } else {
            add(shapes)
        }
        entities[owner].nested.insert(match ?? entities.count - 1)
    }

    /// Whether one of the objects of some places is an entity's already: the same identity, and the same contents.
    private func hasEqualObject(_ shapes: [ObjectShape], as number: Int) -> Bool {
        let entity = entities[number]
        guard !entity.shape.isRoot, entity.identity != nil else { return false }
        return shapes.contains { shape in
            guard shape.members.count == entity.shape.members.count, let candidate = identity(of: shape) else {
                return false
            }
            return candidate.contents.contains { entity.contents[$0.key] == $0.value }
        }
    }

    private func reaches(_ target: Int, from start: Int) -> Bool {
        var (pending, seen): ([Int], Set<Int>) = ([start], [start])
        while let number = pending.popLast() {
            if number == target { return true }
            pending += entities[number].nested.filter { seen.insert($0).inserted }
        }
        return false
    }

    /// What a comparison of places has found so far.
    private struct Comparison {
        /// The pairs that have been compared.
        var seen: Set<[ObjectIdentifier]> = []
        /// The contents, by identity, of what would become an entity's.
        var joining: [Int: [UInt64: UInt64]] = [:]
    }

    /// Whether the objects of a place can be an entity's: each is the record of the same identity, or they have the same keys
    /// and types.
    private func isSame(_ shape: ObjectShape, as number: Int, _ comparison: inout Comparison) -> Bool {
        let entity = entities[number]
        let candidate = identity(of: shape)
        guard candidate?.key == entity.identity, !reachesRecursion(shape) else { return false }
        if let candidate {
            let isConsistent = candidate.contents.allSatisfy { value, contents in
                (entity.contents[value] ?? comparison.joining[number]?[value] ?? contents) == contents
            }
            guard isConsistent else { return false }
            comparison.joining[number, default: [:]].merge(candidate.contents) { first, _ in first }
        }
        if entity.shape.isRoot {
            return candidate?.contents.keys.allSatisfy { entity.contents[$0] != nil } ?? false
        }
        return entity.shapes.allSatisfy { isAlike(shape, $0, &comparison) }
    }

    private func isAlike(_ one: ObjectShape, _ other: ObjectShape, _ comparison: inout Comparison) -> Bool {
        guard comparison.seen.insert([ObjectIdentifier(one), ObjectIdentifier(other)]).inserted else { return true }
        guard one.members.count == other.members.count else { return false }
        return one.members.allSatisfy { member in
            guard let twin = other[member.key], member.absence(in: one) == twin.absence(in: other) else { return false }
            switch (content(of: member), content(of: twin)) {
            case (.attribute(let type), .attribute(let twinType)): return type == twinType
            case (.tree, .tree): return member.hasLongNumbers == twin.hasLongNumbers
            case (.object(let child), .object(let twin)), (.objects(let child), .objects(let twin)):
                if let known = number(of: twin) { return isSame(child, as: known, &comparison) }
                return isAlike(child, twin, &comparison) && areConsistent(child, twin)
            default: return false
            }
        }
    }

    /// Whether the objects of two places have the same identity, and where they have the same one, the same contents.
    private func areConsistent(_ one: ObjectShape, _ other: ObjectShape) -> Bool {
        let (candidate, twin) = (identity(of: one), identity(of: other))
        guard let candidate, let twin, candidate.key == twin.key else { return candidate == nil && twin == nil }
        return candidate.contents.allSatisfy { (twin.contents[$0.key] ?? $0.value) == $0.value }
    }

    // MARK: Identities

    /// What identifies the objects of a shape.
    private func identity(of shape: ObjectShape) -> IdentityCandidate? {
        if let known = identities[ObjectIdentifier(shape)] { return known }
        let found = findIdentity(of: shape)
        identities[ObjectIdentifier(shape)] = .some(found)
        return found
    }

    private func findIdentity(of shape: ObjectShape) -> IdentityCandidate? {
        shape.candidates.filter { refutation(of: $0, in: shape) == nil }.min { $0.rank < $1.rank }
    }

    /// Why a candidate doesn't identify the objects of a shape; nil where it does.
    func refutation(of candidate: IdentityCandidate, in shape: ObjectShape) -> String? {
        if repeatedInArrays.contains(ObjectIdentifier(shape)) { return "an array has two equal objects" }
        if let reason = candidate.refutation(in: shape) { return reason }
        guard let member = shape[candidate.key] else { return "it isn't in all objects" }
        if member.direct.scalars.hasEmptyText { return "it is an empty text somewhere" }
        switch content(of: member) {
        case .attribute(let type) where ![.integer64, .string, .uuid].contains(type.kind):
            return "it is a \(type.kind.modelName)"
        case .attribute: break
        case .tree(let reason): return reason
        case .object, .objects: return "it leads to objects"
        }
        return candidate.repetitions > 0 && reachesRecursion(shape) ? Self.meetsItself : nil
    }

    /// Objects that can be met again inside themselves are written once in full.
    static let meetsItself = "equal objects have the same value, and lead to their own kind"

    private func reachesRecursion(_ shape: ObjectShape) -> Bool {
        var (pending, seen): ([ObjectShape], Set<ObjectIdentifier>) = ([shape], [])
        while let shape = pending.popLast() {
            guard seen.insert(ObjectIdentifier(shape)).inserted else { continue }
            if shape.isRecursive { return true }
            pending += shape.members.compactMap(\.child)
        }
        return false
    }

    private func collectRepetitions(_ root: ObjectShape) {
        var (pending, seen): ([ObjectShape], Set<ObjectIdentifier>) = ([root], [])
        while let shape = pending.popLast() {
            guard seen.insert(ObjectIdentifier(shape)).inserted else { continue }
            for member in shape.members {
                guard let child = member.child else { continue }
                if member.hasEqualElements { repeatedInArrays.insert(ObjectIdentifier(child)) }
                pending.append(child)
            }
        }
    }
}

/// In which ways the objects of a place have nothing under a key.
struct Absence: OptionSet {
    let rawValue: Int
    static let missing = Absence(rawValue: 1)
    static let null = Absence(rawValue: 2)
    static let emptyArray = Absence(rawValue: 4)

    /// Whether an export writes something where there is nothing, in one of some ways: always, unless the data leaves the key out
    /// and never does that.
    func writesNothing(as ways: Absence) -> Bool { !contains(.missing) || !isDisjoint(with: ways) }
}

extension MemberShape {
    func absence(in shape: ObjectShape) -> Absence {
        var absence: Absence = []
        if presence < shape.count { absence.insert(.missing) }
        if direct.nulls > 0 { absence.insert(.null) }
        if emptyArrays > 0 { absence.insert(.emptyArray) }
        return absence
    }
}
