// An entity may be called `Größe` (ModelCheckTests: `names of other scripts are names`). Foundation escapes the name in the URL.

import CoreData
import Testing

@Suite struct ForeignScriptURITests {
    private static func model(_ name: String = "Größe") -> NSManagedObjectModel {
        let size = NSEntityDescription()
        size.name = name
        size.properties = [LibraryModel.attribute("label", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [size]
        return model
    }

    // The last one is spelled with a combining accent.
    @Test(arguments: StoreKind.allCases, ["Größe", "名前", "Размер", "Ete\u{301}"])
    func `a URI leads back to its object, whatever script the entity's name is of`(
        _ kind: StoreKind, _ name: String
    ) throws {
        let library = try Library(kind, model: Self.model(name))
        let object = library.insert(name, ["label": "a"])
        try library.context.save()
        let uri = object.objectID.uriRepresentation()
        #expect(library.coordinator.managedObjectID(forURIRepresentation: uri) == object.objectID)
        #expect(library.coordinator.managedObjectID(for: uri.absoluteString) == object.objectID)
    }

    // Objects of another coordinator are found by their URIs: merges, `object(with:)` and batch deletions go that way.
    @Test func `an object of such an entity is known to another coordinator of its store`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("sizes.sqlite")
        let here = try Library(at: url, model: Self.model()), there = try Library(at: url, model: Self.model())
        let object = here.insert("Größe", ["label": "a"])
        try here.context.save()
        let found = try there.context.existingObject(with: object.objectID)
        #expect(found.text("label") == "a")

        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: here.context)
        object.setValue("b", forKey: "label")
        try here.context.save()
        let save = try #require(saves.notifications.first)
        withExtendedLifetime(there) {
            there.context.mergeChanges(fromContextDidSave: save)
            #expect(found.text("label") == "b")
        }
    }
}
