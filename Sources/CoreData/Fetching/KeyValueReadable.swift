// What predicates, sort descriptors and expressions read values from. Foundation on Linux has no key-value coding, so
// managed objects and the in-memory store's rows say here what they answer to a key.

import Foundation

/// Something with values by key.
protocol KeyValueReadable: AnyObject {
    /// The value for one key (not a path): `NSNumber`, `String`, `Date`, another readable thing, `NSSet` and so on; nil
    /// where there is none. `objectID`, `self` and `entity` are keys of every object.
    func readableValue(forKey key: String) -> Any?
}
