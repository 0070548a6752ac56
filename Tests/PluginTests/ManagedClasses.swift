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
        @NSManaged func addToChildren(_ value: Child)
    }

    class Child: NSManagedObject {
        @NSManaged var parent: Parent?
    }
}

/// A class that other modules can see.
public class ShopOrder: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var customer: ShopCustomer?
}
