// What a text says of a relationship, and when. A row has what was said last; what was said of the same relationship before is kept,
// because it counts, too: who is named by one owner leaves another one, and lists that add to each other add up.

/// What a text says of a relationship of one object.
struct LinkStatement: Sendable {
    var cell: GraphSnapshot.Cell
    /// Where the object's text ends.
    var time: Int
    /// What a to-one relationship leads to.
    var end = RowReference.none
    /// The members of a to-many relationship; those to add, where it says what is removed.
    var members = MemberRange.empty
    /// The members to remove; nil where the list isn't about changes.
    var removals: MemberRange?
    /// Whether a later one says what there is, whatever this one said.
    var isReplaced = false
}

extension GraphSnapshot {
    /// What a statement says that a row leads to; not what it removes.
    func ends(of statement: LinkStatement) -> [RowReference] {
        statement.end.isNone ? Array(members[statement.members.indices]) : [statement.end]
    }

    /// What a row says of a relationship now.
    func statement(of cell: Cell) -> LinkStatement {
        let (entity, row) = (cell.row.entity, cell.row.row)
        let property = schema.entities[entity].properties[cell.property]
        var statement = LinkStatement(
            cell: cell, time: times.isEmpty ? tables[entity].ends[row] : times[cell] ?? tables[entity].ends[row])
        if property.isToMany {
            statement.members = tables[entity].toMany(property.column, row: row)
            if !removals.isEmpty { statement.removals = removals[cell] }
        } else {
            statement.end = tables[entity].toOne(property.column, row: row)
        }
        return statement
    }

    /// Lets a row say of a relationship what another row of the same object said.
    ///
    /// - Parameter replacing: Whether the other row was read later, so that it counts.
    mutating func moveLink(
        _ number: Int, _ property: GraphSchema.Property, of source: RowReference, to target: RowReference,
        replacing: Bool
    ) {
        let cell = Cell(row: target, property: number)
        var moved = statement(of: Cell(row: source, property: number))
        removals[moved.cell] = nil
        times[moved.cell] = nil
        moved.cell = cell
        if tables[target.entity].hasValue(number, row: target.row) {
            let old = statement(of: cell)
            // The other end's order tells who came first.
            if !saysSame(old, moved) || schema.inverse(of: property)?.isOrdered ?? false {
                earlier.append(replacing ? old : moved)
            }
            if !replacing { return }
        }
        tables[target.entity].markPresent(number, row: target.row)
        if property.isToMany {
            tables[target.entity].setToMany(moved.members, property.column, row: target.row)
            // Adding and replacing are different things, so the whole of it moves.
            if moved.removals != nil || !removals.isEmpty { removals[cell] = moved.removals }
        } else {
            tables[target.entity].setToOne(moved.end, property.column, row: target.row)
        }
        if moved.time != tables[target.entity].ends[target.row] { times[cell] = moved.time }
    }

    /// The relationships with an inverse of which a row has what was said at a time.
    func links(of row: RowReference, saidAt time: Int) -> [Int] {
        schema.entities[row.entity].properties.indices.filter {
            schema.entities[row.entity].properties[$0].inverse != nil
                && tables[row.entity].hasValue($0, row: row.row)
                && statement(of: Cell(row: row, property: $0)).time == time
        }
    }

    private func saysSame(_ one: LinkStatement, _ other: LinkStatement) -> Bool {
        one.end == other.end && one.removals == nil && other.removals == nil
            && members[one.members.indices].elementsEqual(members[other.members.indices])
    }

    /// Whether a statement leaves the members that are there.
    func isAdding(_ statement: LinkStatement) -> Bool {
        statement.removals != nil
            || addingLists.contains(Column(entity: statement.cell.row.entity, property: statement.cell.property))
    }

    /// A statement about the row that an object has now; nil where that is of another entity, which lacks the relationship.
    func current(_ statement: LinkStatement) -> LinkStatement? {
        let cell = statement.cell, row = resolved(cell.row)
        if row.entity != cell.row.entity, cell.property >= schema.commonPropertyCount(row.entity, cell.row.entity) {
            return nil
        }
        var statement = statement
        statement.cell.row = row
        return statement
    }

