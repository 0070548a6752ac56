// The rows of one entity: flat arrays, one entry per row and column, instead of an object or array per row.
//
//     Hero                 row 0              row 1
//     values               id  name           id  name        two attributes a row
//     toOnes               publisher          publisher       one to-one relationship a row
//     toManys              powers             powers          one range into the snapshot's members a row
//     presence             0b1111             0b0011          one bit a property: is there a value (or a null)?
//
// An absent value is .null in `values`, `.none` in `toOnes` and empty in `toManys`; only `presence` tells it from a null.

struct SnapshotTable: Sendable {
    struct Flags: OptionSet, Sendable, Codable {
        let rawValue: UInt8
        /// One of the objects that the payload is about, not only one that they refer to.
        static let root = Flags(rawValue: 1)
        /// Merged into another row, or deleted; nothing refers to it but through `GraphSnapshot.forwards`.
        static let dead = Flags(rawValue: 2)
        /// All that the diffed part of the model has of an object, even where that is its identity alone.
        static let whole = Flags(rawValue: 4)
        /// Names an object that is gone: the data says that the one with its identity is to be deleted.
        static let gone = Flags(rawValue: 8)
        /// A record that is an identifier alone, and says nothing else of its object.
        static let bare = Flags(rawValue: 16)
    }

    let attributeCount: Int
    let toOneCount: Int
    let toManyCount: Int
    /// Words of presence bits per row.
    let wordCount: Int

    private(set) var count = 0
    var values: [GraphValue] = []
    var toOnes: [RowReference] = []
    var toManys: [MemberRange] = []
    var presence: [UInt64] = []
    var flags: [Flags] = []
    /// Where each row begins in its source, in bytes; -1 where that isn't known.
    var offsets: [Int] = []
    /// Where the text of each row ends, as far as that is known: what ends later was said later.
    var ends: [Int] = []
    /// What each row is called in its store, as far as that is known; fewer than rows where the last ones have no name.
    private(set) var rowNames: [GraphValue] = []
    /// How often each row has been merged with, to see whether what was read earlier still stands.
    var stamps: [UInt32] = []

    init(_ entity: GraphSchema.Entity) {
        attributeCount = entity.count(ofColumnKind: 0)
        toOneCount = entity.count(ofColumnKind: 1)
        toManyCount = entity.count(ofColumnKind: 2)
        wordCount = (entity.properties.count + 63) / 64
    }

    /// Appends a row in which everything is absent, and returns its number.
    @inline(__always)
    mutating func appendRow(offset: Int) -> Int {
        for _ in 0..<attributeCount { values.append(.null) }
        for _ in 0..<toOneCount { toOnes.append(.none) }
        for _ in 0..<toManyCount { toManys.append(.empty) }
        for _ in 0..<wordCount { presence.append(0) }
        flags.append([])
        offsets.append(offset)
        ends.append(offset)
        stamps.append(0)
        count &+= 1
        return count &- 1
    }

    mutating func removeLastRow() {
        values.removeLast(attributeCount)
        toOnes.removeLast(toOneCount)
        toManys.removeLast(toManyCount)
        presence.removeLast(wordCount)
        flags.removeLast()
        if rowNames.count == count { rowNames.removeLast() }
        offsets.removeLast()
        ends.removeLast()
        stamps.removeLast()
        count -= 1
    }

    /// Forgets all rows and keeps the memory.
    mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        toOnes.removeAll(keepingCapacity: true)
        toManys.removeAll(keepingCapacity: true)
        presence.removeAll(keepingCapacity: true)
        flags.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        stamps.removeAll(keepingCapacity: true)
        rowNames.removeAll(keepingCapacity: true)
        count = 0
    }

    @inline(__always)
    func hasValue(_ property: Int, row: Int) -> Bool {
        presence[row &* wordCount &+ property &>> 6] & (1 &<< UInt64(property & 63)) != 0
    }

    @inline(__always)
    mutating func markPresent(_ property: Int, row: Int) {
        presence[row &* wordCount &+ property &>> 6] |= 1 &<< UInt64(property & 63)
    }

    /// Lets a row have nothing in a property: no value, or no links.
    mutating func clear(_ property: GraphSchema.Property, row: Int) {
        switch property.kind {
        case .attribute: setValue(.null, property.column, row: row)
        case .toOne: setToOne(.none, property.column, row: row)
        case .toMany: setToMany(.empty, property.column, row: row)
        }
    }

    /// Whether a row has nothing in a property.
    func isNothing(_ property: GraphSchema.Property, row: Int) -> Bool {
        switch property.kind {
        case .attribute: value(property.column, row: row).isNull
        case .toOne: toOne(property.column, row: row).isNone
        case .toMany: toMany(property.column, row: row).count == 0
        }
    }

    mutating func markAbsent(_ property: Int, row: Int) {
        presence[row &* wordCount &+ property &>> 6] &= ~(1 &<< UInt64(property & 63))
    }

    @inline(__always)
    func value(_ column: Int, row: Int) -> GraphValue {
        column < 0 ? rowName(row) : values[row &* attributeCount &+ column]
    }

    /// Stands for the column of the rows' names.
    static let rowNameColumn = -1

    /// What a row is called in its store; null where it has no row there.
    func rowName(_ row: Int) -> GraphValue { row < rowNames.count ? rowNames[row] : .null }

    mutating func setRowName(_ name: GraphValue, row: Int) {
        while rowNames.count <= row { rowNames.append(.null) }
        rowNames[row] = name
    }

    @inline(__always)
    func toOne(_ column: Int, row: Int) -> RowReference { toOnes[row &* toOneCount &+ column] }

    @inline(__always)
    func toMany(_ column: Int, row: Int) -> MemberRange { toManys[row &* toManyCount &+ column] }

    @inline(__always)
    mutating func setToOne(_ reference: RowReference, _ column: Int, row: Int) {
        toOnes[row &* toOneCount &+ column] = reference
    }

    @inline(__always)
    mutating func setToMany(_ range: MemberRange, _ column: Int, row: Int) {
        toManys[row &* toManyCount &+ column] = range
    }

    @inline(__always)
    mutating func setValue(_ value: GraphValue, _ column: Int, row: Int) {
        values[row &* attributeCount &+ column] = value
    }
}
