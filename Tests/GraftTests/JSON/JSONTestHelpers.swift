// What the JSON tests share: ways of giving bytes to a reader, a reader of everything, and random values from a seed.

import Foundation
import Testing

@testable import Graft

/// How a text reaches the reader.
enum Delivery: CustomTestStringConvertible, CaseIterable, Sendable {
    case array, data, chunks1, chunks2, chunks3, chunks7, chunks64, standardChunks

    private var chunkSize: Int? {
        switch self {
        case .chunks1: 1
        case .chunks2: 2
        case .chunks3: 3
        case .chunks7: 7
        case .chunks64: 64
        default: nil
        }
    }

    var testDescription: String {
        switch self {
        case .array: "in memory"
        case .data: "as Data"
        case .standardChunks: "in chunks"
        default: "in chunks of \(chunkSize ?? 0)"
        }
    }

    func reader(
        _ bytes: [UInt8], format: ImportOptions.Format = .document, maximumDepth: Int = 512
    ) -> JSONReader {
        var options = JSONReader.Options()
        options.maximumDepth = maximumDepth
        if self == .array { return JSONReader(bytes, format: format, options: options) }
        if self == .data { return JSONReader(Data([0] + bytes).dropFirst(), format: format, options: options) }
        var rest = bytes[...]
        if let chunkSize { options.chunkSize = chunkSize }
        return JSONReader(
            source: { [chunkSize] wanted in
                // A source may give less than it is asked for.
                let chunk = rest.prefix(chunkSize ?? wanted)
                rest = rest.dropFirst(chunk.count)
                return Data(chunk)
            }, format: format, options: options)
    }

    func reader(_ text: String, format: ImportOptions.Format = .document, maximumDepth: Int = 512) -> JSONReader {
        reader(Array(text.utf8), format: format, maximumDepth: maximumDepth)
    }
}

/// All tokens of a text, in words.
func tokens(of reader: inout JSONReader) throws -> [String] {
    var tokens: [String] = []
    while true {
        switch try reader.next() {
        case .beginObject: tokens.append("{")
        case .endObject: tokens.append("}")
        case .beginArray: tokens.append("[")
        case .endArray: tokens.append("]")
        case .key(let text): tokens.append("key \(reader.string(of: text))")
        case .string(let text): tokens.append("string \(reader.string(of: text))")
        case .number(let text): tokens.append("number \(reader.string(of: text))")
        case .boolean(let value): tokens.append("\(value)")
        case .null: tokens.append("null")
        case .endOfInput: return tokens
        }
    }
}

func tokens(of text: String, _ delivery: Delivery = .array, format: ImportOptions.Format = .document) throws -> [String]
{
    var reader = delivery.reader(text, format: format)
    return try tokens(of: &reader)
}

/// The error of reading a text to its end; nil where there is none.
func readingError(of text: String, _ delivery: Delivery = .array, maximumDepth: Int = 512) -> GraftError? {
    var reader = delivery.reader(text, maximumDepth: maximumDepth)
    do {
        _ = try tokens(of: &reader)
        return nil
    } catch {
        return error as? GraftError
    }
}

extension SeededGenerator {
    /// A string of characters of every kind, those that need an escape among them.
    mutating func string() -> String {
        let count = Int.random(in: 0...24, using: &self)
        return String(String.UnicodeScalarView((0..<count).map { _ in scalar() }))
    }

    private mutating func scalar() -> Unicode.Scalar {
        let range: ClosedRange<UInt32> =
            switch Int.random(in: 0...9, using: &self) {
            case 0: 0...0x22
            case 1: 0x5C...0x5C
            case 2: 0x7F...0x7FF
            case 3: 0x800...0xD7FF
            // Without U+FEFF at the end: Foundation drops it at the beginning of a string.
            case 4: 0xE000...0xFEFE
            case 5: 0x10000...0x10FFFF
            default: 0x20...0x7E
            }
        return Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "x"
    }

    /// A finite double of any magnitude.
    mutating func double() -> Double {
        while true {
            let value = Double(bitPattern: next())
            if value.isFinite { return value }
        }
    }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0...(depth < 5 ? 8 : 5), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .number(JSONValue.Number(Int64.random(in: .min ... .max, using: &self)))
        case 3: return JSONValue.Number(double()).map { .number($0) } ?? .null
        case 4, 5: return .string(string())
        case 6:
            return .array((0..<Int.random(in: 0...6, using: &self)).map { _ in value(depth: depth + 1) })
        default:
            // Keys don't repeat: what a repeated key means differs between readers.
            let pairs = (0..<Int.random(in: 0...6, using: &self)).map { ("\(string())\($0)", value(depth: depth + 1)) }
            return .object(JSONValue.Object(pairs))
        }
    }
}
