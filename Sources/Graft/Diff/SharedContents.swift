// Objects without identity where one side leaves out some of what they hold, as JSON does beside a store. What both sides say tells which is
// which; who owns an object, its owner may say instead:
//
//     store    two notes of task 1, {"text": "a", "rank": 3} and {"text": "b", "rank": 4}
//     JSON     {"id": 1, "notes": [{"text": "a"}, {"text": "b"}]}                              the same two notes
//
// What leads to another one of them is looked at after that. Where they lead to each other in a circle, such as two spouses, what they hold
// besides tells them.
//
// Where both sides say everything, their keys tell it (RowKeys.swift).

/// The pairs of rows without identity that both sides say the same of, as far as each of them speaks.
struct SharedContents {
    private var old: Side
    private var new: Side

    /// - Parameters:
    ///   - matching: Which row is which, as far as that is known.
    ///   - oldRows: The rows that are left and known by their contents, in their order; so are the new ones.
    init(
        _ old: GraphSnapshot, _ new: GraphSnapshot, _ scope: DiffScope,
        _ matching: (toNew: [[RowReference]], toOld: [[RowReference]]),
        oldRows: [RowReference], newRows: [RowReference]
    ) {
        self.old = Side(old, scope, matching.toNew, oldRows, isOld: true)
        self.new = Side(new, scope, matching.toOld, newRows, isOld: false)
    }

    /// Finds the pairs: those of owners before those of what they own.
    ///
    /// - Complexity: O(*n*) for rows that all have a counterpart, however long the ways between them are.
    mutating func pairs() -> [(old: RowReference, new: RowReference)] {
        var pairs: [(old: RowReference, new: RowReference)] = []
        var circleCount = 0
        while true {
            let entities = old.takeFresh().union(new.takeFresh())
            let (oldShapes, newShapes) = (old.rowsByShape(entities), new.rowsByShape(entities))
            var found = nextPairs(oldShapes, newShapes)
            if entities.isEmpty {
                circleCount += 1
                found = circleCount > Self.circleLimit ? [] : pairsInCircles()
                if found.isEmpty { return pairs }
            }
            for (row, other) in found {
                old.pair(row, with: other)
                new.pair(other, with: row)
            }
            pairs += found
        }
    }

    /// How often circles are looked for: what is found in them may let others be found.
    private static let circleLimit = 8

    /// The pairs of rows that lead to each other. Those come first of which there is but one: they tell to whom equal ones lead.
    private func pairsInCircles() -> [(old: RowReference, new: RowReference)] {
        let (oldShapes, newShapes) = (old.circlesByShape(), new.circlesByShape())
        let unique = nextPairs(oldShapes, newShapes, isUnique: true)
        return unique.isEmpty ? nextPairs(oldShapes, newShapes) : unique
    }

    /// - Parameter isUnique: Whether rows are left out of which one side has several that are alike.
    private func nextPairs(
        _ oldShapes: [Shape: [RowReference]], _ newShapes: [Shape: [RowReference]], isUnique: Bool = false
    ) -> [(old: RowReference, new: RowReference)] {
        var choices: [(old: Shape, new: Shape, common: [Int])] = []
        for shape in oldShapes.keys.sorted() {
            for other in newShapes.keys.sorted() where other.entity == shape.entity {
                let common = shape.properties.filter(other.properties.contains)
                if !common.isEmpty { choices.append((shape, other, common)) }
            }
        }
        // Where both say more of an object, they know it better.
        let order = choices.indices.sorted {
            (choices[$1].common.count, $0) < (choices[$0].common.count, $1)
        }
        var pairs: [(old: RowReference, new: RowReference)] = []
        var (taken, found): (Set<RowReference>, Set<RowReference>) = ([], [])
        for choice in order.map({ choices[$0] }) {
            let rows = (oldShapes[choice.old] ?? []).filter { !taken.contains($0) }
            var free = Dictionary(grouping: rows) { old.contents(of: $0, choice.common) }.mapValues { $0[...] }
            let others = (newShapes[choice.new] ?? []).filter { !found.contains($0) }
                .map { (row: $0, contents: new.contents(of: $0, choice.common)) }
            if isUnique {
                let counts = Dictionary(others.map { ($0.contents, 1) }, uniquingKeysWith: +)
                free = free.filter { $0.value.count == 1 && counts[$0.key] == 1 }
            }
            for (row, contents) in others {
                guard let other = free[contents]?.popFirst() else { continue }
                taken.insert(other)
                found.insert(row)
                pairs.append((other, row))
            }
        }
        return pairs
    }
}

