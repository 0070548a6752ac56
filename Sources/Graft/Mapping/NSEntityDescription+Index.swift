// Whether a store finds objects by some attribute without looking at all of them.

import CoreData

extension NSEntityDescription {
    /// Whether the model has an index, or a constraint, that begins with one of some attributes.
    func isSearchable(byOneOf names: [String]) -> Bool {
        let isConstrained = uniquenessConstraints.contains { constraint in
            let first = (constraint.first as? NSPropertyDescription)?.name ?? constraint.first as? String
            return first.map(names.contains) ?? false
        }
        let isIndexed = indexes.contains { index in
            index.elements.first?.property.map { names.contains($0.name) } ?? false
        }
        return isConstrained || isIndexed || superentity?.isSearchable(byOneOf: names) ?? false
    }
}
