// The lines of a JSON archive, each verified by its checksum, and the end by that of the whole file.

import Foundation

/// Takes lines, in order.
struct LineArchiveInput {
    /// What a line is.
    enum Line {
        case content
        /// The last one. It says how many objects there are.
        case end(objectCount: Int)
    }

    private var input: ArchiveInput
    private var window: [UInt8] = []
    /// Where the next line begins in the window.
    private var position = 0
    /// The number of the latest line, from 1.
    private(set) var lineNumber = 0
    /// The checksum of all lines so far.
    private var checksum = CRC32C()

    private static let chunkSize = 1 << 16
    private static let longestLine = 1 << 29

    init(_ input: ArchiveInput) { self.input = input }

    var offset: Int { input.offset }

    /// Where the latest line is.
    var place: GraftError.Place { .init(source: input.name, line: lineNumber) }

    /// Verifies the next line and appends it, line feed included.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive` and the line's number, also where the file ends before the end.
    mutating func appendLine(to text: inout [UInt8]) throws -> Line {
        let end = try endOfLine()
        lineNumber += 1
        let start = position
        let contentEnd = end - LineArchiveKey.checksumLength
        guard contentEnd > start, isChecksum(at: contentEnd, end) else {
            throw damaged("a line without a checksum at its end", "one like \"$crc\":\"89abcdef\"}")
        }
        let written = Array(window[(end - 10)..<(end - 2)])
        let found = CRC32C(of: window.span.extracting(start..<contentEnd)).value.hexadecimal
        guard written == found else {
            throw damaged(
                "a line with the checksum \(Self.text(found))", "\(Self.text(written)), which was written with it")
        }
        let before = checksum.value
        let bytes = window
        checksum.update(bytes.span.extracting(start..<(end + 1)))
        text += window[start...end]
        position = end + 1
        guard window[start..<contentEnd].starts(with: Self.endStart) else { return .content }
        return .end(objectCount: try verifyEnd(Array(window[start..<end]), before))
    }

    private static let endStart = Array(#"{"$end":"#.utf8)

    private func isChecksum(at start: Int, _ end: Int) -> Bool {
        window[start...].starts(with: LineArchiveKey.checksumStart) && window[end - 2] == 0x22
            && window[end - 1] == 0x7D
    }

    private static func text(_ digits: [UInt8]) -> String { String(decoding: digits, as: UTF8.self) }

    /// The offset of the next line feed, or the count.
    private static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset < bytes.count, bytes[offset] != 0x0A { offset &+= 1 }
        return offset
    }

    /// The offset of the line feed in the window, which is filled as far as necessary.
    private mutating func endOfLine() throws -> Int {
        var scanned = position
        while true {
            scanned = Self.lineFeed(in: window.span, from: scanned)
            if scanned < window.count { return scanned }
            window.removeFirst(position)
            scanned -= position
            position = 0
            let count = window.count
            guard count <= Self.longestLine else {
                throw GraftError(
                    .tooLarge(what: "the length of a line in bytes", limit: Self.longestLine), at: place)
            }
            try input.append(max(Self.chunkSize, count), to: &window)
            guard window.count == count else { continue }
            lineNumber += 1
            throw damaged(
                count == 0 ? "the end of the file" : "the end of the file within a line",
                "the line with $end, with which an archive ends")
        }
    }

    /// Verifies the last line and that nothing follows it.
    private mutating func verifyEnd(_ line: [UInt8], _ checksum: UInt32) throws -> Int {
        let value = try located {
            var reader = JSONReader(line)
            _ = try reader.next()
            return try reader.value()
        }
        guard case .object(let end)? = value[LineArchiveKey.end], case .number(let number)? = end["objects"],
            let count = number.int64, case .string(let written)? = end["crc"]
        else { throw damaged("an end that says nothing", "the number of objects and the checksum of the file") }
        guard written == Self.text(checksum.hexadecimal) else {
            throw damaged(
                "a file with the checksum \(Self.text(checksum.hexadecimal))",
                "\(written): lines are missing, or have changed places")
        }
        var rest: [UInt8] = []
        try input.append(1, to: &rest)
        guard position == window.count, rest.isEmpty else {
            lineNumber += 1
            throw damaged("something behind the end of the archive", "nothing")
        }
        return Int(count)
    }

    // MARK: Errors

    func damaged(_ found: String, _ expected: String) -> GraftError {
        GraftError(.damagedArchive(found: found, expected: expected), at: place)
    }

    /// Runs a closure; its errors are in the latest line.
    func located<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch var error as GraftError {
            error.place.line = nil
            error.place.byteOffset = nil
            throw error.located(in: place)
        }
    }
}
