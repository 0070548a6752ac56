// Predicates that models and options contain as text.

import CoreData
import Foundation

extension NSPredicate {
    /// The predicate that a format describes.
    ///
    /// - Throws: Where the format can't be read. Apple's Core Data raises an exception instead.
    static func checked(_ format: String) throws -> NSPredicate {
        #if canImport(Darwin)
            NSPredicate(format: format, argumentArray: nil)
        #else
            try NSPredicate.parsing(format)
        #endif
    }
}
