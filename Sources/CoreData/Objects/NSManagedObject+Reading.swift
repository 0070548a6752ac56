// What predicates and sort descriptors read from a managed object.

import Foundation

extension NSManagedObject: KeyValueReadable {
    func readableValue(forKey key: String) -> Any? {
        guard layout.slot(named: key) != nil || layout.composites[key] != nil else {
            return switch key {
            case "objectID": objectID
            case "self", "SELF": self
            case "entity": entity
            // The keys of accessors that the class has written itself; for others predicates see nothing.
            default: writtenProperty(key, slot: nil)?.get(self)
            }
        }
        return value(forKey: key)
    }
}
