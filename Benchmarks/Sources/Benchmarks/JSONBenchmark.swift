// The JSON reader and writer beside Foundation's.

import Foundation
import Graft

enum JSONBenchmark {
    static func run(_ table: Table) throws {
        let bytes = HeroFile().bytes()
        let data = Data(bytes)
        let file = FileManager.default.temporaryDirectory.appending(path: "graft-heroes-\(UUID().uuidString).json")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let megabytes = Double(bytes.count) / 1e6
        table.title("JSON of \(HeroFile().count) heroes (\(String(format: "%.1f", megabytes)) MB)")

        let peer = try measure(3) { try JSONSerialization.jsonObject(with: data) as? [Any] != nil ? 1 : 0 }
        table.add("JSONSerialization", peer, megabytes: megabytes, peer: peer)
        let decoder = try measure(1) { try JSONDecoder().decode([Hero].self, from: data).count }
        table.add("JSONDecoder into structs", decoder, megabytes: megabytes, peer: peer)
        var decoded = peer
        for (name, decodes) in [("tokens", false), ("tokens and strings", true)] {
            let array = try measure(7) {
                var reader = JSONReader(bytes)
                return try count(&reader, decodes: decodes)
            }
            table.add("JSONReader, \(name), [UInt8]", array, megabytes: megabytes, peer: peer)
            decoded = array
            let inData = try measure(7) {
                var reader = JSONReader(data)
                return try count(&reader, decodes: decodes)
            }
            table.add("JSONReader, \(name), Data", inData, megabytes: megabytes, peer: peer)
            let inFile = try measure(7) {
                var reader = JSONReader(try FileHandle(forReadingFrom: file))
                return try count(&reader, decodes: decodes)
            }
            table.add("JSONReader, \(name), file", inFile, megabytes: megabytes, peer: peer)
        }
        table.goal("JSONSerialization / JSONReader with strings", peer, to: decoded, "at least 8") { $0 >= 8 }
        let tree = try measure(3) {
            var reader = JSONReader(bytes)
            _ = try reader.next()
            return try reader.value() == nil ? 0 : 1
        }
        table.add("JSONReader into JSONValue", tree, megabytes: megabytes, peer: peer)
        try writers(table, data)
    }

    /// Reads everything; the result depends on every string, so that none can be left out.
    static func count(_ reader: inout JSONReader, decodes: Bool) throws -> Int {
        var count = 0
        while true {
            switch try reader.next() {
            case .key(let text), .string(let text):
                count &+= decodes ? reader.string(of: text).utf8.count : text.count
            case .number(let text): count &+= text.count
            case .endOfInput: return count
            default: count &+= 1
            }
        }
    }

    private static func writers(_ table: Table, _ data: Data) throws {
        let tree = try JSONSerialization.jsonObject(with: data)
        let peer = try measure(1) { try JSONSerialization.data(withJSONObject: tree).count }
        var reader = JSONReader(data)
        _ = try reader.next()
        let value = try reader.value()
        let megabytes = Double(data.count) / 1e6
        table.add("JSONSerialization, writing", peer, megabytes: megabytes, peer: peer)
        let writer = try measure(5) {
            var count = 0
            var writer = JSONWriter(sink: { count += $0.count })
            try writer.value(value)
            _ = try writer.finish()
            return count
        }
        table.add("JSONWriter, writing", writer, megabytes: megabytes, peer: peer)
        let strings = JSONBenchmark.strings(in: value)
        let length = Double(strings.reduce(0) { $0 + $1.utf8.count + 3 }) / 1e6
        let plain = try measure(5) {
            var count = 0
            var writer = JSONWriter(sink: { count += $0.count })
            try writer.beginArray()
            for string in strings { try writer.string(string) }
            try writer.endArray()
            _ = try writer.finish()
            return count
        }
        table.add("JSONWriter, its strings alone", plain, megabytes: length, peer: nil)
    }

    private static func strings(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap { strings(in: $0) }
        case .object(let object): object.members.flatMap { strings(in: $0.value) }
        default: []
        }
    }

    private struct Hero: Decodable {
        struct Publisher: Decodable {
            var id, name: String
            var founded: Int
        }
        struct Power: Decodable { var id, name: String }
        var id, name, real_name, debut, biography: String
        var height: Double
        var retired: Bool
        var rating: Int
        var publisher: Publisher
        var powers: [Power]
    }
}
