// The objects that a diff names, for those who look them up.

package import CoreData

extension NSManagedObjectContext {
    /// The objects that some keys of a diff stand for, as far as they are there. Call it on the context's queue.
    ///
    /// - Throws: ``GraftError`` for a diff by the rows of another store.
    package func objects(
        with keys: [ObjectKey], in identification: GraphDiff.Identification
    ) throws -> [ObjectKey: NSManagedObject] {
        var finder = try ObjectPatcher(self, roots: [], GraphDiff.ApplyingOptions(), identification)
        try finder.find(Set(keys), own: [])
        return finder.objects
    }
}