    /// What was said of relationships before what they have now, the latest first.
    func earlierStatements() -> [LinkStatement] {
        var replaced: Set<Cell> = []
        var statements = earlier.enumerated().sorted { ($0.element.time, $0.offset) > ($1.element.time, $1.offset) }
            .compactMap { current($0.element) }
        for index in statements.indices {
            let cell = statements[index].cell
            if !isAdding(statement(of: cell)) { replaced.insert(cell) }
            statements[index].isReplaced = replaced.contains(cell)
            if !isAdding(statements[index]) { replaced.insert(cell) }
        }
        return statements
    }

    /// The lists that say what is added to each other, the first ones first, without what a row has now.
    func listsAddedBefore() -> [Cell: [LinkStatement]] {
        if earlier.isEmpty { return [:] }
        let lists = earlierStatements().reversed().filter {
            !$0.isReplaced && schema.entities[$0.cell.row.entity].properties[$0.cell.property].isToMany
        }
        return Dictionary(grouping: lists, by: \.cell)
    }

    static func inOrder(_ lists: [Cell: [LinkStatement]]) -> [(key: Cell, value: [LinkStatement])] {
        lists.sorted { $0.key < $1.key }
    }

    /// Makes one list of those that add to each other.
    ///
    /// - Parameter isWanted: Whether the lists of a relationship are added up.
    /// - Throws: ``GraftError`` with `tooLarge`.
    mutating func addUpLists(
        where isWanted: (Column, GraphSchema.Property, borrowing GraphSnapshot) -> Bool
    ) throws {
        if earlier.isEmpty { return }
        var decided: [Column: Bool] = [:]
        let lists = listsAddedBefore().filter { cell, _ in
            let column = Column(entity: cell.row.entity, property: cell.property)
            let property = schema.entities[column.entity].properties[column.property]
            let answer = decided[column] ?? isWanted(column, property, self)
            decided[column] = answer
            return answer
        }
        let left = earlierStatements().reversed().filter { $0.isReplaced || lists[$0.cell] == nil }
        for (cell, lists) in Self.inOrder(lists) { try addUp(lists + [statement(of: cell)], cell) }
        earlier = left
    }

    /// Whether any row says something of a relationship.
    func saysSomething(of number: Int, _ entity: Int) -> Bool {
        let declaring = schema.declaringEntity(of: number, entity)
        return (declaring..<schema.entities[declaring].end).contains { entity in
            (0..<tables[entity].count).contains { tables[entity].hasValue(number, row: $0) }
        }
    }

    /// Whether lists of several owners name one member.
    func isContested(_ column: Column) -> Bool {
        let declaring = schema.declaringEntity(of: column.property, column.entity)
        let entities = declaring..<schema.entities[declaring].end
        var owners: [RowReference: RowReference] = [:]
        func isTaken(_ statement: LinkStatement) -> Bool {
            let owner = resolved(statement.cell.row)
            return members[statement.members.indices].contains { member in
                let known = owners.updateValue(owner, forKey: resolved(member))
                return known != nil && known != owner
            }
        }
        for entity in entities {
            for row in liveRows(of: entity) where tables[entity].hasValue(column.property, row: row) {
                let row = RowReference(entity: entity, row: row)
                if isTaken(statement(of: Cell(row: row, property: column.property))) { return true }
            }
        }
        return earlier.contains {
            $0.cell.property == column.property && entities.contains($0.cell.row.entity) && isTaken($0)
        }
    }

    private mutating func addUp(_ statements: [LinkStatement], _ cell: Cell) throws {
        func rows(_ range: MemberRange?) -> [RowReference] { (range ?? .empty).indices.map { resolved(members[$0]) } }
        var removed: Set<RowReference> = []
        var parts: [[RowReference]] = []
        for statement in statements.reversed() {
            parts.append(rows(statement.members).filter { !removed.contains($0) })
            removed.formUnion(rows(statement.removals))
        }
        let lost = MembersComparison.unique(statements.flatMap { rows($0.removals) })
        let isWhole = statements[0].removals == nil
        let property = schema.entities[cell.row.entity].properties[cell.property]
        let named = MembersComparison.unique(parts.reversed().flatMap(\.self))
        try set(named, property, cell.property, of: cell.row)
        if isWhole {
            let said = Set(statements.flatMap { rows($0.members) })
            removedRows += lost.filter { !said.contains($0) }
            removals[cell] = nil
        } else {
            let start = members.count
            members += lost
            removals[cell] = try range(from: start)
        }
    }
}