/// The properties of which a row says something.
private struct Shape: Hashable, Comparable {
    var entity: Int
    var properties: [Int]

    static func < (one: Shape, other: Shape) -> Bool {
        one.entity == other.entity
            ? one.properties.lexicographicallyPrecedes(other.properties) : one.entity < other.entity
    }
}

/// What a row says of some properties, in words that both sides have.
private struct Contents: Hashable {
    /// What a relationship leads to: the row of the new side, or one that only one side has.
    struct End: Hashable, Comparable {
        var isShared: Bool
        var isOld: Bool
        var row: RowReference

        static func < (one: End, other: End) -> Bool {
            (one.isShared ? 0 : 1, one.row) < (other.isShared ? 0 : 1, other.row)
        }
    }

    var values: [ExactValue] = []
    var ends: [[End]] = []
}

/// One of the two snapshots.
private struct Side {
    private let snapshot: GraphSnapshot
    private let scope: DiffScope
    private let isOld: Bool
    /// By entity and row, the row of the other side.
    private var counterparts: [[RowReference]]
    /// The rows to find that wait for nothing more and have no counterpart yet.
    private var ready: [Int: [Shape: [RowReference]]] = [:]
    /// The entities of those that wait for nothing more since somebody last asked.
    private var fresh: Set<Int> = []
    /// The rows that wait for an object to which they lead, and for how many.
    private var waiting: [RowReference: [RowReference]] = [:]
    private var waitCounts: [RowReference: Int] = [:]
    /// The owners of rows that don't say themselves to whom they belong, by the relationship to the owner.
    private var owners: [RowReference: [Int: RowReference]] = [:]

    init(
        _ snapshot: GraphSnapshot, _ scope: DiffScope, _ counterparts: [[RowReference]], _ rows: [RowReference],
        isOld: Bool
    ) {
        self.snapshot = snapshot
        self.scope = scope
        self.counterparts = counterparts
        self.isOld = isOld
        owners = snapshot.ownersThatSaySo(of: Set(rows))
        for row in rows { enter(row) }
    }

    mutating func pair(_ row: RowReference, with other: RowReference) {
        counterparts[row.entity][row.row] = other
        for row in waiting.removeValue(forKey: row) ?? [] {
            waitCounts[row, default: 0] -= 1
            if waitCounts[row] == 0 { makeReady(row) }
        }
    }

    /// A row that leads to an object which nothing but this matching tells waits for that one.
    private mutating func enter(_ row: RowReference) {
        let open = openEnds(of: row)
        if open.isEmpty { return makeReady(row) }
        waitCounts[row] = open.count
        for end in open { waiting[end, default: []].append(row) }
    }

    /// The objects to which a row leads, and which nobody has found yet.
    private func openEnds(of row: RowReference) -> Set<RowReference> {
        Set(scope.entities[row.entity].toOnes.flatMap { openEnds(of: row, $0.number) })
    }

    private func openEnds(of row: RowReference, _ number: Int) -> [RowReference] {
        if !says(number, row) { return [] }
        return ends(of: row, number).filter { !snapshot.isIdentified($0) && counterpart(of: $0) == nil }
    }

    /// The rows that wait for each other in circles, or stand between two of these, by what tells them besides.
    ///
    /// - Complexity: O(*n*) in the number of rows that wait.
    func circlesByShape() -> [Shape: [RowReference]] {
        var rows = Set(waitCounts.filter { $0.value > 0 && counterpart(of: $0.key) == nil }.keys)
        takeOut(from: &rows, leadingTo: { Array(openEnds(of: $0)) }, ledToBy: { waiting[$0] ?? [] })
        takeOut(from: &rows, leadingTo: { waiting[$0] ?? [] }, ledToBy: { Array(openEnds(of: $0)) })
        return Dictionary(grouping: rows.sorted()) { row in
            let toOnes = scope.entities[row.entity].toOnes.map(\.number)
            let open = Set(toOnes.filter { !openEnds(of: row, $0).isEmpty })
            return Shape(entity: row.entity, properties: properties(of: row).filter { !open.contains($0) })
        }
    }

