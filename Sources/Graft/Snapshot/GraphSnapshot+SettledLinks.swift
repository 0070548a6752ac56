// Links about which a text contradicts itself. They are set in the order of the text, as an import sets them: an object that only one
// other can have is with the one that named it last.
//
//     {"id": 1, "staff": [2]}, {"id": 3, "staff": [2]}      2 is with 3, and 1 has nobody
//     {"id": 2, "boss": 1}, {"id": 1, "staff": []}          2 has no boss
//
// So is a member of a list without inverse: an object is in the list of one owner (Import/ListOwners.swift).

extension GraphSnapshot {
    /// Lets both ends of links say the same, as far as rows speak of them, and makes one list of those that add to each other.
    ///
    /// - Throws: ``GraftError`` with `tooLarge`.
    /// - Complexity: O(*n* log *n*) in the number of rows and links.
    mutating func settleLinks() throws {
        // Of several versions, the last one's links count alone.
        let before = earlierStatements().filter {
            isExclusive($0.cell) && (versions.isEmpty || versions[$0.cell.row.entity] == nil)
        }
        let inOrder = (before + exclusiveStatements()).sorted {
            ($0.time, $0.cell) < ($1.time, $1.cell)
        }
        var links = SettledLinks(schema)
        for statement in inOrder {
            links.set(
                statement.cell, saidEnds(of: statement), taking: statement.removals.map(rows), addsMembers(statement))
        }
        try addUpLists { _, _, _ in true }
        for statement in exclusiveStatements() {
            let ends = saidEnds(of: statement)
            let settled = links.settled(statement.cell, ends, isAdding: addsMembers(statement))
            if settled == ends { continue }
            let property = schema.entities[statement.cell.row.entity].properties[statement.cell.property]
            try set(settled, property, statement.cell.property, of: statement.cell.row)
        }
    }

    /// Whether a statement leaves the members that are there. A to-one relationship is replaced by all of them.
    private func addsMembers(_ statement: LinkStatement) -> Bool {
        schema.entities[statement.cell.row.entity].properties[statement.cell.property].isToMany && isAdding(statement)
    }

    private func rows(_ range: MemberRange) -> [RowReference] { range.indices.map { resolved(members[$0]) } }

    /// What a statement says that a row leads to.
    private func saidEnds(of statement: LinkStatement) -> [RowReference] {
        (statement.end.isNone ? rows(statement.members) : [resolved(statement.end)]).filter { !$0.isNone }
    }

    /// Whether only one object can be at one of the ends.
    private func isExclusive(_ cell: Cell) -> Bool {
        let property = schema.entities[cell.row.entity].properties[cell.property]
        return property.inverse == nil ? property.isToMany : !property.isToMany || schema.isExclusive(property)
    }

    /// What rows say of links that can't be shared.
    private func exclusiveStatements() -> [LinkStatement] {
        var statements: [LinkStatement] = []
        for entity in schema.entities.indices where tables[entity].count > 0 {
            for number in schema.entities[entity].properties.indices
            where isExclusive(Cell(row: RowReference(entity: entity, row: 0), property: number)) {
                for row in liveRows(of: entity) where tables[entity].hasValue(number, row: row) {
                    statements.append(
                        statement(of: Cell(row: RowReference(entity: entity, row: row), property: number)))
                }
            }
        }
        return statements
    }
}

/// Links as they are after some statements.
private struct SettledLinks {
    private typealias Cell = GraphSnapshot.Cell

    private let schema: GraphSchema
    /// What to-one relationships lead to.
    private var ends: [GraphSnapshot.Cell: RowReference] = [:]
    /// Who has come into to-many relationships. Some have left since.
    private var lists: [GraphSnapshot.Cell: [RowReference]] = [:]
    /// In whose list without inverse an object is.
    private var owners: [Place: RowReference] = [:]

    /// An object in the lists of a relationship without inverse.
    private struct Place: Hashable {
        var member: RowReference
        /// As the topmost entity has it.
        var relationship: GraphSnapshot.Column
    }

    init(_ schema: GraphSchema) { self.schema = schema }

    /// Makes a statement true.
    ///
    /// - Parameters:
    ///   - removed: The members that it takes away.
    ///   - isAdding: Whether the other members stay.
    mutating func set(
        _ cell: GraphSnapshot.Cell, _ new: [RowReference], taking removed: [RowReference]?, _ isAdding: Bool
    ) {
        let kept = Set(new)
        for end in isAdding ? removed ?? [] : now(cell) where !kept.contains(end) { unlink(cell, end) }
        if !isAdding { lists[cell] = new.filter { isLinked(cell, $0) } }
        for end in new { link(cell, end) }
    }

    /// What a row that said something leads to now: what it said in its order, and what others have added since.
    func settled(_ cell: GraphSnapshot.Cell, _ said: [RowReference], isAdding: Bool) -> [RowReference] {
        let kept = said.filter { isLinked(cell, $0) }
        if isAdding { return kept }
        let named = Set(said)
        return kept + now(cell).filter { !named.contains($0) }
    }

    private func now(_ cell: Cell) -> [RowReference] {
        if !isToMany(cell) { return ends[cell].map { [$0] } ?? [] }
        return MembersComparison.unique((lists[cell] ?? []).filter { isLinked(cell, $0) })
    }

    private func isToMany(_ cell: Cell) -> Bool {
        schema.entities[cell.row.entity].properties[cell.property].isToMany
    }

    /// The other end of a link.
    private func inverse(_ cell: Cell, at end: RowReference) -> Cell? {
        schema.entities[cell.row.entity].properties[cell.property].inverse.map { Cell(row: end, property: $0) }
    }

    /// The place of an object in a list without inverse; nil in any other relationship.
    private func place(_ cell: Cell, of end: RowReference) -> Place? {
        guard isToMany(cell), inverse(cell, at: end) == nil else { return nil }
        let entity = schema.declaringEntity(of: cell.property, cell.row.entity)
        return Place(member: end, relationship: .init(entity: entity, property: cell.property))
    }

    private func isLinked(_ cell: Cell, _ end: RowReference) -> Bool {
        if let place = place(cell, of: end) { return owners[place] == cell.row }
        return isToMany(cell) ? inverse(cell, at: end).map { ends[$0] == cell.row } ?? false : ends[cell] == end
    }

    private mutating func link(_ cell: Cell, _ end: RowReference) {
        if isLinked(cell, end) { return }
        if let place = place(cell, of: end) {
            owners[place] = cell.row
            lists[cell, default: []].append(end)
        }
        guard let other = inverse(cell, at: end) else { return }
        for (cell, end) in [(cell, end), (other, cell.row)] {
            if isToMany(cell) {
                lists[cell, default: []].append(end)
            } else {
                if let old = ends[cell] { unlink(cell, old) }
                ends[cell] = end
            }
        }
    }

    private mutating func unlink(_ cell: Cell, _ end: RowReference) {
        if let place = place(cell, of: end), owners[place] == cell.row { owners[place] = nil }
        guard let other = inverse(cell, at: end) else { return }
        if ends[cell] == end { ends[cell] = nil }
        if ends[other] == cell.row { ends[other] = nil }
    }
}
