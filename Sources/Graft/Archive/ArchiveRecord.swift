// One object on its way into an archive or out of it, whatever the encoding: values by column, references by number.

/// What an archive says of one object.
struct ArchiveRecord {
    /// The number of the entity among those of the header.
    var entity: Int
    /// The object's number. References lead to numbers.
    var number: Int
    /// The values of its attributes, those without one null.
    var values: [GraphValue]
    /// The destinations of its to-one relationships; ``none`` where there is none.
    var destinations: [Int]
    /// The members of its to-many relationships.
    var members: [[Int]]

    /// In place of a number.
    static let none = -1

    /// The record as a store keeps it.
    func kept(_ rounding: Rounding) -> ArchiveRecord {
        if rounding.isEmpty { return self }
        var record = self
        for column in values.indices { record.values[column] = values[column].kept(rounding) }
        return record
    }

    init(_ entity: ArchiveEntity, _ index: Int, number: Int) {
        self.entity = index
        self.number = number
        values = [GraphValue](repeating: .null, count: entity.attributeCount)
        destinations = [Int](repeating: Self.none, count: entity.toOneCount)
        members = [[Int]](repeating: [], count: entity.toManyCount)
    }
}

/// The properties that an archive has of an entity's objects, by name.
struct ArchiveEntity {
    /// What a property is, with its column among those of its kind.
    enum Form {
        case attribute(AttributeKind)
        case toOne
        case toMany(isOrdered: Bool)
    }

    struct Item {
        var name: String
        var form: Form
        var column: Int
        /// The entity at the other end, by name.
        var destination: String?
        /// Its number in the archive that is read.
        var end: Int?
    }

    var name: String
    /// The number of the super-entity in the archive that is read.
    var parent: Int?
    var items: [Item] = []
    /// The column of the number that an object's row has in the store, which is an item under this name.
    var rowColumn: Int? { items.last.flatMap { $0.name == Self.rowKey ? $0.column : nil } }
    static let rowKey = "$row"

    private(set) var attributeCount = 0
    private(set) var toOneCount = 0
    private(set) var toManyCount = 0

    init(name: String) { self.name = name }

    /// Adds a property behind the others.
    mutating func append(_ name: String, _ form: Form, destination: String?, end: Int? = nil) {
        let column: Int
        switch form {
        case .attribute:
            column = attributeCount
            attributeCount += 1
        case .toOne:
            column = toOneCount
            toOneCount += 1
        case .toMany:
            column = toManyCount
            toManyCount += 1
        }
        items.append(Item(name: name, form: form, column: column, destination: destination, end: end))
    }
}

extension [ArchiveEntity] {
    /// Whether a relationship can lead to objects of an entity.
    func canLead(_ item: ArchiveEntity.Item, to entity: Int) -> Bool {
        var ancestor: Int? = entity
        while let next = ancestor, next != item.end { ancestor = self[next].parent }
        return ancestor != nil
    }
}

/// Writes records in one of the encodings. The order of the calls: begin, write for each object, end.
protocol ArchiveEncoder: AnyObject {
    func begin(_ header: GraphArchive.Header, model: [UInt8]?) throws
    func write(_ record: ArchiveRecord) throws
    func end() throws
}

/// Reads records in one of the encodings, checksums verified. The header has been read when it is made.
protocol ArchiveDecoder: AnyObject {
    var header: GraphArchive.Header { get }
    /// The model in the archive.
    var model: [UInt8]? { get }
    /// How many bytes have been read.
    var offset: Int { get }
    /// The next object; nil behind the last one, when the end of the archive has been verified.
    func next() throws -> ArchiveRecord?
}
