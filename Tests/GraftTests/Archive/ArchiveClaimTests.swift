// Archives that claim more than they hold: with right checksums, so that only the sizes are wrong. They have to be refused
// soon, and without memory for what isn't there.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ArchiveClaimTests {
    private static let most = Int(Int32.max)

    /// Authors, notes that refer to them, and marks, which have nothing that an archive would keep.
    private static var model: NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Author", info: ["identityAttributes": "key"],
            [.attribute("key", .integer64AttributeType), .toMany("notes", "Note", inverse: "author")])
        sketch.entity("Mark", [])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .toOne("author", "Author", inverse: "notes"),
                .toMany("others", "Note", inverse: "back", isOrdered: true), .toMany("back", "Note", inverse: "others"),
            ])
        return sketch.model()
    }

    /// An archive of one author and one note, with other counts in its header.
    private func blocks(authors: Int, notes: Int, marks: Int = 0) throws -> CraftedArchive {
        let stack = try TestStack(Self.model)
        try stack.perform { context in
            context.add("Note", ["text": "a", "author": context.add("Author", ["key": 1])])
            try context.save()
        }
        var archive = try CraftedArchive(
            stack.archive(.binary) {
                $0.includesModel = false
                $0.isCompressed = false
            })
        let counts = ["Author": authors, "Note": notes, "Mark": marks]
        try archive.changeHeader { entity in
            guard let name = entity["name"] as? String, let count = counts[name] else { return }
            entity["objectCount"] = count
        }
        return archive
    }

    /// The error of restoring an archive, which has to be one of damage with a place, soon and without much memory.
    private func expectRefusal(
        of data: Data, savesBatches: Bool, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let stack = try TestStack(Self.model)
        let before = peakMemory
        let time = try ContinuousClock().measure {
            let error = graftError {
                try stack.restore(data) {
                    $0.savesEachBatch = savesBatches
                    $0.batchSize = 100
                }
            }
            let description = try #require(error, sourceLocation: sourceLocation).description
            #expect(description.contains("the archive is damaged"), sourceLocation: sourceLocation)
            #expect(description.contains(expected), "\(description)", sourceLocation: sourceLocation)
            #expect(error?.place.byteOffset != nil, sourceLocation: sourceLocation)
        }
        #expect(time < .seconds(30), sourceLocation: sourceLocation)
        // Other tests run at the same time; what is claimed would take 16 GB.
        #expect(peakMemory - before < 2 << 30, sourceLocation: sourceLocation)
        #expect(try stack.count("Note") == 0 && stack.count("Author") == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false])
    func `two thousand million objects that aren't there take no memory`(savesBatches: Bool) throws {
        var archive = try blocks(authors: 1, notes: Self.most - 1)
        // One author, then a note that refers to the last of the others.
        let number = Self.most - 1
        archive.objects = [
            [0] + varint(0) + varint(1) + [0b1] + varint(2),
            [2] + varint(1) + varint(1) + [0b10] + varint(1) + varint(number),
        ]
        try expectRefusal(of: archive.data, savesBatches: savesBatches, "found 2 objects")
        try expectRefusal(of: archive.data(isCompressed: true), savesBatches: savesBatches, "found 2 objects")
    }

    @Test(arguments: [true, false])
    func `a block can't have more objects than its bytes can hold`(savesBatches: Bool) throws {
        var archive = try blocks(authors: Self.most, notes: 0)
        archive.objects = [[0] + varint(0) + varint(Self.most) + [0b1] + varint(2)]
        try expectRefusal(
            of: archive.data, savesBatches: savesBatches, "found a block that announces 2147483647 objects")
        // Objects without properties take no bytes at all.
        var marks = try blocks(authors: 0, notes: 0, marks: Self.most)
        marks.objects = [[1] + varint(0) + varint(Self.most)]
        try expectRefusal(
            of: marks.data, savesBatches: savesBatches, "2147483647 objects where it should have at most 1024")
    }

    @Test(arguments: [true, false])
    func `a list can't have more members than there are bytes`(savesBatches: Bool) throws {
        var archive = try blocks(authors: 0, notes: 1)
        archive.objects = [[2] + varint(0) + varint(1) + [0b10] + varint(Self.most) + varint(0)]
        try expectRefusal(of: archive.data, savesBatches: savesBatches, "found the number 2147483647")
    }

    @Test func `objects that take no bytes come back, however many there are`() throws {
        let stack = try TestStack(Self.model)
        try stack.fill { context in for _ in 0..<3000 { context.add("Mark") } }
        for encoding in GraphArchive.Encoding.allCases {
            let copy = try TestStack.restored(from: stack.archive(encoding))
            #expect(try copy.count("Mark") == 3000)
        }
    }

    @Test func `objects with very many properties come in smaller batches`() throws {
        // Properties that the model hasn't got, and that the objects have no values of.
        let (properties, count) = (20_000, 150)
        var archive = try blocks(authors: 0, notes: count)
        try archive.changeHeader { entity in
            guard entity["name"] as? String == "Note" else { return }
            entity["properties"] = (0..<properties).map { ["name": "p\($0)", "type": "integer16"] }
        }
        archive.total = count
        let presence = [UInt8](repeating: 0, count: properties / 8)
        archive.objects = [
            [2] + varint(0) + varint(count) + (0..<count).flatMap { _ in presence }
        ]
        let stack = try TestStack(Self.model)
        let report = try stack.restore(archive.data(isCompressed: true)) {
            $0.savesEachBatch = true
            $0.fit = .partial
        }
        #expect(report.recordCount == count && report.batchCount > 1)
        #expect(try stack.count("Note") == count)
    }

    /// The most memory that the process has had, in bytes; 0 where the system doesn't say.
    private var peakMemory: Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { return 0 }
        return kilobytes << 10
    }
}

