// JSON values: equality, literals, Codable; and the table of keys.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONValueTests {
    @Test func `objects are equal whatever the order of their members, arrays are not`() {
        let one: JSONValue = ["a": 1, "b": [1, 2], "c": ["x": nil]]
        let other: JSONValue = ["c": ["x": nil], "a": 1.0, "b": [1, 2]]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": [2, 1], "c": ["x": nil]])
        #expect(one != ["a": 1, "b": [1, 2]])
        #expect(JSONValue.string("1") != 1)
    }

    @Test func `members keep their order and the last of a repeated key counts`() throws {
        var object = JSONValue.Object()
        object["z"] = 1
        object["a"] = 2
        object["z"] = 3
        #expect(object.members.map(\.key) == ["z", "a"])
        object["z"] = nil
        #expect(object.members.map(\.key) == ["a"])
        let read = try JSONValue(parsing: #"{"k":1,"k":2}"#)
        #expect(read["k"] == 2)
        #expect(read.description == #"{"k":1,"k":2}"#)
    }

    @Test func `keys are data, which no strategy for names changes`() throws {
        let value: JSONValue = ["aKey": ["innerKey": 1, "other_key": nil], "b_key": [["inList": 2]]]
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        let text = #"{"aKey":{"innerKey":1,"other_key":null},"b_key":[{"inList":2}]}"#
        #expect(try String(decoding: encoder.encode(value), as: UTF8.self) == text)
        #expect(try String(decoding: encoder.encode(["someNames": value]), as: UTF8.self) == #"{"someNames":\#(text)}"#)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let decoded = try decoder.decode(JSONValue.self, from: Data(text.utf8))
        #expect(decoded == value)
        // Foundation has no order, so it is that of the keys.
        #expect(decoded.description == text)
    }

    @Test(arguments: [
        "1234567890123456789012345678901234567890123", "0.12345678901234567890123456789012345678901", "1e-400",
    ])
    func `a number that no type of a coder holds is refused, and not rounded`(_ text: String) throws {
        let patch = JSONMergePatch(["code": .number(try #require(JSONValue.Number(text: text)))])
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(patch) }
    }

    @Test func `values survive Foundation's coders`() throws {
        for seed: UInt64 in 1...100 {
            var random = SeededGenerator(seed: seed)
            let value = JSONValue.array([random.value()])
            let data = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value, "seed \(seed)")
        }
    }

    @Test func `numbers keep their text from reading to writing`() throws {
        let text = "[1.50,1e3,-0,12345678901234567890123456789,0.1000000000000000055511151231257827]"
        #expect(try JSONValue(parsing: text).description == text)
    }

    @Test func `a key is found in a table by its bytes, whatever is expected next`() {
        let keys = ["id", "name", "real_name", "é", "", "a.b"] + (0..<100).map { "key\($0)" }
        let table = JSONKeyTable(keys)
        for (index, key) in keys.enumerated() {
            for expected in [0, index, index + 1, 1000] {
                #expect(key.withUTF8Span { table.index(of: $0, expected: expected) } == index)
            }
        }
        #expect("id".withUTF8Span { JSONKeyTable(["a", "id", "id"]).index(of: $0) } == 1)
        for key in ["i", "idd", "ID", "names", "key100", " "] {
            #expect(key.withUTF8Span { table.index(of: $0) } == nil)
        }
    }

    @Test func `escape sequences in a key don't hide it`() throws {
        var reader = JSONReader(Array(#"{"\u006eame":1}"#.utf8))
        _ = try reader.next()
        guard case .key(let key) = try reader.next() else {
            Issue.record("no key")
            return
        }
        let index = reader.index(of: key, in: JSONKeyTable(["id", "name"]))
        #expect(index == 1)
        let matches = ["name", "nam", "namee", ""].filter { reader.matches(key, $0) }
        #expect(matches == ["name"])
    }
}
