// What the writer writes, and that the reader reads the same again.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONWriterTests {
    private static func text(
        _ options: JSONWriter.Options = .init(), _ body: (inout JSONWriter) throws -> Void
    ) throws -> String {
        var writer = JSONWriter(options: options)
        try body(&writer)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    @Test func `random values survive writing and reading, compact and pretty, in memory and in pieces`() throws {
        for seed: UInt64 in 1...300 {
            var random = SeededGenerator(seed: seed)
            let value = random.value()
            var options = JSONWriter.Options()
            options.isPretty = seed % 2 == 0
            let text = try Self.text(options) { try $0.value(value) }
            #expect(try JSONValue(parsing: text) == value, "seed \(seed)")

            var pieces: [UInt8] = []
            options.bufferSize = 16
            let sink: JSONWriter.ByteSink = { bytes in for index in bytes.indices { pieces.append(bytes[index]) } }
            var writer = JSONWriter(sink: sink, options: options)
            try writer.value(value)
            #expect(try writer.finish().isEmpty)
            #expect(String(decoding: pieces, as: UTF8.self) == text + (options.isPretty ? "" : "\n"))
        }
    }

    @Test func `Foundation reads what is written`() throws {
        for seed: UInt64 in 1...100 {
            var random = SeededGenerator(seed: seed)
            let value = JSONValue.array([random.value(), .string(random.string())])
            let data = Data(value.description.utf8)
            #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value, "seed \(seed)")
        }
    }

    @Test func `pretty output has two spaces a level and sorted output is ordered by key`() throws {
        var options = JSONWriter.Options()
        options.isPretty = true
        options.sortsKeys = true
        let value: JSONValue = ["b": [1, [], [:] as JSONValue, ["x": nil]], "a": "é\n", "Z": 1.5, "ä": true]
        #expect(
            try Self.text(options) { try $0.value(value) } == """
                {
                  "Z": 1.5,
                  "a": "é\\n",
                  "b": [
                    1,
                    [],
                    {},
                    {
                      "x": null
                    }
                  ],
                  "ä": true
                }

                """)
    }

    @Test func `values at the top level are separated by line feeds`() throws {
        let text = try Self.text {
            for index: Int64 in 1...3 {
                try $0.beginObject()
                try $0.key("id")
                try $0.integer(index)
                try $0.endObject()
            }
        }
        #expect(text == "{\"id\":1}\n{\"id\":2}\n{\"id\":3}")
    }

    @Test func `strings are escaped where JSON demands it and nowhere else`() throws {
        let string =
            String(String.UnicodeScalarView((0...0x7F).compactMap { Unicode.Scalar($0 as UInt32) })) + "é€😀\u{2028}"
        let text = try Self.text { try $0.string(string) }
        #expect(text.hasPrefix(#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e"#))
        #expect(text.contains(##"\u001e\u001f !\"#$%&'()*+,-./0123"##))
        #expect(text.hasSuffix("[\\\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\u{7F}é€😀\u{2028}\""))
        #expect(try JSONValue(parsing: text) == .string(string))
    }

    @Test func `doubles are the shortest text that reads as the same value`() throws {
        let texts: [(Double, String)] = [
            (0, "0"), (-0.0, "-0.0"), (5, "5"), (-17, "-17"), (0.1, "0.1"), (1e15, "1000000000000000"),
            (1e300, "1e+300"),
            (9_007_199_254_740_991, "9007199254740991"), (Double.leastNonzeroMagnitude, "5e-324"),
            (1.0 / 3, "0.3333333333333333"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ]
        for (value, text) in texts { #expect(try Self.text { try $0.double(value) } == text) }
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let value = random.double()
            let text = try Self.text { try $0.double(value) }
            #expect(text.withUTF8Span { NumberText.double($0) }?.bitPattern == value.bitPattern, "\(text)")
        }
        #expect(try Self.text { try $0.float(0.1) } == "0.1")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a double that JSON doesn't have is an error`(_ value: Double) {
        let error = #expect(throws: GraftError.self) { _ = try Self.text { try $0.double(value) } }
        #expect(error?.problem == .notRepresentable(value: "the number \(value)", format: "JSON"))
        #expect(throws: GraftError.self) { _ = try Self.text { try $0.decimal(.nan) } }
    }

    @Test func `integers and decimals have all their digits`() throws {
        for value in [Int64.min, -1, 0, 9, 10, 99, 100, 12_345, .max] {
            #expect(try Self.text { try $0.integer(value) } == "\(value)")
        }
        let decimal = try #require(Decimal(string: "-12345678901234567890.123456789012345678"))
        #expect(try Self.text { try $0.decimal(decimal) } == "-12345678901234567890.123456789012345678")
    }

    @Test func `a prepared key is written like any other`() throws {
        let key = JSONKey("a \"key\"")
        let prepared = try Self.text {
            try $0.beginObject()
            try $0.key(key)
            try $0.null()
            try $0.endObject()
        }
        #expect(prepared == #"{"a \"key\"":null}"#)
    }

    @Test func `nesting beyond the limit is an error`() {
        let value = (0..<600).reduce(JSONValue.null) { inner, _ in .array([inner]) }
        let error = #expect(throws: GraftError.self) { _ = try Self.text { try $0.value(value) } }
        #expect(error?.problem == .tooDeep(limit: 512))
    }

    @Test func `a failing sink stops the writing`() throws {
        struct Full: Error {}
        var options = JSONWriter.Options()
        options.bufferSize = 8
        var writer = JSONWriter(sink: { _ in throw Full() }, options: options)
        #expect(throws: Full.self) { for _ in 0..<10 { try writer.string("abc") } }
    }

    @Test func `a value without a key in an object stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            try writer.beginObject()
            try writer.null()
        }
    }

    @Test func `a file gets the whole text`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "graft-writer-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        let file = try FileHandle(forWritingTo: url)
        var writer = JSONWriter(file)
        try writer.beginArray()
        for index: Int64 in 0..<50_000 { try writer.integer(index) }
        try writer.endArray()
        _ = try writer.finish()
        try file.close()
        var reader = JSONReader(try FileHandle(forReadingFrom: url))
        _ = try reader.next()
        #expect(try reader.value() == .array((0..<50_000).map { .number(JSONValue.Number($0)) }))
    }
}
