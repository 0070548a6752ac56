// The keys of Core Data's errors' userInfo, and the one place where such errors are made.

import Foundation

/// The errors behind `NSValidationMultipleErrorsError`, as `[NSError]`.
///
/// - Note: An error of a Swift type of the program's own can't be cast back from its `NSError` in the list, which has it under
///   `NSUnderlyingErrorKey`. Divergence 65.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed to validate.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The property that failed to validate.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that wasn't met.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed to validate; `NSNull` for nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error concerns.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save: `[NSMergeConflict]` or `[NSConstraintConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own codes.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

extension CocoaError {
    private var details: [String: Any] { (self as NSError).userInfo }

    /// The conflicts of a save over rows that somebody else has changed.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        details[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }

    /// The objects that the error concerns.
    public var affectedObjects: [NSManagedObject]? { details[NSAffectedObjectsErrorKey] as? [NSManagedObject] }

    /// The stores that the error concerns.
    public var affectedStores: [NSPersistentStore]? { details[NSAffectedStoresErrorKey] as? [NSPersistentStore] }

    /// The object that failed to validate.
    public var validationObject: Any? { details[NSValidationObjectErrorKey] }

    /// The property that failed to validate.
    public var validationKey: String? { details[NSValidationKeyErrorKey] as? String }

    /// The predicate that wasn't met.
    public var validationPredicate: NSPredicate? { details[NSValidationPredicateErrorKey] as? NSPredicate }

    /// The value that failed to validate.
    public var validationValue: Any? { details[NSValidationValueErrorKey] }

    /// Whether the error recommends a check of the store, which the check itself can do nothing with.
    package var recommendsCheck: Bool { details[CoreDataError.recommendsCheckKey] != nil }
}

/// Makes the errors of the Core Data API: `CocoaError` with a description that names place, finding and remedy.
package enum CoreDataError {
    static let recommendsCheckKey = "StoreCheckRecommended"

    package static func make(_ code: CocoaError.Code, _ description: String, userInfo: [String: Any] = [:])
        -> CocoaError
    {
        var userInfo = userInfo
        userInfo[NSLocalizedDescriptionKey] = description
        return CocoaError(code, userInfo: userInfo)
    }

    /// What a validation throws is kept, whatever kind of error it is: classes have errors of their own.
    static func collect(_ errors: inout [any Error], _ validate: () throws -> Void) {
        do {
            try validate()
        } catch {
            // As an NSError, because CocoaError takes those of every domain.
            let details = (error as NSError).userInfo[NSDetailedErrorsKey] as? [any Error]
            errors += details ?? [error]
        }
    }

    /// One error as it is, several as one with the list in it.
    static func combined(_ errors: [any Error]) -> (any Error)? {
        guard errors.count > 1 else { return errors.first }
        let shown = errors.prefix(5).map(\.localizedDescription).joined(separator: " ")
        let rest = errors.count > 5 ? " And \(errors.count - 5) more." : ""
        return make(
            .validationMultipleErrors, "\(errors.count) validations failed. \(shown)\(rest)",
            userInfo: [NSDetailedErrorsKey: errors.map(detail)])
    }

    /// An error as the list has it. What is no `NSError` by itself loses its Swift type there, so that one keeps the error.
    private static func detail(_ error: any Error) -> NSError {
        // Asked of the error alone, the compiler takes the cast for one that always succeeds.
        if let error = (error as Any) as? NSError { return error }
        let converted = error as NSError
        let info = converted.userInfo.merging([NSUnderlyingErrorKey: error]) { own, _ in own }
        return NSError(domain: converted.domain, code: converted.code, userInfo: info)
    }
}
