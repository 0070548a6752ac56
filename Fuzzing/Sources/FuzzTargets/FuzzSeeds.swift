// What mutations begin with: one well-formed input of each kind at least, written by today's code.

import CoreData
package import Foundation
import Graft

extension FuzzTarget {
    /// Well-formed inputs.
    package func seeds() throws -> [Data] {
        switch self {
        case .json, .records: [Data(FuzzModel.records.utf8), Data(#"{"id":3,"author":null} {"id":"4"}"#.utf8)]
        case .archiveInLines: [try archive(.json)]
        case .archiveInBlocks: [try archive(.binary)]
        case .diff: [try JSONEncoder().encode(Self.diff())]
        case .patch:
            [
                #"[{"op":"test","path":"/0/id","value":1},{"op":"move","from":"/0","path":"/1"}]"#,
                #"[{"op":"add","path":"/0/tags/-","value":{"a":[]}},{"op":"remove","path":"/1"}]"#,
                #"{"author":{"name":null},"tags":["x"]}"#, "/0/a~1b/~01",
            ].map { Data($0.utf8) }
        case .predicate: Self.predicates.map { Data($0.utf8) }
        case .modelXML: [Data(FuzzModel.xml.utf8)]
        case .compiledModel: [try FuzzModel.model.archived()]
        case .modelCache: [try FuzzModel.model.modelCacheData()]
        case .keyedArchive, .propertyList: try Self.keyedArchives()
        case .store:
            [
                try Data(
                    contentsOf: FuzzModel.filledContainers[1].persistentStoreCoordinator.persistentStores[0].url
                        ?? FuzzModel.folder)
            ]
        case .tracker: [try Self.trackerFile()]
        }
    }

    private func archive(_ encoding: GraphArchive.Encoding) throws -> Data {
        let file = FuzzModel.folder.appending(path: "seed.archive")
        var options = GraphArchive.WritingOptions()
        options.encoding = encoding
        try FuzzModel.filledContainers[0].writeArchive(to: .file(file), options: options)
        return try Data(contentsOf: file)
    }

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

    private static func keyedArchives() throws -> [Data] {
        let objects: [Any] = [
            ["list": [1, 2.5, "text", Date(timeIntervalSinceReferenceDate: 0), Data([1, 2])], "set": NSNull()],
            [UUID(), URL(string: "https://example.org") as Any, Locale(identifier: "de"), TimeZone.gmt],
            NSOrderedSet(array: [1, 2, 3]),
        ]
        let transformer = NSSecureUnarchiveFromDataTransformer()
        return objects.compactMap { transformer.reverseTransformedValue($0) as? Data } + [
            try FuzzModel.model.archived()
        ]
    }

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
