// The model of the article on diffing managed objects: persons own addresses, which are identified by `guid`.

import CoreData
import Foundation

enum PersonModel {
    /// - Parameters:
    ///   - addressIdentity: The `id` of addresses; nil leaves them without identity.
    ///   - isOrdered: Whether a person's addresses have an order.
    ///   - employerDiff: The annotation `diff` of a person's employer, whom no person owns.
    ///   - ageDiff: The same of a person's age.
    static func make(
        addressIdentity: String? = "guid", isOrdered: Bool = false, employerDiff: String? = nil, ageDiff: String? = nil
    ) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person",
            [
                .attribute("firstName"), .attribute("lastName"),
                .attribute("age", .integer32AttributeType).with("diff", ageDiff),
                .toMany(
                    "addresses", "Address", inverse: "person", rule: .cascadeDeleteRule, isOrdered: isOrdered),
                .toOne("employer", "Company", inverse: "staff").with("diff", employerDiff),
            ])
        sketch.entity(
            "Address", info: addressIdentity.map { ["id": $0] } ?? [:],
            [
                .attribute("guid"), .attribute("street"), .attribute("city"), .attribute("state"),
                .attribute("postalCode"), .toOne("person", "Person", inverse: "addresses"),
            ])
        sketch.entity(
            "Company", info: ["id": "name"],
            [
                .attribute("name"), .attribute("city"),
                .toMany("staff", "Person", inverse: "employer").with("diff", "exclude"),
            ])
        return sketch.model()
    }
}

extension ModelSketch.Property {
    /// The property with an annotation.
    func with(_ key: String, _ value: String?) -> Self {
        guard let value else { return self }
        switch self {
        case .attribute(let attribute): attribute.userInfo?[key] = value
        case .relationship(let relationship): relationship.description.userInfo?[key] = value
        }
        return self
    }
}

/// Makes objects from attributes by name.
extension NSManagedObjectContext {
    func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (name, value) in values { object.setValue(value, forKey: name) }
        return object
    }
}
