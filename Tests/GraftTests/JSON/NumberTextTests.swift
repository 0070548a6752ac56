// Numbers from their text: exact, correctly rounded, or an error; never something close by.

import Foundation
import Testing

@testable import Graft

@Suite struct NumberTextTests {
    private static func integer(_ text: String) throws(NumberText.Failure) -> Int64 {
        try text.withUTF8Span { (bytes) throws(NumberText.Failure) in try NumberText.integer(bytes) }
    }

    private static func double(_ text: String) -> Double? { text.withUTF8Span { NumberText.double($0) } }

    private static func decimal(_ text: String) -> Decimal? { text.withUTF8Span { NumberText.decimal($0) } }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-42", -42), ("12.0", 12), ("1e3", 1000), ("1.5e1", 15), ("1200e-2", 12),
            ("0e999999999999", 0), ("0.000", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775807.000", .max), ("922337203685477580.7e1", .max), ("+5", 5), (" 5\n", 5), ("007", 7),
            ("1000000000000000000000e-3", 1_000_000_000_000_000_000), ("123456789012345678", 123_456_789_012_345_678),
        ] as [(String, Int64)])
    func `integers are exact`(_ text: String, _ value: Int64) throws {
        #expect(try Self.integer(text) == value)
    }

    @Test(
        arguments: [
            ("9223372036854775808", .overflow), ("-9223372036854775809", .overflow), ("1e19", .overflow),
            ("1e999999999999999999", .overflow), ("99999999999999999999999999999999999999999999", .overflow),
            ("12.5", .fraction), ("1e-1", .fraction), ("9223372036854775807.5", .fraction), ("1e-999999999", .fraction),
            ("", .notANumber), ("-", .notANumber), ("12abc", .notANumber), ("1e", .notANumber), ("1e+", .notANumber),
            (".", .notANumber), ("NaN", .notANumber), ("inf", .notANumber), ("0x10", .notANumber), ("1 2", .notANumber),
            ("--1", .notANumber), ("1.2.3", .notANumber), ("٣", .notANumber), ("1_000", .notANumber),
            ("1,5", .notANumber),
        ] as [(String, NumberText.Failure)])
    func `what is no integer says why`(_ text: String, _ failure: NumberText.Failure) {
        #expect(throws: failure) { try Self.integer(text) }
    }

    @Test func `doubles are rounded as the standard library rounds them`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<100_000 {
            let value = random.double()
            #expect(Self.double(value.description) == value)
        }
        for _ in 0..<100_000 {
            let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in
                "0123456789".randomElement(using: &random) ?? "0"
            }
            let point = Int.random(in: 1...digits.count, using: &random)
            let text =
                "\(String(digits[..<point])).0\(String(digits[point...]))e\(Int.random(in: -40...40, using: &random))"
            #expect(Self.double(text) == Double(text), "\(text)")
        }
    }

    @Test func `hard cases of rounding are rounded right`() throws {
        let texts = [
            "9007199254740993", "9007199254740992.5", "2.2250738585072011e-308", "5e-324", "2.4703282292062327e-324",
            "2.4703282292062328e-324", "1.7976931348623157e308", "0.1", "8.5e22", "8.5e23", "1e23", "-0.0",
            "1.00000000000000011102230246251565404236316680908203125",
            "1.00000000000000011102230246251565404236316680908203124",
        ]
        for text in texts { #expect(Self.double(text)?.bitPattern == Double(text)?.bitPattern, "\(text)") }
        #expect(Self.double("1e309") == nil)
        #expect(Self.double("-1e400") == nil)
        #expect(Self.double("nan") == nil)
        #expect(Self.double("0.7689993") == 0.7689993)
    }

    @Test func `decimals keep every digit`() throws {
        let texts = [
            "0", "1", "-1", "0.1", "12345678901234567890.123456789012345678", "99999999999999999999999999999999999999",
            "-0.00000000000000000000000000000000000001", "1000000", "0.7689993000000001",
        ]
        for text in texts { #expect(Self.decimal(text)?.description == text) }
        #expect(Self.decimal("1e127") == Decimal(sign: .plus, exponent: 127, significand: 1))
        #expect(Self.decimal("1e-128") == Decimal(sign: .plus, exponent: -128, significand: 1))
        #expect(Self.decimal("1.50e1") == 15)
        #expect(Self.decimal("-1e165")?.description == "-1" + String(repeating: "0", count: 165))
    }

    @Test(arguments: [
        "1e-129", "1e166", "340282366920938463463374607431768211456",
        "1234567890123456789012345678901234567891e-40", "1e999999999", "abc", "",
    ])
    func `what no decimal can hold is none`(_ text: String) {
        #expect(Self.decimal(text) == nil)
    }

    @Test func `decimals that arithmetic makes come back from their text, those of 39 digits too`() throws {
        let third = Decimal(1) / 3
        #expect((third * third).description.count == 41)
        var decimals = [Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, third * third]
        for number in 1...2000 {
            let quotient = Decimal(number) / Decimal(number % 97 + 3)
            decimals += [quotient, quotient * quotient, -quotient * quotient * quotient]
        }
        for decimal in decimals { #expect(Self.decimal(decimal.description) == decimal) }
        let digits = "123456789012345678901234567890123456789"
        #expect(Self.decimal("\(digits)000") == Decimal(string: "\(digits)e3"))
    }

    @Test func `random decimals agree with Foundation's`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in
                "0123456789".randomElement(using: &random) ?? "0"
            }
            let text = "-\(String(digits))e\(Int.random(in: -60...60, using: &random))"
            #expect(Self.decimal(text) == Decimal(string: text), "\(text)")
        }
    }

    @Test func `a token's number is what the type that is asked for can hold`() throws {
        var reader = JSONReader(Array("[12.0,9223372036854775808,0.1,1e400]".utf8))
        _ = try reader.next()
        var integers: [Int64?] = []
        var doubles: [Double?] = []
        var decimals: [Decimal?] = []
        while case .number(let text) = try reader.next() {
            integers.append(reader.int64(of: text))
            doubles.append(reader.double(of: text))
            decimals.append(reader.decimal(of: text))
        }
        #expect(integers == [12, nil, nil, nil])
        #expect(doubles == [12, 9_223_372_036_854_775_808, 0.1, nil])
        #expect(decimals == [12, Decimal(UInt64(1) << 63), Decimal(sign: .plus, exponent: -1, significand: 1), nil])
    }

    @Test func `single-precision numbers are rounded once`() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<20_000 {
            let text = "\(random.next()).\(random.next())e\(Int.random(in: -30...15, using: &random))"
            #expect(text.withUTF8Span { NumberText.float($0) } == Float(text), "\(text)")
        }
        #expect("1e39".withUTF8Span { NumberText.float($0) } == nil)
    }

    @Test func `numbers are equal by value, whatever their text`() throws {
        let equal = [
            ["1", "1.0", "10e-1", "0.1E1"], ["0", "-0", "0.00", "0e5"],
            ["123456789012345678901234567890123456789012345", "123456789012345678901234567890123456789012345.0"],
            ["1234567890123456789012345678901234567890e5", "123456789012345678901234567890123456789e6"],
        ]
        let groups = try equal.map { try $0.map { try #require(JSONValue.Number(text: $0)) } }
        for group in groups {
            for number in group {
                #expect(number == group[0])
                #expect(number.hashValue == group[0].hashValue)
            }
        }
        #expect(Set(groups.flatMap(\.self)).count == groups.count)
        #expect(JSONValue.Number(text: "1") != JSONValue.Number(text: "-1"))
        for text in ["", "01", "+1", "1.", ".5", "1 ", " 1", "0x1", "NaN", "1,2"] {
            #expect(JSONValue.Number(text: text) == nil)
        }
    }
}
