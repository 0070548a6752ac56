// A small model in a store of its own, and the server's answers to plain SQL.

#if PostgreSQL

    import CoreData
    import Foundation

    @testable import PostgreSQLStore

    /// The server of `make test-postgresql`, if there is one.
    enum Server {
        static let url: String? = {
            PostgreSQLStore.register()
            return ProcessInfo.processInfo.environment["GRAFT_POSTGRESQL"]
        }()

        static func newStore() throws -> URL {
            let schema = "s" + UUID().uuidString.replacing("-", with: "").lowercased()
            guard let url = url.flatMap({ URL(string: "\($0)&schema=\(schema)") }) else {
                throw CocoaError(.fileNoSuchFile)
            }
            return url
        }

        /// The texts in the first column of what the last statement answers.
        static func sql(_ statements: String) throws -> [String] {
            let connection = try PostgreSQLConnection(PostgreSQLAddress(newStore()), statementTimeout: 60)
            var answer: [String] = []
            for statement in statements.split(separator: ";") {
                let result = try connection.execute(String(statement))
                answer = try (0..<result.rowCount).map { row in
                    switch try result.value(row, 0) {
                    case .text(let text): text
                    case .integer(let number): "\(number)"
                    case let other: "\(other)"
                    }
                }
            }
            return answer
        }
    }

    /// Customer 1-n Order n-n Tag; an order's number is unique.
    final class Shop {
        let url: URL
        let schema: String
        let context: NSManagedObjectContext
        private let coordinator: NSPersistentStoreCoordinator
        private var contexts: [NSManagedObjectContext] = []

        static func model() -> NSManagedObjectModel {
            let customer = entity("Customer", ["fullName": .stringAttributeType])
            let order = entity(
                "Order",
                [
                    "number": .integer64AttributeType, "total": .decimalAttributeType, "isPaid": .booleanAttributeType,
                    "key": .UUIDAttributeType, "madeAt": .dateAttributeType,
                ])
            let tag = entity("Tag", ["label": .stringAttributeType])
            connect(customer, "orders", order, "customer", isInverseMany: false)
            connect(order, "tags", tag, "orders", isInverseMany: true)
            order.uniquenessConstraints = [["number"]]
            let model = NSManagedObjectModel()
            model.entities = [customer, order, tag]
            return model
        }

        private static func entity(_ name: String, _ attributes: [String: NSAttributeType]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = attributes.sorted { $0.key < $1.key }.map { name, type in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                return attribute
            }
            return entity
        }

        private static func connect(
            _ owner: NSEntityDescription, _ name: String, _ member: NSEntityDescription, _ back: String,
            isInverseMany: Bool
        ) {
            let forth = NSRelationshipDescription(), inverse = NSRelationshipDescription()
            (forth.name, forth.destinationEntity, forth.maxCount) = (name, member, 0)
            (inverse.name, inverse.destinationEntity, inverse.maxCount) = (back, owner, isInverseMany ? 0 : 1)
            for relationship in [forth, inverse] { relationship.isOptional = true }
            (forth.inverseRelationship, inverse.inverseRelationship) = (inverse, forth)
            (forth.deleteRule, inverse.deleteRule) = (.nullifyDeleteRule, .nullifyDeleteRule)
            owner.properties.append(forth)
            member.properties.append(inverse)
        }

        init(at url: URL? = nil, model: NSManagedObjectModel = model(), options: [String: Any]? = nil) throws {
            let url = try url ?? Server.newStore()
            self.url = url
            schema = try PostgreSQLAddress(url).schema
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
        }

        func newContext() -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            contexts.append(context)
            return context
        }

        @discardableResult
        func insert(_ entity: String) -> NSManagedObject {
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        }

        func fetch(_ entity: String, in other: NSManagedObjectContext? = nil) throws -> [NSManagedObject] {
            try (other ?? context).fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
        }

        func sql(_ statements: String) throws -> [String] { try Server.sql(statements) }
    }

#endif
