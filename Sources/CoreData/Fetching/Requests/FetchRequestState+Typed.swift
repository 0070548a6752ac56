// What was fetched, as the type that the caller's request is of. Nothing but what has been through here may be taken for it.

import Foundation

extension FetchRequestState {
    /// What was fetched for this request, as a list of a type. Stops where there is something else among it.
    func typed<T: NSFetchRequestResult>(_ results: any Collection, as type: T.Type) -> [T] {
        // Mostly a list of that very type, which takes no time.
        guard let typed = results as? [T] else {
            // Swift takes the type from the request, which may be shown as one of any results. Safe: a value of a marker protocol is the
            // object's pointer, as a value of a class is; who has such a request as one of a class has cast it to that.
            if isOfClass, let objects = results as? [AnyObject] {
                return unsafe unsafeBitCast(objects, to: [T].self)
            }
            let odd = results.first { !($0 is T) } ?? results
            let object = odd as? NSManagedObject
            let isPlain = object.map { Swift.type(of: $0) == NSManagedObject.self } ?? false
            let reason =
                isPlain ? object.map { " Its class: \(ManagedObjectClasses.triedNames(for: $0.entity))." } ?? "" : ""
            fatalError("A fetch of '\(entityName ?? "")' gives \(Swift.type(of: odd)), not \(type).\(reason)")
        }
        return typed
    }
}
