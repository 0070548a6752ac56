// Entity numbers, the order in which entities claim names, and what happens when two claim the same one.

import Foundation

/// The numbers of a store's entities (`Z_ENT`).
struct SQLEntityNumbering {
    struct Entry {
        let entity: NSEntityDescription
        let name: String
        let number: Int
        /// The number of the direct super-entity; 0 for a root.
        let superNumber: Int
    }

    /// In ascending order of the numbers.
    let entries: [Entry]

    /// Numbers the entities of a new store: depth first, roots and the sub-entities of each entity by name without
    /// regard to case, from 1. Abstract entities count.
    ///
    /// - Parameter entities: The entities of the store's configuration. Their ancestors are added.
    init(entities: [NSEntityDescription]) {
        let members = Self.withAncestors(entities)
        let included = Set(members.map(ObjectIdentifier.init))
        var entries: [Entry] = []
        func visit(_ entity: NSEntityDescription, superNumber: Int) {
            let number = entries.count + 1
            entries.append(
                Entry(entity: entity, name: entity.name ?? "", number: number, superNumber: superNumber))
            let children = entity.subentities.filter { included.contains(ObjectIdentifier($0)) }
            for child in Self.sortedForNumbering(children) { visit(child, superNumber: number) }
        }
        for root in Self.sortedForNumbering(members.filter { $0.superentity == nil }) { visit(root, superNumber: 0) }
        self.entries = entries
    }

    init(entries: [Entry]) {
        self.entries = entries.sorted { $0.number < $1.number }
    }

    /// The order in which entities claim the names of tables: by name, but no entity before its super-entity. It differs
    /// from the order of the numbers where a sub-entity's name sorts before its root's. Columns of entity tables are
    /// claimed in the order of the numbers.
    var processingOrder: [Entry] {
        let entryByEntity = Dictionary(
            entries.map { (ObjectIdentifier($0.entity), $0) }, uniquingKeysWith: { first, _ in first })
        var visited = Set<Int>()
        var order: [Entry] = []
        func visit(_ entry: Entry) {
            guard visited.insert(entry.number).inserted else { return }
            if let parent = entry.entity.superentity, let parentEntry = entryByEntity[ObjectIdentifier(parent)] {
                visit(parentEntry)
            }
            order.append(entry)
        }
        for entry in entries.sorted(by: { SQLNaming.precedes($0.name, $1.name) }) { visit(entry) }
        return order
    }

    private static func withAncestors(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var seen = Set<ObjectIdentifier>()
        var members: [NSEntityDescription] = []
        for entity in entities {
            var next: NSEntityDescription? = entity
            while let member = next, seen.insert(ObjectIdentifier(member)).inserted {
                members.append(member)
                next = member.superentity
            }
        }
        return members
    }

    private static func sortedForNumbering(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.sorted {
            let (first, second) = ($0.name ?? "", $1.name ?? "")
            switch first.caseInsensitiveCompare(second) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: return SQLNaming.precedes(first, second)
            }
        }
    }
}

/// The spelling of names.
enum SQLNaming {
    /// The order of property names: by code unit.
    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf16.lexicographicallyPrecedes(second.utf16)
    }

    /// The part of a name that follows `Z`: upper case.
    static func upper(_ name: String) -> String { name.uppercased() }

    static func table(_ entityName: String) -> String { "Z" + upper(entityName) }

    static func column(_ propertyName: String) -> String { "Z" + upper(propertyName) }

    /// The column beside a to-one's that holds the destination row's entity number.
    static func entityColumn(destinationNumber: Int, _ propertyName: String) -> String {
        "Z\(destinationNumber)_\(upper(propertyName))"
    }

    /// The column in the destination's table of a to-many without inverse.
    static func inverselessColumn(ownerNumber: Int, _ propertyName: String) -> String {
        "Z\(ownerNumber)\(upper(propertyName))"
    }

    /// Join tables and their columns.
    static func join(_ entityNumber: Int, _ propertyName: String) -> String {
        "Z_\(entityNumber)\(upper(propertyName))"
    }

    /// The order key of a to-one's or an inverse-less to-many's column: `ZOWNER` -> `Z_FOK_OWNER`.
    static func orderColumn(forColumn column: String) -> String { "Z_FOK_" + column.dropFirst(1) }

    /// The order key of a join table's column: `Z_4TAGS` -> `Z_FOK_4TAGS`.
    static func orderColumn(forJoinColumn column: String) -> String {
        column.hasPrefix("Z_") ? "Z_FOK_" + column.dropFirst(2) : "Z_FOK_" + column
    }

    /// A name as it stands in a statement: in quotes only where it has to be, as Core Data writes none. Names of entities and properties
    /// never have to be; those of indexes may be any text.
    static func identifier(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isASCIILetterOrDigit || $0 >= 0x80 }
        return isPlain ? name : quoted(name)
    }

    /// A name of any kind in quotes, for what a file has that isn't Core Data's. (GRDB's way to quote leaves quotes in it as they are.)
    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// The second column of a relationship that is its own inverse.
    static let reflexive = "REFLEXIVE"
}

/// The names taken in one table (or among the join tables).
struct SQLNameClaims {
    private var taken: Set<String>

    init(_ taken: Set<String> = []) { self.taken = taken }

    /// Takes a name; the second claim on the same name gets the suffix 1, the next one 2, and so on.
    mutating func claim(_ name: String) -> String {
        var claimed = name
        var suffix = 0
        while !taken.insert(claimed).inserted {
            suffix += 1
            claimed = "\(name)\(suffix)"
        }
        return claimed
    }
}
