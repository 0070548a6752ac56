// What a source is, told by its bytes; and that what isn't a graph is refused wherever one is needed, with the words that help.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct SourceKindTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let text: String, kind: SourceKind
        var testDescription: String { text }
    }

    static let samples = [
        Sample(text: "", kind: .empty), Sample(text: " \n\t ", kind: .empty), Sample(text: "\u{FEFF}\n", kind: .empty),
        Sample(text: "[]", kind: .json), Sample(text: "{}", kind: .json), Sample(text: "17", kind: .json),
        Sample(text: "\u{FEFF}[{\"id\": 1}]", kind: .json), Sample(text: "{\"id\": 1}\n{\"id\": 2}", kind: .json),
        Sample(text: "hello", kind: .text), Sample(text: "<html>", kind: .other("XML or HTML")),
        Sample(text: "PK\u{3}\u{4}x", kind: .other("a ZIP archive")),
        Sample(text: #"{"$graft": {"version": 1}}"#, kind: .export),
        Sample(text: #"{"$archive":{"#, kind: .archive(.json)),
        Sample(text: #"{"changed": [{"key": {"entity": "A"}}], "version": 1}"#, kind: .diff),
        Sample(text: #"{"version":1,"deleted":[{"key":{"entity":"A","iden"#, kind: .diff),
        Sample(text: #"{"version": 1}"#, kind: .json), Sample(text: #"{"changed": [1, 2]}"#, kind: .json),
        Sample(text: #"{"changed": true, "name": "A"}"#, kind: .json),
        Sample(text: #"[{"op": "add", "path": "/a", "value": {"x": [1]}}]"#, kind: .jsonPatch),
        Sample(text: #"[{"value": [1, {"a": 2}], "path": "", "op": "replace"}]"#, kind: .jsonPatch),
        Sample(text: #"[{"op": "sum", "path": "/a"}]"#, kind: .json),
        Sample(text: #"[{"op": "add", "path": "/a", "id": 1}]"#, kind: .json),
        Sample(text: #"{"base": {"members": []}, "conflicts": []}"#, kind: .tracker),
        Sample(text: #"{"batchCount": 1, "entities": []"#, kind: .report),
        Sample(text: #"{"entities": [{"name": "A"}]}"#, kind: .json),
    ]

    @Test(arguments: samples)
    func `a text is told by its first bytes`(_ sample: Sample) throws {
        #expect(try ImportSource.data(Data(sample.text.utf8)).kind() == sample.kind)
        #expect(try fromPipe(Data(sample.text.utf8)).kind() == sample.kind)
    }

    @Test(arguments: [
        (#"{"Hero": [{"id": 1}]}"#, SourceKind.export), (#"{"Hero":[]"#, .export), (#"{"Hero":["#, .export),
        (#"{"Hero": [1]}"#, .json), (#"{"Hero": {"id": 1}}"#, .json), (#"{"heroes": [{"id": 1}]}"#, .json),
        (#"{"base": [{"id": 1}]}"#, .json),
    ])
    func `a whole graph is told by the names of its entities`(_ text: String, _ kind: SourceKind) throws {
        let source = ImportSource.data(Data(text.utf8))
        #expect(try source.kind { $0 == "Hero" } == kind)
        #expect(try source.kind() == .json)
    }

    @Test func `the report of an import is told, whatever is in it`() throws {
        let stack = try TestStack(ComicModel.make())
        var options = ImportOptions()
        options.failurePolicy = .skip
        options.isDryRun = true
        let report = try stack.container.importJSON(
            from: [.data(Data(#"[{"id": 1, "colour": 2}, {"id": "x"}, 3]"#.utf8))], entity: "Character",
            options: options)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        for report in [report, ImportReport(), ImportReport(failure: GraftError(.cancelled))] {
            #expect(try ImportSource.data(encoder.encode(report)).kind() == .report)
        }
    }

    @Test func `bytes that aren't text are told, too`() throws {
        func kind(_ bytes: [UInt8]) throws -> SourceKind { try ImportSource.data(Data(bytes)).kind() }
        #expect(try kind(Array("SQLite format 3\0".utf8)) == .store)
        #expect(try kind(ArchiveBlock.magic) == .archive(.binary))
        #expect(try kind([0, 1, 2]) == .other("binary data"))
        #expect(try kind([0x1F, 0x8B, 8]) == .other("compressed with gzip"))
        #expect(try kind([0xFF, 0xFE, 0x5B, 0]) == .other("text in UTF-16"))
        #expect(try kind([0x5B, 0, 0x5D, 0]) == .other("text in UTF-16"))
        #expect(try kind([0, 0x7B, 0, 0x7D]) == .other("text in UTF-16"))
        #expect(try kind([0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0]) == .other("text in UTF-32"))
    }

    /// A pipe that has the bytes, and no more to come.
    private func fromPipe(_ data: Data) throws -> ImportSource {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: data)
        try pipe.fileHandleForWriting.close()
        return .handle(pipe.fileHandleForReading, name: "pipe")
    }

    @Test func `a look at a pipe or a file takes nothing away from it`() throws {
        let stack = try TestStack(ComicModel.make())
        let source = try fromPipe(Data(ComicModel.batman.utf8))
        #expect(try source.kind() == .json)
        #expect(try source.kind() == .json)
        #expect(try stack.container.importJSON(from: [source], entity: "Character").total.inserted == 4)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(ComicModel.batman.utf8).write(to: url)
        let handle = try FileHandle(forReadingFrom: url)
        let again = ImportSource.handle(handle)
        #expect(try again.kind() == .json)
        #expect(try stack.container.importJSON(from: [again], entity: "Character").total.unchanged == 4)
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `an archive from a pipe is imported and restored`(_ encoding: GraphArchive.Encoding) throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        let data = try stack.archive(encoding)
        let other = try TestStack(ComicModel.make())
        #expect(try other.container.importJSON(from: [fromPipe(data)]).total.inserted == 4)
        let third = try TestStack(ComicModel.make())
        #expect(try third.container.restore(GraphArchive(fromPipe(data))).total.inserted == 4)
    }

    // MARK: Refusing

    /// The errors of every call that takes a graph.
    private func refusals(_ data: Data) throws -> [GraftError?] {
        let model = ComicModel.make()
        let stack = try TestStack(model)
        var batches = ImportOptions()
        batches.savesEachBatch = true
        var skipping = ImportOptions()
        skipping.failurePolicy = .skip
        let errors = try [
            graftError { try stack.container.importJSON(from: [.data(data)], entity: "Character") },
            graftError { try stack.container.importJSON(from: [.data(data)], entity: "Character", options: batches) },
            graftError { try stack.container.importJSON(from: [.data(data)], entity: "Character", options: skipping) },
            graftError { _ = try GraphSnapshot(json: data, entity: "Character", model: model) },
            stack.perform { context in
                graftError { _ = try context.objects(fromJSON: data, entity: "Character") }
            },
        ]
        #expect(try ["Character", "Power", "Publisher"].map(stack.count) == [0, 0, 0])
        return errors
    }

    @Test(arguments: ["diff.json", "patch.json", "tracker.graft-sync", "report.json"])
    func `what is no graph is refused by every call, with the right one named`(_ name: String) throws {
        let data = try Data(contentsOf: FilesOfBeforeTests.folder.appendingPathComponent(name))
        let word =
            name.hasPrefix("tracker") ? "GraphTracker(file:" : name == "report.json" ? "graft import" : "graft apply"
        for error in try refusals(data) {
            guard case .wrongKind? = error?.problem else {
                Issue.record("\(error?.description ?? "no error")")
                continue
            }
            #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
        }
    }

    @Test func `records are no archive, and an archive is no tracker's file`() throws {
        let error = graftError { try GraphArchive(Data("[{\"id\": 1}]".utf8)).verify() }
        #expect(error?.description.contains("graft import") == true)
        let store = graftError { try GraphArchive(Data("SQLite format 3\0".utf8)).verify() }
        #expect(store?.description.contains("graft export") == true)
        let stack = try TestStack(ComicModel.make())
        let file = FilesOfBeforeTests.folder.appendingPathComponent("heroes-lines.archive")
        let tracker = try stack.perform { context in graftError { _ = try GraphTracker(file: file, context: context) } }
        #expect(tracker?.description.contains("graft restore") == true)
    }

    @Test func `records may have the keys of a JSON Patch, where the model has them`() throws {
        var sketch = ModelSketch()
        sketch.entity("Change", [.attribute("op"), .attribute("path")])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(#"[{"op": "add", "path": "/a"}]"#)
        #expect(try stack.count("Change") == 1)
    }

    // MARK: Stores and archives as graphs

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `importing an archive leaves the links of objects alone that it doesn't have`(
        _ encoding: GraphArchive.Encoding
    ) throws {
        let first = try TestStack(ComicModel.make(), .sqlite)
        try first.importJSON(ComicModel.batman, "Character")
        let url = try #require(first.container.persistentStoreCoordinator.persistentStores.first?.url)
        for source in [ImportSource.data(try first.archive(encoding)), .file(url)] {
            let other = try TestStack(ComicModel.make())
            try other.importJSON(#"[{"id": 2, "publisher": 10, "powers": [4, 5]}]"#, "Character")
            #expect(try other.container.importJSON(from: [source])["Character"].inserted == 1)
            try other.perform { context throws in
                let robin = try #require(try context.one("Character", "identifier", 2))
                #expect(robin.object("publisher")?.text("name") == "DC Comics")
                #expect((robin.value(forKey: "powers") as? NSSet)?.count == 2)
            }
        }
    }

    /// Notes in folders that nothing identifies, with tags that a number does.
    private func notes() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Note",
            [
                .attribute("text"), .toOne("folder", "Folder", inverse: "notes"),
                .toMany("tags", "Tag", inverse: "notes"),
            ])
        sketch.entity("Folder", [.attribute("name"), .toMany("notes", "Note", inverse: "folder")])
        sketch.entity(
            "Tag", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toMany("notes", "Note", inverse: "tags")])
        return sketch.model()
    }

    @Test func `a part of a store or an archive makes nothing of what it only refers to and nothing identifies`() throws
    {
        let first = try TestStack(notes(), .sqlite)
        try first.importJSON(
            #"[{"text": "a", "folder": {"name": "F"}, "tags": [{"id": 1}]}, {"text": "b", "folder": {"name": "F"}}]"#,
            "Note")
        let url = try #require(first.container.persistentStoreCoordinator.persistentStores.first?.url)
        for source in [
            ImportSource.file(url), .data(try first.archive(.json)), .data(try first.archive(.binary)),
        ] {
            for (entity, counts, leftOut) in [
                ("Note", ["Folder": 0, "Note": 2, "Tag": 1], ["Note.folder: 2 links"]),
                ("Folder", ["Folder": 2, "Note": 0, "Tag": 0], ["Folder.notes: 2 links"]),
                ("Tag", ["Folder": 0, "Note": 0, "Tag": 1], ["Tag.notes: 1 link"]),
            ] {
                let other = try TestStack(notes())
                let report = try other.container.importJSON(from: [source], entity: entity)
                for (name, count) in counts { #expect(try other.count(name) == count, "\(entity): \(name)") }
                let words = " left out, because what is there isn't in the part that is imported"
                #expect(report.leftOutValues.map(\.description) == leftOut.map { $0 + words })
                guard entity == "Note" else { continue }
                // What is known by its identity is linked, and links that others have stay.
                try other.perform { context throws in
                    let note = try #require(try context.one("Note", "text", "a"))
                    #expect((note.value(forKey: "tags") as? NSSet)?.count == 1)
                    note.setValue(
                        NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context), forKey: "folder")
                    try context.save()
                }
                #expect(try !other.container.importJSON(from: [source], entity: entity).hasChanges)
            }
        }
    }

    @Test func `a store, its archives and its export are the same graph`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.importJSON(ComicModel.batman, "Character")
        let url = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
        let model = ComicModel.make()
        let own = try stack.perform { try GraphSnapshot(of: $0) }
        for source in [
            ImportSource.file(url), .data(try stack.archive(.json)), .data(try stack.archive(.binary)),
        ] {
            let snapshot = try GraphSnapshot(reading: source, model: model)
            #expect(try GraphDiff(from: own, to: snapshot).isEmpty && GraphDiff(from: snapshot, to: own).isEmpty)
            let other = try TestStack(model)
            #expect(try other.container.importJSON(from: [source]).total.inserted == 4)
            #expect(try other.labels() == stack.labels())
            #expect(try !other.container.importJSON(from: [source]).hasChanges)
            let powers = try GraphSnapshot(reading: source, entity: "Power", model: model)
            #expect(powers.rootRows.count == 2)
            let onlyPowers = try stack.perform { try GraphSnapshot(of: $0, entities: ["Power"]) }
            #expect(try GraphDiff(from: onlyPowers, to: powers).isEmpty)
        }
    }
}
