// What a transformable attribute holds, out of a store as JSON and into one again.

import Foundation
import GRDB
import Testing

/// Of a class that the tool doesn't know.
final class Stranger: NSObject, NSCoding {
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) { coder.encode(NSString(string: "x"), forKey: "name") }
}

@Suite struct TransformableExportTests {
    @Test func `numbers keep their kind, and what hasn't changed keeps its bytes`() throws {
        let folder = try TemporaryFolder()
        let store = try KennelStore(in: folder)
        let notes = NSDictionary(dictionary: [
            "none": 0.0, "count": 3, "list": NSArray(array: [2.0, "text", 1e300]),
        ])
        let bytes = try NSKeyedArchiver.archivedData(withRootObject: notes, requiringSecureCoding: false)
        try DatabaseQueue(path: store.path).write {
            try $0.execute(sql: "UPDATE ZOWNER SET ZNOTES = ? WHERE ZNAME = 'Ada'", arguments: [bytes])
        }
        func stored(_ path: String) throws -> Data? {
            try StoreFile(path: path).read {
                try Data.fetchOne($0, sql: "SELECT ZNOTES FROM ZOWNER WHERE ZNAME = 'Ada'")
            }
        }
        let json = try graft("export", "--store", store.path, "--entity", "Owner").endedWell().text
        #expect(json.contains(#""count":3,"list":[2.0,"text",1e+300],"none":0.0"#), "\(json.suffix(300))")

        // Into the same store: the same tree, so nothing is written.
        let input = try folder.file("owners.json", json)
        try graft("import", input, "--entity", "Owner", "--store", store.path).succeeded()
        #expect(try stored(store.path) == bytes)

        // Another tree: doubles stay doubles.
        let changed = try folder.file("changed.json", json.replacing(#""count":3"#, with: #""count":4"#))
        try graft("import", changed, "--entity", "Owner", "--store", store.path).succeeded()
        let written = try stored(store.path)
        let made = unsafe try PropertyListSerialization.propertyList(from: #require(written), format: nil)
        let objects = try #require((made as? [String: Any])?["$objects"] as? [Any])
        let numbers = objects.compactMap { $0 as? NSNumber }.map { "\($0)" }
        #expect(numbers.sorted() == ["0.0", "1e+300", "2.0", "4"])
    }

    @Test(arguments: ["json", "binary"])
    func `bytes that no object can be made of come through an archive as they are`(format: String) throws {
        let folder = try TemporaryFolder()
        let store = try KennelStore(in: folder)
        let strange = try NSKeyedArchiver.archivedData(withRootObject: Stranger(), requiringSecureCoding: false)
        let two = NSDictionary(dictionary: ["a": 1, "b": 2])
        var uneven = try NSKeyedArchiver.archivedData(withRootObject: two, requiringSecureCoding: false)
        // The last list of two is that of the objects, or of the keys: one of them has one member now.
        let list = try #require(uneven.lastIndex(of: 0xA2))
        uneven[list] = 0xA1
        for bytes in [strange, strange.dropLast(20), uneven, Data("text".utf8), Data([0])] {
            try DatabaseQueue(path: store.path).write {
                try $0.execute(sql: "UPDATE ZOWNER SET ZNOTES = ? WHERE ZNAME = 'Ada'", arguments: [bytes])
            }
            let (archive, restored) = (folder.path("a.archive"), folder.path("Restored.sqlite"))
            try graft("archive", store.path, "-o", archive, "--format", format).succeeded()
            try graft("restore", archive, "--store", restored).succeeded()
            let kept = try StoreFile(path: restored).read {
                try Data.fetchOne($0, sql: "SELECT ZNOTES FROM ZOWNER WHERE ZNAME = 'Ada'")
            }
            #expect(kept == Data(bytes))
            try graft("diff", store.path, restored, "--exit-code").endedWell()
            for path in [archive, restored] { try FileManager.default.removeItem(atPath: path) }
        }
    }
}
