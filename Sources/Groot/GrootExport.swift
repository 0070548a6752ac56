// From an object to Groot's dictionary.

import CoreData
import Foundation
import Graft

enum GrootExport {
    static func dictionary(of object: NSManagedObject, in context: NSManagedObjectContext) -> JSONDictionary {
        var options = ExportOptions()
        options.relationshipForm = .nested
        options.writesNullForWhatHasNoForm = true
        do {
            let text = try context.json(of: object, options: options)
            var reader = JSONReader(text)
            _ = try reader.next()
            return try reader.value().foundationObject as? JSONDictionary ?? [:]
        } catch {
            // Data never gets here: it is written as null where it has no form. What is left are annotations.
            fatalError("json(fromObject:): \(error)")
        }
    }
}
