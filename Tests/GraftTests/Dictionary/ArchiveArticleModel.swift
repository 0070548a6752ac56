// The models of the tests of dictionaries: persons with addresses as in the article, and chains of nodes.

import CoreData
import Foundation

enum ArchiveArticleModel {
    /// Person, who owns addresses, ordered or not, and has friends; Address, with its person.
    ///
    /// - Parameter hasIdentity: Whether a guid identifies addresses and persons.
    static func make(hasIdentity: Bool = false, isOrdered: Bool = false) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        let info = hasIdentity ? ["id": "guid"] : [:]
        sketch.entity(
            "Person", info: info,
            [
                .attribute("guid"), .attribute("firstName"), .attribute("lastName"),
                .attribute("age", .integer16AttributeType), .attribute("born", .dateAttributeType),
                .attribute("note", isTransient: true),
                .toMany("addresses", "Address", inverse: "person", rule: .cascadeDeleteRule, isOrdered: isOrdered),
                .toMany("friends", "Person", inverse: "friends"),
                .toOne("passport", "Passport", inverse: "owner", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Employee", parent: "Person", info: info, [.attribute("badge", .integer64AttributeType)])
        sketch.entity(
            "Address", info: info,
            [
                .attribute("guid"), .attribute("street"), .attribute("city"),
                .toOne("person", "Person", inverse: "addresses"),
                .toOne("country", "Country", inverse: "addresses"),
            ])
        sketch.entity(
            "Country", info: hasIdentity ? ["id": "code"] : [:],
            [.attribute("code"), .attribute("name"), .toMany("addresses", "Address", inverse: "country")])
        sketch.entity("Passport", [.attribute("number"), .toOne("owner", "Person", inverse: "passport")])
        return sketch.model()
    }

    /// Nodes that lead to a next one and know the one before.
    static func chain() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Node",
            [
                .attribute("number", .integer32AttributeType), .toOne("next", "Node", inverse: "previous"),
                .toOne("previous", "Node", inverse: "next"),
            ])
        return sketch.model()
    }

    /// Ann with two addresses in one country.
    static func fill(_ context: NSManagedObjectContext, guid: String = "p1") -> NSManagedObject {
        let country = new("Country", ["code": "DE", "name": "Germany"], context)
        let addresses = [("a1", "Sometown"), ("a2", "Another Town")].map { guid, city in
            let address = new("Address", ["guid": guid, "city": city], context)
            address.setValue(country, forKey: "country")
            return address
        }
        let born = Date(timeIntervalSinceReferenceDate: -300_000_000.25)
        let person = new(
            "Person", ["guid": guid, "firstName": "Ann", "lastName": "Smith", "age": 30, "born": born], context)
        for address in addresses { address.setValue(person, forKey: "person") }
        return person
    }

    @discardableResult
    static func new(_ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }
}

/// The dictionaries under a key.
func nested(_ dictionary: [String: Any], _ key: String) -> [[String: Any]] {
    if let one = dictionary[key] as? [String: Any] { return [one] }
    return dictionary[key] as? [[String: Any]] ?? []
}

/// Whether two dictionaries have the same contents, arrays in the same order.
func isSame(_ one: [String: Any], _ other: [String: Any]) -> Bool {
    NSDictionary(dictionary: one).isEqual(NSDictionary(dictionary: other))
}
