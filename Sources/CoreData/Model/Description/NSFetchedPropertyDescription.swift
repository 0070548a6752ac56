// Properties whose value is the result of a fetch.

import Foundation

/// A property that is read by a fetch request. `$FETCH_SOURCE` in its predicate is the object that has the property.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    /// What is fetched.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        willSet { willChange() }
        didSet { didChange() }
    }

    override func makeBlank() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func copySettings(to copy: NSPropertyDescription) {
        super.copySettings(to: copy)
        (copy as? NSFetchedPropertyDescription)?.fetchRequest = fetchRequest
    }
}
