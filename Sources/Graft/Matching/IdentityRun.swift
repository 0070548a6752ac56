// Identities beyond what is kept in memory: sorted by their hashes in a temporary file, which nobody else sees and which is gone with
// the process. In memory there are a filter, which says of most hashes that they aren't there, and the first hash of each block.

import Foundation

/// From the hashes of identities to the packed IDs of objects, in a file.
final class IdentityRun {
    /// An object's ID, packed as in a list of them.
    typealias PackedID = (number: Int64, kind: UInt16)

    private static let blockLength = 256
    private static let entryLength = 18
    private static let filterBitsPerEntry = 10
    private static let probeCount = 4

    private let file: FileHandle
    private let read: (_ offset: Int, _ count: Int) throws -> Data
    private let count: Int
    private var firsts: [UInt64] = []
    private var filter: [UInt64]
    /// The block that was read last.
    private var block: (number: Int, bytes: Data)?

    /// Writes entries, in any order.
    ///
    /// - Throws: ``GraftError`` with `unwritableFile`.
    init(_ hashes: [UInt64], _ id: (Int) -> PackedID) throws {
        count = hashes.count
        filter = [UInt64](repeating: 0, count: max(1, hashes.count * Self.filterBitsPerEntry / 64))
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString).ids")
        do {
            file = try FileHandle.makePrivateFile(at: url)
            try FileManager.default.removeItem(at: url)
            guard let read = FileReading.reading(file) else { throw CocoaError(.fileReadUnknown) }
            self.read = read
            try write(hashes, id)
        } catch {
            // It may not be there, or be gone already.
            try? FileManager.default.removeItem(at: url)
            throw GraftError(
                .unwritableFile(
                    reason: "there is no room in the temporary folder for the identities of stored objects"),
                at: .init(source: url.path), underlying: error)
        }
    }

    private func write(_ hashes: [UInt64], _ id: (Int) -> PackedID) throws {
        var order = (0..<UInt32(hashes.count)).map { $0 }
        order.sort { hashes[Int($0)] < hashes[Int($1)] }
        var bytes: [UInt8] = []
        for (place, number) in order.enumerated() {
            let hash = hashes[Int(number)]
            let id = id(Int(number))
            if place % Self.blockLength == 0 { firsts.append(hash) }
            forEachBit(of: hash) { filter[$0] |= $1 }
            Self.append(hash, 8, to: &bytes)
            Self.append(UInt64(bitPattern: id.number), 8, to: &bytes)
            Self.append(UInt64(id.kind), 2, to: &bytes)
            if bytes.count >= 1 << 20 {
                try file.write(contentsOf: bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try file.write(contentsOf: bytes)
    }

    /// Calls the closure with the IDs of the objects whose identity has a hash.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`.
    func forEach(_ hash: UInt64, _ body: (PackedID) -> Void) throws {
        var mayBeHere = true
        forEachBit(of: hash) { word, bit in mayBeHere = mayBeHere && filter[word] & bit != 0 }
        guard mayBeHere else { return }
        // The last block that begins below the hash, and those that begin with it.
        var number = max(0, firsts.firstPlace { $0 >= hash } - 1)
        while number < firsts.count, firsts[number] <= hash {
            let bytes = try bytes(ofBlock: number)
            let length = bytes.count / Self.entryLength
            var place = (0..<length).firstPlace { Self.number(in: bytes, at: $0 * Self.entryLength, 8) >= hash }
            while place < length, Self.number(in: bytes, at: place * Self.entryLength, 8) == hash {
                let start = place * Self.entryLength
                body(
                    (
                        Int64(bitPattern: Self.number(in: bytes, at: start + 8, 8)),
                        UInt16(truncatingIfNeeded: Self.number(in: bytes, at: start + 16, 2))
                    ))
                place += 1
            }
            number += 1
        }
    }

    private func bytes(ofBlock number: Int) throws -> Data {
        if let block, block.number == number { return block.bytes }
        let start = number * Self.blockLength
        let wanted = min(Self.blockLength, count - start) * Self.entryLength
        do {
            let bytes = try read(start * Self.entryLength, wanted)
            guard bytes.count == wanted else { throw CocoaError(.fileReadCorruptFile) }
            block = (number, bytes)
            return bytes
        } catch {
            throw GraftError(.unreadableFile(reason: "a temporary file can't be read again"), underlying: error)
        }
    }

    /// The bits of the filter that stand for a hash.
    @inline(__always)
    private func forEachBit(of hash: UInt64, _ body: (Int, UInt64) -> Void) {
        let step = (hash >> 33) | 1
        for probe in 0..<UInt64(Self.probeCount) {
            let bit = (hash &+ probe &* step) % UInt64(filter.count * 64)
            body(Int(bit / 64), 1 << (bit % 64))
        }
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
    }

    private static func number(in bytes: Data, at start: Int, _ count: Int) -> UInt64 {
        var number: UInt64 = 0
        for place in 0..<count { number |= UInt64(bytes[bytes.startIndex + start + place]) << UInt64(8 * place) }
        return number
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first place from which on a condition holds; the elements for which it doesn't come first.
    fileprivate func firstPlace(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
