// A version hash has one byte for external storage and for values that a history keeps: where one of the two goes and the other stays, the
// hash does, too. The stored bytes don't, so that whoever opened the store as it is read a prefix as a value's first byte, and a file's name
// as the value.

import CoreData
import Foundation
import Testing

@Suite struct UnhashedChangeTests {
    private static let values = [Data("hello".utf8), Data([1, 2, 3]), Data(repeating: 7, count: 200_000)]

    private func photos(external: Bool) -> NSManagedObjectModel {
        let bytes = TestModel.attribute("bytes", .binaryDataAttributeType, external: external)
        bytes.preservesValueInHistoryOnDeletion = true
        return TestModel.model([
            TestModel.entity("Photo", [TestModel.attribute("name", .stringAttributeType), bytes])
        ])
    }

    private func store(external: Bool) throws -> MigratingStore {
        try MigratingStore(photos(external: external)) { context in
            for (index, value) in Self.values.enumerated() {
                context.insert("Photo", ["name": "\(index)", "bytes": value])
            }
        }
    }

    private func check(_ context: NSManagedObjectContext) throws {
        let photos = try context.all("Photo").sorted {
            "\($0.value(forKey: "name") ?? "")" < "\($1.value(forKey: "name") ?? "")"
        }
        #expect(photos.map { $0.value(forKey: "bytes") as? Data } == Self.values)
    }

    @Test(arguments: [true, false])
    func `a store whose values are stored otherwise under the same hash is migrated, and not opened before`(
        isExternal: Bool
    ) throws {
        let (older, newer) = (photos(external: isExternal), photos(external: !isExternal))
        #expect(older.entityVersionHashesByName == newer.entityVersionHashesByName)
        let store = try store(external: isExternal)
        let error = try store.refusal(newer, nil)
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        #expect(error.localizedDescription.contains("Photo"))
        try check(store.open(newer))
        try store.close()
        try check(store.open(newer, nil))
        try store.close()
        #expect(try store.refusal(older, nil).code == .persistentStoreIncompatibleVersionHash)
    }

    @Test(arguments: [["1", "2"], ["2", "1"]])
    func `of two versions with the store's hashes, the one that the store carries is the source`(
        _ names: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let bundle = "Photos.xcdatamodeld"
        for (name, external) in zip(names, ["YES", "NO"]) {
            try folder.write(
                """
                <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Photo">
                <attribute name="name" optional="YES" attributeType="String"/><attribute name="bytes" optional="YES"
                attributeType="Binary" allowsExternalBinaryDataStorage="\(external)" preserveAfterDeletion="YES"/>
                </entity></model>
                """, to: "\(bundle)/\(name).xcdatamodel/contents")
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>\(names[1]).xcdatamodel</string></dict></plist>
            """, to: "\(bundle)/.xccurrentversion")
        let store = try store(external: true)
        try check(store.open(NSManagedObjectModel(readingContentsOf: folder.url.appendingPathComponent(bundle))))
    }
}
