// Decoding heroes into managed objects by ManagedCodable, beside JSONDecoder's decoding of the same text into structs of the
// same shape. What the ratio contains beyond decoding: making objects in a context, finding the 25 publishers and 500 powers
// that the heroes share by their identities, and connecting them.

import CoreData
import Foundation
import Graft

final class CodedHero: NSManagedObject, ManagedCodable {}

enum CodableBenchmark {
    private struct Hero: Codable {
        struct Publisher: Codable {
            var identifier: Int64
            var name: String?
            var founded: Int16?
        }

        struct Power: Codable {
            var identifier: Int64
            var name: String?
        }

        var identifier: Int64
        var name: String?
        var realName: String?
        var debut: Date?
        var height: Double?
        var isRetired: Bool?
        var rating: Int16?
        var biography: String?
        var publisher: Publisher?
        var powers: [Power]
    }

    private static let heroCount = 20_000

    static func run(_ table: Table) throws {
        let data = try makeData()
        let megabytes = Double(data.count) / 1e6
        table.title("Decoding \(heroCount) heroes (\(String(format: "%.1f", megabytes)) MB) with JSONDecoder")
        var structs = Cost.infinite
        var managed = Cost.infinite
        var inserted = Cost.infinite
        var insert = ManagedCodingOptions()
        insert.existingObjects = .insert
        // By turns, so that whatever else the machine does meets all.
        for _ in 0..<9 {
            structs = structs.best(try measure(1) { try JSONDecoder().decode([Hero].self, from: data).count })
            managed = managed.best(try decode(data, ManagedCodingOptions()))
            inserted = inserted.best(try decode(data, insert))
        }
        table.add("structs", structs, megabytes: megabytes, peer: structs)
        table.add("ManagedCodable, by identity", managed, megabytes: megabytes, peer: structs)
        table.add("ManagedCodable, each object new", inserted, megabytes: megabytes, peer: structs)
        table.goal("ManagedCodable / structs", managed, to: structs, "at most 1.5") { $0 <= 1.5 }
    }

    /// Decodes into an empty store in memory.
    private static func decode(_ data: Data, _ options: ManagedCodingOptions) throws -> Cost {
        let model = HeroModel.make()
        model.entitiesByName["Hero"]?.managedObjectClassName = NSStringFromClass(CodedHero.self)
        let context = try NSPersistentContainer.loaded(model).newBackgroundContext()
        return try context.performAndWait {
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            decoder.managedCodingOptions = options
            let (count, cost) = try Cost.of { try decoder.decode([CodedHero].self, from: data).count }
            let expected = options.existingObjects == .insert ? heroCount * 5 : heroCount + 525
            guard count == heroCount, context.insertedObjects.count == expected else {
                throw GraftError(
                    .other(
                        finding: "\(context.insertedObjects.count) objects were decoded instead of \(expected)",
                        remedy: "Repair ManagedCodable."))
            }
            context.reset()
            return cost
        }
    }

    /// The heroes of the other benchmarks, with the names of the properties as keys and numbers as identifiers.
    private static func makeData() throws -> Data {
        var reader = JSONReader(HeroFile(count: heroCount).bytes())
        _ = try reader.next()
        guard case .array(let records) = try reader.value() else {
            throw GraftError(.other(finding: "the heroes are no array", remedy: "Repair HeroFile."))
        }
        let formatter = ISO8601DateFormatter()
        let heroes = records.map { record in
            Hero(
                identifier: number(record["id"]), name: text(record["name"]), realName: text(record["real_name"]),
                debut: text(record["debut"]).flatMap(formatter.date),
                height: 1.5 + Double(number(record["rating"])) / 7,
                isRetired: record["retired"] == true, rating: Int16(number(record["rating"])),
                biography: text(record["biography"]),
                publisher: record["publisher"].map {
                    .init(
                        identifier: number($0["id"]), name: text($0["name"]), founded: Int16(number($0["founded"])))
                },
                powers: powers(record).map { .init(identifier: number($0["id"]), name: text($0["name"])) })
        }
        return try JSONEncoder().encode(heroes)
    }

    private static func powers(_ record: JSONValue) -> [JSONValue] {
        if case .array(let powers)? = record["powers"] { powers } else { [] }
    }

    private static func text(_ value: JSONValue?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    private static func number(_ value: JSONValue?) -> Int64 {
        switch value {
        case .string(let text)?: Int64(text) ?? 0
        case .number(let number)?: number.int64 ?? 0
        default: 0
        }
    }
}
