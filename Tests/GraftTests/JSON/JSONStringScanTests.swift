// The scans of eight bytes at a time beside their slow twins, and escapes and UTF-8 beside the standard library's.

import Testing

@testable import Graft

@Suite struct JSONStringScanTests {
    /// Bytes that are often at the borders of what the scans look for.
    private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
        let special: [UInt8] = [
            0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF, 0x0A,
        ]
        return (0..<Int.random(in: 0...40, using: &random)).map { _ in
            Int.random(in: 0...5, using: &random) == 0
                ? special.randomElement(using: &random) ?? 0 : UInt8.random(in: 0x20...0x7E, using: &random)
        }
    }

    @Test func `a scan by words finds what a scan by bytes finds`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            let bytes = Self.bytes(&random)
            for start in 0...bytes.count {
                let rest = bytes[start...]
                let plain = rest.firstIndex(where: JSONStringScan.endsPlainRun) ?? bytes.count
                #expect(JSONStringScan.endOfPlainRun(in: bytes.span, from: start) == plain)
                let unescaped = rest.firstIndex(where: JSONStringScan.needsEscape) ?? bytes.count
                #expect(JSONStringScan.endOfUnescapedRun(in: bytes.span, from: start) == unescaped)
                let spaces = rest.firstIndex { $0 != 0x20 } ?? bytes.count
                #expect(JSONStringScan.endOfSpaces(in: bytes.span, from: start) == spaces)
                let line = rest.firstIndex(of: 0x0A) ?? bytes.count
                #expect(JSONStringScan.endOfLine(in: bytes.span, from: start) == line)
            }
            #expect(JSONStringScan.countOfLineFeeds(in: bytes.span) == bytes.count { $0 == 0x0A })
        }
    }

    @Test func `every byte is classified alike in every position of a word`() {
        for byte: UInt8 in 0...255 {
            for position in 0..<17 {
                var bytes = [UInt8](repeating: 0x61, count: 17)
                bytes[position] = byte
                let end = JSONStringScan.endsPlainRun(byte) ? position : 17
                #expect(JSONStringScan.endOfPlainRun(in: bytes.span, from: 0) == end)
            }
        }
    }

    @Test func `UTF-8 is valid exactly where the standard library says so`() {
        var random = SeededGenerator(seed: 11)
        let leads: [UInt8] = [0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0x80, 0xBF]
        for _ in 0..<200_000 {
            let tail = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                UInt8.random(in: 0x7E...0xC3, using: &random)
            }
            let bytes = [leads.randomElement(using: &random) ?? 0] + tail
            let run = UTF8Check.skipMultibyteRun(in: bytes.span, from: 0)
            let isValid = String(validating: bytes.prefix { $0 >= 0x80 }, as: UTF8.self) != nil
            #expect((run.end == .ascii) == isValid, "\(bytes)")
        }
    }

    @Test func `every escape sequence stands for its character`() throws {
        let escapes = [
            #"\""#: "\"", #"\\"#: "\\", #"\/"#: "/", #"\b"#: "\u{8}", #"\f"#: "\u{C}", #"\n"#: "\n", #"\r"#: "\r",
            #"\t"#: "\t", #"\u0000"#: "\0", #"\u00E9"#: "é", #"\u20ac"#: "€", #"\uD83D\uDE00"#: "😀",
            #"\uFFFF"#: "\u{FFFF}", #"\uFEFF"#: "\u{FEFF}",
            #"\uDBFF\uDFFF"#: "\u{10FFFF}",
        ]
        for (escape, character) in escapes {
            for delivery in Delivery.allCases {
                #expect(try tokens(of: "\"a\(escape)b\"", delivery) == ["string a\(character)b"])
            }
        }
        for lone in [#"\uD800"#, #"\uDC00"#, #"\uD800\u0041"#, #"\uD800\uD800"#, #"\uD83D\n"#] {
            for delivery in Delivery.allCases { #expect(readingError(of: "\"\(lone)\"", delivery) != nil) }
        }
    }
}
