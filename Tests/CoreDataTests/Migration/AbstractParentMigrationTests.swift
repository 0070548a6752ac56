// A mandatory attribute that all sub-entities have moves up to their abstract parent. The parent has no objects, and each object there is has
// a value; no mapping is inferred all the same, because the parent itself hasn't had the attribute. Where one sub-entity lacks it, that is
// in the way, and is to be said.

import CoreData
import Foundation
import Testing

@Suite struct AbstractParentMigrationTests {
    private func model(isPulledUp: Bool, poemsHaveTitles: Bool = true) -> NSManagedObjectModel {
        func title() -> NSAttributeDescription {
            let title = TestModel.attribute("title", .stringAttributeType)
            title.isOptional = false
            return title
        }
        let item = TestModel.entity("Item", [TestModel.attribute("name", .stringAttributeType)])
        item.isAbstract = true
        let novel = TestModel.entity("Novel"), poem = TestModel.entity("Poem")
        item.subentities = [novel, poem]
        if isPulledUp {
            item.properties.append(title())
        } else {
            novel.properties.append(title())
            if poemsHaveTitles { poem.properties.append(title()) }
        }
        return TestModel.model([item, novel, poem])
    }

    @Test func `a mandatory attribute moves up to an abstract parent`() throws {
        let store = try MigratingStore(model(isPulledUp: false)) { context in
            context.insert("Novel", ["title": "long"])
            context.insert("Poem", ["title": "short"])
        }
        let context = try store.open(model(isPulledUp: true))
        #expect(try context.values("Novel", "title") == ["long"])
        #expect(try context.values("Poem", "title") == ["short"])
    }

    @Test func `a sub-entity that lacks the attribute is in the way`() throws {
        let store = try MigratingStore(model(isPulledUp: false, poemsHaveTitles: false)) { context in
            context.insert("Novel", ["title": "long"])
            context.insert("Poem", ["name": "short"])
        }
        let error = try store.refusal(model(isPulledUp: true))
        #expect(error.localizedDescription.contains("title"))
    }
}
