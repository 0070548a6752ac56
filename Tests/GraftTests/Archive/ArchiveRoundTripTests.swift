// Archive, then restore: the identity on every graph, in every encoding and store.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ArchiveRoundTripTests {
    @Test(arguments: Laws.cases(1...40))
    func `a restored store has the graph that was archived, whatever its model`(seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        let kind: StoreKind = seed % 2 == 0 ? .inMemory : .sqlite
        let original = try TestStack(graph.model, kind)
        try original.fill { graph.fill($0, count: 35) }
        let labels = try original.labels()
        for encoding in GraphArchive.Encoding.allCases {
            let archive = try original.archive(encoding)
            #expect(try original.archive(encoding) == archive, "seed \(seed): the same store, other bytes")
            #expect(try GraphArchive(archive).verify().objectCount == labels.count, "seed \(seed)")
            let restored = try TestStack.restored(from: archive, seed % 3 == 0 ? .sqlite : .inMemory)
            #expect(try restored.labels() == labels, "seed \(seed), \(encoding)")
            // Restored in one save or in many, the graph is the same.
            let batched = try TestStack.restored(from: archive, .sqlite) {
                $0.savesEachBatch = true
                $0.batchSize = 4
            }
            #expect(try batched.labels() == labels, "seed \(seed), \(encoding), batches")
            // And restoring once more changes nothing.
            let again = try batched.restore(archive)
            #expect(again.total.unchanged == labels.count, "seed \(seed), \(encoding): \(again)")
            #expect(try batched.labels() == labels, "seed \(seed), \(encoding), twice")
        }
    }

    /// Its header names the store of which a restored one becomes a copy.
    @Test(.needsOurCoreData, arguments: Laws.cases(1...10))
    func `the archive of a restored store is the archive`(seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        let original = try TestStack(graph.model, .sqlite)
        try original.fill { graph.fill($0, count: 30) }
        // The rows of objects without identity are numbered anew in the order of the archive; from then on nothing changes.
        let first = try TestStack.restored(from: original.archive(), .sqlite).archive()
        let second = try TestStack.restored(from: first, .sqlite).archive()
        let third = try TestStack.restored(from: second, .sqlite).archive()
        #expect(second == third, "seed \(seed)")
        let binary = try TestStack.restored(from: original.archive(.binary), .sqlite)
        #expect(
            try TestStack.restored(from: binary.archive(.binary), .sqlite).archive(.binary) == binary.archive(.binary))
    }

    /// Checking the rules of the model takes objects; otherwise an empty store gets rows.
    @Test(.needsOurCoreData, arguments: Laws.cases(1...60, oneOf: 15))
    func `a store is the same whether objects are made for it or rows alone`(seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        let original = try TestStack(graph.model, .sqlite)
        try original.fill { graph.fill($0, count: 40) }
        let archive = try original.archive()
        for size in [1, 7, 5000] {
            for savesEachBatch in [false, true] {
                let stores = try [false, true].map { makesObjects in
                    try TestStack.restored(from: archive, .sqlite) {
                        $0.batchSize = size
                        $0.savesEachBatch = savesEachBatch
                        $0.validates = makesObjects
                    }
                }
                let archives = try stores.map { try $0.archive() }
                #expect(archives[0] == archives[1], "seed \(seed), batches of \(size)")
                #expect(try stores[0].labels() == stores[1].labels(), "seed \(seed), batches of \(size)")
                #expect(try stores[0].findings() == [], "seed \(seed), batches of \(size)")
            }
        }
    }

    // MARK: Values

    private static var every: NSManagedObjectModel {
        var sketch = ModelSketch()
        let types: [(String, NSAttributeType)] = [
            ("binary", .binaryDataAttributeType), ("boolean", .booleanAttributeType), ("date", .dateAttributeType),
            ("decimal", .decimalAttributeType), ("double", .doubleAttributeType), ("float", .floatAttributeType),
            ("integer16", .integer16AttributeType), ("integer32", .integer32AttributeType),
            ("integer64", .integer64AttributeType), ("string", .stringAttributeType),
            ("transformable", .transformableAttributeType), ("uri", .URIAttributeType), ("uuid", .UUIDAttributeType),
        ]
        sketch.entity("Every", types.map { .attribute($0.0, $0.1) })
        return sketch.model()
    }

    private static var values: [(String, [Any])] {
        [
            ("binary", [Data(), Data([0, 255, 10]), Data((0..<1000).map { UInt8($0 & 255) })]),
            ("boolean", [true, false]),
            (
                "date",
                [0.0, 0.1, -0.0, 1e-300, 63_114_076_800.123, -1e15, .infinity].map(
                    Date.init(timeIntervalSinceReferenceDate:))
            ),
            (
                "decimal",
                [
                    "0", "0.1", "-12.50", "12345678901234567890123456789012345678", "1e127", "1e-128", "NaN",
                    "-99999999999999999999999999999999999999e90", "0.111111111111111111111111111111111111108",
                ].map { NSDecimalNumber(string: $0) }
            ),
            (
                "double",
                [
                    0.1, -0.0, Double.leastNonzeroMagnitude, Double.greatestFiniteMagnitude, Double.infinity,
                    -Double.infinity, Double.nan,
                    1e21, 9007199254740993,
                    Double(bitPattern: 0x7FF8_0000_0000_0123),
                ]
            ),
            ("float", [Float(0.1), -Float(0), Float.infinity, Float.leastNonzeroMagnitude, Float.nan]),
            ("integer16", [Int16.min, Int16.max]),
            ("integer32", [Int32.min, Int32.max]),
            ("integer64", [Int64.min, Int64.max, Int64(9_007_199_254_740_993), Int64(0)]),
            (
                "string",
                ["", "a\u{0}b", "\"\\/\u{8}\n\r\t", "é", "e\u{301}", "🖌️", String(repeating: "long ", count: 50)]
            ),
            ("transformable", [["a": 1, "b": ["c"]] as NSDictionary, ["x", "y"] as NSArray, "text" as NSString]),
            ("uri", ["https://example.org/a%20b?q=1#f", "file:///tmp/", "urn:isbn:1"].compactMap { URL(string: $0) }),
            ("uuid", [UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000") ?? UUID()]),
        ]
    }

    @Test(arguments: GraphArchive.Encoding.allCases, [true, false])
    func `every value of every type comes back to the bit`(
        _ encoding: GraphArchive.Encoding, isCompressed: Bool
    ) throws {
        // In memory, because SQLite has neither NaN nor the sign of zero.
        let original = try TestStack(Self.every)
        try original.fill { context in
            context.add("Every")
            for (name, values) in Self.values { for value in values { context.add("Every", [name: value]) } }
        }
        let archive = try original.archive(encoding) { $0.isCompressed = isCompressed }
        let restored = try TestStack.restored(from: archive)
        #expect(try restored.labels() == original.labels())
        #expect(try restored.archive(encoding) { $0.isCompressed = isCompressed } == archive)
    }

    @Test func `a value that isn't there is nil again, and not the model's default`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text", default: "default"), .attribute("mark", default: "mark")])
        let original = try TestStack(sketch.model())
        try original.fill { $0.add("Note").setValue(nil, forKey: "text") }
        let restored = try TestStack.restored(from: original.archive())
        try restored.perform { context in
            let note = try #require(try context.all("Note").first)
            #expect(note.text("text") == nil && note.text("mark") == "mark")
        }
    }

    @Test func `trees of a transformable attribute are kept`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("thing", .transformableAttributeType)])
        let original = try TestStack(sketch.model(), .sqlite)
        try original.fill { $0.add("Note", ["thing": ["a": [1, 2, 3]] as NSDictionary]) }
        let archive = try original.archive()
        let restored = try TestStack.restored(from: archive, .sqlite)
        #expect(try lines(restored.archive())[2] == lines(archive)[2])
    }

    /// Makes other bytes each time, as archiving makes of dictionaries.
    private final class SaltingTransformer: ValueTransformer {
        static let name = NSValueTransformerName("ArchiveRoundTripTests.salting")

        override class func transformedValueClass() -> AnyClass { NSData.self }
        override class func allowsReverseTransformation() -> Bool { true }

        override func transformedValue(_ value: Any?) -> Any? {
            let text = value as? String ?? (value as? Date).map { "@\($0.timeIntervalSinceReferenceDate)" }
            return text.map { Data("\(UUID().uuidString)\($0)".utf8) as NSData }
        }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            guard let data = value as? Data else { return nil }
            let text = String(decoding: data.dropFirst(36), as: UTF8.self)
            return text.hasPrefix("@") ? Double(text.dropFirst()).map(Date.init(timeIntervalSinceReferenceDate:)) : text
        }
    }

    @Test func `objects with other bytes each time come back, and are the same when they are restored again`() throws {
        ValueTransformer.setValueTransformer(SaltingTransformer(), forName: SaltingTransformer.name)
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("thing", .transformableAttributeType)])
        let model = sketch.model()
        let thing = model.entitiesByName["Note"]?.attributesByName["thing"]
        thing?.valueTransformerName = SaltingTransformer.name.rawValue
        let original = try TestStack(model, .sqlite)
        let things: [Any] = ["a", "b", "b", Date(timeIntervalSinceReferenceDate: 1)]
        try original.fill { context in for thing in things { context.add("Note", ["thing": thing]) } }
        for encoding in GraphArchive.Encoding.allCases {
            let archive = try original.archive(encoding)
            let restored = try TestStack.restored(from: archive, .sqlite)
            for _ in 0..<2 {
                let report = try restored.restore(archive)
                #expect(report.total.unchanged == things.count, "\(report)")
                let held = try restored.perform { try $0.all("Note").map { "\($0.value(forKey: "thing") ?? "nil")" } }
                #expect(held.sorted() == things.map { "\($0)" }.sorted())
            }
        }
    }

    // MARK: Shapes

    private static var chain: NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Link",
            [
                .attribute("number", .integer64AttributeType), .toOne("next", "Link", inverse: "previous"),
                .toOne("previous", "Link", inverse: "next"), .toOne("loose", "Link"),
            ])
        return sketch.model()
    }

    @Test(arguments: [true, false])
    func `a long chain of objects that ends where it begins is archived and restored`(savesBatches: Bool) throws {
        let count = Laws.count(20_000, otherwise: 5000)
        let original = try TestStack(Self.chain, .sqlite)
        try original.fill { context in
            let links = (0..<count).map { context.add("Link", ["number": $0]) }
            for (index, link) in links.enumerated() {
                link.setValue(links[(index + 1) % count], forKey: "next")
                if index % 7 == 0 { link.setValue(links[(index * 31) % count], forKey: "loose") }
            }
        }
        let restored = try TestStack.restored(from: original.archive(.binary), .sqlite) {
            $0.savesEachBatch = savesBatches
        }
        try restored.perform { context in
            let links = try context.all("Link", by: "number")
            #expect(links.count == count)
            for (index, link) in links.enumerated() {
                guard link.object("next")?.number("number") == Int64((index + 1) % count),
                    index % 7 != 0 || link.object("loose")?.number("number") == Int64((index * 31) % count)
                else { throw GraftError(.other(finding: "link \(index) leads elsewhere", remedy: "")) }
            }
        }
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `circles of mandatory references survive batches that are saved`(_ encoding: GraphArchive.Encoding) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Country",
            [
                .attribute("name"), .toOne("capital", "City", inverse: "rules", isOptional: false),
                .toMany("cities", "City", inverse: "country", isOrdered: true),
            ])
        sketch.entity(
            "City",
            [
                .attribute("name"), .toOne("rules", "Country", inverse: "capital"),
                .toOne("country", "Country", inverse: "cities", isOptional: false),
            ])
        let original = try TestStack(sketch.model(), .sqlite)
        try original.fill { context in
            for number in 0..<20 {
                let country = context.add("Country", ["name": "C\(number)"])
                let cities = (0..<5).reversed().map { context.add("City", ["name": "C\(number).\($0)"]) }
                country.setValue(NSOrderedSet(array: cities), forKey: "cities")
                country.setValue(cities[number % 5], forKey: "capital")
            }
        }
        let restored = try TestStack.restored(from: original.archive(encoding), .sqlite) {
            $0.savesEachBatch = true
            $0.batchSize = 3
        }
        #expect(try restored.labels() == original.labels())
    }

    @Test func `an archive of some objects has everything that they reach, and nothing else`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.fill { context in
            for island in 0..<3 {
                let publisher = context.add("Publisher", ["identifier": island])
                for hero in 0..<4 {
                    context.add("Character", ["identifier": island * 10 + hero, "publisher": publisher])
                }
            }
        }
        let archive = try stack.perform { context in
            let hero = try #require(try context.one("Character", "identifier", 12))
            return try context.archive(of: [hero])
        }
        let header = try archive.header()
        #expect(header.objectCount == 5)
        let restored = try TestStack(ComicModel.make())
        try restored.container.restore(archive)
        #expect(try restored.count("Character") == 4)
        #expect(try restored.perform { try $0.one("Publisher", "identifier", 1) != nil })
    }

    @Test func `what isn't saved yet is in the archive of a context`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.fill { $0.add("Publisher", ["identifier": 1, "name": "Old"]) }
        try stack.perform { context in
            try context.one("Publisher", "identifier", 1)?.setValue("New", forKey: "name")
            context.add("Character", ["name": "Nameless", "publisher": try context.all("Publisher")[0]])
            let archive = try context.archive()
            let restored = try TestStack(ComicModel.make())
            try restored.container.restore(archive)
            try restored.perform { context in
                let character = try #require(try context.all("Character").first)
                #expect(character.object("publisher")?.text("name") == "New")
            }
            #expect(context.hasChanges)
        }
    }

    @Test func `an empty store has an archive, too`() throws {
        for encoding in GraphArchive.Encoding.allCases {
            let archive = try TestStack(ComicModel.make()).archive(encoding)
            #expect(try TestStack.restored(from: archive).count("Character") == 0)
        }
    }
}
