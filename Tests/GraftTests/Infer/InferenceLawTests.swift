// The laws of inference, on random data: it imports by its model, and comes out as it was.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct InferenceLawTests {
    @Test(arguments: Laws.cases(0..<80))
    func `data imports by its inferred model, and the export equals it`(_ seed: Int) throws {
        var random = RandomData(seed: seed, mixesGaps: false)
        let data = try InferredData(random.texts())
        #expect(data.report.total.stubs == 0, "seed \(seed)")
        for guess in data.inference.guesses { #expect(guess.difference == nil, "seed \(seed): \(guess)") }
        data.expectEqual({ $0 }, "seed \(seed)")
    }

    @Test(arguments: Laws.cases(100..<160))
    func `where an export writes nothing in another way, the report says so`(_ seed: Int) throws {
        var random = RandomData(seed: seed, mixesGaps: true)
        let data = try InferredData(random.texts(), batchSize: 1 + seed % 7)
        data.expectEqual(\.withoutNothing, "seed \(seed)")
        let isEqual = zip(data.exported, data.original).allSatisfy { Set($0) == Set($1) }
        #expect(isEqual || data.inference.guesses.contains { $0.difference != nil }, "seed \(seed)")
    }

    @Test(arguments: Laws.cases(0..<20))
    func `importing the data again changes nothing`(_ seed: Int) throws {
        var random = RandomData(seed: seed, mixesGaps: false)
        let texts = random.texts()
        let inference = try ModelInference(of: texts.map { .data(Data($0.text.utf8), name: $0.name) })
        let sources = zip(texts, inference.entities).map {
            ImportSource.data(Data($0.text.utf8), name: $0.name, entity: $1)
        }
        let stack = try TestStack(inference.model, .sqlite)
        try stack.container.importJSON(from: sources)
        let again = try stack.container.importJSON(from: sources)
        #expect(again.total.inserted == 0 && again.total.updated == 0, "seed \(seed): \(again)")
    }

    @Test(arguments: Laws.cases(0..<20))
    func `the written document is the model`(_ seed: Int) throws {
        var random = RandomData(seed: seed, mixesGaps: true)
        let inference = try ModelInference(of: random.texts().map { .data(Data($0.text.utf8), name: $0.name) })
        let folder = FileManager.default.temporaryDirectory.appending(path: "graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Model.xcdatamodeld")
        try inference.write(to: file)
        #expect(throws: GraftError.self) { try inference.write(to: file) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Model.xcdatamodeld"])
        let read = try NSManagedObjectModel(readingContentsOf: file)
        // A model in memory has no version identifier; the document's is empty.
        #expect(ModelSummary(read).lines.dropFirst() == ModelSummary(inference.model).lines.dropFirst())
        #expect(read.entityVersionHashesByName == inference.model.entityVersionHashesByName)
        #expect(try ModelLint(read).findings.filter { $0.severity == .error } == [])
    }
}