/// A binary archive in parts, to be put together with right lengths and checksums. docs/archive-format.md has the format.
private struct CraftedArchive {
    private var header: [UInt8]
    /// The contents of the blocks of objects.
    var objects: [[UInt8]] = []
    /// How many objects the end says there are.
    var total = Int(Int32.max)

    /// Takes the header of an archive.
    init(_ archive: Data) throws {
        let bytes = [UInt8](archive)
        let length = bytes[16..<20].reversed().reduce(0) { length, byte -> Int in length << 8 | Int(byte) }
        header = Array(bytes[28..<(28 + length)])
    }

    /// Changes the description of each entity.
    mutating func changeHeader(_ change: (inout [String: Any]) -> Void) throws {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(header)) as? [String: Any])
        var entities = try #require(object["entities"] as? [[String: Any]])
        for index in entities.indices { change(&entities[index]) }
        object["entities"] = entities
        header = [UInt8](try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
    }

    var data: Data { get throws { try data(isCompressed: false) } }

    func data(isCompressed: Bool) throws -> Data {
        var bytes: [UInt8] = [0x8B, 0x47, 0x52, 0x41, 0x46, 0x54, 0x0D, 0x0A]
        var number = 0
        func append(_ kind: Character, _ contents: [UInt8], isCompressed: Bool = false) {
            let stored = isCompressed ? Self.deflated(contents) : contents
            let head =
                [kind.asciiValue ?? 0, isCompressed ? 1 : 0, 0, 0] + littleEndian(number, 4)
                + littleEndian(stored.count, 4) + littleEndian(contents.count, 4)
            bytes += head + littleEndian(Int(crc(head)), 4) + stored + littleEndian(Int(crc(stored)), 4)
            number += 1
        }
        append("H", header)
        for contents in objects { append("O", contents, isCompressed: isCompressed) }
        append("E", littleEndian(total, 8) + littleEndian(Int(crc(bytes)), 4))
        return Data(bytes)
    }

    /// Raw DEFLATE without compression: stored blocks (RFC 1951, section 3.2.4).
    private static func deflated(_ contents: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + 65_535, contents.count)
            let length = end - start
            result += [end == contents.count ? 1 : 0] + littleEndian(length, 2) + littleEndian(~length & 0xFFFF, 2)
            result += contents[start..<end]
            start = end
        } while start < contents.count
        return result
    }
}

private func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func varint(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest > 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: rest | 0x80))
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

private func crc(_ bytes: [UInt8]) -> UInt32 {
    var checksum = CRC()
    checksum.update(bytes)
    return checksum.value
}
