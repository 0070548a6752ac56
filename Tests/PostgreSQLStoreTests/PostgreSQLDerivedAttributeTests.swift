// Derived attributes that the server keeps, whoever writes. What they are after saves is in CoreDataTests.

#if PostgreSQL

    import CoreData
    import Foundation
    import Testing

    @testable import PostgreSQLStore

    @Suite(.enabled(if: Server.url != nil, "no PostgreSQL server: make test-postgresql"))
    struct PostgreSQLDerivedAttributeTests {
        /// The shop's model with what is derived of customers, orders and tags.
        private static func model() -> NSManagedObjectModel {
            let model = Shop.model()
            func add(_ entity: String, _ name: String, _ type: NSAttributeType, _ format: String) {
                let attribute = NSDerivedAttributeDescription()
                (attribute.name, attribute.attributeType) = (name, type)
                attribute.isOptional = true
                attribute.derivationExpression = NSExpression(format: format)
                model.entitiesByName[entity]?.properties.append(attribute)
            }
            add("Customer", "folded", .stringAttributeType, "canonical:(fullName)")
            add("Customer", "orderSum", .integer64AttributeType, "orders.@sum.number")
            add("Order", "customerName", .stringAttributeType, "customer.fullName")
            add("Order", "tagCount", .integer64AttributeType, "tags.@count")
            add("Order", "saved", .dateAttributeType, "now()")
            return model
        }

        @Test func `another program's writing keeps them`() throws {
            let shop = try Shop(model: Self.model())
            let customers = "\(shop.schema).customer", orders = "\(shop.schema).order"
            func sums() throws -> [String] {
                try shop.sql("SELECT folded || ' ' || order_sum FROM \(customers) ORDER BY _id")
            }
            _ = try shop.sql(
                "INSERT INTO \(customers) (full_name) VALUES ('Ädá'), ('Bé'); "
                    + "INSERT INTO \(orders) (number, customer) SELECT 10 + _id, _id FROM \(customers); "
                    + "INSERT INTO \(orders) (number, customer) SELECT 100 + _id, _id FROM \(customers)")
            #expect(try sums() == ["ada 112", "be 114"])
            _ = try shop.sql("UPDATE \(customers) SET full_name = 'Zoë' WHERE _id = 1")
            #expect(try shop.sql("SELECT DISTINCT customer_name FROM \(orders) WHERE customer = 1") == ["Zoë"])
            _ = try shop.sql("UPDATE \(orders) SET customer = 2 WHERE customer = 1 AND number > 100")
            #expect(try sums() == ["zoe 11", "be 215"])
            _ = try shop.sql("DELETE FROM \(orders) WHERE number > 100")
            #expect(try sums() == ["zoe 11", "be 12"])
            _ = try shop.sql("DELETE FROM \(customers) WHERE _id = 1")
            #expect(try shop.sql("SELECT count(*) FROM \(orders) WHERE customer_name IS NULL") == ["1"])
        }

        @Test func `many who write at once lose nothing of an aggregate`() async throws {
            let shop = try Shop(model: Self.model())
            let schema = shop.schema
            _ = try shop.sql("INSERT INTO \(schema).customer (full_name) VALUES ('Ada')")
            _ = try shop.sql("INSERT INTO \(schema).tag (label) VALUES ('new')")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<25 {
                            _ = try Server.sql(
                                "BEGIN; INSERT INTO \(schema).order (number, customer) VALUES (\(writer * 25 + number), 1); "
                                    + "UPDATE \(schema).tag SET label = '\(writer)'; COMMIT")
                        }
                    }
                }
                group.addTask {
                    for number in 0..<25 {
                        _ = try Server.sql("UPDATE \(schema).customer SET full_name = 'Ada \(number)'")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try shop.sql("SELECT order_sum FROM \(schema).customer") == ["4950"])
            #expect(try shop.sql("SELECT DISTINCT customer_name FROM \(schema).order") == ["Ada 24"])
        }

        @Test func `a migration computes new ones, and those that are gone leave nothing behind`() throws {
            let shop = try Shop()
            shop.insert("Order").setValue(7, forKey: "number")
            let ada = shop.insert("Customer")
            ada.setValue("Ädá", forKey: "fullName")
            ada.setValue(Set(try shop.fetch("Order")), forKey: "orders")
            try shop.context.save()
            let options = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ]
            let newer = try Shop(at: shop.url, model: Self.model(), options: options)
            #expect(try newer.sql("SELECT folded || ' ' || order_sum FROM \(newer.schema).customer") == ["ada 7"])
            #expect(
                try newer.sql("SELECT customer_name || ' ' || tag_count FROM \(newer.schema).order") == ["Ädá 0"])
            let moment = try #require(try newer.fetch("Order").first?.value(forKey: "saved") as? Date)
            #expect(abs(moment.timeIntervalSinceNow) < 60)

            // A model that is the same isn't another version.
            _ = try Shop(at: shop.url, model: Self.model())
            let model = Self.model()
            model.entitiesByName["Customer"]?.properties.removeAll { $0 is NSDerivedAttributeDescription }
            let third = try Shop(at: shop.url, model: model, options: options)
            #expect(try third.fetch("Order").first?.value(forKey: "saved") as? Date == moment)
            third.insert("Customer").setValue("Bea", forKey: "fullName")
            try third.context.save()
            _ = try Shop(at: shop.url, options: options)
            #expect(
                try shop.sql(
                    "SELECT count(*) FROM pg_proc WHERE pronamespace = '\(shop.schema)'::regnamespace "
                        + "AND proname LIKE E'\\\\_derived%'") == ["0"])
        }
    }

#endif
