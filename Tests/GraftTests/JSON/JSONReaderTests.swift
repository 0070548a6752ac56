// The tokens of the reader: their order, what can be skipped, and records in every format.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONReaderTests {
    @Test(arguments: Delivery.allCases)
    func `tokens come in the order of the text`(_ delivery: Delivery) throws {
        let text = #" {"a": [1, -2.5e3, true], "b\n\u00e9\ud83d\ude00": {"c":null,"d":""}, "é": [[],{}]} "#
        #expect(
            try tokens(of: text, delivery) == [
                "{", "key a", "[", "number 1", "number -2.5e3", "true", "]", "key b\né😀", "{", "key c", "null", "key d",
                "string ", "}", "key é", "[", "[", "]", "{", "}", "]", "}",
            ])
    }

    @Test(arguments: Delivery.allCases)
    func `random values are read as JSONSerialization reads them`(_ delivery: Delivery) throws {
        for seed: UInt64 in 1...60 {
            var random = SeededGenerator(seed: seed)
            let value = JSONValue.array([random.value(), random.value(), random.value()])
            let data = try Self.foundationData(value)
            var reader = delivery.reader(Array(data))
            _ = try reader.next()
            let read = try reader.value()
            #expect(try Self.value(of: JSONSerialization.jsonObject(with: data)) == read, "seed \(seed)")
            #expect(read == value, "seed \(seed)")
            #expect(try reader.next() == .endOfInput)
        }
    }

    @Test func `a damaged text has the same result in memory and in chunks`() throws {
        for seed: UInt64 in 1...400 {
            var random = SeededGenerator(seed: seed)
            var bytes = Array(random.value().description.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let damage =
                    Array(#"{}[]",:\u0e-.x "#.utf8) + Array("é€😀\u{301}".utf8) + [
                        0, 0x0A, 0x80, 0xC3, 0xED, 0xF4, 0xFF,
                    ]
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[index] = damage.randomElement(using: &random) ?? 0
                case 1: bytes.insert(damage.randomElement(using: &random) ?? 0, at: index)
                default: bytes.removeSubrange(index..<min(bytes.count, index + 5))
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            let results = [Delivery.array, .data, .chunks1, .chunks3, .chunks7].map { delivery in
                var reader = delivery.reader(bytes)
                do { return "\(try tokens(of: &reader))" } catch let error as GraftError {
                    return "\(error)"
                } catch { return "\(error)" }
            }
            #expect(Set(results).count == 1, "seed \(seed)")
        }
    }

    @Test func `a byte order mark at the beginning is ignored and elsewhere an error`() throws {
        for delivery in Delivery.allCases {
            #expect(try tokens(of: "\u{FEFF}[1]", delivery) == ["[", "number 1", "]"])
            #expect(readingError(of: " \u{FEFF}[1]", delivery) != nil)
            #expect(readingError(of: "\u{FEFF}", delivery) != nil)
            #expect(readingError(of: "\u{FEFF}\u{FEFF}1", delivery) != nil)
        }
    }

    @Test(arguments: Delivery.allCases)
    func `a skipped value leaves the reader behind it`(_ delivery: Delivery) throws {
        var reader = delivery.reader(#"{"a":{"b":[1,{"c":"]}"}]},"d":5,"e":[[]],"f":"x"}"#)
        #expect(try reader.next() == .beginObject)
        var seen: [String] = []
        while case .key(let key) = try reader.next() {
            seen.append(reader.string(of: key))
            if seen.last == "e" { #expect(try reader.next() == .beginArray) }
            try reader.skipValue()
        }
        #expect(seen == ["a", "d", "e", "f"])
        #expect(try reader.next() == .endOfInput)
    }

    @Test(arguments: Delivery.allCases)
    func `a value is read from a key, from its beginning or from a scalar`(_ delivery: Delivery) throws {
        var reader = delivery.reader(#"{"a":{"b":[1,null]},"c":"x","d":[]}"#)
        _ = try reader.next()
        _ = try reader.next()
        #expect(try reader.value() == ["b": [1, nil]])
        _ = try reader.next()
        _ = try reader.next()
        #expect(try reader.value() == "x")
        _ = try reader.next()
        _ = try reader.next()
        #expect(try reader.value() == [])
        #expect(try reader.next() == .endObject)
    }

    @Test func `nesting up to the limit is read and beyond it is an error`() {
        for depth in [1, 5, 512] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(readingError(of: text, maximumDepth: depth) == nil)
            #expect(readingError(of: "[\(text)]", maximumDepth: depth)?.problem == .tooDeep(limit: depth))
        }
        #expect(readingError(of: String(repeating: #"{"a":"#, count: 100_000))?.problem == .tooDeep(limit: 512))
    }

    @Test func `a limit of a million levels is no danger to the stack`() throws {
        let text = String(repeating: "[", count: 1_000_000) + String(repeating: "]", count: 1_000_000)
        #expect(readingError(of: text, maximumDepth: 1_000_000) == nil)
        var reader = Delivery.array.reader(text, maximumDepth: 1_000_000)
        _ = try reader.next()
        let error = #expect(throws: GraftError.self) { _ = try reader.value() }
        #expect(error?.problem == .tooDeep(limit: JSONValue.maximumDepth))
    }

    @Test func `a string longer than the limit of a source is an error`() throws {
        var options = JSONReader.Options()
        options.maximumTextLength = 1000
        options.chunkSize = 100
        let text = Array(#"["\#(String(repeating: "x", count: 5000))"]"#.utf8)
        var position = 0
        var reader = JSONReader(
            source: { count in
                defer { position += count }
                return Data(text.dropFirst(position).prefix(count))
            }, options: options)
        _ = try reader.next()
        let error = #expect(throws: GraftError.self) { _ = try reader.next() }
        guard case .tooLarge(_, 1000) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `what a source throws comes out unchanged`() throws {
        struct Broken: Error {}
        var reader = JSONReader(source: { _ in throw Broken() })
        #expect(throws: Broken.self) { _ = try reader.next() }
    }

    @Test func `a record that has arrived through a pipe is read without waiting for more`() throws {
        let pipe = Pipe()
        var reader = JSONReader(pipe.fileHandleForReading, format: .sequence)
        for index in 0..<3 {
            try pipe.fileHandleForWriting.write(contentsOf: Data("{\"a\":\(index)}\n".utf8))
            #expect(try reader.nextRecord() == .beginObject)
            #expect(try reader.value() == ["a": .number(JSONValue.Number(index))])
        }
        try pipe.fileHandleForWriting.close()
        #expect(try reader.nextRecord() == nil)
    }

    @Test func `the text of a token that a source has left behind stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var reader = Delivery.chunks1.reader(#"["abc", "def"]"#)
            _ = try reader.next()
            guard case .string(let text) = try reader.next() else { return }
            while try reader.next() != .endOfInput {}
            _ = reader.string(of: text)
        }
    }
}

// MARK: - Records

extension JSONReaderTests {
    private static func records(
        _ text: String, _ format: ImportOptions.Format, _ delivery: Delivery, reading: Bool = true
    ) throws -> [JSONValue] {
        var reader = delivery.reader(text, format: format)
        var records: [JSONValue] = []
        while try reader.nextRecord() != nil { records.append(reading ? try reader.value() : nil) }
        #expect(try reader.nextRecord() == nil)
        return records
    }

    @Test(arguments: Delivery.allCases)
    func `records are the elements of an array, one object, or the values that follow each other`(
        _ delivery: Delivery
    ) throws {
        let two: [JSONValue] = [["a": 1], ["a": 2]]
        #expect(try Self.records(#"[{"a":1},{"a":2}]"#, .automatic, delivery) == two)
        #expect(try Self.records("{\"a\":1}\n{\"a\":2}\n", .automatic, delivery) == two)
        #expect(try Self.records(#"{"a":1}{"a":2}"#, .automatic, delivery) == two)
        #expect(try Self.records("\n{\"a\":1}\r\n\r\n{\"a\":2}", .sequence, delivery) == two)
        #expect(try Self.records(#"{"a":1}"#, .document, delivery) == [["a": 1]])
        #expect(try Self.records(#"[{"a":1},{"a":2}]"#, .document, delivery) == two)
        #expect(try Self.records("[1]\n[2]", .sequence, delivery) == [[1], [2]])
        #expect(try Self.records("1 2\ntrue \"x\"", .sequence, delivery) == [1, 2, true, "x"])
        #expect(try Self.records("1{}2[]\"\"null", .sequence, delivery) == [1, [:] as JSONValue, 2, [], "", nil])
        #expect(try Self.records("[]", .automatic, delivery) == [])
        #expect(try Self.records(" \n", .automatic, delivery) == [])
        #expect(try Self.records("[1,[2,3],4]", .automatic, delivery, reading: false).count == 3)
        #expect(try Self.records("{\"a\":[1]}\n{\"b\":{}}", .automatic, delivery, reading: false).count == 2)
    }

    @Test(arguments: Delivery.allCases)
    func `what can't be a sequence of records is an error`(_ delivery: Delivery) {
        let cases: [(String, ImportOptions.Format)] = [
            ("[1] 2", .automatic), ("{} {}", .document), ("truefalse", .sequence), ("12true", .sequence),
            ("1,2", .sequence), ("{},{}", .sequence), ("{}]", .sequence), ("", .document), ("[1", .automatic),
        ]
        for (text, format) in cases {
            let error = #expect(throws: GraftError.self, "\(text)") { try Self.records(text, format, delivery) }
            #expect(error?.place.line == 1, "\(text)")
        }
    }
}

// MARK: - Foundation as the oracle

extension JSONReaderTests {
    private static func foundationData(_ value: JSONValue) throws -> Data {
        try JSONSerialization.data(withJSONObject: foundationObject(value))
    }

    private static func foundationObject(_ value: JSONValue) throws -> NSObject {
        switch value {
        case .null: return NSNull()
        case .bool(let value): return NSNumber(value: value)
        case .string(let value): return NSString(string: value)
        case .number(let value):
            if let integer = value.int64 { return NSNumber(value: integer) }
            return NSNumber(value: try #require(value.double))
        case .array(let elements): return NSArray(array: try elements.map(foundationObject))
        case .object(let object):
            let pairs = try object.members.map { ($0.key, try foundationObject($0.value)) }
            return NSDictionary(dictionary: Dictionary(pairs) { $1 })
        }
    }

    private static func value(of object: Any) throws -> JSONValue {
        switch object {
        case is NSNull: return nil
        case let text as String: return .string(text)
        case let number as NSDecimalNumber: return .number(try #require(JSONValue.Number(number.decimalValue)))
        case let number as NSNumber:
            // Safe: a type encoding is a constant string of at least one character.
            switch unsafe UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"): return .bool(number.boolValue)
            case UInt8(ascii: "d"): return .number(try #require(JSONValue.Number(number.doubleValue)))
            default: return .number(JSONValue.Number(number.int64Value))
            }
        case let elements as [Any]: return .array(try elements.map(value))
        case let members as [String: Any]:
            return .object(JSONValue.Object(try members.map { ($0.key, try value(of: $0.value)) }))
        default: throw GraftError(.other(finding: "\(type(of: object))", remedy: "None."))
        }
    }
}
