// A graph as a value: the hub between JSON, managed objects and, later, diffs. One object is one row, however often and
// wherever it appears, so cycles, shared objects and duplicates are settled here.

/// Objects with their values and relationships, independent of any context.
///
/// A snapshot may be partial: a property of a row has a value, is null, or is absent, and an object that was only referred
/// to has nothing but its identity. Rows, entities and properties have a defined order; equal input gives equal snapshots.
public struct GraphSnapshot: Sendable {
    let schema: GraphSchema
    /// Parallel to the schema's entities.
    var tables: [SnapshotTable]
    /// The members of all to-many relationships.
    var members: [RowReference] = []
    /// The objects that the payload is about, in its order; one that occurs twice is here twice.
    var roots: [RowReference] = []
    /// By identity space.
    var indexes: [HashIndex<RowReference>]
    /// Where rows went that turned out to be objects of a sub-entity.
    var forwards: [RowReference: RowReference] = [:]
    /// The rows whose identity includes relationships, owners first.
    var relatedRows: [RelatedRow] = []
    /// What is to be removed from to-many relationships that say what changes in them; what is to be added is their value.
    var removals: [Cell: MemberRange] = [:]
    /// What was removed from lists of which it is known since what they have: rows that only tell whom.
    var removedRows: [RowReference] = []
    /// How many objects have been passed over, by the entity that was asked for.
    var skippedCounts: [Int: Int] = [:]
    /// Whose rows the objects are, where they come from a store.
    public internal(set) var lineage: Lineage?
    /// The rows of objects that aren't saved yet, and so aren't rows of a store.
    var unsavedRows: Set<RowReference> = []
    /// What it means where a row says nothing of a property. It comes with what the snapshot was read from; set it to
    /// ``Absence/null`` for JSON that is known to be whole.
    public var absence = Absence.never
    /// What is as a store keeps it.
    var rounding: Rounding = []
    /// How often rows have been merged.
    var mergeCount: UInt32 = 0
    /// What was said of relationships before something else was said of them, in the order of the text.
    var earlier: [LinkStatement] = []
    /// When that was said which relationships have now, where it isn't when their row was read first.
    var times: [Cell: Int] = [:]
    /// The relationships whose lists are added to what is there.
    var addingLists: Set<Column> = []
    /// Whether lists say all that there is, whatever is said of their relationships: those of a whole graph do.
    var hasWholeLists = false
    /// By entity, the attribute that tells an object's version; empty where none does.
    var versions: [Int?] = []
    /// By entity, what is said of sub-entities; empty where no key tells any.
    var kinds: [Kinds] = []
    /// Whether rows with the same identity stay as they are: who asks whether it is one.
    var keepsRepeatedRows = false
    /// What stands under keys that nothing is mapped to, by row and the keys that lead there: for who asks.
    var passedOver: [RowReference: [[String]: JSONValue]]?
    /// Whether there are rows of several sub-entities for one object.
    var hasSiblings = false
    /// Whether rows were passed over because another one of their object has a higher version.
    var hasOutdatedRows = false
    /// Whether nothing may lead to a row any more, because the object around has what it would have.
    var hasOverruledRows = false
    /// How often rows of one object have met of which only the store's version tells whether both count: one tells no version, or the
    /// earlier one says more than the later one, which has a higher version.
    var versionMixCount = 0
    /// How often a row has taken the place of one of another sub-entity.
    var replacedSiblingCount = 0
    /// The relationships to which rows without identity have led from their side, in records before.
    var claims: Set<Cell> = []
    /// Whether something was said since of one of these, of members without identity.
    var namesClaimed = false

    /// What it means where a row says nothing of a property.
    public enum Absence: String, Sendable, CaseIterable, Codable {
        /// Nothing is known of the value, so that it isn't compared, and stays as it is: JSON leaves keys out.
        case unknown
        /// There is no value: archives leave out nulls, and one side of each link, which follows from the other.
        case null
        /// It doesn't occur: objects have all their properties.
        case never
    }

    /// A property of a row.
    struct Cell: Hashable, Comparable, Sendable, Codable {
        var row: RowReference
        var property: Int

        static func < (one: Cell, other: Cell) -> Bool {
            (one.row, one.property) < (other.row, other.property)
        }
    }

    /// A property of all objects of an entity.
    struct Column: Hashable, Sendable {
        var entity: Int
        var property: Int
    }

    init(_ schema: GraphSchema) {
        self.schema = schema
        tables = schema.entities.map(SnapshotTable.init)
        indexes = schema.entities.map { _ in HashIndex() }
    }

    /// Forgets all rows and keeps the memory for the next ones.
    mutating func removeAll() {
        for entity in tables.indices where tables[entity].count > 0 { tables[entity].removeAll() }
        for space in indexes.indices { indexes[space].removeAll() }
        members.removeAll(keepingCapacity: true)
        roots.removeAll(keepingCapacity: true)
        forwards.removeAll()
        removals.removeAll()
        removedRows.removeAll()
        earlier.removeAll()
        times.removeAll()
        hasOutdatedRows = false
        hasOverruledRows = false
        versionMixCount = 0
        replacedSiblingCount = 0
        claims.removeAll()
        namesClaimed = false
        hasSiblings = false
        relatedRows.removeAll()
        skippedCounts.removeAll()
        if passedOver != nil { passedOver = [:] }
    }

    /// The number of rows, those included that were merged into others.
    var rowCount: Int { tables.reduce(0) { $0 + $1.count } }

    /// The row that a reference means, after all merging.
    @inline(__always)
    func resolved(_ reference: RowReference) -> RowReference {
        if forwards.isEmpty { return reference }
        var reference = reference
        while let next = forwards[reference] { reference = next }
        return reference
    }
}

// MARK: - Identity

extension GraphSnapshot {
    /// The hash of a row's identity; nil where the entity has none, or a part of it is absent or null.
    @inline(__always)
    func identityHash(entity: Int, row: Int, columns: [Int]) -> UInt64? {
        guard !columns.isEmpty else { return nil }
        var hash = IdentityHash()
        for column in columns {
            // An absent value is a null in the table.
            let value = tables[entity].value(column, row: row)
            if value.isNull { return nil }
            hash.combine(value)
        }
        return hash.value
    }

    /// Whether two rows of one identity space have the same identity.
    @inline(__always)
    func hasSameIdentity(_ one: RowReference, _ other: RowReference, columns: [Int]) -> Bool {
        for column in columns {
            let value = tables[one.entity].value(column, row: one.row)
            guard value.isSameIdentity(as: tables[other.entity].value(column, row: other.row)) else { return false }
        }
        return true
    }
}

extension GraphSchema.Entity {
    /// The columns of the identifying attributes, or that of the rows' names: the same in all entities of an identity space.
    var identityColumns: [Int] {
        isByRow == true ? [SnapshotTable.rowNameColumn] : identity.map { properties[$0].column }
    }
}
