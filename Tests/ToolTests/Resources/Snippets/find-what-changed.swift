import CoreData
import Graft

@MainActor func find_what_changed_page() throws {
    func person() -> NSEntityDescription {
        entity("Person", identity: "id", ("id", .stringAttributeType), ("name", .stringAttributeType))
    }
    let (own, otherContainer) = (try container(of: person()), try container(of: person()))
    let (context, otherContext) = (own.viewContext, otherContainer.viewContext)
    let person = new("Person", ["id": "7", "name": "Ann"], in: context)
    _ = new("Person", ["id": "7", "name": "Ann"], in: otherContext)
    try otherContext.save()
    // snippet
    // snippet
}
