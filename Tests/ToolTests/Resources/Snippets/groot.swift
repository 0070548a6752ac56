import CoreData
import Foundation

final class Character: NSManagedObject {}

@MainActor func groot_page() throws {
    let entity = entity("Character", ("name", .stringAttributeType))
    entity.properties[0].userInfo = ["JSONKeyPath": "name"]
    let context = try container(of: entity).viewContext
    let answer: [String: Any] = ["name": "Batman"]
    // snippet
}
