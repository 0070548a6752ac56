// The law of what isn't read: a context that knows a relationship only by its changes saves what one saves that has read everything
// before each of them. The same random changes go into a context that reads all, one that reads nothing, a child of such a one, and
// one on a store in memory; what others find after each save is the same, the order of ordered relationships included.

import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct LazyTwinTests {
    private static func model() -> NSManagedObjectModel {
        let a = TestModel.entity("A", [TestModel.attribute("name", .stringAttributeType)])
        let special = TestModel.entity("Special")
        let b = TestModel.entity("B", [TestModel.attribute("name", .stringAttributeType)])
        TestModel.connect(a, "parts", .ordered, b, "whole", .one)
        TestModel.connect(a, "goods", .many, b, "owner", .one)
        TestModel.connect(a, "tags", .many, b, "tagged", .many)
        TestModel.connect(a, "left", .ordered, b, "right", .ordered)
        TestModel.connect(a, "rank", .ordered, b, "ranked", .many)
        TestModel.connect(a, "mate", .one, b, "mated", .one)
        TestModel.connect(a, "next", .ordered, a, "previous", .ordered)
        TestModel.connect(a, "pupils", .ordered, a, "teacher", .one)
        let friends = TestModel.relate(a, "friends", .many, a)
        friends.inverseRelationship = friends
        a.subentities = [special]
        return TestModel.model([a, special, b])
    }

    /// A stack to which everything is done that is done to the others.
    private final class Twin {
        let name: String
        let library: Library
        let context: NSManagedObjectContext
        /// The contexts to save, the one that works first.
        let saving: [NSManagedObjectContext]
        /// Reads everything before each change.
        let isEager: Bool

        init(_ name: String, _ kind: StoreKind, isEager: Bool = false, isChild: Bool = false) throws {
            self.name = name
            self.isEager = isEager
            library = try Library(kind, model: LazyTwinTests.model())
            let root = library.context
            context = isChild ? library.newChild(of: root) : root
            saving = isChild ? [context, root] : [root]
        }

        func object(_ entity: String, _ name: String) throws -> NSManagedObject? {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "name == %@", name)
            return try context.fetch(request).first
        }

        /// Every object with the names of its relatives.
        static func picture(_ context: NSManagedObjectContext) throws -> [String] {
            try ["A", "B"].flatMap { entity in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                return try context.fetch(request).map { object in
                    let links = object.entity.relationshipsByName.sorted { $0.key < $1.key }.map {
                        name, relationship -> String in
                        guard relationship.isToMany else { return "\(name)=\(object.one(name)?.text("name") ?? "-")" }
                        let ordered = relationship.isOrdered ? object.ordered(name) : Array(object.many(name))
                        let names = ordered.compactMap { $0.text("name") }
                        return "\(name)=\((relationship.isOrdered ? names : names.sorted()).joined(separator: ","))"
                    }
                    return "\(object.entity.name ?? "") \(object.text("name") ?? ""): " + links.joined(separator: " ")
                }
            }
        }

        /// What somebody else finds in the store.
        func stored() throws -> [String] { try Self.picture(library.newContext()) }

        func save() throws { for context in saving { try context.save() } }
    }

    private struct Change: CustomStringConvertible {
        enum Kind { case insert, set, add, remove, place, one, delete, refresh, read, rollback, reset }
        let kind: Kind
        let entity: String
        let name: String
        let property: String
        let others: [String]
        let number: Int

        static let kinds: [Kind] =
            [.insert, .delete, .refresh, .read, .rollback, .reset]
            + Array(repeating: .set, count: 8) + Array(repeating: .add, count: 8)
            + Array(repeating: .remove, count: 8) + Array(repeating: .place, count: 2)
            + Array(repeating: .one, count: 8)

        static let objectCount = 3

        /// - Parameter focus: The relationships that change; few, so that the same ones change again and again.
        init(using random: inout SeededGenerator, _ focus: [NSRelationshipDescription]) {
            var kind = Self.kinds.randomElement(using: &random) ?? .insert
            let relationship = focus[Int.random(in: 0..<focus.count, using: &random)]
            if kind == .one, relationship.isToMany { kind = .set }
            if kind == .place, !relationship.isOrdered { kind = .add }
            if [.set, .add, .remove].contains(kind), !relationship.isToMany { kind = .one }
            self.kind = kind
            property = relationship.name
            entity = relationship.entity.name ?? ""
            name = "\(entity.lowercased())\(Int.random(in: 0..<Self.objectCount, using: &random))"
            let destination = (relationship.destinationEntity?.name ?? "").lowercased()
            let all = (0..<Self.objectCount).map { "\(destination)\($0)" }.shuffled(using: &random)
            others = Array(all.prefix(Int.random(in: 0...Self.objectCount, using: &random)))
            number = Int.random(in: 0..<8, using: &random)
        }

        init(inserting name: String) {
            (kind, self.name, entity, property, others) = (.insert, name, name.prefix(1).uppercased(), "", [])
            number = name.hasSuffix("1") ? 1 : 0
        }

        var description: String { "\(kind) \(name).\(property) \(others.joined(separator: ",")) \(number)" }

        func perform(on twin: Twin) throws {
            let found = try twin.object(entity, name)
            let context = twin.context
            if kind == .rollback, number < 2 { return twin.saving.forEach { $0.rollback() } }
            if kind == .reset {
                try twin.save()
                if !twin.isEager { twin.saving.forEach { $0.reset() } }
                return
            }
            guard let object = found else {
                guard kind == .insert else { return }
                let special = entity == "A" && number.isMultiple(of: 2)
                let made = NSEntityDescription.insertNewObject(
                    forEntityName: special ? "Special" : entity, into: context)
                return made.setValue(name, forKey: "name")
            }
            let end = object.entity.relationshipsByName[property]?.destinationEntity?.name ?? ""
            let ends = try others.compactMap { try twin.object(end == "A" ? "A" : "B", $0) }
            switch kind {
            case .set:
                let isOrdered = object.entity.relationshipsByName[property]?.isOrdered ?? false
                object.setValue(isOrdered ? NSOrderedSet(array: ends) : NSSet(array: ends), forKey: property)
            case .add:
                if let end = ends.first {
                    change(object) {
                        $0.add(end)
                    } else: {
                        $0.add(end)
                    }
                }
            case .remove:
                if let end = ends.first {
                    change(object) {
                        $0.remove(end)
                    } else: {
                        $0.remove(end)
                    }
                }
            case .place:
                let set = object.mutableOrderedSetValue(forKey: property)
                if set.count > 1 { set.moveObjects(at: IndexSet(integer: number % set.count), to: 0) }
            case .one: object.setValue(ends.first, forKey: property)
            case .delete: if number < 3 { context.delete(object) }
            case .refresh: context.refresh(object, mergeChanges: true)
            case .read:
                let names = object.entity.relationshipsByName.keys.sorted()
                _ = object.value(forKey: names[number % names.count])
            default: break
            }
        }

        private func change(
            _ object: NSManagedObject, _ ordered: (NSMutableOrderedSet) -> Void, else unordered: (NSMutableSet) -> Void
        ) {
            if object.entity.relationshipsByName[property]?.isOrdered ?? false {
                ordered(object.mutableOrderedSetValue(forKey: property))
            } else {
                unordered(object.mutableSetValue(forKey: property))
            }
        }
    }

    /// The first difference after so many changes; nil where there is none.
    private func difference(_ changes: [Change]) throws -> String? {
        let twins = [
            try Twin("eager", .sqlite, isEager: true), try Twin("lazy", .sqlite), try Twin("in memory", .inMemory),
            try Twin("child", .sqlite, isChild: true), try Twin("child in memory", .inMemory, isChild: true),
        ]
        for (number, change) in changes.enumerated() {
            for twin in twins {
                if twin.isEager { _ = try Twin.picture(twin.context) }
                try change.perform(on: twin)
            }
            guard number % 5 == 4 || number == changes.count - 1 else { continue }
            let expected = try Twin.picture(twins[0].context)
            for twin in twins {
                try twin.save()
                let stored = try twin.stored()
                if stored != expected { return "\(twin.name) has stored \(stored.difference(from: expected))" }
                // Otherwise all is as good as read from now on.
                guard number % 3 == 0 else {
                    if !twin.isEager { twin.saving.forEach { $0.reset() } }
                    continue
                }
                let seen = try Twin.picture(twin.context)
                if seen != expected { return "\(twin.name) shows \(seen.difference(from: expected))" }
            }
        }
        return nil
    }

    @Test(arguments: Laws.cases(1...400, oneOf: 50))
    func `what was never read is saved like what was`(_ seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let model = Self.model()
        let relationships = model.entities.flatMap(\.relationshipsByName.values).sorted { $0.name < $1.name }
        let first = relationships[seed % relationships.count]
        let other = relationships.randomElement(using: &random) ?? first
        let focus = [first, first.inverseRelationship ?? first, first, other]
        var changes = ["a", "b"].flatMap { name in (0..<Change.objectCount).map { Change(inserting: "\(name)\($0)") } }
        changes += (0..<50).map { _ in Change(using: &random, focus) }
        guard var found = try withExtendedLifetime(model, { try difference(changes) }) else { return }
        var index = 0
        while index < changes.count {
            var fewer = changes
            fewer.remove(at: index)
            if let still = try difference(fewer) { (changes, found) = (fewer, still) } else { index += 1 }
        }
        Issue.record("seed \(seed): \(found) after\n\(changes.map(\.description).joined(separator: "\n"))")
    }
}
