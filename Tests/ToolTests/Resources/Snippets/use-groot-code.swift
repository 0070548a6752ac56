import CoreData

final class Comic: NSManagedObject {}

@MainActor func use_groot_code_page() throws {
    let (comic, author) = (
        entity("Comic", identity: "id", ("id", .stringAttributeType), ("title", .stringAttributeType)),
        entity("Author", identity: "id", ("id", .stringAttributeType), ("name", .stringAttributeType))
    )
    own(author, "comics", comic, "author")
    for property in comic.properties + author.properties where property.name != "comics" {
        property.userInfo = ["JSONKeyPath": property.name]
    }
    let container = try container(of: comic, author)
    let context = container.viewContext
    // snippet
}
