// One thing that a property's value has to satisfy. A model's limits (minimum, length, pattern) are rules too: they
// stand for the predicate that compiled models have in their place, so that validation can compare without evaluating a
// predicate and fail with the limit's own error code.

package import Foundation

/// A validation predicate with the error that its failure gives.
package struct ValidationRule {
    package enum Warning: Equatable {
        /// The description of an error with the code 1550.
        case text(String)
        /// One of Core Data's error codes, such as 1620.
        case code(Int)
    }

    private let storedPredicate: NSPredicate?
    package let warning: Warning
    /// What the predicate says, where it is one of the model editor's limits.
    package let limit: AttributeLimit?

    /// A rule that is no limit.
    package init(predicate: NSPredicate, warning: Warning) {
        storedPredicate = predicate
        self.warning = warning
        limit = nil
    }

    /// A limit of the model, which fails with its own error code.
    package init(_ limit: AttributeLimit) {
        storedPredicate = nil
        warning = .code(limit.errorCode)
        self.limit = limit
    }

    /// The rule as a predicate on the value, which is `SELF` in it.
    package var predicate: NSPredicate {
        if let storedPredicate { return storedPredicate }
        return limit?.predicate ?? NSPredicate(value: true)
    }

    /// Whether a value satisfies the rule.
    ///
    /// - Throws: `CocoaError` (`.managedObjectValidation`) for a predicate that can't be evaluated; it may come from a file.
    func holds(for value: Any?) throws -> Bool {
        let failure = EvaluationFailure()
        let holds = PredicateEvaluator.matches(predicate, in: EvaluationScope(object: value, failure: failure))
        do {
            try failure.check()
        } catch {
            throw CoreDataError.make(
                .managedObjectValidation, "The model's rule \(predicate.formatText) can't be evaluated: \(error)")
        }
        return holds
    }

    var boxedWarning: Any {
        switch warning {
        case .text(let text): text
        case .code(let code): NSNumber(value: code)
        }
    }
}
