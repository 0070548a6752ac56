// An import reads a batch of its text while it works on the one before. Nobody notices, but for the time it takes.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct BatchReadingTests {
    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity("Place", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("name")])
        return try TestStack(sketch.model(), .sqlite)
    }

    private func text(_ range: Range<Int>) -> String {
        range.map { #"{"id": "\#($0)", "name": "N\#($0)"}"# }.joined(separator: "\n")
    }

    private func options(savesEachBatch: Bool) -> ImportOptions {
        var options = ImportOptions()
        options.batchSize = 10
        options.savesEachBatch = savesEachBatch
        options.checksInputFirst = false
        return options
    }

    @Test func `all batches arrive, each in its turn`() throws {
        let stack = try stack()
        let report = try stack.container.importJSON(
            from: [.data(Data(text(0..<95).utf8)), .data(Data(text(90..<123).utf8))], entity: "Place",
            options: options(savesEachBatch: true))
        #expect(report["Place"].inserted == 123)
        #expect(report.recordCount == 95 + 33)
        #expect(report.batchCount == 10 + 4)
    }

    @Test func `an error in a text comes after the batches before it`() throws {
        let stack = try stack()
        let broken = text(0..<25) + "\n{]"
        let error = try #require(throws: GraftError.self) {
            try stack.container.importJSON(
                from: [.data(Data(broken.utf8))], entity: "Place", options: options(savesEachBatch: true))
        }
        #expect(error.place.line == 26)
        #expect(try stack.count("Place") == 20)
        #expect(throws: GraftError.self) {
            try stack.container.importJSON(
                from: [.data(Data(broken.utf8))], entity: "Place", options: options(savesEachBatch: false))
        }
        #expect(try stack.count("Place") == 20)
    }

    @Test func `the thread that reads ahead has room for objects as deep as any`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Place", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("name"), .toOne("parent", "Place", inverse: "children"),
                .toMany("children", "Place", inverse: "parent"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        let depth = JSONSnapshotReader.maximumNesting - 1
        let deep =
            (0..<depth).map { #"{"id": "d\#($0)", "parent": "# }.joined() + "null"
            + String(repeating: "}", count: depth)
        let report = try stack.container.importJSON(
            from: [.data(Data((text(0..<25) + "\n" + deep).utf8))], entity: "Place",
            options: options(savesEachBatch: false))
        #expect(report["Place"].inserted == 25 + depth)
    }

    @Test func `a pipe isn't read ahead, nor is what transformers of others look at`() throws {
        #expect(ImportSource.data(Data()).canBeReadAhead)
        #expect(!ImportSource.handle(Pipe().fileHandleForReading).canBeReadAhead)
        var sketch = ModelSketch()
        sketch.entity("Place", [.attribute("name", transformer: "BatchReadingUppercase")])
        for (transformers, expected) in [(true, true), (false, false)] {
            var plain = ModelSketch()
            plain.entity("Place", [.attribute("name")])
            ValueTransformer.setValueTransformer(
                ValueTransformer(), forName: NSValueTransformerName("BatchReadingUppercase"))
            let mapping = try GraphMapping((transformers ? sketch : plain).model(), MappingOptions())
            let reader = JSONSnapshotReader(JSONReader([UInt8]()), mapping: mapping, entityName: "Place")
            #expect(reader.runsCodeOfOthers == expected)
        }
    }
}
