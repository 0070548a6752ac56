// The names of columns in PostgreSQL are made anew from the model at each opening. The same model read from source, from a compiled file or
// from the store's own cache (by name) lists its properties in other orders. No server is needed: a schema is made without one.

import Testing

@testable import CoreData

@Suite struct PlainNameTests {
    /// The columns of an entity's attributes, by name, and its table.
    private func names(
        _ entity: String, _ attributes: [String]
    ) throws -> (columns: [String: String], table: String) {
        let description = NSEntityDescription()
        description.name = entity
        description.properties = attributes.map { LibraryModel.attribute($0, .stringAttributeType) }
        let model = NSManagedObjectModel()
        model.entities = [description]
        return try withExtendedLifetime(model) {
            let schema = try SQLSchema(postgreSQL: model, configuration: nil, namespace: "app")
            let found = try #require(schema.entity(named: entity))
            var columns: [String: String] = [:]
            for name in attributes {
                if case .attribute(let attribute)? = found.property(named: name) { columns[name] = attribute.column }
            }
            return (columns, found.table)
        }
    }

    @Test(
        arguments: [
            ["realName", "real_name"], ["name", "Name"], ["homeURL", "home_url"],
            [String(repeating: "x", count: 60) + "a", String(repeating: "x", count: 60) + "b"],
        ])
    func `an attribute has the same column, in whatever order the model lists them`(_ attributes: [String]) throws {
        let listed = try names("Hero", attributes).columns
        #expect(Set(listed.values).count == attributes.count)
        #expect(try names("Hero", attributes.reversed()).columns == listed)
    }

    @Test func `attributes may be called as the store's own columns, and entities as its tables`() throws {
        let reserved = ["_entity", "_id", "_version", "ctid", "xmin"]
        let columns = try names("Hero", reserved + ["title"]).columns
        #expect(Set(columns.values).count == reserved.count + 1)
        #expect(Set(columns.values).isDisjoint(with: reserved.map { "\"\($0)\"" }))
        for own in SQLSchema.postgreSQLSystemTables {
            #expect(try names(own, ["title"]).table != "\"app\".\"\(own)\"")
        }
    }

    @Test func `the columns of a join table differ, whatever its two entities are called`() throws {
        for (first, second) in [("Tag", "tag"), ("Hero", "HeroOrder")] {
            let entities = [first, second].map { name in
                let entity = NSEntityDescription()
                entity.name = name
                return entity
            }
            LibraryModel.connect(
                entities[1], "firsts", many: true, .nullifyDeleteRule, entities[0], "seconds", many: true, ordered: true
            )
            let model = NSManagedObjectModel()
            model.entities = entities
            try withExtendedLifetime(model) {
                let join = try #require(
                    try SQLSchema(postgreSQL: model, configuration: nil, namespace: "app").joinTables.first)
                let columns = [join.ownerColumn, join.memberColumn] + join.orderColumns
                #expect(Set(columns).count == columns.count && columns.count == 3)
            }
        }
    }
}
