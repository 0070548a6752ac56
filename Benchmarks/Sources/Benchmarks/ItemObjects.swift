// Objects with ten attributes, as an app has them, and the same rows as GRDB's records: the work that both do is the same,
// on the same tables.

import CoreData
import Foundation
import GRDB

/// The values of the item of a number.
struct ItemValues {
    let number: Int

    static let count = 100_000
    /// How many items the one large group has; the others have ten each.
    static let groupSize = 10_000

    // Short texts stand in the string itself, so that the memory measured is the objects' own.
    var title: String { "Item \(number)" }
    var note: String { "note \(number % 97)" }
    var code: String { "C\(number &* 7919 % Self.count)" }
    var rank: Int64 { Int64(number) * 31 }
    var stock: Int32 { Int32(number % 1000) }
    var price: Double { Double(number) / 4 }
    var isDone: Bool { number % 3 == 0 }
    var created: Date { Date(timeIntervalSinceReferenceDate: Double(number) * 60) }
    var uuid: UUID {
        let a = UInt8(truncatingIfNeeded: number), b = UInt8(truncatingIfNeeded: number >> 8)
        return UUID(uuid: (a, b, UInt8(truncatingIfNeeded: number >> 16), 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 1))
    }
    /// The key of the group that it is in.
    var group: Int { number < Self.groupSize ? 1 : 2 + (number - Self.groupSize) / 10 }

    static let groupCount = 1 + (count - groupSize) / 10
}

/// A group, with accessors as the plugin makes them.
final class GroupObject: NSManagedObject {
    var name: String {
        get { modelledValue(forKey: "name") }
        set { setModelledValue(newValue, forKey: "name") }
    }
    var items: Set<ItemObject> {
        get { modelledValue(forKey: "items") }
        set { setModelledValue(newValue, forKey: "items") }
    }
}

/// An item, with accessors as the plugin makes them.
final class ItemObject: NSManagedObject {
    var title: String {
        get { modelledValue(forKey: "title") }
        set { setModelledValue(newValue, forKey: "title") }
    }
    var note: String {
        get { modelledValue(forKey: "note") }
        set { setModelledValue(newValue, forKey: "note") }
    }
    var code: String {
        get { modelledValue(forKey: "code") }
        set { setModelledValue(newValue, forKey: "code") }
    }
    var number: Int32 {
        get { modelledValue(forKey: "number") }
        set { setModelledValue(newValue, forKey: "number") }
    }
    var rank: Int64 {
        get { modelledValue(forKey: "rank") }
        set { setModelledValue(newValue, forKey: "rank") }
    }
    var stock: Int32 {
        get { modelledValue(forKey: "stock") }
        set { setModelledValue(newValue, forKey: "stock") }
    }
    var price: Double {
        get { modelledValue(forKey: "price") }
        set { setModelledValue(newValue, forKey: "price") }
    }
    var isDone: Bool {
        get { modelledValue(forKey: "isDone") }
        set { setModelledValue(newValue, forKey: "isDone") }
    }
    var created: Date {
        get { modelledValue(forKey: "created") }
        set { setModelledValue(newValue, forKey: "created") }
    }
    var uuid: UUID {
        get { modelledValue(forKey: "uuid") }
        set { setModelledValue(newValue, forKey: "uuid") }
    }
    var group: GroupObject? {
        get { modelledValue(forKey: "group") }
        set { setModelledValue(newValue, forKey: "group") }
    }

    func fill(_ values: ItemValues) {
        title = values.title
        note = values.note
        code = values.code
        number = Int32(values.number)
        rank = values.rank
        stock = values.stock
        price = values.price
        isDone = values.isDone
        created = values.created
        uuid = values.uuid
    }

    /// Something that depends on every attribute.
    var sum: Int {
        title.utf8.count + note.utf8.count + code.utf8.count + Int(number) + Int(rank) + Int(stock) + Int(price)
            + (isDone ? 1 : 0) + Int(created.timeIntervalSinceReferenceDate) + Int(uuid.uuid.0)
    }

    static func model() -> NSManagedObjectModel {
        let item = NSEntityDescription(), group = NSEntityDescription()
        (item.name, group.name) = ("Item", "Group")
        item.managedObjectClassName = NSStringFromClass(ItemObject.self)
        group.managedObjectClassName = NSStringFromClass(GroupObject.self)
        let types: [(String, NSAttributeType)] = [
            ("title", .stringAttributeType), ("note", .stringAttributeType), ("code", .stringAttributeType),
            ("number", .integer32AttributeType), ("rank", .integer64AttributeType), ("stock", .integer32AttributeType),
            ("price", .doubleAttributeType), ("isDone", .booleanAttributeType), ("created", .dateAttributeType),
            ("uuid", .UUIDAttributeType),
        ]
        item.properties = types.map { attribute($0.0, $0.1) }
        group.properties = [attribute("name", .stringAttributeType)]
        let up = NSRelationshipDescription(), down = NSRelationshipDescription()
        (up.name, up.destinationEntity, up.maxCount, up.inverseRelationship) = ("group", group, 1, down)
        (down.name, down.destinationEntity, down.maxCount, down.inverseRelationship) = ("items", item, 0, up)
        item.properties += [up]
        group.properties += [down]
        if let code = item.attributesByName["code"] {
            let element = NSFetchIndexElementDescription(property: code, collationType: .binary)
            item.indexes = [NSFetchIndexDescription(name: "byCode", elements: [element])]
        }
        let model = NSManagedObjectModel()
        model.entities = [item, group]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
        return attribute
    }
}

/// The same item as a record of GRDB on the store's table, coded by hand, which is GRDB's fastest way for records.
struct ItemRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ZITEM"

    var key: Int64
    var title: String, note: String, code: String
    var number: Int32, rank: Int64, stock: Int32, price: Double, isDone: Bool
    var created: Date, uuid: UUID
    var group: Int64?

    init(_ values: ItemValues) {
        key = Int64(values.number + 1)
        (title, note, code) = (values.title, values.note, values.code)
        (number, rank, stock) = (Int32(values.number), values.rank, values.stock)
        (price, isDone, created, uuid) = (values.price, values.isDone, values.created, values.uuid)
        group = Int64(values.group)
    }

    init(row: Row) throws {
        key = row["Z_PK"]
        (title, note, code) = (row["ZTITLE"], row["ZNOTE"], row["ZCODE"])
        (number, rank, stock) = (row["ZNUMBER"], row["ZRANK"], row["ZSTOCK"])
        (price, isDone, uuid) = (row["ZPRICE"], row["ZISDONE"], row["ZUUID"])
        created = Date(timeIntervalSinceReferenceDate: row["ZCREATED"])
        group = row["ZGROUP"]
    }

    func encode(to container: inout PersistenceContainer) throws {
        (container["Z_PK"], container["Z_ENT"], container["Z_OPT"]) = (key, 2, 1)
        (container["ZTITLE"], container["ZNOTE"], container["ZCODE"]) = (title, note, code)
        (container["ZNUMBER"], container["ZRANK"], container["ZSTOCK"]) = (number, rank, stock)
        (container["ZPRICE"], container["ZISDONE"], container["ZUUID"]) = (price, isDone, uuid)
        container["ZCREATED"] = created.timeIntervalSinceReferenceDate
        container["ZGROUP"] = group
    }

    /// Something that depends on every attribute.
    var sum: Int {
        title.utf8.count + note.utf8.count + code.utf8.count + Int(number) + Int(rank) + Int(stock) + Int(price)
            + (isDone ? 1 : 0) + Int(created.timeIntervalSinceReferenceDate) + Int(uuid.uuid.0)
    }
}
