// Contexts that nobody else knows of needn't announce each change.

import CoreData
import Foundation

#if canImport(Darwin)
    extension NSManagedObjectContext {
        /// Apple's contexts always announce their changes.
        var isObserved: Bool {
            get { true }
            set {}
        }
    }
#endif
