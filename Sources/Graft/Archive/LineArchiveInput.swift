// The lines of a JSON archive, each verified by its checksum, and the end by that of the whole file.

import Foundation

/// Takes lines, in order.
struct LineArchiveInput {
    private var input: ArchiveInput
    /// What has been read and not taken. Begins with a line.
    private var window: [UInt8] = []
    /// The number of the latest line, from 1.
    private(set) var lineNumber = 0
    /// The checksum of all lines so far.
    private var checksum = CRC32C()
    /// The number of objects, which the last line says.
    private(set) var objectCount: Int?

    private static let chunkSize = 1 << 17
    private static let longestLine = 1 << 29

    init(_ input: ArchiveInput) { self.input = input }

    var offset: Int { input.offset }

    /// Where the latest line is.
    var place: GraftError.Place { .init(source: input.name, line: lineNumber) }

    /// Verifies and takes the next lines, line feeds included: those that have been read, or else one. The last line of the
    /// archive isn't among them; there are none before it any more when ``objectCount`` is known and nothing is returned.
    ///
    /// - Throws: ``GraftError`` with `damagedArchive` and the line's number, also where the file ends before the end.
    mutating func takeLines(atMost most: Int = .max) throws -> [UInt8] {
        var taken = 0
        var count = 0
        while count < most, objectCount == nil, let end = try endOfLine(from: taken) {
            lineNumber += 1
            try verifyLine(taken..<end)
            if window.span.extracting(taken..<end).begins(with: Self.endStart) {
                checksum = checksum(ofNext: taken)
                objectCount = try verifyEnd(taken..<end)
                window.removeSubrange(taken...)
                return window
            }
            taken = end + 1
            count += 1
        }
        checksum = checksum(ofNext: taken)
        // The lines go out as they are, without being copied.
        let rest = Array(window[taken...])
        window.removeSubrange(taken...)
        defer { window = rest }
        return window
    }

    private func checksum(ofNext count: Int) -> CRC32C {
        var checksum = checksum
        checksum.update(window.span.extracting(0..<count))
        return checksum
    }

    private static let endStart = Array(#"{"$end":"#.utf8)

    private func verifyLine(_ line: Range<Int>) throws {
        let contentEnd = line.upperBound - LineArchiveKey.checksumLength
        let bytes = window.span
        guard contentEnd > line.lowerBound,
            bytes.extracting(contentEnd..<line.upperBound).begins(with: LineArchiveKey.checksumStart),
            bytes[line.upperBound - 2] == 0x22, bytes[line.upperBound - 1] == 0x7D
        else { throw damaged("a line without a checksum at its end", "one like \"$crc\":\"89abcdef\"}") }
        let written = (line.upperBound - 10)..<(line.upperBound - 2)
        let found = CRC32C(of: bytes.extracting(line.lowerBound..<contentEnd)).value
        guard found.isHexadecimal(bytes.extracting(written)) else {
            throw damaged(
                "a line with the checksum \(Self.text(found.hexadecimal))",
                "\(Self.text(Array(window[written]))), which was written with it")
        }
    }

    private static func text(_ digits: [UInt8]) -> String { String(decoding: digits, as: UTF8.self) }

    /// The offset of the line feed of the line that begins at an offset of the window. Nil where the line hasn't been read to
    /// its end, unless it is the first one: then the window is filled as far as necessary.
    private mutating func endOfLine(from start: Int) throws -> Int? {
        var scanned = start
        while true {
            scanned = JSONStringScan.endOfLine(in: window.span, from: scanned)
            if scanned < window.count { return scanned }
            if start > 0 { return nil }
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
    private mutating func verifyEnd(_ line: Range<Int>) throws -> Int {
        let checksum = checksum.value
        let value = try located {
            var reader = JSONReader(Array(window[line]))
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
        guard line.upperBound + 1 == window.count, rest.isEmpty else {
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
