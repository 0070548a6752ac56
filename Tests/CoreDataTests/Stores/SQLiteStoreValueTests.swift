// Values of every type, from slot to file and back, and what other writers may have put there instead.

import Foundation
import Testing

@testable import CoreData

@Suite struct SQLiteStoreValueTests {
    private static let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

    private static func model() -> NSManagedObjectModel {
        let types: [(String, NSAttributeType)] = [
            ("int16", .integer16AttributeType), ("int32", .integer32AttributeType),
            ("int64", .integer64AttributeType), ("boolean", .booleanAttributeType), ("double", .doubleAttributeType),
            ("float", .floatAttributeType), ("decimal", .decimalAttributeType), ("string", .stringAttributeType),
            ("date", .dateAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
            ("data", .binaryDataAttributeType), ("object", .transformableAttributeType),
        ]
        let thing = TestModel.entity("Thing", types.map { TestModel.attribute($0.0, $0.1) })
        thing.properties.append(TestModel.attribute("large", .binaryDataAttributeType, external: true))
        thing.properties.append(TestModel.attribute("largeObject", .transformableAttributeType, external: true))
        return TestModel.model([thing])
    }

    struct Example: CustomTestStringConvertible, @unchecked Sendable {
        // Shared between tests that only read it.
        let property: String, value: ManagedValue, stored: String
        var testDescription: String { "\(property) \(value.shown)" }
    }

    static let examples: [Example] = [
        Example(property: "int16", value: .integer(-32768), stored: "integer|-32768"),
        Example(property: "int32", value: .integer(2_147_483_647), stored: "integer|2147483647"),
        Example(property: "int64", value: .integer(.max), stored: "integer|9223372036854775807"),
        Example(property: "int64", value: .integer(.min), stored: "integer|-9223372036854775808"),
        Example(property: "boolean", value: .boolean(true), stored: "integer|1"),
        Example(property: "boolean", value: .boolean(false), stored: "integer|0"),
        Example(property: "double", value: .double(0.1), stored: "real|0.1"),
        Example(property: "double", value: .double(3), stored: "real|3.0"),
        Example(property: "float", value: .double(1.5), stored: "real|1.5"),
        Example(property: "decimal", value: .decimal(Decimal(string: "0.7689993") ?? 0), stored: "real|0.7689993"),
        Example(property: "decimal", value: .decimal(12), stored: "integer|12"),
        Example(
            property: "decimal", value: .decimal(Decimal(string: "9007199254740993") ?? 0),
            stored: "integer|9007199254740993"),
        Example(
            property: "decimal", value: .decimal(Decimal(string: "100000000000000000000") ?? 0), stored: "real|1e+20"),
        Example(property: "string", value: .string("Zoë 🦸 \u{0}nul"), stored: "text|-"),
        Example(property: "string", value: .string(""), stored: "text|''"),
        Example(property: "date", value: .date(12.5), stored: "real|12.5"),
        // TIMESTAMP has numeric affinity: whole seconds become integers.
        Example(property: "date", value: .date(-86400), stored: "integer|-86400"),
        Example(property: "uuid", value: .uuid(uuid), stored: "blob|x'000102030405060708090a0b0c0d0e0f'"),
        Example(
            property: "uri", value: .uri(URL(fileURLWithPath: "/tmp/a b")), stored: "text|'file:///tmp/a%20b'"),
        Example(property: "data", value: .data(Data([0, 255])), stored: "blob|x'00ff'"),
        Example(property: "data", value: .data(Data()), stored: "blob|x''"),
        Example(property: "large", value: .data(Data([7, 8])), stored: "blob|x'010708'"),
        Example(property: "large", value: .data(Data()), stored: "blob|x'01'"),
    ]

    @Test(arguments: examples)
    func `a value is stored in Core Data's form and read back as it was`(_ example: Example) throws {
        let store = try TestStore(Self.model())
        let id = try store.insert("Thing", [example.property: example.value])
        #expect(try store.value(id, example.property).shown == example.value.shown)
        let column = "Z\(example.property.uppercased())"
        let stored = try #require(try store.rows("SELECT typeof(\(column)), \(column) FROM ZTHING").first)
        // The text with the zero byte can't be shown by SQL.
        if example.stored != "text|-" {
            let type = stored.prefix { $0 != "|" }.dropFirst().dropLast()
            #expect("\(type)\(stored.drop { $0 != "|" })" == example.stored)
        }
    }

    @Test func `nil is NULL for every type, and reads back as nil`() throws {
        let store = try TestStore(Self.model())
        let id = try store.insert("Thing")
        #expect(try store.row(id).values.allSatisfy(\.isNull))
        let thing = try #require(store.backend.schema.entity(named: "Thing"))
        for name in thing.properties.keys {
            let column = try #require(thing.column(named: name))
            #expect(try store.rows("SELECT \(column) FROM ZTHING") == ["NULL"])
        }
    }

    @Test func `not a number is nil, as SQLite has it`() throws {
        let store = try TestStore(Self.model())
        let id = try store.insert("Thing", ["double": .double(.nan), "decimal": .decimal(.nan)])
        #expect(try store.value(id, "double").isNull)
        #expect(try store.value(id, "decimal").isNull)
        let infinite = try store.insert("Thing", ["double": .double(-.infinity)])
        #expect(try store.value(infinite, "double").shown == "double -inf")
    }

    @Test func `a transformable value stays bytes until it is used`() throws {
        let store = try TestStore(Self.model())
        let object = TransformableValue(object: ["a", "b"], transformerName: nil)
        let id = try store.insert("Thing", ["object": .transformable(object), "largeObject": .transformable(object)])
        guard case .transformable(let plain) = try store.value(id, "object"),
            case .transformable(let large) = try store.value(id, "largeObject")
        else {
            Issue.record("The values aren't transformable.")
            return
        }
        let bytes = try object.storedBytes()
        #expect(try plain.storedBytes() == bytes)
        #expect(plain.object as? [String] == ["a", "b"])
        #expect(large.object as? [String] == ["a", "b"])
        #expect(try store.rows("SELECT HEX(SUBSTR(ZOBJECT, 1, 8)) FROM ZTHING") == ["'62706C6973743030'"])
        #expect(try store.rows("SELECT HEX(SUBSTR(ZLARGEOBJECT, 1, 1)) FROM ZTHING") == ["'01'"])
    }

    // MARK: Other writers' forms

    struct Foreign: CustomTestStringConvertible, Sendable {
        let property: String, sql: String, value: String
        var testDescription: String { "\(property): \(sql)" }
    }

    @Test(arguments: [
        Foreign(property: "double", sql: "4", value: "double 4.0"),
        Foreign(property: "date", sql: "4", value: "date 4.0"),
        Foreign(property: "int64", sql: "4.0", value: "integer 4"),
        Foreign(property: "boolean", sql: "7", value: "boolean true"),
        Foreign(property: "decimal", sql: "0.1", value: "decimal 0.1"),
        Foreign(property: "string", sql: "x'41'", value: "error"),
        Foreign(property: "uuid", sql: "'00010203-0405-0607-0809-0A0B0C0D0E0F'", value: "uuid \(uuid.uuidString)"),
        Foreign(property: "uuid", sql: "x'0001'", value: "error"),
        Foreign(property: "int64", sql: "'many'", value: "error"),
        Foreign(property: "decimal", sql: "'5 apples'", value: "error"),
        Foreign(property: "decimal", sql: "'1,5'", value: "error"),
        Foreign(property: "double", sql: "'0x10'", value: "error"),
        Foreign(property: "boolean", sql: "'nan'", value: "error"),
        Foreign(property: "date", sql: "'yesterday'", value: "error"),
        Foreign(property: "data", sql: "'A'", value: "data 41"),
        Foreign(property: "large", sql: "x'4142'", value: "data 4142"),
    ])
    func `other storage classes are read as what they mean, or are an error with their place`(
        _ foreign: Foreign
    ) throws {
        let store = try TestStore(Self.model())
        let id = try store.insert("Thing")
        let column = "Z\(foreign.property.uppercased())"
        try store.sql { try $0.execute(sql: "UPDATE ZTHING SET \(column) = \(foreign.sql)") }
        guard foreign.value == "error" else {
            #expect(try store.value(id, foreign.property).shown == foreign.value)
            return
        }
        let error = try #require(throws: CocoaError.self) { try store.row(id) }
        #expect(error.code == .fileReadCorruptFile)
        #expect(error.localizedDescription.contains("Thing.\(foreign.property) (ZTHING.\(column) of row 1)"))
    }

    @Test func `a row of an entity that the model doesn't have is an error with its place`() throws {
        let store = try TestStore(Self.model())
        let id = try store.insert("Thing")
        try store.sql { try $0.execute(sql: "UPDATE ZTHING SET Z_ENT = 77") }
        let error = try #require(throws: CocoaError.self) { try store.row(id) }
        #expect(error.localizedDescription.contains("ZTHING.Z_ENT of row 1"))
        #expect(error.localizedDescription.contains("77"))
    }

    // MARK: External storage

    private func files(_ folder: TemporaryFolder) throws -> [String] {
        let support = folder.url.appendingPathComponent(".Things_SUPPORT/_EXTERNAL_DATA").path
        guard FileManager.default.fileExists(atPath: support) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: support)
    }

