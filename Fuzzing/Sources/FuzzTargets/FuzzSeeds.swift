// What mutations begin with: one well-formed input of each kind at least, written by today's code.

import CoreData
package import Foundation
import Graft

extension FuzzTarget {
    /// Well-formed inputs.
    package func seeds() throws -> [Data] {
        switch self {
        case .json: Self.texts.map { Data($0.utf8) }
        case .records, .imports: [Data(FuzzModel.records.utf8), Data(#"{"id":3,"author":null} {"id":"4"}"#.utf8)]
        case .archiveInLines: [try Self.smallArchive(.json)]
        case .archiveInBlocks: [try Self.smallArchive(.binary)]
        case .restore: try GraphArchive.Encoding.allCases.map { try Self.archive($0, model: true) }
        case .diff: [try JSONEncoder().encode(Self.diff())]
        case .patch:
            [
                #"[{"op":"test","path":"/0/id","value":1},{"op":"move","from":"/0","path":"/1"}]"#,
                #"[{"op":"add","path":"/0/tags/-","value":{"a":[]}},{"op":"remove","path":"/1"}]"#,
                #"{"author":{"name":null},"tags":["x"]}"#, "/0/a~1b/~01",
            ].map { Data($0.utf8) }
        case .predicate, .fetch: Self.predicates.map { Data($0.utf8) }
        case .modelXML: [Data(FuzzModel.xml.utf8)]
        case .compiledModel: [try FuzzModel.model.archived()]
        case .modelCache: [try FuzzModel.model.modelCacheData()]
        case .keyedArchive: Self.keyedArchives()
        case .propertyList: Self.keyedArchives() + [Data(Self.listInXML.utf8)]
        case .store:
            [
                try Data(
                    contentsOf: FuzzModel.filledContainers[1].persistentStoreCoordinator.persistentStores[0].url
                        ?? FuzzModel.folder)
            ]
        case .tracker: [try Self.trackerFile()]
        }
    }

    private static func smallArchive(_ encoding: GraphArchive.Encoding) throws -> Data {
        try archive(of: FuzzModel.small.value, encoding, model: false)
    }

    private static func archive(_ encoding: GraphArchive.Encoding, model: Bool) throws -> Data {
        try archive(of: FuzzModel.filledContainers[0], encoding, model: model)
    }

    private static func archive(
        of container: NSPersistentContainer, _ encoding: GraphArchive.Encoding, model: Bool
    ) throws -> Data {
        let file = FuzzModel.folder.appending(path: "seed.archive")
        var options = GraphArchive.WritingOptions()
        options.encoding = encoding
        options.includesModel = model
        try container.writeArchive(to: .file(file), options: options)
        return try Data(contentsOf: file)
    }

    private static let texts = [
        #"{"a":[1,-0.5e+10,true,false,null,"\u00e9\ud83d\ude00\n"]}"#, "[[[[]]],{}]", #""é€😀\\\/\b""#,
        "1 2.50 {}\n[18446744073709551616,1E400,-0]\n", #"{"a":{"b":{"a":""}},"":0.1}"#,
    ]

    private static func diff() throws -> GraphDiff {
        let changed = FuzzModel.records.replacing("Dune", with: "Dune Messiah").replacing("\"sand\", ", with: "")
        let new = try GraphSnapshot(
            reading: .data(Data(changed.utf8)), entity: "Book", model: FuzzModel.model)
        return try GraphDiff(from: FuzzModel.snapshot, to: new)
    }

    private static let predicates = [
        "title BEGINSWITH[cd] 'é' AND NOT (id IN {1, 2.5} OR price BETWEEN {1, 20})",
        "ANY tags.label == 'sand' || SUBQUERY(chapters, $c, $c.number > 1).@count >= 1",
        "added > CAST(0, 'NSDate') AND chapters.@max.number + 2 * 3 - -1 / 4 ** 2 < 10",
        "author.name LIKE '*Her?ert' AND title MATCHES 'D.*' AND cover != nil AND isLent == YES",
        "TERNARY(rating > 4, 'a', \"b\") == 'a' AND uppercase(title) CONTAINS 'DUNE' AND TRUEPREDICATE",
        "ALL tags.books.id < 5 AND NONE chapters.number == 9 AND uuid == '6BA7B810-9DAD-11D1-80B4-00C04FD430C8'",
    ]

    private static func keyedArchives() -> [Data] {
        let objects: [Any] = [
            ["list": [1, 2.5, "text", Date(timeIntervalSinceReferenceDate: 0), Data([1, 2])], "set": NSNull()],
            [UUID(), URL(string: "https://example.org") as Any, Locale(identifier: "de"), TimeZone.gmt],
            NSOrderedSet(array: [1, 2, 3]), NSSet(array: ["a", 2]), [NSDecimalNumber(value: 1.5)],
        ]
        let transformer = NSSecureUnarchiveFromDataTransformer()
        return objects.compactMap { transformer.reverseTransformedValue($0) as? Data }
    }

    private static let listInXML = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>a</key><array><integer>1</integer><real>2.5</real><true/><string>&lt;é</string>
        <date>1965-08-01T12:00:00Z</date><data>AQI=</data></array></dict></plist>
        """

    private static func trackerFile() throws -> Data {
        let file = FuzzModel.folder.appending(path: "seed.graft-sync")
        let context = FuzzModel.filledContainers[0].newBackgroundContext()
        return try context.performAndWait {
            let tracker = try GraphTracker(file: file, context: context)
            try tracker.markSent()
            try tracker.confirm()
            return try Data(contentsOf: file)
        }
    }
}
