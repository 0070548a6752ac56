// Unsaved objects are looked up by what an attribute has to equal (ChangeIndex.swift). A URI is a text for that, as it is in a store.

import CoreData
import Foundation
import Testing

@Suite struct PendingURITests {
    @Test(arguments: StoreKind.matching)
    func `an unsaved object is found by a URI of digits, as a saved one is`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let link = try #require(URL(string: "42")), other = try #require(URL(string: "x"))
        let changed = library.insert("Book", ["title": "a", "link": other])
        try library.context.save()
        changed.setValue(link, forKey: "link")
        let inserted = library.insert("Book", ["title": "b", "link": link])
        let constants: [Any] = ["42", link, 42]
        let predicates = constants.map { NSPredicate(format: "link == %@", argumentArray: [$0]) }
        for predicate in predicates {
            let found = try library.fetch("Book", sortedBy: "title", where: predicate)
            #expect(found == [changed, inserted], "\(predicate), unsaved")
        }
        try library.context.save()
        for predicate in predicates {
            let found = try library.fetch("Book", sortedBy: "title", where: predicate)
            #expect(found == [changed, inserted], "\(predicate), saved")
        }
    }
}
