// Core Data's error codes, as constants and as `CocoaError.Code`. All are in NSCocoaErrorDomain.
// Source: Core Data, "Error Codes".

public import Foundation

/// A validation of the object failed.
public let NSManagedObjectValidationError = 1550
/// A uniqueness constraint is violated.
public let NSManagedObjectConstraintValidationError = 1551
/// Several validations failed; see `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A property that isn't optional is nil.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A to-many relationship has too few members.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A to-many relationship has too many members.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with the rule deny still has members.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is above the attribute's maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is below the attribute's minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is after the attribute's latest.
public let NSValidationDateTooLateError = 1630
/// A date is before the attribute's earliest.
public let NSValidationDateTooSoonError = 1640
/// A date is not one.
public let NSValidationInvalidDateError = 1650
/// A string is longer than the attribute allows.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than the attribute demands.
public let NSValidationStringTooShortError = 1670
/// A string doesn't match the attribute's regular expression.
public let NSValidationStringPatternMatchingError = 1680
/// A URI is not one.
public let NSValidationInvalidURIError = 1690
/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// An object isn't in the store.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship leads into another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// Rows were changed by somebody else; see `conflictList`.
public let NSManagedObjectMergeError = 133020
/// A uniqueness constraint is violated at save; see `conflictList`.
public let NSManagedObjectConstraintMergeError = 133021
/// No store of that type can be made.
public let NSPersistentStoreInvalidTypeError = 134000
/// A store is of another type than the one asked for.
public let NSPersistentStoreTypeMismatchError = 134010
/// A store's tables don't fit the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A store could not save.
public let NSPersistentStoreSaveError = 134030
/// One of several stores could not save.
public let NSPersistentStoreIncompleteSaveError = 134040
/// A save met conflicts.
public let NSPersistentStoreSaveConflictsError = 134050
/// A general error.
public let NSCoreDataError = 134060
/// A store's operation failed.
public let NSPersistentStoreOperationError = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134080
/// A store did not answer in time.
public let NSPersistentStoreTimeoutError = 134090
/// A store doesn't know the request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// A store was made with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that a store was made with wasn't found.
public let NSMigrationMissingSourceModelError = 134130
/// A mapping model wasn't found.
public let NSMigrationMissingMappingModelError = 134140
/// A migration could not read its source.
public let NSMigrationManagerSourceStoreError = 134150
/// A migration could not write its destination.
public let NSMigrationManagerDestinationStoreError = 134160
/// An entity's migration policy failed.
public let NSEntityMigrationPolicyError = 134170
/// SQLite reported an error.
public let NSSQLiteError = 134180
/// A mapping between two models can't be inferred.
public let NSInferredMappingModelError = 134190
/// An external record could not be imported.
public let NSExternalRecordImportError = 134200
/// A history token is too old.
public let NSPersistentHistoryTokenExpiredError = 134301
/// A referenced model wasn't found.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// Staged migration met another framework version.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// Staged migration can't go backward.
public let NSStagedMigrationBackwardMigrationError = 134506

