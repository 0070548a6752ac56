// What predicates and sort descriptors read from a managed object, and what all managed objects answer to.

import Foundation

extension NSManagedObject: KeyValueReadable {
    func readableValue(forKey key: String) -> Any? {
        guard layout.slot(named: key) != nil || layout.composites[key] != nil else {
            // The keys of accessors that the class has written itself; for others predicates see nothing.
            if let written = writtenProperty(key, slot: nil) { return written.get(self) }
            return key == "SELF" ? self : Self.commonProperties[key]?(self)
        }
        return value(forKey: key)
    }

    /// The properties of `NSManagedObject` itself by their keys, which key-value coding finds in the class on Apple's platforms: a
    /// list of objects is asked for its `objectID`, a predicate for `isInserted == YES`.
    static let commonProperties: [String: @Sendable (NSManagedObject) -> Any?] = [
        "self": { $0 }, "objectID": { $0.objectID }, "entity": { $0.entity },
        "managedObjectContext": { $0.managedObjectContext },
        "isInserted": { NSNumber(value: $0.isInserted) }, "inserted": { NSNumber(value: $0.isInserted) },
        "isUpdated": { NSNumber(value: $0.isUpdated) }, "updated": { NSNumber(value: $0.isUpdated) },
        "isDeleted": { NSNumber(value: $0.isDeleted) }, "deleted": { NSNumber(value: $0.isDeleted) },
        "isFault": { NSNumber(value: $0.isFault) }, "fault": { NSNumber(value: $0.isFault) },
        "hasChanges": { NSNumber(value: $0.hasChanges) },
        "hasPersistentChangedValues": { NSNumber(value: $0.hasPersistentChangedValues) },
        "faultingState": { NSNumber(value: $0.faultingState) },
    ]
}