    /// Takes out of some rows those from which no way leads to a circle.
    private func takeOut(
        from rows: inout Set<RowReference>, leadingTo next: (RowReference) -> [RowReference],
        ledToBy previous: (RowReference) -> [RowReference]
    ) {
        var counts: [RowReference: Int] = [:]
        for row in rows { counts[row] = next(row).count { rows.contains($0) } }
        var ends = Array(rows.filter { counts[$0] == 0 })
        while let row = ends.popLast() {
            rows.remove(row)
            for other in previous(row) where rows.contains(other) {
                counts[other, default: 0] -= 1
                if counts[other] == 0 { ends.append(other) }
            }
        }
    }

    private mutating func makeReady(_ row: RowReference) {
        let shape = Shape(entity: row.entity, properties: properties(of: row))
        ready[row.entity, default: [:]][shape, default: []].append(row)
        fresh.insert(row.entity)
    }

    /// The entities that have more rows to look at than before.
    mutating func takeFresh() -> Set<Int> {
        defer { fresh.removeAll() }
        return fresh
    }

    /// The rows of some entities that are left, but for those that wait.
    mutating func rowsByShape(_ entities: Set<Int>) -> [Shape: [RowReference]] {
        var shapes: [Shape: [RowReference]] = [:]
        for entity in entities {
            let left = ready[entity, default: [:]].mapValues { $0.filter { counterpart(of: $0) == nil } }
            ready[entity] = left.filter { !$0.value.isEmpty }
            shapes.merge(ready[entity] ?? [:]) { first, _ in first }
        }
        return shapes
    }

    /// The properties that tell what a row is.
    private func properties(of row: RowReference) -> [Int] {
        let members = scope.entities[row.entity]
        let properties = snapshot.schema.entities[row.entity].properties
        var numbers = members.attributes.map(\.number).filter { snapshot.tables[row.entity].hasValue($0, row: row.row) }
        numbers += members.toOnes.map(\.number).filter { says($0, row) }
        // What an object owns without identity is told by it, and doesn't tell it.
        for number in members.toManys.map(\.number) where says(number, row) {
            let isTold = properties[number].destination.map { snapshot.schema.entities[$0].hasIdentity } ?? false
            if isTold { numbers.append(number) }
        }
        return numbers
    }

    func contents(of row: RowReference, _ numbers: [Int]) -> Contents {
        let properties = snapshot.schema.entities[row.entity].properties
        var contents = Contents()
        for number in numbers {
            if properties[number].isAttribute {
                contents.values.append(ExactValue(snapshot.value(properties[number], of: row)))
                continue
            }
            let ends = ends(of: row, number).map { end in
                let other = counterpart(of: end)
                return Contents.End(
                    isShared: other != nil, isOld: isOld && other == nil, row: isOld ? other ?? end : end)
            }
            contents.ends.append(properties[number].isOrdered ? ends : ends.sorted())
        }
        return contents
    }

    private func says(_ number: Int, _ row: RowReference) -> Bool {
        snapshot.tables[row.entity].hasValue(number, row: row.row) || owners[row]?[number] != nil
    }

    private func ends(of row: RowReference, _ number: Int) -> [RowReference] {
        if let owner = owners[row]?[number] { return [owner] }
        return snapshot.uniqueDestinations(of: row, snapshot.schema.entities[row.entity].properties[number])
    }

    private func counterpart(of row: RowReference) -> RowReference? {
        let other = counterparts[row.entity][row.row]
        return other.isNone ? nil : other
    }
}

extension GraphSnapshot {
    /// The owners of rows that don't say themselves to whom they belong, by the relationship to the owner.
    func ownersThatSaySo(of rows: Set<RowReference>) -> [RowReference: [Int: RowReference]] {
        var owners: [RowReference: [Int: RowReference]] = [:]
        for owner in allRows {
            for property in schema.entities[owner.entity].properties {
                guard schema.isExclusive(property), let inverse = property.inverse else { continue }
                for end in destinations(of: owner, property)
                where rows.contains(end) && !tables[end.entity].hasValue(inverse, row: end.row) {
                    owners[end, default: [:]][inverse] = owner
                }
            }
        }
        return owners
    }
}
