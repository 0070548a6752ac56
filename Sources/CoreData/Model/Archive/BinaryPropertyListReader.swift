// Binary property lists (`bplist00`):
//
//     offset 0   "bplist00"
//     offset 8   objects, one after the other: a marker byte (kind and count), then the contents
//     then       the offset table: where each object begins
//     last 32    6 unused bytes, size of an offset, size of a reference, then as 64-bit big-endian numbers
//                the number of objects, the top object, where the offset table is
//
// Collections hold references: indices of the offset table. Example: `A1 01` is an array of one reference, to object 1.
// Everything read is checked against the data's bounds, nesting and the number of values are limited.

import Foundation

/// Reads one binary property list.
struct BinaryPropertyListReader {
    /// How deep the property lists of stores and models may be nested.
    static let deepest = 64

    private let levels: Int
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let topObject: Int
    private let tableOffset: Int
    /// Shared collections are read once for each reference to them; more values than this are an attack.
    private var budget: Int
    /// The texts and data that have been read, by number. They are read once, or a few bytes of references would make many copies of
    /// a long one.
    private var blobs: [PropertyListValue?]

    /// - Parameter levels: How deep it may be nested.
    /// - Throws: ``PropertyListError``.
    static func value(of data: Data, levels: Int = BinaryPropertyListReader.deepest) throws(PropertyListError)
        -> PropertyListValue
    {
        var reader = try BinaryPropertyListReader(data, levels)
        return try reader.object(reader.topObject, depth: 0)
    }

    /// Whether an object is nested deeper than a reader follows it. Whoever writes a property list that is read here asks first.
    ///
    /// - Parameter depth: How many lists and dictionaries the object is in.
    static func isTooDeep(_ object: Any, depth: Int) -> Bool {
        if depth >= deepest { return true }
        let members = object as? [Any] ?? (object as? [String: Any]).map { Array($0.values) } ?? []
        return members.contains { isTooDeep($0, depth: depth + 1) }
    }

