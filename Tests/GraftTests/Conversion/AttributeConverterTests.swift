// What each type of attribute accepts, what it refuses and with which words, and that every value survives being written
// and read.

import Foundation
import Testing

@testable import Graft

/// The value that a converter reads from a JSON text.
private func read(_ text: String, _ converter: AttributeConverter) throws -> GraphValue {
    var reader = JSONReader(Array(text.utf8))
    let value = try converter.value(of: try reader.next(), in: &reader)
    #expect(try reader.next() == .endOfInput)
    return value
}

private func read(_ text: String, _ kind: AttributeKind) throws -> GraphValue {
    try read(text, AttributeConverter(kind))
}

private func write(_ value: GraphValue, _ converter: AttributeConverter) throws -> String {
    var writer = JSONWriter()
    try converter.write(value, to: &writer)
    return String(decoding: try writer.finish(), as: UTF8.self)
}

@Suite struct AttributeConverterTests {
    struct Accepted: CustomTestStringConvertible, Sendable {
        let kind: AttributeKind, text: String, value: GraphValue
        init(_ kind: AttributeKind, _ text: String, _ value: GraphValue) {
            (self.kind, self.text, self.value) = (kind, text, value)
        }
        var testDescription: String { "\(text) as \(kind)" }
    }

    static let accepted: [Accepted] = [
        Accepted(.integer16, "32767", .integer(32_767)), Accepted(.integer16, "\"-32768\"", .integer(-32_768)),
        Accepted(.integer32, "2147483647", .integer(2_147_483_647)), Accepted(.integer64, "\"1699\"", .integer(1699)),
        Accepted(.integer64, "9223372036854775807", .integer(.max)), Accepted(.integer64, "12.0", .integer(12)),
        Accepted(.integer64, "true", .integer(1)), Accepted(.integer64, "\"\\u0031\\u0032\"", .integer(12)),
        Accepted(.double, "0.7689993", .double(0.7689993)), Accepted(.double, "\"-1e3\"", .double(-1000)),
        Accepted(.double, "9007199254740993", .double(9_007_199_254_740_992)),
        Accepted(.float, "0.1", .double(Double(Float(0.1)))), Accepted(.float, "\"16777217\"", .double(16_777_216)),
        Accepted(.decimal, "0.10", .decimal(Decimal(sign: .plus, exponent: -1, significand: 1))),
        Accepted(.decimal, "\"12345678901234567890\"", .decimal(Decimal(string: "12345678901234567890") ?? 0)),
        Accepted(.boolean, "true", .boolean(true)), Accepted(.boolean, "0", .boolean(false)),
        Accepted(.boolean, "\"YES\"", .boolean(true)), Accepted(.boolean, "\"1\"", .boolean(true)),
        Accepted(.boolean, "\"False\"", .boolean(false)), Accepted(.boolean, "\"n\"", .boolean(false)),
        Accepted(.boolean, "\"off\"", .boolean(false)), Accepted(.boolean, "1.0", .boolean(true)),
        Accepted(.string, "\"8\"", .string("8")), Accepted(.string, "8", .string("8")),
        Accepted(.string, "1.50", .string("1.50")),
        Accepted(.string, "12345678901234567890123", .string("12345678901234567890123")),
        Accepted(.string, "true", .string("true")), Accepted(.string, "\"\"", .string("")),
        Accepted(.uuid, "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\"", .uuid(uuid)),
        Accepted(.uuid, "\"{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}\"", .uuid(uuid)),
        Accepted(.uuid, "\"e621e1f8c36c495a93fc0c247a3e6e5f\"", .uuid(uuid)),
        Accepted(.binary, "\"aGk+/w==\"", .data(Data([0x68, 0x69, 0x3E, 0xFF]))),
        Accepted(.binary, "\"aGk-_w\"", .data(Data([0x68, 0x69, 0x3E, 0xFF]))),
        Accepted(.binary, "\"\"", .data(Data())),
        Accepted(.binary, "\"aG\\nk=\"", .data(Data([0x68, 0x69]))),
        Accepted(.transformable, "{\"a\":[1,null]}", .json(["a": [1, nil]])), Accepted(.transformable, "5", .json(5)),
    ]

    @Test(arguments: accepted)
    func `a value is converted to the attribute's type`(_ accepted: Accepted) throws {
        #expect(try read(accepted.text, accepted.kind) == accepted.value)
    }

    private static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()

    @Test(arguments: AttributeKind.allCases)
    func `null is null for every type`(_ kind: AttributeKind) throws {
        // A tree that is null is no value either.
        #expect(try read("null", kind) == .null)
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let kind: AttributeKind, text: String, found: String, isOutOfRange: Bool
        init(_ kind: AttributeKind, _ text: String, _ found: String, isOutOfRange: Bool = false) {
            (self.kind, self.text, self.found, self.isOutOfRange) = (kind, text, found, isOutOfRange)
        }
        var testDescription: String { "\(text) as \(kind)" }
    }

