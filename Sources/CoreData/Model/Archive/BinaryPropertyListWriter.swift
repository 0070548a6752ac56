// Writing binary property lists; the layout is in BinaryPropertyListReader.swift. The same value gives the same bytes:
// objects are numbered in the order in which a walk from the top meets them, and equal texts, numbers, dates and data
// are written once.

import Foundation

/// Writes one binary property list.
struct BinaryPropertyListWriter {
    private var objects: [[UInt8]] = []
    private var scalars: [Scalar: Int] = [:]
    private var referenceSize = 8

    /// What equal values are recognised by.
    private enum Scalar: Hashable {
        case boolean(Bool)
        case integer(Int64)
        case unsigned(UInt64)
        case real(UInt64)
        case date(UInt64)
        case data(Data)
        /// Its bytes: `==` of `String` takes texts in two normal forms as one.
        case string([UInt8])
        case uid(Int)
    }

    static func data(of value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        writer.referenceSize = size(of: UInt64(count(value)))
        writer.append(value)
        return writer.finished()
    }

    /// The number of values: at least that of the objects.
    private static func count(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let values): values.reduce(1) { $0 + count($1) }
        case .dictionary(let entries): entries.reduce(1) { $0 + 1 + count($1.value) }
        default: 1
        }
    }

    // MARK: Objects

    @discardableResult
    private mutating func append(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let values):
            let index = reserve()
            let references = values.map { append($0) }
            objects[index] = Self.head(0xA0, references.count) + references.flatMap(reference)
            return index
        case .dictionary(let entries):
            let index = reserve()
            let keys = entries.map { append(.string($0.key)) }
            let values = entries.map { append($0.value) }
            objects[index] = Self.head(0xD0, keys.count) + (keys + values).flatMap(reference)
            return index
        case .boolean(let value): return scalar(.boolean(value)) { [value ? 0x09 : 0x08] }
        case .integer(let value): return scalar(.integer(value)) { Self.integer(value) }
        case .unsigned(let value):
            return scalar(.unsigned(value)) { [0x14] + Self.bytes(0, 8) + Self.bytes(value, 8) }
        case .real(let value):
            return scalar(.real(value.bitPattern)) { [0x23] + Self.bytes(value.bitPattern, 8) }
        case .date(let value):
            return scalar(.date(value.bitPattern)) { [0x33] + Self.bytes(value.bitPattern, 8) }
        case .data(let value): return scalar(.data(value)) { Self.head(0x40, value.count) + value }
        case .string(let value): return scalar(.string(Array(value.utf8))) { Self.string(value) }
        case .uid(let value):
            return scalar(.uid(value)) {
                let size = Self.size(of: UInt64(value))
                return [0x80 | UInt8(size - 1)] + Self.bytes(UInt64(value), size)
            }
        }
    }

    private mutating func scalar(_ key: Scalar, _ contents: () -> [UInt8]) -> Int {
        if let index = scalars[key] { return index }
        let index = reserve()
        objects[index] = contents()
        scalars[key] = index
        return index
    }

    private mutating func reserve() -> Int {
        objects.append([])
        return objects.count - 1
    }

    private func reference(_ index: Int) -> [UInt8] { Self.bytes(UInt64(index), referenceSize) }

    // MARK: Bytes

    private static func string(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return head(0x50, text.utf8.count) + text.utf8 }
        return head(0x60, text.utf16.count) + text.utf16.flatMap { bytes(UInt64($0), 2) }
    }

    private static func integer(_ value: Int64) -> [UInt8] {
        // Only 8 bytes are read as signed.
        let size = value < 0 ? 8 : size(of: UInt64(value))
        return [0x10 | UInt8(size.trailingZeroBitCount)] + bytes(UInt64(bitPattern: value), size)
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 0x0F] + integer(Int64(count))
    }

    /// The smallest of 1, 2, 4 and 8 bytes that hold a number.
    private static func size(of number: UInt64) -> Int {
        switch number {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func bytes(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private func finished() -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data.append(contentsOf: object)
        }
        let table = data.count
        let offsetSize = Self.size(of: UInt64(table))
        for offset in offsets { data.append(contentsOf: Self.bytes(UInt64(offset), offsetSize)) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        data.append(contentsOf: Self.bytes(UInt64(objects.count), 8))
        data.append(contentsOf: Self.bytes(0, 8))
        data.append(contentsOf: Self.bytes(UInt64(table), 8))
        return data
    }
}