extension CocoaError.Code {
    /// A validation of the object failed.
    public static var managedObjectValidation: CocoaError.Code { CocoaError.Code(rawValue: 1550) }
    /// A uniqueness constraint is violated.
    public static var managedObjectConstraintValidation: CocoaError.Code { CocoaError.Code(rawValue: 1551) }
    /// Several validations failed; see `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code { CocoaError.Code(rawValue: 1560) }
    /// A property that isn't optional is nil.
    public static var validationMissingMandatoryProperty: CocoaError.Code { CocoaError.Code(rawValue: 1570) }
    /// A to-many relationship has too few members.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code { CocoaError.Code(rawValue: 1580) }
    /// A to-many relationship has too many members.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code { CocoaError.Code(rawValue: 1590) }
    /// A relationship with the rule deny still has members.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { CocoaError.Code(rawValue: 1600) }
    /// A number is above the attribute's maximum.
    public static var validationNumberTooLarge: CocoaError.Code { CocoaError.Code(rawValue: 1610) }
    /// A number is below the attribute's minimum.
    public static var validationNumberTooSmall: CocoaError.Code { CocoaError.Code(rawValue: 1620) }
    /// A date is after the attribute's latest.
    public static var validationDateTooLate: CocoaError.Code { CocoaError.Code(rawValue: 1630) }
    /// A date is before the attribute's earliest.
    public static var validationDateTooSoon: CocoaError.Code { CocoaError.Code(rawValue: 1640) }
    /// A date is not one.
    public static var validationInvalidDate: CocoaError.Code { CocoaError.Code(rawValue: 1650) }
    /// A string is longer than the attribute allows.
    public static var validationStringTooLong: CocoaError.Code { CocoaError.Code(rawValue: 1660) }
    /// A string is shorter than the attribute demands.
    public static var validationStringTooShort: CocoaError.Code { CocoaError.Code(rawValue: 1670) }
    /// A string doesn't match the attribute's regular expression.
    public static var validationStringPatternMatching: CocoaError.Code { CocoaError.Code(rawValue: 1680) }
    /// A URI is not one.
    public static var validationInvalidURI: CocoaError.Code { CocoaError.Code(rawValue: 1690) }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { CocoaError.Code(rawValue: 132000) }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { CocoaError.Code(rawValue: 132010) }
    /// An object isn't in the store.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { CocoaError.Code(rawValue: 133000) }
    /// A relationship leads into another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { CocoaError.Code(rawValue: 133010) }
    /// Rows were changed by somebody else; see `conflictList`.
    public static var managedObjectMerge: CocoaError.Code { CocoaError.Code(rawValue: 133020) }
    /// A uniqueness constraint is violated at save; see `conflictList`.
    public static var managedObjectConstraintMerge: CocoaError.Code { CocoaError.Code(rawValue: 133021) }
    /// No store of that type can be made.
    public static var persistentStoreInvalidType: CocoaError.Code { CocoaError.Code(rawValue: 134000) }
    /// A store is of another type than the one asked for.
    public static var persistentStoreTypeMismatch: CocoaError.Code { CocoaError.Code(rawValue: 134010) }
    /// A store's tables don't fit the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { CocoaError.Code(rawValue: 134020) }
    /// A store could not save.
    public static var persistentStoreSave: CocoaError.Code { CocoaError.Code(rawValue: 134030) }
    /// One of several stores could not save.
    public static var persistentStoreIncompleteSave: CocoaError.Code { CocoaError.Code(rawValue: 134040) }
    /// A save met conflicts.
    public static var persistentStoreSaveConflicts: CocoaError.Code { CocoaError.Code(rawValue: 134050) }
    /// A general error.
    public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: 134060) }
    /// A store's operation failed.
    public static var persistentStoreOperation: CocoaError.Code { CocoaError.Code(rawValue: 134070) }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { CocoaError.Code(rawValue: 134080) }
    /// A store did not answer in time.
    public static var persistentStoreTimeout: CocoaError.Code { CocoaError.Code(rawValue: 134090) }
    /// A store doesn't know the request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { CocoaError.Code(rawValue: 134091) }
    /// A store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code { CocoaError.Code(rawValue: 134100) }
    /// A migration failed.
    public static var migration: CocoaError.Code { CocoaError.Code(rawValue: 134110) }
    /// A migration would violate a uniqueness constraint.
    public static var migrationConstraintViolation: CocoaError.Code { CocoaError.Code(rawValue: 134111) }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { CocoaError.Code(rawValue: 134120) }
    /// The model that a store was made with wasn't found.
    public static var migrationMissingSourceModel: CocoaError.Code { CocoaError.Code(rawValue: 134130) }
    /// A mapping model wasn't found.
    public static var migrationMissingMappingModel: CocoaError.Code { CocoaError.Code(rawValue: 134140) }
    /// A migration could not read its source.
    public static var migrationManagerSourceStore: CocoaError.Code { CocoaError.Code(rawValue: 134150) }
    /// A migration could not write its destination.
    public static var migrationManagerDestinationStore: CocoaError.Code { CocoaError.Code(rawValue: 134160) }
    /// An entity's migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { CocoaError.Code(rawValue: 134170) }
    /// SQLite reported an error.
    public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: 134180) }
    /// A mapping between two models can't be inferred.
    public static var inferredMappingModel: CocoaError.Code { CocoaError.Code(rawValue: 134190) }
    /// An external record could not be imported.
    public static var externalRecordImport: CocoaError.Code { CocoaError.Code(rawValue: 134200) }
    /// A history token is too old.
    public static var persistentHistoryTokenExpired: CocoaError.Code { CocoaError.Code(rawValue: 134301) }
    /// A referenced model wasn't found.
    public static var managedObjectModelReferenceNotFound: CocoaError.Code { CocoaError.Code(rawValue: 134504) }
    /// Staged migration met another framework version.
    public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code { CocoaError.Code(rawValue: 134505) }
    /// Staged migration can't go backward.
    public static var stagedMigrationBackwardMigration: CocoaError.Code { CocoaError.Code(rawValue: 134506) }
}

extension CocoaError {
    /// A validation of the object failed.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// A uniqueness constraint is violated.
    public static var managedObjectConstraintValidation: CocoaError.Code { .managedObjectConstraintValidation }
    /// Several validations failed; see `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A property that isn't optional is nil.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// A to-many relationship has too few members.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// A to-many relationship has too many members.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// A relationship with the rule deny still has members.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// A number is above the attribute's maximum.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is below the attribute's minimum.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is after the attribute's latest.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is before the attribute's earliest.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A date is not one.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A string is longer than the attribute allows.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A string is shorter than the attribute demands.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A string doesn't match the attribute's regular expression.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// A URI is not one.
    public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// An object isn't in the store.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// A relationship leads into another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// Rows were changed by somebody else; see `conflictList`.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// A uniqueness constraint is violated at save; see `conflictList`.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// No store of that type can be made.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// A store is of another type than the one asked for.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// A store's tables don't fit the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// A store could not save.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// One of several stores could not save.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// A save met conflicts.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// A general error.
    public static var coreData: CocoaError.Code { .coreData }
    /// A store's operation failed.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// A store did not answer in time.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// A store doesn't know the request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// A store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }
    /// A migration would violate a uniqueness constraint.
    public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The model that a store was made with wasn't found.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// A mapping model wasn't found.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// A migration could not read its source.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// A migration could not write its destination.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// An entity's migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// SQLite reported an error.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// A mapping between two models can't be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// An external record could not be imported.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
    /// A history token is too old.
    public static var persistentHistoryTokenExpired: CocoaError.Code { .persistentHistoryTokenExpired }
    /// A referenced model wasn't found.
    public static var managedObjectModelReferenceNotFound: CocoaError.Code { .managedObjectModelReferenceNotFound }
    /// Staged migration met another framework version.
    public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
        .stagedMigrationFrameworkVersionMismatch
    }
    /// Staged migration can't go backward.
    public static var stagedMigrationBackwardMigration: CocoaError.Code { .stagedMigrationBackwardMigration }
}
