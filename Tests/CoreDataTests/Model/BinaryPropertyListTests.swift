// Binary property lists, checked against Foundation's reader and writer.

@testable import CoreData
import Foundation
import Testing

@Suite struct BinaryPropertyListTests {
    @Test func `Foundation reads what is written`() throws {
        let value = PropertyListValue.dictionary([
            .init("text", .string("a")), .init("größe", .string("ñ 😀")), .init("yes", .boolean(true)),
            .init("small", .integer(200)), .init("large", .integer(.max)), .init("negative", .integer(-5)),
            .init("real", .real(0.1)), .init("data", .data(Data([1, 2, 3]))), .init("date", .date(12.5)),
            .init("list", .array((0..<300).map { .integer($0) })),
        ])
        let list = try propertyList(BinaryPropertyListWriter.data(of: value))
        #expect(list["text"] as? String == "a" && list["größe"] as? String == "ñ 😀" && list["yes"] as? Bool == true)
        #expect(list["small"] as? Int == 200 && list["large"] as? Int == .max && list["negative"] as? Int == -5)
        #expect(list["real"] as? Double == 0.1 && list["data"] as? Data == Data([1, 2, 3]))
        #expect(list["date"] as? Date == Date(timeIntervalSinceReferenceDate: 12.5))
        #expect(list["list"] as? [Int] == Array(0..<300))
    }

    @Test func `what Foundation writes is read`() throws {
        let list: [String: Any] = [
            "text": "a", "größe": "ñ 😀", "yes": true, "large": Int.max, "negative": -5, "real": 0.1,
            "data": Data(repeating: 7, count: 70_000), "date": Date(timeIntervalSinceReferenceDate: 12.5),
            "list": Array(0..<300), "empty": [String: Any](),
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let value = try BinaryPropertyListReader.value(of: data)
        #expect(value["text"] == .string("a") && value["größe"] == .string("ñ 😀") && value["yes"] == .boolean(true))
        #expect(value["large"] == .integer(.max) && value["negative"] == .integer(-5) && value["real"] == .real(0.1))
        #expect(value["data"] == .data(Data(repeating: 7, count: 70_000)) && value["date"] == .date(12.5))
        #expect(value["list"] == .array((0..<300).map { .integer(Int64($0)) }) && value["empty"] == .dictionary([]))
    }

    @Test func `references of keyed archives survive`() throws {
        let value = PropertyListValue.array([.uid(0), .uid(255), .uid(256), .uid(70_000)])
        #expect(try BinaryPropertyListReader.value(of: BinaryPropertyListWriter.data(of: value)) == value)
    }

    @Test func `a list that contains itself is an error`() {
        // Object 0 is an array whose only member is object 0.
        let bytes: [UInt8] =
            Array("bplist00".utf8) + [0xA1, 0, 8] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListReader.value(of: Data(bytes)) }
        #expect(error?.description.contains("nested more than") == true)
    }

    @Test func `lists that multiply by reference are an error`() {
        // Twenty arrays, each with the next one fifteen times.
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in 0..<14 {
            offsets.append(UInt8(bytes.count))
            bytes += [0xAE] + [UInt8](repeating: UInt8(index + 1), count: 14)
        }
        offsets.append(UInt8(bytes.count))
        bytes.append(0x09)
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(offsets.count)]
        bytes += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListReader.value(of: Data(bytes)) }
        #expect(error?.description.contains("more values than its length allows") == true)
    }

    @Test func `a long text that is referred to many times is there once`() throws {
        // 60,000 references to 5 MB, which would be 300 GB.
        var bytes = Data("bplist00".utf8)
        func append(_ number: Int, _ size: Int) {
            for byte in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
        }
        append(0xAF_12, 2)
        append(60_000, 4)
        bytes.append(Data(repeating: 1, count: 60_000))
        let second = bytes.count
        append(0x4F_12, 2)
        append(5 << 20, 4)
        bytes.append(Data(count: 5 << 20))
        let table = bytes.count
        append(8, 4)
        append(second, 4)
        append(0x0401, 8)
        for number in [2, 0, table] { append(number, 8) }
        guard case .array(let members) = try BinaryPropertyListReader.value(of: bytes) else {
            Issue.record("It isn't an array")
            return
        }
        #expect(members.count == 60_000 && members.last == .data(Data(count: 5 << 20)))
    }

    @Test(arguments: 0..<20)
    func `random bytes are an error or a value`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0...80, using: &random)
            var bytes = Array("bplist00".utf8) + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // A plausible end, so that more than the trailer is read.
            bytes += [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8.random(in: 0...9, using: &random)]
            bytes += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, UInt8.random(in: 0...90, using: &random)]
            do throws(PropertyListError) {
                _ = try BinaryPropertyListReader.value(of: Data(bytes))
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }
}
