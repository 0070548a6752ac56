// Casts between specialisations of a generic class. On Apple's platforms the result type of a request isn't there at run time, and a cast to
// a request of another type gives the request. Swift's specialisations have nothing in common but the superclass of them all; here the
// less specific ones are put between:
//
//     NSFetchRequest<Hero> → NSPersistentStoreRequest                            as Swift makes it
//     NSFetchRequest<Hero> → NSFetchRequest<NSManagedObject> → NSFetchRequest<any NSFetchRequestResult> → NSPersistentStoreRequest
//
// Swift looks at the superclasses only where the compiler can't tell what comes of the cast: from `Any`, from a superclass, in generic code.
// Divergence 34.

import Foundation
import Synchronization

enum ResultTypeCasts {
    private static let linked = Mutex<Set<ObjectIdentifier>>([])

    /// Makes each class the superclass of the one before it, unless that was done before.
    ///
    /// - Parameters:
    ///   - lowest: The first one.
    ///   - others: The others: specialisations of the same class, which have one layout and one table of methods.
    ///   - root: The superclass that the first ones have and the last one keeps.
    static func link(_ lowest: AnyClass, to others: @autoclosure () -> [AnyClass], under root: AnyClass) {
        linked.withLock { linked in
            guard linked.insert(ObjectIdentifier(lowest)).inserted else { return }
            var lower: AnyClass = lowest
            for upper in others() where upper != lower {
                setSuperclass(of: lower, to: upper, instead: root)
                lower = upper
            }
        }
    }

    private static func setSuperclass(of lower: AnyClass, to upper: AnyClass, instead root: AnyClass) {
        // Safe: without Objective-C the first two words of a class are its kind and its superclass (Swift's ABI document "TypeMetadata"),
        // which is looked at before it is written. The runtime makes specialisations in memory of the process. What it asks the
        // superclass for besides casts, it has taken from there when it made the class.
        let words = unsafe unsafeBitCast(lower, to: UnsafeMutablePointer<UnsafeRawPointer>.self)
        guard unsafe words[1] == unsafeBitCast(root, to: UnsafeRawPointer.self) else { return }
        unsafe words[1] = unsafeBitCast(upper, to: UnsafeRawPointer.self)
    }
}