    private init(_ data: Data, _ levels: Int) throws(PropertyListError) {
        self.levels = levels
        let bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.starts(with: "bplist00".utf8) else {
            throw PropertyListError(description: "it doesn't begin like a binary property list")
        }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let numbers = [8, 16, 24].map { Self.number(bytes, trailer + $0, 8) }
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Int(exactly: numbers[0]), let top = Int(exactly: numbers[1]),
            let table = Int(exactly: numbers[2]), count > 0, top < count, table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw PropertyListError(description: "its trailer contradicts its length") }
        self.bytes = bytes
        objectCount = count
        topObject = top
        tableOffset = table
        budget = 4 * bytes.count + 1000
        blobs = Array(repeating: nil, count: count)
    }

    // MARK: Objects

    private mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
        guard index >= 0, index < objectCount else { throw damage("a reference leads nowhere", index) }
        guard depth < levels else { throw damage("it is nested more than \(levels) deep", index) }
        budget -= 1
        guard budget > 0 else { throw damage("it has more values than its length allows", index) }
        if let blob = blobs[index] { return blob }
        let start = Self.number(bytes, tableOffset + index * offsetSize, offsetSize)
        guard start >= 8, start < UInt64(tableOffset) else { throw damage("an offset leads outside", index) }
        let value = try contents(at: Int(start), of: index, depth: depth)
        switch value {
        case .data, .string: blobs[index] = value
        default: break
        }
        return value
    }

    private mutating func contents(
        at offset: Int, of index: Int, depth: Int
    ) throws(PropertyListError) -> PropertyListValue {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where low == 8 || low == 9: return .boolean(low == 9)
        case 0x1 where low <= 4: return try integer(at: offset + 1, size: 1 << low, index)
        case 0x2 where low == 2 || low == 3: return .real(try real(at: offset + 1, size: 1 << low, index))
        case 0x3 where low == 3:
            let seconds = try real(at: offset + 1, size: 8, index)
            if seconds.isNaN { throw damage("a date isn't a number", index) }
            return .date(seconds)
        case 0x8: return .uid(try uid(at: offset + 1, size: low + 1, index))
        case 0x4:
            let (count, start) = try length(at: offset, low, index)
            return .data(Data(try range(start, count, index)))
        case 0x5:
            let (count, start) = try length(at: offset, low, index)
            return .string(String(decoding: try range(start, count, index), as: UTF8.self))
        case 0x6:
            let (count, start) = try length(at: offset, low, index)
            return .string(try utf16(start, count, index))
        case 0xA:
            let (count, start) = try length(at: offset, low, index)
            return .array(try objects(start, count, index, depth))
        case 0xD:
            let (count, start) = try length(at: offset, low, index)
            return .dictionary(try entries(start, count, index, depth))
        default: throw damage("the kind \(String(marker, radix: 16)) is unknown", index)
        }
    }

    private mutating func objects(
        _ start: Int, _ count: Int, _ index: Int, _ depth: Int
    ) throws(PropertyListError) -> [PropertyListValue] {
        let references = try references(start, count, index)
        var values: [PropertyListValue] = []
        for reference in references { values.append(try object(reference, depth: depth + 1)) }
        return values
    }

    private mutating func entries(
        _ start: Int, _ count: Int, _ index: Int, _ depth: Int
    ) throws(PropertyListError) -> [PropertyListValue.Entry] {
        let keys = try references(start, count, index)
        let values = try references(start + count * referenceSize, count, index)
        var entries: [PropertyListValue.Entry] = []
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = try object(key, depth: depth + 1) else {
                throw damage("a key isn't a text", index)
            }
            entries.append(.init(name, try object(value, depth: depth + 1)))
        }
        return entries
    }

    // MARK: Parts

    /// The count of a marker (15 means that an integer object follows) and where the contents begin.
    private func length(at offset: Int, _ low: Int, _ index: Int) throws(PropertyListError) -> (Int, Int) {
        if low < 15 { return (low, offset + 1) }
        let marker = try range(offset + 1, 1, index)[offset + 1]
        let size = 1 << Int(marker & 0x0F)
        guard marker >> 4 == 1, size <= 8 else { throw damage("a length isn't a number", index) }
        let count = Self.number(Array(try range(offset + 2, size, index)), 0, size)
        guard count <= UInt64(bytes.count) else { throw damage("a length is beyond the end", index) }
        return (Int(count), offset + 2 + size)
    }

    private func references(_ start: Int, _ count: Int, _ index: Int) throws(PropertyListError) -> [Int] {
        // No overflow: the count is at most that of the bytes, a size at most 8.
        _ = try range(start, count * referenceSize, index)
        var references: [Int] = []
        references.reserveCapacity(count)
        for position in 0..<count {
            let number = Self.number(bytes, start + position * referenceSize, referenceSize)
            guard number < UInt64(objectCount) else { throw damage("a reference leads nowhere", index) }
            references.append(Int(number))
        }
        return references
    }

    private func integer(at offset: Int, size: Int, _ index: Int) throws(PropertyListError) -> PropertyListValue {
        let parts = Array(try range(offset, size, index))
        // Shorter ones are unsigned.
        guard size == 16 else { return .integer(Int64(bitPattern: Self.number(parts, 0, size))) }
        // 16 bytes hold what an unsigned 64-bit number can't be told from otherwise; the upper half is the sign.
        let upper = Self.number(parts, 0, 8)
        let lower = Self.number(parts, 8, 8)
        if upper == 0, lower > UInt64(Int64.max) { return .unsigned(lower) }
        guard upper == 0 || upper == .max && lower > UInt64(Int64.max) else {
            throw damage("a number is beyond 64 bits", index)
        }
        return .integer(Int64(bitPattern: lower))
    }

    private func real(at offset: Int, size: Int, _ index: Int) throws(PropertyListError) -> Double {
        let bits = Self.number(Array(try range(offset, size, index)), 0, size)
        return size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }

    private func uid(at offset: Int, size: Int, _ index: Int) throws(PropertyListError) -> Int {
        guard size <= 8, let uid = Int(exactly: Self.number(Array(try range(offset, size, index)), 0, size)) else {
            throw damage("an object reference is too large", index)
        }
        return uid
    }

    private func utf16(_ start: Int, _ count: Int, _ index: Int) throws(PropertyListError) -> String {
        let units = Array(try range(start, count * 2, index))
        return String(
            decoding: (0..<count).map { UInt16(units[2 * $0]) << 8 | UInt16(units[2 * $0 + 1]) }, as: UTF16.self)
    }

    /// Bytes of the object area.
    private func range(_ start: Int, _ count: Int, _ index: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        guard start >= 8, count >= 0, start <= tableOffset, count <= tableOffset - start else {
            throw damage("it ends too early", index)
        }
        return bytes[start..<start + count]
    }

    /// A big-endian number of up to 8 bytes that are known to be there.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func damage(_ finding: String, _ index: Int) -> PropertyListError {
        PropertyListError(description: "object \(index) of the property list: \(finding)")
    }
}
