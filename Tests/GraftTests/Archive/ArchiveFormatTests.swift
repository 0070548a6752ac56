// The format: what docs/archive-format.md promises to others.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ArchiveFormatTests {
    private static var model: NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Publisher", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("heroes", "Hero", inverse: "publisher"),
            ])
        sketch.entity(
            "Hero", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"), .attribute("debut", .dateAttributeType),
                .toOne("publisher", "Publisher", inverse: "heroes"),
                .toMany("notes", "Note", inverse: "hero", isOrdered: true),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("hero", "Hero", inverse: "notes")])
        return sketch.model()
    }

    private func heroes() throws -> TestStack {
        let stack = try TestStack(Self.model, .sqlite)
        try stack.fill { context in
            let publisher = context.add("Publisher", ["id": 1, "name": "DC"])
            let batman = context.add(
                "Hero",
                [
                    "id": 12, "name": "Batman", "publisher": publisher,
                    "debut": Date(timeIntervalSinceReferenceDate: -1_950_000_000.5),
                ])
            context.add("Hero", ["id": 9, "name": "Robin", "publisher": publisher])
            let notes = ["second", "first"].map { context.add("Note", ["text": $0]) }
            batman.setValue(NSOrderedSet(array: notes.reversed()), forKey: "notes")
        }
        return stack
    }

    /// A line without its checksum.
    private func content(_ line: String) -> String { String(line.dropLast(19)) + "}" }

    @Test func `an object is a line, sorted by identity and behind those that it refers to`() throws {
        let text = lines(try heroes().archive { $0.includesModel = false })
        #expect(
            text.dropFirst().dropLast().map(content) == [
                #"{"$":"Publisher/1","id":1,"name":"DC","$row":1}"#,
                #"{"$":"Hero/9","id":9,"name":"Robin","publisher":"Publisher/1","$row":2}"#,
                #"{"$":"Hero/12","debut":-1950000000.5,"id":12,"name":"Batman","notes":["Note#2","Note#1"],"publisher":"Publisher/1","$row":1}"#,
                #"{"$":"Note#1","hero":"Hero/12","text":"second","$row":1}"#,
                #"{"$":"Note#2","hero":"Hero/12","text":"first","$row":2}"#,
            ])
        for line in text {
            var checksum = CRC()
            checksum.update(String(line.dropLast(19)))
            #expect(line.hasSuffix(#","$crc":"\#(checksum.text)"}"#))
        }
        var checksum = CRC()
        checksum.update(text.dropLast().map { $0 + "\n" }.joined())
        #expect(content(text[text.count - 1]) == #"{"$end":{"crc":"\#(checksum.text)","objects":5}}"#)
    }

    @Test func `a change of one object changes its line and the end, and nothing else`() throws {
        let stack = try heroes()
        let before = lines(try stack.archive())
        try stack.fill { context in
            try context.one("Hero", "id", 12)?.setValue("The Batman", forKey: "name")
        }
        let after = lines(try stack.archive())
        #expect(before.count == after.count)
        let changed = before.indices.filter { before[$0] != after[$0] }
        #expect(changed == [4, before.count - 1])
    }

    @Test func `the header tells the model's fingerprint and the properties`() throws {
        let header = try GraphArchive(try heroes().archive(.binary)).header()
        #expect(header.version == 2 && header.encoding == .binary && header.objectCount == 5)
        #expect(header.modelChecksum == Self.model.versionChecksum)
        #expect(header.entities.map(\.name) == ["Publisher", "Hero", "Note"])
        #expect(
            header.entities.map(\.versionHash) == header.entities.map { Self.model.entityVersionHashesByName[$0.name] })
        #expect(
            header.entities[1].properties.map(\.type) == [
                "date", "integer64", "string", "orderedToMany", "toOne", "integer64",
            ])
        #expect(header.entities[1].properties.map(\.destination) == [nil, nil, nil, "Note", "Publisher", nil])
        #expect(header.entities[1].properties.last?.name == "$row")
        #expect(header.lineage?.rows == ["Publisher": 1, "Hero": 2, "Note": 2])
    }

    @Test func `names tell composite and odd identities apart`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Place", info: ["identityAttributes": "country, city"], [.attribute("country"), .attribute("city")])
        sketch.entity("Tag", info: ["identityAttributes": "name"], [.attribute("name")])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.fill { context in
            context.add("Place", ["country": "a/b", "city": "c"])
            context.add("Place", ["country": "a", "city": "b/c"])
            context.add("Place", ["country": "a"])
            for name in ["é", "e\u{301}", "a/b", "#1"] { context.add("Tag", ["name": name]) }
        }
        let names = lines(try stack.archive()).compactMap { line -> String? in
            guard line.hasPrefix(#"{"$":""#) else { return nil }
            return line.dropFirst(6).split(separator: "\"").first.map(String.init)
        }
        #expect(
            names.map { Array($0.utf8) }
                == [
                    "Place/a/b%2Fc", "Place/a%2Fb/c", "Place#3", "Tag/#1", "Tag/a/b", "Tag/e\u{301}", "Tag/é",
                ].map { Array($0.utf8) })
        #expect(try TestStack.restored(from: stack.archive()).labels() == stack.labels())
    }

    @Test func `a store made of an archive has the model that the archived one had`() throws {
        let original = try heroes()
        let restored = try TestStack.restored(from: original.archive(.binary), .sqlite)
        #expect(try restored.modelCache() == original.modelCache())
        #expect(try original.modelCache() != nil)
    }

    @Test func `binary is smaller, and smallest when it is compressed`() throws {
        let stack = try TestStack(Self.model)
        try stack.fill { context in
            for id in 0..<500 { context.add("Hero", ["id": id, "name": "Hero number \(id)"]) }
        }
        func size(_ options: GraphArchive.WritingOptions) throws -> Int {
            try stack.archive(options.encoding) { $0 = options }.count
        }
        let sizes = try [
            size(.init(.json)), size(.init(.binary, isCompressed: false)), size(.init(.binary)),
        ]
        #expect(sizes == sizes.sorted(by: >) && sizes[2] * 3 < sizes[0], "\(sizes)")
    }
}

extension TestStack {
    /// The model in the store's file.
    fileprivate func modelCache() throws -> Data? {
        let url = try #require(container.persistentStoreCoordinator.persistentStores.first?.url)
        return try SQLiteStoreFile.modelCache(at: url)
    }
}
