// What tells callers that look often whether anything has changed, without the sets of changed objects.

extension NSManagedObjectContext {
    /// How often objects have become inserted, updated or deleted ones, or have ceased to be.
    package var changeListRevision: Int { inserted.revision + updated.revision + deleted.revision }
    /// How often attributes of its objects have been set.
    package var attributeChangeCount: Int { registry.attributeChangeCount }
}
