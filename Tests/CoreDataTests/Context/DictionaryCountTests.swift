// `count(for:)` is "the number of objects a given fetch request would have returned if it had been passed to fetch(_:)" (Apple's
// documentation). A request for dictionaries shows the store alone, which it says by `includesPendingChanges`.

import CoreData
import Foundation
import Testing

@Suite struct DictionaryCountTests {
    @Test(arguments: StoreKind.allCases)
    func `what a request for dictionaries doesn't fetch isn't counted`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let first = library.insert("Tag", ["label": "a"])
        _ = library.insert("Tag", ["label": "b"])
        try library.context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Tag")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["label"]
        #expect(!request.includesPendingChanges)

        _ = library.insert("Tag", ["label": "c"])
        var fetched = try library.context.fetch(request).count
        var counted = try library.context.count(for: request)
        #expect(fetched == 2 && counted == fetched)

        request.predicate = NSPredicate(format: "label == 'a'")
        library.context.delete(first)
        fetched = try library.context.fetch(request).count
        counted = try library.context.count(for: request)
        #expect(fetched == 1 && counted == fetched)
    }

    @Test(arguments: StoreKind.allCases)
    func `rows that become one dictionary count once`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for label in ["a", "a", "b"] { _ = library.insert("Tag", ["label": label]) }
        try library.context.save()
        func count(_ change: (NSFetchRequest<NSDictionary>) -> Void) throws -> [Int] {
            let request = NSFetchRequest<NSDictionary>(entityName: "Tag")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["label"]
            change(request)
            return [try library.context.count(for: request), try library.context.fetch(request).count]
        }
        #expect(try count { _ in } == [3, 3])
        #expect(try count { $0.returnsDistinctResults = true } == [2, 2])
        #expect(try count { $0.propertiesToGroupBy = ["label"] } == [2, 2])
        #expect(
            try count {
                $0.propertiesToGroupBy = ["label"]
                $0.havingPredicate = NSPredicate(format: "label == 'b'")
            } == [1, 1])
    }
}