    @Test func `a large value goes into a file of its own, which goes with the value`() throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(Self.model(), at: folder.url.appendingPathComponent("Things.sqlite"))
        let large = Data(repeating: 65, count: 200_000), small = Data(repeating: 66, count: 50_000)
        let id = try store.insert("Thing", ["large": .data(large)])
        let other = try store.insert("Thing", ["large": .data(small)])

        #expect(try files(folder).count == 1)
        #expect(
            try store.rows("SELECT LENGTH(ZLARGE), HEX(SUBSTR(ZLARGE, 1, 1)) FROM ZTHING ORDER BY Z_PK") == [
                "38|'02'", "50001|'01'",
            ])
        #expect(try store.value(id, "large").shown == ManagedValue.data(large).shown)
        #expect(try store.value(other, "large").shown == ManagedValue.data(small).shown)
        let first = try files(folder)

        try store.update(id, ["large": .data(large + small)])
        #expect(try files(folder).count == 1)
        #expect(try files(folder) != first)
        #expect(try store.value(id, "large").shown == ManagedValue.data(large + small).shown)

        try store.delete(id, version: 2)
        #expect(try files(folder).isEmpty)
    }

    @Test func `a save that fails leaves neither its files nor takes away old ones`() throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(Self.model(), at: folder.url.appendingPathComponent("Things.sqlite"))
        let large = Data(repeating: 65, count: 200_000)
        let id = try store.insert("Thing", ["large": .data(large)])
        let before = try files(folder)
        #expect(throws: StoreConflict.self) { try store.update(id, version: 9, ["large": .data(large + large)]) }
        #expect(try files(folder) == before)
        #expect(try store.value(id, "large").shown == ManagedValue.data(large).shown)
    }

    @Test func `a value whose file is missing is nil and doesn't fail the fetch`() throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(Self.model(), at: folder.url.appendingPathComponent("Things.sqlite"))
        let id = try store.insert(
            "Thing", ["large": .data(Data(repeating: 65, count: 200_000)), "string": .string("there")])
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent(".Things_SUPPORT"))
        #expect(try store.value(id, "large").isNull)
        #expect(try store.value(id, "string").shown == "string there")
    }

    @Test func `a store in memory keeps large values inline`() throws {
        let store = try TestStore(Self.model())
        let large = Data(repeating: 65, count: 200_000)
        let id = try store.insert("Thing", ["large": .data(large)])
        #expect(try store.rows("SELECT LENGTH(ZLARGE) FROM ZTHING") == ["200001"])
        #expect(try store.value(id, "large").shown == ManagedValue.data(large).shown)
    }
}
