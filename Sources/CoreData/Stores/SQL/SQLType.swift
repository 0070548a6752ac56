// The declared types of columns, and the order in which columns of different types follow each other in a new table.

import Foundation

/// The declared type of a column.
package enum SQLType: String {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"
}

/// The declared type of an attribute's column and its rank: a new table's columns stand in ascending rank.
struct SQLColumnKind {
    let type: SQLType
    let rank: Int

    /// To-one relationships and order keys.
    static let key = SQLColumnKind(type: .integer, rank: 1)

    /// Nil for types that have no column: undefined, object ID, composite.
    init?(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            self = .key
        case .doubleAttributeType, .floatAttributeType: self.init(type: .float, rank: 2)
        case .dateAttributeType: self.init(type: .timestamp, rank: 2)
        case .decimalAttributeType: self.init(type: .decimal, rank: 3)
        case .stringAttributeType: self.init(type: .varchar, rank: 4)
        case .URIAttributeType: self.init(type: .varchar, rank: 5)
        case .UUIDAttributeType: self.init(type: .blob, rank: 6)
        case .transformableAttributeType: self.init(type: .blob, rank: 7)
        case .binaryDataAttributeType: self.init(type: .blob, rank: 8)
        default: return nil
        }
    }

    private init(type: SQLType, rank: Int) {
        self.type = type
        self.rank = rank
    }
}
