// The variables of expressions in mapping models, without the `$`.

import Foundation

/// The migration manager, in expressions of a mapping.
public let NSMigrationManagerKey = "manager"
/// The source object, in expressions of a mapping.
public let NSMigrationSourceObjectKey = "source"
/// The destination object, in expressions of a mapping.
public let NSMigrationDestinationObjectKey = "destination"
/// The entity mapping, in expressions of a mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The property mapping, in expressions of a mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The migration policy, in expressions of a mapping.
public let NSMigrationEntityPolicyKey = "entityPolicy"
