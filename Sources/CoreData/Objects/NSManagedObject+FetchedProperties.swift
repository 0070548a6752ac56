// Fetched properties: a request of the model, asked for an object.

import Foundation

extension NSManagedObject {
    /// The value of a key that no slot has: a composite attribute, the results of a fetched property, fetched anew each time, or what
    /// all managed objects have.
    func valueOutsideSlots(_ key: String) -> Any? {
        if let composite = layout.composites[key] {
            willAccessValue(forKey: key)
            defer { didAccessValue(forKey: key) }
            return value(of: composite)
        }
        guard let property = entity.propertiesByName[key] as? NSFetchedPropertyDescription else {
            guard let common = Self.commonProperties[key] else { return value(forUndefinedKey: key) }
            return common(self)
        }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return results(of: property)
    }

    private func results(of property: NSFetchedPropertyDescription) -> [Any] {
        guard let context, let state = property.fetchRequest?.state else { return [] }
        let request = FetchRequestState(copying: state)
        request.predicate = request.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
        ])
        let results = context.readOrStop("the fetched property '\(property.name)'", of: nil) {
            try Array(context.results(of: request, affectedStores: nil)) as [Any]
        }
        return results ?? []
    }
}
