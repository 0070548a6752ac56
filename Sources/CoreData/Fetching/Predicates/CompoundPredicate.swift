// Compound predicates: of the parser, and of targets with the plugin, where `NSCompoundPredicate` means these. Foundation's own, on
// Linux, prints itself as FALSEPREDICATE, equals every other one and copies to a constant; these do the three as they should be done.

public import Foundation

/// An `NSCompoundPredicate` with a format, equality and copies of its own.
///
/// Parsed formats have it for their compounds. In a target with the plugin `ManagedObjectClasses` that names `NSCompoundPredicate`, it
/// is what that name means; without the plugin, those that code makes are Foundation's.
open class CompoundPredicate: NSCompoundPredicate {
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        PredicateEvaluator.matches(self, in: EvaluationScope(object: object, variables: bindings))
    }

    /// The predicate as a format.
    open override var predicateFormat: String { PredicatePrinter.text(of: self) }

    open override var description: String { predicateFormat }

    open override func copy(with zone: NSZone? = nil) -> Any {
        CompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
    }

    /// Whether the other predicate is a compound that says the same.
    open override func isEqual(_ object: Any?) -> Bool { PredicateStructure.isEqual(self, to: object) }

    open override var hash: Int { PredicateStructure.hash(of: self) }
}
