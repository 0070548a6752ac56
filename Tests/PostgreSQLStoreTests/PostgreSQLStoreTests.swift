// What is PostgreSQL's own: the tables as others see them, other programs, errors. What every store does is in CoreDataTests, which
// run on PostgreSQL too.

#if PostgreSQL

    import CoreData
    import Foundation
    import Graft
    import Testing

    @testable import PostgreSQLStore

    @Suite(.enabled(if: Server.url != nil, "no PostgreSQL server: make test-postgresql"))
    struct PostgreSQLStoreTests {
        // MARK: Tables

        @Test func `tables and columns have names that a person would give them`() throws {
            let shop = try Shop()
            let columns = try shop.sql(
                "SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns "
                    + "WHERE table_schema = '\(shop.schema)' AND table_name NOT LIKE E'\\\\_%' ORDER BY 1")
            #expect(
                columns == [
                    "customer._entity text", "customer._id bigint", "customer._version bigint",
                    "customer.full_name text", "order._entity text", "order._id bigint", "order._version bigint",
                    "order.customer bigint", "order.is_paid boolean", "order.key uuid",
                    "order.made_at timestamp with time zone",
                    "order.number bigint", "order.total numeric", "order_tags.order bigint", "order_tags.tag bigint",
                    "tag._entity text", "tag._id bigint", "tag._version bigint", "tag.label text",
                ])
            let rules = try shop.sql(
                "SELECT conrelid::regclass::text || ' ' || contype::text FROM pg_constraint "
                    + "WHERE connamespace = '\(shop.schema)'::regnamespace AND contype IN ('f', 'u') "
                    + "AND conrelid::regclass::text NOT LIKE '%\\_changes%' ORDER BY 1")
            #expect(
                rules.map { $0.replacing("\(shop.schema).", with: "") } == [
                    "\"order\" f", "\"order\" u", "order_tags f", "order_tags f",
                ])
        }

        @Test func `values come back as they were`() throws {
            let shop = try Shop()
            let order = shop.insert("Order")
            let key = UUID()
            order.setValuesForKeys([
                "number": Int64.min, "total": NSDecimalNumber(string: "12345678901234567890.123456789012345678"),
                "isPaid": true, "key": key, "madeAt": Date(timeIntervalSinceReferenceDate: -1234567.5),
            ])
            try shop.context.save()
            let read = try #require(try shop.fetch("Order", in: shop.newContext()).first)
            #expect(read.value(forKey: "number") as? Int64 == .min)
            #expect(
                (read.value(forKey: "total") as? NSDecimalNumber)?.stringValue
                    == "12345678901234567890.123456789012345678")
            #expect(read.value(forKey: "isPaid") as? Bool == true)
            #expect(read.value(forKey: "key") as? UUID == key)
            #expect((read.value(forKey: "madeAt") as? Date)?.timeIntervalSinceReferenceDate == -1234567.5)
        }

        @Test func `decimals come back whatever their exponent and number of digits`() throws {
            let shop = try Shop()
            let totals = [
                "1e-127", "1e127", "-99999999999999999999999999999999999999",
                "0.00000000000000000000000000000000000001", "0.111111111111111111111111111111111111108",
            ].map { NSDecimalNumber(string: $0).stringValue }
            for total in totals { shop.insert("Order").setValue(NSDecimalNumber(string: total), forKey: "total") }
            try shop.context.save()
            let read = try shop.fetch("Order", in: shop.newContext()).map {
                $0.value(forKey: "total") as? NSDecimalNumber
            }
            #expect(read.compactMap(\.?.stringValue) == totals)
        }

        @Test func `a decimal of another program's comes back whole or is an error`() throws {
            let shop = try Shop()
            let order = shop.insert("Order")
            try shop.context.save()
            func read(_ number: String) throws -> String? {
                _ = try shop.sql("UPDATE \(shop.schema).order SET total = '\(number)'")
                let stored = try shop.newContext().existingObject(with: order.objectID)
                return (stored.value(forKey: "total") as? NSDecimalNumber)?.stringValue
            }
            let zeros = String(repeating: "0", count: 40)
            #expect(try read("1.5\(zeros)") == "1.5")
            #expect(try read("12\(zeros)") == "12\(zeros)")
            #expect(try read("NaN") == "NaN")
            #expect(throws: CocoaError.self) { try read("1\(zeros)1") }
            #expect(throws: CocoaError.self) { try read("340282366920938463463374607431768211456") }
        }

        @Test func `what has finer dates than the server keeps is unchanged when it comes again`() throws {
            let shop = try Shop(), other = shop.newContext()
            let json = Data(#"[{"number": 1, "madeAt": "2017-01-24T21:35:38.99399996Z"}]"#.utf8)
            let report = try shop.context.importJSON(json, entity: "Order")
            #expect(report["Order"].inserted == 1 && report.roundedValues.map(\.property) == ["madeAt"])
            try shop.context.save()
            #expect(try other.importJSON(json, entity: "Order")["Order"].unchanged == 1)
            #expect(!other.hasChanges)
        }

        @Test func `a text that the server can't hold is an error of its record`() throws {
            let shop = try Shop()
            let json = Data(##"[{"fullName": "Ada"}, {"fullName": "B\u0000"}]"##.utf8)
            let error = #expect(throws: GraftError.self) { try shop.context.importJSON(json, entity: "Customer") }
            #expect(error?.place.path == [.index(1), .key("fullName")] && error?.place.property == "fullName")
            #expect(error?.description.contains("which PostgreSQL can't hold") == true, "\(String(describing: error))")
            #expect(!shop.context.hasChanges)
            var options = ImportOptions()
            options.failurePolicy = .skip
            let report = try shop.context.importJSON(json, entity: "Customer", options: options)
            #expect(report["Customer"].inserted == 1 && report.failures.map(\.record) == [1])
            try shop.context.save()
        }

        // MARK: Other programs

        @Test func `what another program inserts is found, and its change is a conflict`() throws {
            let shop = try Shop()
            _ = try shop.sql(
                "INSERT INTO \(shop.schema).customer (full_name) VALUES ('Ada'); "
                    + "INSERT INTO \(shop.schema).order (number, customer) SELECT 7, _id FROM \(shop.schema).customer")
            let order = try #require(try shop.fetch("Order").first)
            #expect(
                (order.value(forKey: "customer") as? NSManagedObject)?.value(forKey: "fullName") as? String == "Ada")
            _ = try shop.sql("UPDATE \(shop.schema).order SET number = 8, _version = _version + 1")
            order.setValue(true, forKey: "isPaid")
            let error = #expect(throws: CocoaError.self) { try shop.context.save() }
            #expect(error?.code == .managedObjectMerge)
            shop.context.rollback()
            // Keys that others took are never given out again.
            for _ in 0..<3 { _ = shop.insert("Customer") }
            try shop.context.save()
            #expect(try shop.sql("SELECT count(*) FROM \(shop.schema).customer") == ["4"])
        }

        @Test func `what breaks a rule of the tables is an error, and nothing is written`() throws {
            let shop = try Shop()
            _ = try shop.sql("ALTER TABLE \(shop.schema).order ADD CHECK (number > 0)")
            _ = shop.insert("Customer")
            shop.insert("Order").setValue(-1, forKey: "number")
            let error = #expect(throws: CocoaError.self) { try shop.context.save() }
            #expect(error?.localizedDescription.contains("23514") == true)
            #expect(try shop.sql("SELECT count(*) FROM \(shop.schema).customer") == ["0"])
        }

        // MARK: Opening

        @Test func `several that open a new store at once make it once`() async throws {
            let url = try Server.newStore()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let shop = try Shop(at: url)
                        shop.insert("Customer").setValue("\(number)", forKey: "fullName")
                        try shop.context.save()
                    }
                }
                try await group.waitForAll()
            }
            let shop = try Shop(at: url)
            #expect(try shop.fetch("Customer").count == 8)
            let identifiers = try shop.sql("SELECT identifier FROM \(shop.schema)._store")
            #expect(identifiers == [shop.context.persistentStoreCoordinator?.persistentStores.first?.identifier])
        }

        @Test func `a server that can't be reached is an error without the password`() throws {
            let url = URL(string: "postgresql://me:secret@/shop?host=/nowhere&schema=s")
            let error = #expect(throws: CocoaError.self) { try Shop(at: url) }
            #expect(error?.localizedDescription.contains("secret") == false)
            #expect(error?.localizedDescription.contains("/nowhere") == true)
            #expect(error?.localizedDescription.contains { $0.isNewline } == false)
        }

        @Test func `a store can be asked for its metadata, and destroyed`() throws {
            let shop = try Shop()
            let url = shop.url
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSPostgreSQLStoreType, at: url)
            #expect(metadata[NSStoreTypeKey] as? String == NSPostgreSQLStoreType)
            let coordinator = try #require(shop.context.persistentStoreCoordinator)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            try coordinator.destroyPersistentStore(at: url, ofType: NSPostgreSQLStoreType)
            #expect(
                try Server.sql("SELECT count(*) FROM pg_class WHERE relnamespace = '\(shop.schema)'::regnamespace")
                    == ["0"])
        }

        @Test func `the metadata of a store that isn't open can be set, and its model asked for`() throws {
            let url = try Shop().url, none = try Server.newStore()
            try NSPersistentStoreCoordinator.setMetadata(
                ["key": "value", NSStoreUUIDKey: "other"], type: .postgreSQL, at: url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .postgreSQL, at: url)
            #expect(metadata["key"] as? String == "value" && metadata[NSStoreUUIDKey] as? String != "other")
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            #expect(model.versionChecksum == Shop.model().versionChecksum)
            for error in [
                #expect(throws: CocoaError.self) {
                    try NSPersistentStoreCoordinator.setMetadata([:], type: .postgreSQL, at: none)
                },
                #expect(throws: CocoaError.self) {
                    try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: none)
                },
            ] { #expect(error?.localizedDescription.contains("There is no store at postgresql://") == true) }
            #expect(try Shop(at: url).fetch("Customer").isEmpty)
        }

        @Test func `an open store moves to another one that is there`() throws {
            let shop = try Shop(), other = try Shop()
            let coordinator = try #require(shop.context.persistentStoreCoordinator)
            let store = try #require(coordinator.persistentStores.first)
            other.insert("Customer").setValue("Ada", forKey: "fullName")
            try other.context.save()
            #expect(try !coordinator.setURL(Server.newStore(), for: store))
            #expect(store.url == shop.url && coordinator.setURL(other.url, for: store))
            #expect(try shop.fetch("Customer", in: shop.newContext()).count == 1)
        }

        @Test func `an error names the store by its URL, without the password`() throws {
            let shop = try Shop()
            let url = try #require(URL(string: "\(shop.url.absoluteString)&password=secret"))
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shop.model())
            func add() throws {
                try coordinator.addPersistentStore(
                    ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
                    options: [NSReadOnlyPersistentStoreOption: true])
            }
            try add()
            let error = #expect(throws: CocoaError.self) { try add() }
            #expect(error?.localizedDescription.contains("schema=\(shop.schema)") == true)
            #expect(error?.localizedDescription.contains("secret") == false)
        }

        @Test func `what others write is announced`() async throws {
            let option = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
            let shop = try Shop(options: option), other = try Shop(at: shop.url)
            let coordinator = try #require(shop.context.persistentStoreCoordinator)
            try await Task.sleep(for: .milliseconds(300))
            try await confirmation(expectedCount: 1...) { announced in
                let observer = NotificationCenter.default.addObserver(
                    forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
                ) { _ in announced() }
                _ = other.insert("Customer")
                try other.context.save()
                try await Task.sleep(for: .seconds(1))
                NotificationCenter.default.removeObserver(observer)
            }
        }
    }

#endif
