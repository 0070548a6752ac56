// A key path, split once. `orders.@sum.price` is the key `orders`, then the operator `sum` with the rest `price`.

import Foundation

/// The components of a key path.
struct KeyPathSteps {
    enum Step {
        case key(String)
        /// A collection operator; what follows it is read from each member.
        case collection(CollectionOperator, rest: KeyPathSteps)
        /// An operator that doesn't exist.
        case unknownOperator(String)
    }

    /// The path as it was written, without escapes.
    let text: String
    let steps: [Step]

    init(_ text: String) {
        self.text = text
        steps = Self.steps(text.split(separator: ".", omittingEmptySubsequences: true)[...], depth: 0)
    }

    private init(components: ArraySlice<Substring>, depth: Int) {
        text = components.joined(separator: ".")
        steps = Self.steps(components, depth: depth)
    }

    /// - Parameter depth: How many operators come before. Each takes stack, here and wherever a path is followed.
    private static func steps(_ components: ArraySlice<Substring>, depth: Int) -> [Step] {
        var steps: [Step] = []
        for (index, component) in zip(components.indices, components) {
            guard component.first == "@" else {
                // `self` is the object itself.
                if component.lowercased() != "self" { steps.append(.key(String(component))) }
                continue
            }
            let rest = components[(index + 1)...]
            guard depth < PredicateParser.depthLimit,
                let collection = CollectionOperator(rawValue: String(component.dropFirst()))
            else {
                return steps + [.unknownOperator(String(component))]
            }
            if collection == .count {
                steps.append(.collection(.count, rest: KeyPathSteps("")))
                continue
            }
            return steps + [.collection(collection, rest: KeyPathSteps(components: rest, depth: depth + 1))]
        }
        return steps
    }

    var isEmpty: Bool { steps.isEmpty }

    /// Whether an operator on collections is among the steps.
    var computesCollections: Bool {
        steps.contains { if case .collection = $0 { true } else { false } }
    }

    /// The path, going on with another.
    func appending(_ other: KeyPathSteps) -> KeyPathSteps {
        if text.isEmpty { return other }
        return other.text.isEmpty ? self : KeyPathSteps("\(text).\(other.text)")
    }
}

/// The operators that a key path may contain, without the `@`.
enum CollectionOperator: String {
    case count
    case sum
    case avg
    case min
    case max
    case unionOfObjects
    case distinctUnionOfObjects
    case unionOfArrays
    case distinctUnionOfArrays
    case unionOfSets
    case distinctUnionOfSets

    /// Whether members that are equal count once.
    var isDistinct: Bool {
        switch self {
        case .distinctUnionOfObjects, .distinctUnionOfArrays, .distinctUnionOfSets, .unionOfSets: true
        default: false
        }
    }
}