    static let refused: [Refused] = [
        Refused(.integer64, "\"12abc\"", "the string \"12abc\""), Refused(.integer64, "\"\"", "the string \"\""),
        Refused(.integer64, "12.5", "the number 12.5"), Refused(.integer64, "\"NaN\"", "the string \"NaN\""),
        Refused(.integer64, "[1]", "an array"), Refused(.integer64, "{}", "an object"),
        Refused(.integer16, "32768", "the number 32768", isOutOfRange: true),
        Refused(.integer16, "\"-32769\"", "the string \"-32769\"", isOutOfRange: true),
        Refused(.integer32, "2147483648", "the number 2147483648", isOutOfRange: true),
        Refused(.integer64, "9223372036854775808", "the number 9223372036854775808", isOutOfRange: true),
        Refused(.double, "1e400", "the number 1e400", isOutOfRange: true), Refused(.double, "true", "true"),
        Refused(.double, "\"NaN\"", "the string \"NaN\""), Refused(.double, "\"inf\"", "the string \"inf\""),
        Refused(.double, "\"1,5\"", "the string \"1,5\""),
        Refused(.float, "1e39", "the number 1e39", isOutOfRange: true),
        Refused(.decimal, "\"abc\"", "the string \"abc\""),
        Refused(.decimal, "1e200", "the number 1e200", isOutOfRange: true), Refused(.boolean, "2", "the number 2"),
        Refused(.boolean, "\"maybe\"", "the string \"maybe\""), Refused(.boolean, "-1", "the number -1"),
        Refused(.boolean, "\"\"", "the string \"\""), Refused(.string, "[]", "an array"),
        Refused(.string, "{}", "an object"),
        Refused(.date, "\"yesterday\"", "the string \"yesterday\""), Refused(.date, "true", "true"),
        Refused(.date, "1e30", "the number 1e30", isOutOfRange: true),
        Refused(.uuid, "\"E621E1F8-C36C-495A-93FC\"", "the string \"E621E1F8-C36C-495A-93FC\""),
        Refused(.uuid, "5", "the number 5"),
        Refused(.binary, "\"a\"", "the string \"a\""), Refused(.binary, "\"a=bc\"", "the string \"a=bc\""),
        Refused(.binary, "\"aGl\"", "the string \"aGl\""), Refused(.uri, "\"\"", "the string \"\""),
        Refused(.uri, "1", "the number 1"),
    ]

    @Test(arguments: refused)
    func `what can't be converted is an error that names it and its place`(_ refused: Refused) throws {
        var reader = JSONReader(Array("{\"list\":[0,\n\(refused.text)]}".utf8))
        for _ in 0..<4 { _ = try reader.next() }
        let token = try reader.next()
        let converter = AttributeConverter(refused.kind)
        let error = #expect(throws: GraftError.self) { try converter.value(of: token, in: &reader) }
        let problem: GraftError.Problem =
            refused.isOutOfRange
            ? .outOfRange(found: refused.found, type: "\(refused.kind)", range: refused.kind.range)
            : .wrongType(found: refused.found, expected: "\(refused.kind)")
        #expect(error?.problem == problem)
        #expect(error?.place.path == [.key("list"), .index(1)])
        #expect(error?.place.line == 2)
        #expect(error?.place.column == 1)
    }

    @Test func `a URI keeps its text`() throws {
        for text in [
            "https://example.com/a?b=c&d=%20#e", "mailto:a@example.com", "urn:isbn:0451450523", "relative/path",
        ] {
            #expect(try read("\"\(text)\"", .uri) == .uri(try #require(URL(string: text))))
            #expect(try write(read("\"\(text)\"", .uri), AttributeConverter(.uri)) == "\"\(text)\"")
        }
    }
}

// MARK: - Writing and reading again

