// The law behind all the others: whatever a context saves, another stack on the same file reads. Random graphs are
// changed at random and saved now and then; after every save the file is opened anew and compared, object by object.

import CoreData
import Foundation
import Testing

@Suite struct SQLiteStoreGraphTests {
    private final class Stack {
        let coordinator: NSPersistentStoreCoordinator
        let context: NSManagedObjectContext

        init(_ url: URL) throws {
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: Stack.model())
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
        }

        /// The heroes, with a to-many ordered on both sides and one that is its own inverse.
        private static func model() -> NSManagedObjectModel {
            let model = TestModel.heroes()
            guard let hero = model.entitiesByName["Hero"], let team = model.entitiesByName["Team"] else { return model }
            TestModel.connect(hero, "ranking", .ordered, team, "ranked", .ordered)
            let friends = TestModel.relate(hero, "friends", .many, hero)
            friends.inverseRelationship = friends
            return model
        }

        func all(_ entity: String) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request)
        }

        /// Every object with its values and the names of its relatives.
        func description() throws -> [String] {
            try ["Hero", "Power", "Team"].flatMap(all).map { object in
                let values = object.entity.attributesByName.keys.sorted().map {
                    "\($0)=\(object.value(forKey: $0) ?? "nil")"
                }
                let relatives = object.entity.relationshipsByName.sorted { $0.key < $1.key }.map { name, relationship in
                    "\(name)=\(names(object, name, relationship))"
                }
                return "\(object.entity.name ?? "") \((values + relatives).joined(separator: " "))"
            }
        }

        private func names(
            _ object: NSManagedObject, _ name: String, _ relationship: NSRelationshipDescription
        ) -> [String] {
            let value = object.value(forKey: name)
            let objects: [NSManagedObject] =
                switch value {
                case let one as NSManagedObject: [one]
                case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
                case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
                default: []
                }
            let names = objects.map { $0.value(forKey: "name") as? String ?? "" }
            return relationship.isOrdered ? names : names.sorted()
        }
    }

    /// One random change of the graph.
    private func change(_ stack: Stack, _ step: Int, _ generator: inout SeededGenerator) throws {
        let heroes = try stack.all("Hero"), powers = try stack.all("Power"), teams = try stack.all("Team")
        let hero = heroes.randomElement(using: &generator), other = heroes.randomElement(using: &generator)
        let power = powers.randomElement(using: &generator), team = teams.randomElement(using: &generator)
        switch Int.random(in: 0..<13, using: &generator) {
        case 0, 1, 2:
            let entity = ["Hero", "Sidekick", "Power", "Team"].randomElement(using: &generator) ?? "Hero"
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: stack.context)
            object.setValue("\(entity) \(step)", forKey: "name")
        case 3: hero?.setValue(Int.random(in: 0..<90, using: &generator), forKey: "age")
        case 4: hero?.setValue(other, forKey: "mentor")
        case 5: power?.setValue(hero, forKey: "hero")
        case 6: power?.setValue(nil, forKey: "hero")
        case 7: if let team { hero?.mutableSetValue(forKey: "teams").add(team) }
        case 8: if let team { hero?.mutableSetValue(forKey: "teams").remove(team) }
        case 9: if let hero, let other { hero.mutableSetValue(forKey: "friends").add(other) }
        case 10:
            let set = hero?.mutableOrderedSetValue(forKey: "powers")
            if let set, set.count > 1 { set.moveObjects(at: IndexSet(integer: set.count - 1), to: 0) }
        case 11:
            guard let team, let hero else { return }
            let set = hero.mutableOrderedSetValue(forKey: "ranking")
            if set.contains(team) {
                set.remove(team)
            } else {
                set.insert(team, at: Int.random(in: 0...set.count, using: &generator))
            }
        default:
            if let victim = (heroes + powers + teams).randomElement(using: &generator), step % 3 == 0 {
                stack.context.delete(victim)
            }
        }
    }

    @Test(arguments: [UInt64](1...8))
    func `what a context has saved, another stack reads`(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        var generator = SeededGenerator(seed: seed)
        let stack = try Stack(url)
        for step in 1...120 {
            try change(stack, step, &generator)
            guard step % 8 == 0 else { continue }
            try stack.context.save()
            let expected = try stack.description()
            #expect(try Stack(url).description() == expected, "seed \(seed), step \(step)")
            // Go on with objects that have to be read again.
            if step % 24 == 0 { stack.context.reset() }
        }
        #expect(try stack.description().count > 5)
    }
}
