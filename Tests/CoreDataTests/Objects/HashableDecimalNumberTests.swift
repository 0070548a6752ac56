import CoreData
import Foundation
import Testing

@Suite struct HashableDecimalNumberTests {
    /// Foundation's own on Linux end the process when they are hashed.
    @Test(arguments: StoreKind.allCases)
    func `decimals of objects are members of sets and keys of dictionaries`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for price in ["0.10", "0.20", "0.1", "12345678901234567890.25"] {
            _ = library.insert("Book", ["price": NSDecimalNumber(string: price)])
        }
        try library.context.save()
        library.context.refreshAllObjects()
        let prices = try library.fetch("Book").compactMap { $0.value(forKey: "price") as? NSDecimalNumber }
        #expect(prices.count == 4 && Set(prices).count == 3 && NSSet(array: prices).count == 3)
        #expect(Dictionary(grouping: prices) { $0 }.values.map(\.count).sorted() == [1, 1, 2])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["price"]
        let fetched = try library.context.fetch(request).compactMap { $0["price"] as? NSDecimalNumber }
        #expect(Set(fetched) == Set(prices))
        // As a number of the same value.
        #expect(prices.contains { $0.hash == NSNumber(value: 0.1).hash && $0 == NSNumber(value: 0.1) })
    }
}
