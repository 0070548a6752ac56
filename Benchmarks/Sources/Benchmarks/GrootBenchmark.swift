// Groot's dictionaries beside the text of an export: the same objects, nested in the same way. Each hero is written by itself, with
// its publisher and its powers.

import CoreData
import Foundation
import Graft
import Groot

enum GrootBenchmark {
    private static let heroCount = 20_000

    static func run(_ table: Table) throws {
        let context = try NSPersistentContainer.loaded(HeroModel.make()).newBackgroundContext()
        try context.performAndWait {
            try context.importJSON(from: .data(Data(HeroFile(count: heroCount).bytes())), entity: "Hero")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
            let heroes = try context.fetch(request)
            var options = ExportOptions()
            options.relationshipForm = .nested
            options.repeatsObjects = true
            table.title("JSON of \(heroes.count) heroes in memory")
            var (text, dictionaries) = (Cost.infinite, Cost.infinite)
            // By turns, so that whatever else the machine does meets both.
            for _ in 0..<9 {
                text = text.best(try measure(1) { try context.exportJSON(request, options: options).count })
                dictionaries = dictionaries.best(measure(1) { json(fromObjects: heroes).count })
            }
            table.add("exportJSON", text, peer: text)
            table.add("json(fromObjects:) of Groot", dictionaries, peer: text)
            table.note(
                String(
                    format: "%.1f µs of processor time for each dictionary",
                    dictionaries.each(of: heroes.count).processor * 1e6))
        }
    }
}
