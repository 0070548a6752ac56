// The comic-book model of Groot's documentation: characters with powers and a publisher, identified by numbers that are
// texts in JSON.

import CoreData

enum ComicModel {
    /// - Parameters:
    ///   - transformer: The transformer of the identifiers; without one the importer's own conversion does it.
    ///   - nameIsOptional: Whether a character may be saved without a name.
    static func make(transformer: String? = nil, nameIsOptional: Bool = true) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Character", info: ["identityAttributes": "identifier"],
            [
                .attribute("identifier", .integer64AttributeType, json: "id", transformer: transformer),
                .attribute("name", json: "name", isOptional: nameIsOptional),
                .attribute("realName", json: "real_name"),
                .attribute("secret"),
                .toOne("publisher", "Publisher", inverse: "characters", json: "publisher"),
                .toMany("powers", "Power", inverse: "characters", json: "powers"),
            ])
        sketch.entity(
            "Power", info: ["identityAttributes": "identifier"],
            [
                .attribute("identifier", .integer64AttributeType, json: "id", transformer: transformer),
                .attribute("name", json: "name"),
                .toMany("characters", "Character", inverse: "powers"),
            ])
        sketch.entity(
            "Publisher", info: ["identityAttributes": "identifier"],
            [
                .attribute("identifier", .integer64AttributeType, json: "id", transformer: transformer),
                .attribute("name", json: "name"),
                .toMany("characters", "Character", inverse: "publisher"),
            ])
        return sketch.model()
    }

    static let batman = """
        [{"id": "1699", "name": "Batman", "real_name": "Bruce Wayne",
          "powers": [{"id": "4", "name": "Agility"}, {"id": "9", "name": "Insanely Rich"}],
          "publisher": {"id": "10", "name": "DC Comics"}}]
        """
}
