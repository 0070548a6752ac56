// Classes as people write them for Apple's platforms. The plugin supplies what the Objective-C runtime has there.

import CoreData
import Foundation

class PluginNamed: NSManagedObject {
    @NSManaged var label: String
    @NSManaged var age: Int64
    @NSManaged var next: PluginNamed?
}

class PluginBox: NSManagedObject {
    @NSManaged var tags: [String]
    var sortedTags: [String] { tags.sorted() }
}

class PluginShelf: NSManagedObject {
    @NSManaged var box: PluginBox
}

class PluginOuter {
    typealias Amount = NSDecimalNumber

    enum Kind: Int16 { case small, large }

    class Parent: NSManagedObject {
        @NSManaged var price: Amount?
        @NSManaged var kind: Kind
        @NSManaged var children: Set<Child>
        @NSManaged private var primitivePrice: Amount?
        @NSManaged func addToChildren(_ value: Child)
        @NSManaged func addChildrenObject(_ value: Child)
        @NSManaged func removeChildrenObject(_ value: Child)
        @NSManaged func addChildren(_ values: NSSet)
        @NSManaged fileprivate func removeChildren(_ values: NSSet)

        /// Nobody is told of it.
        func setPriceQuietly(_ price: Amount) { primitivePrice = price }
        var quietPrice: Amount? { primitivePrice }
        func leave(_ values: NSSet) { removeChildren(values) }
    }

    class Child: NSManagedObject {
        @NSManaged var parent: Parent?
    }
}

protocol PluginFetchable: NSManagedObject {}

extension PluginFetchable {
    static func fetchRequest() -> NSFetchRequest<Self> { NSFetchRequest(entityName: entity().name ?? "") }
}

extension PluginNamed: PluginFetchable {}

/// A class that other modules can see.
public class ShopOrder: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var customer: ShopCustomer?
    // As Xcode writes it.
    @nonobjc class func fetchRequest() -> NSFetchRequest<ShopOrder> { NSFetchRequest(entityName: "Order") }
    @NSManaged var box: PluginBox?
    @NSManaged var kind: PluginOuter.Kind
    @NSManaged func addToBoxes(_ value: PluginBox)
}

public extension ShopOrder {
    @NSManaged var note: String?
}

/// Every type that Xcode and people declare attributes with.
class PluginKinds: NSManagedObject {
    @NSManaged var time: TimeInterval
    @NSManaged var seconds: Double
    @NSManaged var width: CGFloat
    @NSManaged var bits: UInt64
    @NSManaged var names: Set<String>?
    @NSManaged var list: NSMutableArray?
    @NSManaged var table: NSMutableDictionary?
    @NSManaged var members: NSMutableSet?
    @NSManaged var anything: [AnyHashable: Any]?
    @NSManaged var object: AnyObject?
    @NSManaged var objects: [AnyObject]?
    // Never called: each of these has to be linked.
    @NSManaged var range: NSRange
    @NSManaged var indexes: IndexSet?
    @NSManaged var calendar: Calendar?
    @NSManaged var components: DateComponents?
    @NSManaged var names2: PersonNameComponents?
    @NSManaged var problem: NSError?
    @NSManaged var condition: NSPredicate?
    @NSManaged var text: NSMutableString?
    @NSManaged var bytes: NSMutableData?
    @NSManaged var ratio: Float32
    @NSManaged var rect: CGRect
}
