// What a model's source says otherwise than it is read. Apple's Core Data reads compiled models alone, which don't have it any more.

import CoreData

#if canImport(Darwin)
    extension NSManagedObjectModel {
        /// Default values whose text isn't one of the attribute's type.
        var unusualDefaults: [(entity: String, attribute: String, text: String, value: String)] { [] }
    }
#else
    extension NSManagedObjectModel {
        /// Default values whose text isn't one of the attribute's type.
        var unusualDefaults: [UnusualDefault] { readDefaults }
    }
#endif
