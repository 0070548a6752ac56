// Sorting in memory: each object's keys are read once, and objects that the descriptors don't tell apart keep their order.

import Foundation

/// An order by several sort descriptors.
struct SortOrder {
    private let descriptors: [NSSortDescriptor]
    private let keyed: [KeyedSortDescriptor?]

    init(_ descriptors: [NSSortDescriptor]) {
        self.descriptors = descriptors
        keyed = descriptors.map { descriptor in
            if let keyed = descriptor as? KeyedSortDescriptor { return keyed }
            // A Swift key path of Foundation's own descriptors, if its name is known.
            return descriptor.key.map { KeyedSortDescriptor(key: $0, ascending: descriptor.ascending) }
        }
    }

    /// The elements in order. `object` gives what the descriptors read: a managed object, a row, a dictionary.
    ///
    /// - Complexity: O(*n* log *n*) comparisons, O(*n*) reads of each key.
    func sorted<T>(_ elements: [T], object: (T) -> Any) -> [T] {
        if descriptors.isEmpty || elements.count < 2 { return elements }
        let decorated = elements.enumerated().map { position, element in
            let object = object(element)
            let operand = Operand(object)
            return SortedElement(
                position: position, object: object,
                keys: keyed.map { $0.map { KeyPathEvaluator.value(at: $0.steps, of: operand) } ?? .null })
        }
        let sorted = decorated.sorted { a, b in
            for index in descriptors.indices {
                let order =
                    keyed[index]?.order(a.keys[index], b.keys[index])
                    ?? descriptors[index].compare(a.object, to: b.object)
                if order != .orderedSame { return order == .orderedAscending }
            }
            return a.position < b.position
        }
        return sorted.map { elements[$0.position] }
    }

    /// The order of two objects.
    func compare(_ a: Any, _ b: Any) -> ComparisonResult {
        for index in descriptors.indices {
            let order = (keyed[index] ?? descriptors[index]).compare(a, to: b)
            if order != .orderedSame { return order }
        }
        return .orderedSame
    }
}

/// An element with the values that it is sorted by.
private struct SortedElement {
    let position: Int
    let object: Any
    let keys: [Operand]
}

extension NSSortDescriptor {
    /// The elements in the order of sort descriptors; those that the descriptors don't tell apart keep their order.
    static func sorted<T>(_ elements: [T], by descriptors: [NSSortDescriptor]) -> [T] {
        SortOrder(descriptors).sorted(elements) { $0 }
    }
}
