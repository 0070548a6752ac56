// A base that isn't what both sides come from: of two branches that were merged before, the next merge has the tip of one as base,
// and the other has its rows beyond the fork under other numbers. There they are found by their contents; from there on all three
// call a row by one name.

/// Lets the rows of a merge's three versions have the names that they have in ours.
struct RowAlignment {
    private(set) var base: GraphSnapshot
    private let ours: GraphSnapshot
    private(set) var theirs: GraphSnapshot
    private(set) var identification: GraphDiff.Identification

    /// - Parameter identification: By which rules the three tell their objects apart.
    init(
        base: GraphSnapshot, ours: GraphSnapshot, theirs: GraphSnapshot, _ identification: GraphDiff.Identification
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.identification = identification
        for (root, entity) in base.schema.entities.enumerated() where entity.parent == nil { align(root, entity.name) }
    }

    private mutating func align(_ root: Int, _ name: String) {
        let kinds = (root..<base.schema.entities[root].end).filter { identification.isBeyondFork(base, $0) }
        if kinds.isEmpty { return }
        func common(_ one: GraphSnapshot, _ other: GraphSnapshot) -> Int64 {
            GraphSnapshot.Lineage.common([one.lineage, other.lineage])?[name] ?? 0
        }
        let (withOurs, withTheirs, without) = (common(base, ours), common(base, theirs), common(ours, theirs))
        let ourRows = ours.namedRows(kinds)
        var names = FreeNames(
            taken: ourRows, beyond: [base, ours, theirs].compactMap { $0.lineage?.rows[name] }.max() ?? 0)
        var known = NamesByContents(ourRows.filter { $0.number > withOurs }.map { (ours.contents(of: $0), $0.name) })
        var baseNames: [ExactValue: GraphValue] = [:]
        var baseRows: [(RowContents, GraphValue)] = []
        for row in base.namedRows(kinds) {
            let new = row.number <= withOurs ? row.name : known.next(base.contents(of: row)) ?? names.next(row.name)
            baseNames[ExactValue(row.name)] = new
            base.tables[row.reference.entity].setRowName(new, row: row.reference.row)
            if row.number > withTheirs { baseRows.append((base.contents(of: row), new)) }
        }
        known = NamesByContents(baseRows)
        for row in theirs.namedRows(kinds) where row.number > without {
            let new =
                row.number <= withTheirs ? baseNames[ExactValue(row.name)] : known.next(theirs.contents(of: row))
            theirs.tables[row.reference.entity].setRowName(new ?? names.next(row.name), row: row.reference.row)
        }
        for kind in kinds {
            let entity = base.schema.entities[kind].name
            if case .row(let limit, _)? = identification.rules[entity] {
                identification.rules[entity] = .row(upTo: limit, isMarked: false)
            }
        }
    }
}

extension GraphDiff.Identification {
    /// Whether a merge's base has rows of an entity that only one of the sides has by their numbers, or none.
    func isBeyondFork(_ base: GraphSnapshot, _ entity: Int) -> Bool {
        let entities = base.schema.entities
        guard case .row(let limit, _)? = rules[entities[entity].name],
            let last = base.lineage?.rows[entities[base.schema.root(of: entity)].name]
        else { return false }
        return last > limit
    }

    /// Whether there is such an entity.
    func isBeyondFork(_ base: GraphSnapshot) -> Bool {
        base.schema.entities.indices.contains { isBeyondFork(base, $0) }
    }
}

/// A row with its name.
private struct NamedRow {
    let reference: RowReference
    let name: GraphValue
    let number: Int64
}

/// What a row is found by that has another number.
private struct RowContents: Hashable {
    let entity: Int
    let mark: String
}

extension GraphSnapshot {
    /// The rows of some entities that have names, by number.
    fileprivate func namedRows(_ entities: [Int]) -> [NamedRow] {
        entities.flatMap { entity in
            liveRows(of: entity).compactMap { row in
                let (reference, name) = (RowReference(entity: entity, row: row), tables[entity].rowName(row))
                return RowName.number(in: name).map { NamedRow(reference: reference, name: name, number: $0) }
            }
        }
        .sorted { ($0.number, $0.reference) < ($1.number, $1.reference) }
    }

    fileprivate func contents(of row: NamedRow) -> RowContents {
        RowContents(entity: row.reference.entity, mark: mark(of: row.reference))
    }
}

/// The names of rows by their contents, each to be taken once.
private struct NamesByContents {
    private var names: [RowContents: ArraySlice<GraphValue>]

    init(_ rows: [(contents: RowContents, name: GraphValue)]) {
        names = Dictionary(grouping: rows, by: \.contents).mapValues { $0.map(\.name)[...] }
    }

    mutating func next(_ contents: RowContents) -> GraphValue? { names[contents]?.popFirst() }
}

/// Names that no other row has.
private struct FreeNames {
    private var taken: Set<ExactValue>
    private var last: Int64

    init(taken rows: [NamedRow], beyond last: Int64) {
        taken = Set(rows.map { ExactValue($0.name) })
        self.last = last
    }

    /// A name where it is free, else a new one.
    mutating func next(_ name: GraphValue) -> GraphValue {
        if taken.insert(ExactValue(name)).inserted { return name }
        last += 1
        return GraphSnapshot.RowName.name(last)
    }
}
