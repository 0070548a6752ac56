// The stages of a staged migration.

public import Foundation

/// One stage of a staged migration: a lightweight or a custom one.
open class NSMigrationStage: NSObject {
    /// A name for messages.
    open var label: String?

    override init() { super.init() }
}

/// Versions that lightweight migration leads through.
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, the oldest first.
    open private(set) var versionChecksums: [String]

    /// A stage from any of some versions on.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A step from one version to the next with work of the program's own before and after it.
///
/// The step itself is a lightweight migration. The handlers work with the manager's ``NSStagedMigrationManager/container``,
/// which is on the older version before the step and on the newer one after it.
open class NSCustomMigrationStage: NSMigrationStage {
    /// The older version.
    open private(set) var currentModel: NSManagedObjectModelReference
    /// The newer version.
    open private(set) var nextModel: NSManagedObjectModelReference
    /// Called before the step. An error ends the migration; the store is then of the older version.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called after the step. An error ends the migration; the store is then of the newer version, with which the next migration
    /// begins: what the handler hasn't saved isn't done then.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// A step between two versions.
    public init(migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference)
    {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
