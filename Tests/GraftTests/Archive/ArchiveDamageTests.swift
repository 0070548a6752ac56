// Damage: every changed byte is found, wherever it is, and nothing of a damaged archive reaches a store.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct ArchiveDamageTests {
    @Test(arguments: [
        ("store", #""store":"Note#1""#, "Note#1"), ("store", #""store":"""#, "''"),
        ("rows", #""rows":{"Note":9223372036854775807}"#, "'Note'"), ("rows", #""rows":{"Note":-1}"#, "-1"),
        ("rows", #""origin":{"Note":9223372036854775806},"rows":{}"#, "9223372036854775806"),
        ("rows", #""partings":[{"branch":"a","rows":{"Note":-7}}],"rows":{}"#, "-7"),
    ])
    func `a lineage that no store can have is damage`(_ key: String, _ damage: String, _ words: String) throws {
        let header = try GraphArchive(archive(.json, isCompressed: false)).header()
        #expect(header.lineage != nil)
        let text = String(decoding: try header.json(), as: UTF8.self)
        _ = try GraphArchive.Header(json: Data(text.utf8))
        let damaged = text.replacing(try Regex(#""\#(key)":("[^"]*"|\{[^}]*\})"#), with: damage)
        let error = try #require(graftError { _ = try GraphArchive.Header(json: Data(damaged.utf8)) })
        #expect("\(error)".contains(words))
    }

    /// A small archive with several entities, references, and values of several types.
    private func archive(_ encoding: GraphArchive.Encoding, isCompressed: Bool = true) throws -> Data {
        let stack = try TestStack(Self.model, .sqlite)
        try stack.fill { context in
            let author = context.add("Author", ["name": "Ä", "key": 1])
            for number in 0..<3 {
                context.add("Note", ["text": "note \(number)", "rank": 0.5 * Double(number), "author": author])
            }
        }
        return try stack.archive(encoding) {
            $0.includesModel = false
            $0.isCompressed = isCompressed
        }
    }

    private static var model: NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Author", info: ["identityAttributes": "key"],
            [
                .attribute("key", .integer64AttributeType), .attribute("name"),
                .toMany("notes", "Note", inverse: "author"),
            ])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .attribute("rank", .doubleAttributeType),
                .toOne("author", "Author", inverse: "notes"),
            ])
        return sketch.model()
    }

    private func isDamage(_ error: (any Error)?) -> Bool {
        guard let error = error as? GraftError, case .damagedArchive = error.problem else { return false }
        return error.place.line != nil || error.place.byteOffset != nil
    }

    @Test(arguments: GraphArchive.Encoding.allCases, [true, false])
    func `every single changed byte is found`(_ encoding: GraphArchive.Encoding, isCompressed: Bool) throws {
        let original = try archive(encoding, isCompressed: isCompressed)
        #expect(try GraphArchive(original).verify().objectCount == 4)
        for offset in original.indices {
            // One bit, all bits, and a line feed: the byte that gives a text another structure.
            for byte in [original[offset] ^ 1, ~original[offset], 0x0A] where byte != original[offset] {
                var damaged = original
                damaged[offset] = byte
                let error = graftError { try GraphArchive(damaged).verify() }
                if !isDamage(error) { Issue.record("byte \(offset) as \(byte): \(error?.description ?? "not found")") }
            }
        }
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `an archive that ends early is found, wherever it ends`(_ encoding: GraphArchive.Encoding) throws {
        let original = try archive(encoding)
        for length in 0..<original.count {
            let error = graftError { try GraphArchive(original.prefix(length)).verify() }
            if !isDamage(error) { Issue.record("\(length) bytes: \(error?.description ?? "not found")") }
        }
        #expect(isDamage(graftError { try GraphArchive(original + [0x0A]).verify() }))
        #expect(isDamage(graftError { try GraphArchive(original + original).verify() }))
    }

    @Test func `lines that are missing, doubled or exchanged are found`() throws {
        let original = lines(try archive(.json))
        func verify(_ lines: [String]) -> GraftError? {
            graftError { try GraphArchive(Data((lines.joined(separator: "\n") + "\n").utf8)).verify() }
        }
        #expect(verify(original) == nil)
        for index in 1..<(original.count - 1) {
            var missing = original
            missing.remove(at: index)
            #expect(isDamage(verify(missing)), "line \(index + 1)")
            var doubled = original
            doubled.insert(doubled[index], at: index)
            #expect(isDamage(verify(doubled)), "line \(index + 1)")
            guard index > 1 else { continue }
            var exchanged = original
            exchanged.swapAt(index, index - 1)
            #expect(isDamage(verify(exchanged)), "line \(index + 1)")
        }
    }

    @Test func `an error names the line, or the byte where the block begins`() throws {
        var text = try archive(.json)
        let offset = try #require(text.range(of: Data("note 1".utf8))?.lowerBound)
        text[offset] = UInt8(ascii: "N")
        let error = try #require(graftError { try GraphArchive(.data(text, name: "notes.archive")).verify() })
        #expect(error.place.line == 4 && error.place.source == "notes.archive")
        #expect(
            error.description.hasPrefix("notes.archive: line 4: the archive is damaged: found a line with the checksum")
        )

        var binary = try archive(.binary, isCompressed: false)
        let inBlock = try #require(binary.range(of: Data("note 1".utf8))?.lowerBound)
        binary[inBlock] = UInt8(ascii: "N")
        let place = try #require(graftError { try GraphArchive(binary).verify() }).place
        let start = try #require(place.byteOffset)
        #expect(start < inBlock && start > 8 && binary[start] == UInt8(ascii: "O"))
    }

    @Test(arguments: GraphArchive.Encoding.allCases, [true, false])
    func `nothing of a damaged archive reaches the store`(
        _ encoding: GraphArchive.Encoding, savesBatches: Bool
    ) throws {
        let original = try archive(encoding, isCompressed: false)
        let stack = try TestStack(Self.model, .sqlite)
        try stack.fill { $0.add("Author", ["key": 1, "name": "Stays"]) }
        let before = try stack.labels()
        // The last object, when all others have been read.
        var damaged = original
        let offset = try #require(original.range(of: Data("note 2".utf8))?.lowerBound)
        damaged[offset] = 0x20
        for archive in [damaged, original.prefix(original.count - 10)] {
            let error = graftError {
                try stack.restore(archive) {
                    $0.savesEachBatch = savesBatches
                    $0.batchSize = 1
                }
            }
            #expect(isDamage(error), "\(error?.description ?? "no error")")
            #expect(try stack.labels() == before)
        }
    }

    @Test func `a context is as it was before a damaged archive, its unsaved changes included`() throws {
        var damaged = try archive(.json)
        let offset = try #require(damaged.range(of: Data("note 2".utf8))?.lowerBound)
        damaged[offset] = 0x20
        let stack = try TestStack(Self.model, .sqlite)
        try stack.fill { $0.add("Author", ["key": 1, "name": "Saved"]) }
        try stack.perform { context in
            let author = try #require(try context.all("Author").first)
            author.setValue("Unsaved", forKey: "name")
            let note = context.add("Note", ["text": "mine", "author": author])
            let error = graftError { try context.restore(GraphArchive(damaged)) { $0.batchSize = 1 } }
            #expect(isDamage(error))
            #expect(author.text("name") == "Unsaved" && author.texts("notes", "text") == ["mine"])
            #expect(context.insertedObjects == [note] && context.updatedObjects == [author])
            context.checkInvariants()
        }
    }

    @Test func `another file is no archive, and a later version is refused`() throws {
        for text in ["", "{"] {
            #expect(isDamage(graftError { try GraphArchive(Data(text.utf8)).verify() }), "\(text)")
        }
        for text in [#"{"$graft": {"version": 1}}"#, "SQLite format 3\0"] {
            let error = try #require(graftError { try GraphArchive(Data(text.utf8)).verify() })
            guard case .wrongKind = error.problem else { throw error }
        }
        let header = #"{"$archive":{"version":3}"#
        var checksum = CRC()
        checksum.update(header)
        let later = Data("\(header),\"$crc\":\"\(checksum.text)\"}\n".utf8)
        let error = try #require(graftError { _ = try GraphArchive(later).header() })
        #expect(error.description.contains("version 3") && error.description.contains("Use a newer version"))
    }
}

extension NSManagedObjectContext {
    fileprivate func restore(
        _ archive: GraphArchive, _ change: (inout GraphArchive.RestoringOptions) -> Void
    ) throws {
        var options = GraphArchive.RestoringOptions()
        change(&options)
        try restore(archive, options: options)
    }
}

/// CRC-32C bit by bit, to compare with.
struct CRC {
    private var state: UInt32 = .max

    mutating func update(_ text: String) { update(text.utf8) }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
        }
    }

    var value: UInt32 { ~state }

    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
