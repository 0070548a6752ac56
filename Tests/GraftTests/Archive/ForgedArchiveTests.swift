// Archives with right checksums that contradict themselves: refused by name, never a crash.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct ForgedArchiveTests {
    /// Inheritance, and every kind of relationship.
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Author", info: ["identityAttributes": "key"],
            [
                .attribute("key", .integer16AttributeType), .attribute("born", .dateAttributeType),
                .toMany("notes", "Note", inverse: "author"), .toOne("desk", "Desk", inverse: "author"),
                .toMany("friends", "Author", inverse: "admirers"), .toMany("admirers", "Author", inverse: "friends"),
                .toMany("poems", "Poem", inverse: "poet", isOrdered: true),
                .toMany("read", "Poem", inverse: "readers", isOrdered: true),
            ])
        sketch.entity(
            "Poem",
            [
                .attribute("title"), .toOne("poet", "Author", inverse: "poems"),
                .toMany("readers", "Author", inverse: "read", isOrdered: true),
            ])
        sketch.entity("Poet", parent: "Author", info: ["identityAttributes": "key"], [.attribute("style")])
        sketch.entity(
            "Desk", [.attribute("width", .doubleAttributeType), .toOne("author", "Author", inverse: "desk")])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .attribute("price", .decimalAttributeType),
                .attribute("bytes", .binaryDataAttributeType),
                .attribute("tree", .transformableAttributeType), .attribute("id", .UUIDAttributeType),
                .attribute("isOpen", .booleanAttributeType), .attribute("link", .URIAttributeType),
                .toOne("author", "Author", inverse: "notes"),
                .toMany("others", "Note", inverse: "back", isOrdered: true), .toMany("back", "Note", inverse: "others"),
            ])
        return sketch.model()
    }

    private struct Contents {
        var header: GraphArchive.Header
        var records: [ArchiveRecord]
        /// What the records are written as.
        let entities: [ArchiveEntity]

        init(_ data: Data) throws {
            let decoder = try GraphArchive(data).decoder()
            header = decoder.header
            entities = try header.archiveEntities()
            records = []
            while let record = try decoder.next() { records.append(record) }
        }

        func entity(_ name: String) -> Int { header.entities.firstIndex { $0.name == name } ?? 0 }

        func column(_ property: String, of entity: String) -> Int {
            entities[self.entity(entity)].items.first { $0.name == property }?.column ?? 0
        }

        func number(of entity: String) -> Int { records.first { $0.entity == self.entity(entity) }?.number ?? 0 }

        mutating func changeRecord(of entity: String, _ change: (inout ArchiveRecord) -> Void) {
            if let index = records.firstIndex(where: { $0.entity == self.entity(entity) }) { change(&records[index]) }
        }

        /// The archive, with checksums that are right.
        func data(_ encoding: GraphArchive.Encoding) throws -> Data {
            final class Sink { var data = Data() }
            let sink = Sink()
            var header = header
            header.encoding = encoding
            var names: [String] = []
            for record in records.sorted(by: { $0.number < $1.number }) {
                names.append("\(entities[record.entity].name)#\(record.number)")
            }
            let encoder: any ArchiveEncoder =
                switch encoding {
                case .json:
                    LineArchiveEncoder(entities, names: names) { span in
                        for i in span.indices { sink.data.append(span[i]) }
                    }
                case .binary:
                    BlockArchiveEncoder(entities, isCompressed: false) { span in
                        for i in span.indices { sink.data.append(span[i]) }
                    }
                }
            try encoder.begin(header, model: nil)
            for record in records { try encoder.write(record) }
            try encoder.end()
            return sink.data
        }
    }

    private func contents() throws -> Contents {
        let stack = try TestStack(Self.model(), .sqlite)
        try stack.fill { context in
            let desk = context.add("Desk", ["width": 1.5])
            let author = context.add("Author", ["key": 1, "desk": desk])
            let poet = context.add("Poet", ["key": 2, "style": "s", "friends": NSSet(object: author)])
            let poems = ["x", "y"].map { context.add("Poem", ["title": $0, "poet": poet]) }
            author.setValue(NSOrderedSet(array: poems.reversed()), forKey: "read")
            let first = context.add("Note", ["text": "a", "author": author, "price": NSDecimalNumber(value: 2)])
            context.add(
                "Note",
                [
                    "text": "b", "author": poet, "others": NSOrderedSet(object: first), "bytes": Data([1]),
                    "tree": ["k": [1]], "id": UUID(), "isOpen": true, "link": try #require(URL(string: "a://b")),
                ])
        }
        return try Contents(stack.archive(.binary) { $0.includesModel = false })
    }

    /// What every reader makes of an archive: nothing, or what the archive says; the error otherwise.
    @discardableResult
    private func read(_ data: Data) -> GraftError? {
        var error: GraftError?
        func attempt(_ body: () throws -> Void) {
            do {
                try body()
            } catch let found as GraftError {
                error = error ?? found
            } catch {
                Issue.record("\(error)")
            }
        }
        attempt { try GraphArchive(data).verify() }
        attempt { _ = try GraphSnapshot(reading: .data(data), model: Self.model()).contents() }
        attempt { _ = try GraphSnapshot(reading: .data(data), entity: "Author", model: Self.model()) }
        for fit in GraphArchive.ModelFit.allCases {
            // Into a store on disk rows are restored, into memory objects.
            for kind in fit == .exact ? StoreKind.allCases : [.inMemory] {
                for savesBatches in [true, false] {
                    attempt {
                        let stack = try TestStack(Self.model(), kind)
                        try stack.restore(data) {
                            $0.fit = fit
                            $0.savesEachBatch = savesBatches
                            $0.batchSize = 2
                        }
                    }
                }
            }
        }
        return error
    }

    /// The error of an archive, which `verify` and all others tell.
    private func refusal(
        _ encoding: GraphArchive.Encoding, _ change: (inout Contents) throws -> Void
    ) throws -> GraftError {
        var forged = try contents()
        try change(&forged)
        let data = try forged.data(encoding)
        read(data)
        let error = try #require(graftError { try GraphArchive(data).verify() })
        if case .damagedArchive = error.problem {} else { Issue.record("\(error)") }
        return error
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `an archive that is written anew is as good as before`(_ encoding: GraphArchive.Encoding) throws {
        let data = try contents().data(encoding)
        #expect(read(data) == nil)
        #expect(try GraphArchive(data).verify().objectCount == 7)
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `a reference to an object of another entity names its property`(_ encoding: GraphArchive.Encoding) throws {
        let toOne = try refusal(encoding) { forged in
            let (column, desk) = (forged.column("author", of: "Note"), forged.number(of: "Desk"))
            forged.changeRecord(of: "Note") { $0.destinations[column] = desk }
        }
        #expect(toOne.place.entity == "Note" && toOne.place.property == "author")
        #expect(toOne.description.contains("a reference to an object of 'Desk'"), "\(toOne)")
        #expect(toOne.place.line != nil || toOne.place.byteOffset != nil)
        let toMany = try refusal(encoding) { forged in
            let (column, poet) = (forged.column("others", of: "Note"), forged.number(of: "Poet"))
            forged.changeRecord(of: "Note") { $0.members[column] = [poet] }
        }
        #expect(toMany.place.entity == "Note" && toMany.place.property == "others")
        // One of a sub-entity is right.
        var poets = try contents()
        let (column, poet) = (poets.column("author", of: "Note"), poets.number(of: "Poet"))
        poets.changeRecord(of: "Note") { $0.destinations[column] = poet }
        #expect(try read(poets.data(encoding)) == nil)
    }

    @Test(arguments: GraphArchive.Encoding.allCases, [false, true])
    func `two objects with one partner are damage, and nothing is restored`(
        _ encoding: GraphArchive.Encoding, _ savesBatches: Bool
    ) throws {
        var forged = try contents()
        for name in ["Author", "Poet"] {
            let (column, desk) = (forged.column("desk", of: name), forged.number(of: "Desk"))
            forged.changeRecord(of: name) { $0.destinations[column] = desk }
        }
        let stack = try TestStack(Self.model(), .sqlite)
        let data = try forged.data(encoding)
        let error = try #require(graftError { try stack.restore(data) { $0.savesEachBatch = savesBatches } })
        #expect(error.description.contains("an object that two others have"), "\(error)")
        #expect(error.place.property == "desk")
        #expect(try stack.labels().isEmpty)
    }

    @Test(arguments: ["poems", "read", "poet"], [false, true])
    func `ends that disagree are damage, for objects and for rows`(_ property: String, _ savesBatches: Bool) throws {
        for kind in StoreKind.allCases {
            var forged = try contents()
            switch property {
            case "poet":
                let column = forged.column("poet", of: "Poem")
                forged.changeRecord(of: "Poem") { $0.destinations[column] = ArchiveRecord.none }
            default:
                let entity = property == "read" ? "Author" : "Poet"
                let column = forged.column(property, of: entity)
                forged.changeRecord(of: entity) { $0.members[column].removeLast() }
            }
            let stack = try TestStack(Self.model(), kind)
            let data = try forged.data(.json)
            let error = try #require(graftError { try stack.restore(data) { $0.savesEachBatch = savesBatches } })
            #expect(error.description.contains("links that one end has and the other end doesn't"), "\(error)")
            #expect([property, "poems", "readers"].contains(error.place.property ?? ""))
            #expect(try stack.labels().isEmpty)
        }
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `an integer that its type can't hold is damage`(_ encoding: GraphArchive.Encoding) throws {
        let error = try refusal(encoding) { forged in
            let column = forged.column("key", of: "Author")
            forged.changeRecord(of: "Author") { $0.values[column] = .integer(70_000) }
        }
        #expect(error.place.entity == "Author" && error.place.property == "key")
        #expect(error.description.contains("70000"))
    }

    @Test(arguments: GraphArchive.Encoding.allCases, ["toOne", "string", "integer16", "toMany"])
    func `the number of a row is the last property, and an integer`(
        _ encoding: GraphArchive.Encoding, _ type: String
    ) throws {
        let wrongType = try refusal(encoding) { forged in
            let desk = forged.entity("Desk")
            let last = forged.header.entities[desk].properties.count - 1
            forged.header.entities[desk].properties[last].type = type
        }
        #expect(wrongType.place.entity == "Desk" && wrongType.place.property == "$row", "\(wrongType)")
        let early = try refusal(encoding) { forged in
            let desk = forged.entity("Desk")
            forged.header.entities[desk].properties.reverse()
        }
        #expect(early.place.property == "$row", "\(early)")
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `a header that contradicts itself is refused`(_ encoding: GraphArchive.Encoding) throws {
        let circle = try refusal(encoding) { forged in
            forged.header.entities[forged.entity("Author")].superentity = "Poet"
        }
        #expect(circle.description.contains("inheritance"), "\(circle)")
        let unknown = try refusal(encoding) { forged in
            let note = forged.entity("Note")
            for index in forged.header.entities[note].properties.indices
            where forged.header.entities[note].properties[index].name == "author" {
                forged.header.entities[note].properties[index].destination = "Nobody"
            }
        }
        #expect(unknown.place.property == "author", "\(unknown)")
        let twice = try refusal(encoding) { forged in
            forged.header.entities[forged.entity("Desk")].name = "Note"
        }
        #expect(twice.description.contains("for the second time"), "\(twice)")
    }

    // MARK: Whatever is changed

    private static let types = ["toOne", "toMany", "orderedToMany"] + AttributeKind.allCases.map(\.rawValue)

    private func change(_ contents: inout Contents, _ random: inout SeededGenerator) {
        let entity = random.below(contents.header.entities.count)
        let names = contents.header.entities.map(\.name) + ["Nobody"]
        let properties = contents.header.entities[entity].properties
        let (one, other) = (random.below(max(1, properties.count)), random.below(max(1, properties.count)))
        let record = random.below(contents.records.count)
        let number = random.below(contents.records.count)
        switch random.below(12) {
        case 0 where !properties.isEmpty:
            contents.header.entities[entity].properties[one].type = Self.types[random.below(Self.types.count)]
        case 1 where !properties.isEmpty:
            contents.header.entities[entity].properties[one].destination = names[random.below(names.count)]
        case 2 where !properties.isEmpty:
            contents.header.entities[entity].properties[one].name = random.chance(50) ? properties[other].name : "$row"
        case 3 where !properties.isEmpty: contents.header.entities[entity].properties.swapAt(one, other)
        case 4 where !properties.isEmpty: contents.header.entities[entity].properties.remove(at: one)
        case 5: contents.header.entities[entity].superentity = names[random.below(names.count)]
        case 6: contents.header.entities.swapAt(entity, random.below(contents.header.entities.count))
        case 7: contents.header.entities[entity].objectCount += random.below(3) - 1
        case 8:
            contents.header.lineage = .init(
                store: random.chance(50) ? "" : UUID().uuidString,
                rows: ["Note": .max, "Desk": .min, "Author": Int64(random.below(9))],
                partings: [.init(branch: "", rows: ["Note": -1])])
        case 9 where !contents.records[record].destinations.isEmpty:
            let column = random.below(contents.records[record].destinations.count)
            contents.records[record].destinations[column] = number
        case 10 where !contents.records[record].members.isEmpty:
            let column = random.below(contents.records[record].members.count)
            contents.records[record].members[column] += [number, number]
        case 11:
            // Numbers at the ends of their types, and of what a date may be.
            for column in contents.records[record].values.indices {
                switch contents.records[record].values[column] {
                case .integer:
                    let ends: [Int64] = [.min, .max, 0, -1, 70_000]
                    contents.records[record].values[column] = .integer(ends[random.below(ends.count)])
                case .double: contents.records[record].values[column] = .double(.nan)
                case .date: contents.records[record].values[column] = .date(.infinity)
                case .decimal: contents.records[record].values[column] = .decimal(.nan)
                case .encoded: contents.records[record].values[column] = .encoded(Data([0, 1, 2]))
                default: continue
                }
            }
        default: contents.header.entities[entity].versionHash = Data([UInt8(random.below(256))])
        }
    }

    @Test(arguments: GraphArchive.Encoding.allCases)
    func `whatever is changed, an archive is read or refused`(_ encoding: GraphArchive.Encoding) throws {
        let original = try contents()
        var refused = 0
        let count = Laws.count(150, otherwise: 30)
        for seed in 0..<count {
            var random = SeededGenerator(seed: seed)
            var forged = original
            for _ in 0...random.below(3) { change(&forged, &random) }
            if read(try forged.data(encoding)) != nil { refused += 1 }
        }
        #expect((count / 3..<count).contains(refused), "\(refused)")
    }
}
