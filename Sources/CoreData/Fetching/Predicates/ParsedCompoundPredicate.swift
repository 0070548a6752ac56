// The compound predicates that the parser makes. Foundation's own, on Linux, prints itself as FALSEPREDICATE, equals every
// other one and copies to a constant; this subclass does these three as they should be. Code sees `NSCompoundPredicate`.

import Foundation

/// An `NSCompoundPredicate` with a format, equality and copies of its own.
final class ParsedCompoundPredicate: NSCompoundPredicate {
    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        PredicateEvaluator.matches(self, in: EvaluationScope(object: object, variables: bindings))
    }

    override var predicateFormat: String { PredicatePrinter.text(of: self) }

    override var description: String { predicateFormat }

    override func copy(with zone: NSZone? = nil) -> Any {
        ParsedCompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return self === other || PredicateStructure.areEqual(self, other)
    }

    override var hash: Int {
        var hasher = Hasher()
        PredicateStructure.hash(self, into: &hasher)
        return hasher.finalize()
    }
}
