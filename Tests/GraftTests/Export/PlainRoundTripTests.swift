// Plain JSON there and back: for graphs whose objects all have an identity, the text says everything.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct PlainRoundTripTests {
    private func texts(_ stack: TestStack, _ options: ExportOptions) throws -> [String: Data] {
        try stack.perform { context throws in
            try context.persistentStoreCoordinator?.managedObjectModel.entities.reduce(into: [:]) { texts, entity in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.sortDescriptors = [NSSortDescriptor(key: "key", ascending: true)]
                texts[entity.name ?? ""] = try context.exportJSON(request, options: options)
            } ?? [:]
        }
    }

    @Test(arguments: Laws.cases(0..<30), ExportOptions.RelationshipForm.allCases.filter { $0 != .none })
    func `a random graph survives plain JSON, byte for byte with sorted keys`(
        _ seed: Int, _ form: ExportOptions.RelationshipForm
    ) throws {
        var graph = RandomGraph(plainSeed: seed)
        var options = ExportOptions()
        options.sortsKeys = true
        options.relationshipForm = form
        let first = try TestStack(graph.model)
        try first.perform { context throws in
            graph.fill(context, count: 30)
            try context.save()
        }
        let texts = try texts(first, options)
        let second = try TestStack(graph.model, .sqlite)
        let sources = texts.sorted { $0.key < $1.key }.map { ImportSource.data($1, name: $0, entity: $0) }
        let report = try second.container.importJSON(from: sources)
        #expect(report.total.inserted == 30, "seed \(seed): \(report)")
        #expect(report.total.stubs == 0, "seed \(seed): \(report)")
        for (entity, text) in try self.texts(second, options) {
            #expect(
                String(decoding: text, as: UTF8.self) == texts[entity].map { String(decoding: $0, as: UTF8.self) },
                "seed \(seed), \(entity)")
        }
        #expect(try !second.container.importJSON(from: sources).hasChanges, "seed \(seed)")
    }
}
