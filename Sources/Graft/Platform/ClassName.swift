// The name of a class as a model has it.

import CoreData
import Foundation

/// The name of a class with its module.
func className(of cls: NSManagedObject.Type) -> String {
    #if canImport(Darwin)
        NSStringFromClass(cls)
    #else
        // Foundation's function stops the program for a class within another type.
        ClassNames.name(of: cls)
    #endif
}
