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

    /// Makes less specific specialisations of a class the superclasses of one, unless that was done before: they have one layout and one
    /// table of methods.
    ///
    /// - Parameters:
    ///   - lowest: The specialisation for a result type.
    ///   - resultType: That type.
    ///   - managed: The specialisation for objects of any class, which takes part where the type is one of these.
    ///   - any: The specialisation for any results.
    ///   - root: The superclass that the specialisations have, and the last one keeps.
    static func link<T>(
        _ lowest: AnyClass, of resultType: T.Type, to managed: AnyClass, and any: AnyClass, under root: AnyClass
    ) {
        linked.withLock { linked in
            guard linked.insert(ObjectIdentifier(lowest)).inserted else { return }
            var lower: AnyClass = lowest
            for upper in T.self is NSManagedObject.Type ? [managed, any] : [any] where upper != lower {
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
