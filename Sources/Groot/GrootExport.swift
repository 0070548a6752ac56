// From objects to Groot's dictionaries.

import CoreData
import Foundation
import Graft

enum GrootExport {
    /// The dictionaries of objects, each by itself; empty ones for those without context.
    static func dictionaries(of objects: [NSManagedObject]) -> [JSONDictionary] {
        var dictionaries: [JSONDictionary] = []
        dictionaries.reserveCapacity(objects.count)
        while dictionaries.count < objects.count {
            guard let context = objects[dictionaries.count].managedObjectContext else {
                dictionaries.append([:])
                continue
            }
            // All that follow of one context go at once.
            let run = Array(objects[dictionaries.count...].prefix { $0.managedObjectContext === context })
            dictionaries += context.performAndWait(with: run) { self.dictionaries(of: $0, in: context) }
        }
        return dictionaries
    }

    private static func dictionaries(
        of objects: [NSManagedObject], in context: NSManagedObjectContext
    ) -> [JSONDictionary] {
        var options = ExportOptions()
        options.relationshipForm = .nested
        options.repeatsObjects = true
        options.leavesOutWhatIsGone = true
        // A value whose file is missing is written as null.
        options.onDamage = { _ in }
        // Groot nests without end; text ends at 512 levels, those of trees in transformable attributes included.
        for nesting in [200, 32] {
            options.maximumNesting = nesting
            if let dictionaries = try? self.dictionaries(of: objects, in: context, options) { return dictionaries }
        }
        do {
            options.relationshipForm = .identifier
            return try dictionaries(of: objects, in: context, options)
        } catch {
            // Data never gets here: it is written as null where it has no form. What is left are annotations.
            fatalError("json(fromObject:): \(error)")
        }
    }

    private static func dictionaries(
        of objects: [NSManagedObject], in context: NSManagedObjectContext, _ options: ExportOptions
    ) throws -> [JSONDictionary] {
        let text = try context.json(of: objects, options: options)
        var reader = JSONReader(text)
        _ = try reader.next()
        let dictionaries = try reader.value().object as? [Any] ?? []
        return dictionaries.map { $0 as? JSONDictionary ?? [:] }
    }
}
