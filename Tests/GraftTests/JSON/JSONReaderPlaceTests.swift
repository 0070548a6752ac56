// Where errors are: path, line, column and offset, the same in memory and in chunks of any size.

import Foundation
import Testing

@testable import Graft

@Suite struct JSONReaderPlaceTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let text: String, path: String, line: Int, column: Int, offset: Int
        let found: String, expected: String
        var testDescription: String { text }
    }

    static let faults: [Fault] = [
        Fault(text: "", path: "$", line: 1, column: 1, offset: 0, found: "the end of the text", expected: "a value"),
        Fault(text: "\n\n  x", path: "$", line: 3, column: 3, offset: 4, found: "'x'", expected: "a value"),
        Fault(
            text: "[1,\n2,\n]", path: "$[1]", line: 3, column: 1, offset: 7, found: "']'", expected: "a value"),
        Fault(
            text: #"{"powers":[{"id":1},{"id":1x}]}"#, path: "$.powers[1].id", line: 1, column: 28, offset: 27,
            found: "'x'", expected: "',' or '}' after a member"),
        Fault(
            text: "{\"a key\":\r\n{\"é\":\"\u{0001}\"}}", path: "$['a key'].é", line: 2, column: 8, offset: 18,
            found: "the byte 0x01", expected: "control characters in strings as escape sequences only"),
        Fault(
            text: #"["äöü", 01]"#, path: "$[1]", line: 1, column: 13, offset: 12, found: "'1'",
            expected: "',' or ']' after an element"),
        Fault(
            text: #"{"a":[[],{},{"b":[true,nul]}]}"#, path: "$.a[2].b[0]", line: 1, column: 27, offset: 26,
            found: "']'", expected: "true, false or null"),
        Fault(
            text: #"{"a" 1}"#, path: "$.a", line: 1, column: 6, offset: 5, found: "'1'", expected: "':' after a key"),
        Fault(
            text: "[\"\\u12G4\"]", path: "$", line: 1, column: 7, offset: 6, found: "'G'",
            expected: "four hexadecimal digits after \\u"),
        Fault(
            text: "[1] ~", path: "$", line: 1, column: 5, offset: 4, found: "'~'",
            expected: "the end of the text after its only value"),
        Fault(
            text: "[\"abc", path: "$", line: 1, column: 6, offset: 5, found: "the end of the text",
            expected: "the quote that ends a string"),
    ]

    @Test(arguments: faults, Delivery.allCases)
    func `an error names path, line, column, offset, what was found and what was expected`(
        _ fault: Fault, _ delivery: Delivery
    ) throws {
        let error = try #require(readingError(of: fault.text, delivery))
        #expect(error.problem == .invalidJSON(found: fault.found, expected: fault.expected))
        #expect(error.place.path.map(GraftError.Place.text(of:)) == fault.path)
        #expect(error.place.line == fault.line)
        #expect(error.place.column == fault.column)
        #expect(error.place.byteOffset == fault.offset)
    }

    @Test(arguments: Delivery.allCases)
    func `the path of every value is known while it is read`(_ delivery: Delivery) throws {
        var reader = delivery.reader(#"{"a":1,"list":[10,{"x":[],"y":"z"}],"b":{"c":{"d":null}}}"#)
        var paths: [String] = []
        while true {
            switch try reader.next() {
            case .number, .string, .null: paths.append(GraftError.Place.text(of: reader.path))
            case .endOfInput:
                #expect(paths == ["$.a", "$.list[0]", "$.list[1].y", "$.b.c.d"])
                return
            default: break
            }
        }
    }

    @Test func `invalid UTF-8 is an error at its first byte`() throws {
        let sequences: [[UInt8]] = [
            [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3, 0x28], [0xE2, 0x82, 0x28], [0xE2, 0x82],
        ]
        for delivery in Delivery.allCases {
            for sequence in sequences {
                var reader = delivery.reader([0x5B, 0x22, 0x61] + sequence + [0x22, 0x5D])
                let error = #expect(throws: GraftError.self) { _ = try tokens(of: &reader) }
                #expect(error?.place.byteOffset == 3, "\(sequence) \(delivery)")
            }
        }
    }

    @Test func `the place of an earlier value has a line unless its source can't be read again`() throws {
        let text = "[\n1,\n  \"x\"\n,3]" + String(repeating: " ", count: 200_000) + "\n"
        func place(_ reader: consuming JSONReader) throws -> GraftError.Place {
            var offset = 0
            while true {
                let token = try reader.next()
                if case .string = token { offset = reader.tokenOffset }
                if token == .endOfInput { return reader.place(offset: offset, path: nil) }
            }
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "graft-place-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        let expected = GraftError.Place(line: 3, column: 3, byteOffset: 7)
        #expect(try place(Delivery.array.reader(text)) == expected)
        #expect(try place(Delivery.data.reader(text)) == expected)
        #expect(try place(JSONReader(FileHandle(forReadingFrom: url))) == expected)
        #expect(try place(Delivery.standardChunks.reader(text)) == GraftError.Place(byteOffset: 7))
    }

    @Test func `a character beyond ASCII is named as a whole`() {
        let problem = readingError(of: "[é]")?.problem
        #expect(problem == .invalidJSON(found: "'é'", expected: "a value or ']'"))
    }

    @Test(arguments: Delivery.allCases)
    func `a character beyond ASCII is named as a whole, in chunks too`(_ delivery: Delivery) {
        for character in ["é", "€", "😀"] {
            var reader = delivery.reader(Array("[1, \(character)\u{301}]".utf8))
            let error = #expect(throws: GraftError.self) { _ = try tokens(of: &reader) }
            #expect(error?.problem == .invalidJSON(found: "'\(character)'", expected: "a value"))
        }
    }

    @Test func `the source's name is part of the place`() throws {
        var reader = JSONReader(Array("[1,]".utf8))
        reader.sourceName = "heroes.json"
        let error = #expect(throws: GraftError.self) { _ = try tokens(of: &reader) }
        #expect(
            error?.description
                == "heroes.json: $[0], line 1, column 4: found ']' where JSON has a value. Correct the text there.")
    }
}
