import CoreData
import Foundation
import Graft
import Yams

class Hero: NSManagedObject, ManagedCodable {}

@MainActor func dictionaries_and_codable_page() throws {
    let (personEntity, address) = (
        entity("Person", ("firstName", .stringAttributeType)), entity("Address", ("city", .stringAttributeType))
    )
    own(personEntity, "addresses", address, "person")
    let container = try container(
        of: personEntity, address, entity("TodoItem", ("title", .stringAttributeType), ("due", .dateAttributeType)),
        entity("Hero", ("name", .stringAttributeType)))
    let context = container.viewContext
    let person = new("Person", ["firstName": "Ann"], in: context)
    _ = new("Address", ["city": "Sometown", "person": person], in: context)
    let answerOfTheServer: [String: Any] = ["firstName": "Anna"]
    // snippet
    do {
        // snippet
    }
    let item = new("TodoItem", [:], in: context)
    let json: [String: Any] = ["title": 8, "due": "24.12.2026"]
    let formatter = DateFormatter()
    formatter.dateFormat = "dd.MM.yyyy"
    do {
        // snippet
    }
    try codable(Data(#"[{"title": "Bread"}]"#.utf8), context)
}

// declarations

@MainActor private func codable(_ data: Data, _ context: NSManagedObjectContext) throws {
    do {
        // snippet
    }
    let text = "- name: Kuu"
    // snippet
}