extension AttributeConverterTests {
    private static func randomValue(_ kind: AttributeKind, _ random: inout SeededGenerator) -> GraphValue {
        switch kind {
        case .integer16, .integer32, .integer64: return .integer(Int64.random(in: kind.integers, using: &random))
        case .boolean: return .boolean(Bool.random(using: &random))
        case .double: return .double(random.double())
        case .float:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            return .double(value.isFinite ? Double(value) : 0)
        case .decimal:
            let digits = Decimal(UInt64.random(in: 0 ... .max, using: &random)) * Decimal(random.next() >> 4)
            return .decimal(
                Decimal(
                    sign: Bool.random(using: &random) ? .plus : .minus,
                    exponent: Int.random(in: -120...80, using: &random),
                    significand: digits))
        case .string: return .string(random.string())
        case .date: return .date(randomDate(&random))
        case .uuid:
            func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
            return .uuid(
                UUID(
                    uuid: (
                        byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(),
                        byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte()
                    )))
        case .uri:
            let text = "https://example.com/\(random.next())?q=\(random.next())"
            return .uri(URL(string: text) ?? URL(filePath: "/"))
        case .binary: return .data(randomData(&random))
        case .transformable:
            if Bool.random(using: &random) { return .encoded(randomData(&random)) }
            let value = random.value()
            return value.isNull ? .null : .json(value)
        }
    }

    private static func randomData(_ random: inout SeededGenerator) -> Data {
        Data((0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// A date of any magnitude that has a calendar date, from far in the past to the smallest fractions.
    private static func randomDate(_ random: inout SeededGenerator) -> Double {
        switch Int.random(in: 0...4, using: &random) {
        case 0: return Double(Int64.random(in: -70_000_000_000...70_000_000_000, using: &random))
        case 1: return Double.random(in: -1e9...1e9, using: &random)
        case 2: return (Double.random(in: -1e9...1e9, using: &random) * 1000).rounded() / 1000
        case 3: return Double(Int64.random(in: .min / 2 ... .max / 2, using: &random))
        default:
            let value = random.double()
            return abs(value) < 9e18 ? value : 1 / value
        }
    }

    @Test(arguments: AttributeKind.allCases)
    func `every value survives being written and read`(_ kind: AttributeKind) throws {
        var random = SeededGenerator(seed: 17)
        for round in 0..<5000 {
            let value = Self.randomValue(kind, &random)
            let text = try write(value, AttributeConverter(kind))
            #expect(try read(text, kind) == value, "round \(round): \(text)")
        }
    }

    @Test(arguments: MappingOptions.NumericDate.allCases)
    func `dates survive as numbers too`(_ numericDate: MappingOptions.NumericDate) throws {
        var converter = AttributeConverter(.date)
        converter.numericDate = numericDate
        converter.writesNumericDates = true
        var random = SeededGenerator(seed: 23)
        for round in 0..<5000 {
            let date = Self.randomDate(&random)
            let text = try write(.date(date), converter)
            // Tiny fractions beside the 31 years between the epochs have more digits than a number of ours keeps.
            guard text.count < 38 else { continue }
            #expect(try read(text, converter) == .date(date), "round \(round): \(text)")
        }
    }

    @Test func `extremes survive`() throws {
        let doubles: [Double] = [
            0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .leastNormalMagnitude.nextDown,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .ulpOfOne, 1 - .ulpOfOne / 2, 0.1 + 0.2, 1e23, 9e15,
            1 / 3,
        ]
        for value in doubles {
            let again = try read(write(.double(value), AttributeConverter(.double)), .double)
            #expect(again == .double(value))
            guard abs(value) < 9e18 else { continue }
            for date in [value, -value, value - 1, 86_400 - value] {
                let text = try write(.date(date), AttributeConverter(.date))
                #expect(try read(text, .date) == .date(date), "\(text)")
            }
        }
        guard case .double(let zero) = try read(write(.double(-0.0), AttributeConverter(.double)), .double) else {
            return
        }
        #expect(zero.sign == .minus)
    }

    @Test func `trees that look like encoded bytes stay trees`() throws {
        let trees: [JSONValue] = [
            nil, ["$encoded": "aGk="], ["$json": ["$encoded": "x"]], ["$json": nil], ["$encoded": 5],
            ["$encoded": "aGk=", "b": 1], [["$encoded": "aGk="]],
        ]
        for tree in trees {
            let text = try write(.json(tree), AttributeConverter(.transformable))
            #expect(try read(text, .transformable) == .json(tree), "\(text)")
        }
        let bytes = GraphValue.encoded(Data("hi".utf8))
        #expect(try write(bytes, AttributeConverter(.transformable)) == #"{"$encoded":"aGk="}"#)
    }

    @Test func `values survive Codable`() throws {
        var random = SeededGenerator(seed: 29)
        for kind in AttributeKind.allCases {
            for _ in 0..<50 {
                let value = Self.randomValue(kind, &random)
                let data = try JSONEncoder().encode([value])
                #expect(try JSONDecoder().decode([GraphValue].self, from: data) == [value])
            }
        }
        for value: GraphValue in [.null, .double(.infinity), .date(.leastNonzeroMagnitude)] {
            #expect(try JSONDecoder().decode(GraphValue.self, from: JSONEncoder().encode(value)) == value)
        }
    }
}
