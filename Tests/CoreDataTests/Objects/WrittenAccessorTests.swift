// Values by key where classes have accessors and validations of their own. The class WrittenManagedObjectAccessors is
// written here as the plugin ManagedObjectClasses writes it; Tests/ManagedObjectGeneratorTests/WrittenMemberTests.swift
// shows what it makes of a target's sources.

public import CoreData
import Foundation
import Testing

/// A model of people whose accessors are written by hand.
private enum People {
    static func model() -> NSManagedObjectModel {
        let person = entity("Person", "WrittenPerson")
        person.properties = [
            attribute("name", .stringAttributeType), attribute("mood", .integer16AttributeType),
            attribute("age", .integer64AttributeType), attribute("initial", .stringAttributeType, isTransient: true),
        ]
        let employee = entity("Employee", "WrittenEmployee")
        employee.properties = [attribute("salary", .decimalAttributeType)]
        person.subentities = [employee]
        let plain = entity("Plain", "NSManagedObject")
        plain.properties = [attribute("name", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [person, employee, plain]
        return model
    }

    private static func entity(_ name: String, _ className: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = className == "NSManagedObject" ? className : "CoreDataTests.\(className)"
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isTransient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.isTransient = isTransient
        return attribute
    }

    static func context(_ model: NSManagedObjectModel = People.model()) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func insert(_ name: String, into context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }

    /// Runs a body with a new person on its context's queue.
    static func withPerson<Result>(_ body: (WrittenPerson) throws -> Result) throws -> Result {
        let context = try context()
        return try context.performAndWait {
            try body(try #require(insert("Person", into: context) as? WrittenPerson))
        }
    }
}

private struct Bad: Error {}

enum Mood: Int16 { case calm, angry }

class WrittenPerson: NSManagedObject {
    var calls: [String] = []

    var name: String {
        get {
            calls.append("get")
            willAccessValue(forKey: "name")
            defer { didAccessValue(forKey: "name") }
            return (primitiveValue(forKey: "name") as? String ?? "nobody").uppercased()
        }
        set {
            calls.append("set")
            willChangeValue(forKey: "name")
            setPrimitiveValue(newValue.trimmingCharacters(in: .whitespaces), forKey: "name")
            didChangeValue(forKey: "name")
        }
    }
    var mood: Mood {
        get { Mood(rawValue: (primitiveValue(forKey: "mood") as? Int16) ?? 0) ?? .calm }
        set {
            willChangeValue(forKey: "mood")
            setPrimitiveValue(newValue.rawValue, forKey: "mood")
            didChangeValue(forKey: "mood")
        }
    }
    /// Asks for its own key, through a helper that the plugin doesn't see through.
    var age: Int {
        get { stored("age") ?? 0 }
        set { store(newValue * 2, "age") }
    }
    var initial: String { String(name.prefix(1)) }
    var greeting: String { "Hello, \(name)" }
    var nickname: String?
    var limit: Double = 1.5
    var place: (Int, Int) { (0, 0) }
    var title: String { "person" }

    private func stored<Value>(_ key: String) -> Value? { value(forKey: key) as? Value }
    private func store(_ value: Any?, _ key: String) { setValue(value, forKey: key) }

    func validateName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let name = unsafe value.pointee as? String else { return }
        if name == "BAD" { throw CocoaError(.managedObjectValidation, userInfo: [NSValidationKeyErrorKey: "name"]) }
        if name.hasSuffix("!") { unsafe value.pointee = String(name.dropLast()) as AnyObject }
    }

    func validateGreeting(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws { throw Bad() }
}

final class WrittenEmployee: WrittenPerson {
    override var title: String { "employee" }
    var isRich: Bool { (primitiveValue(forKey: "salary") as? NSDecimalNumber ?? 0).intValue > 100 }
}

/// As generated.
public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {
    public override func register() {
        modelled("label", \Shelf.Volume.label)
        modelled("kind", \Shelf.Volume.kind)
        modelled("pages", \Shelf.Volume.pages)
        modelled("tags", \Shelf.Volume.tags)
        modelled("next", \Shelf.Volume.next)
        modelled("others", \Shelf.Volume.others)
        property("calls", \WrittenPerson.calls) { $0.calls = $1 }
        property("name", \WrittenPerson.name) { $0.name = $1 }
        property("mood", \WrittenPerson.mood) { $0.mood = $1 }
        property("age", \WrittenPerson.age) { $0.age = $1 }
        property("initial", \WrittenPerson.initial)
        property("greeting", \WrittenPerson.greeting)
        property("nickname", \WrittenPerson.nickname) { $0.nickname = $1 }
        property("limit", \WrittenPerson.limit) { $0.limit = $1 }
        property("place", \WrittenPerson.place)
        property("title", \WrittenPerson.title)
        unsafe validation("Name", of: WrittenPerson.self) { try unsafe $0.validateName($1) }
        unsafe validation("Greeting", of: WrittenPerson.self) { try unsafe $0.validateGreeting($1) }
        property("title", \WrittenEmployee.title)
        property("isRich", \WrittenEmployee.isRich)
    }
}

@Suite struct WrittenAccessorTests {
    // MARK: Reading and setting

    @Test func `[F] a value by key comes from a custom accessor if the class has one, else from modelled storage`()
        throws
    {
        try People.withPerson { person in
            person.setValue("  Ada ", forKey: "name")
            #expect(person.value(forKey: "name") as? String == "ADA")
            #expect(person.calls == ["set", "get"])
            #expect(person.primitiveValue(forKey: "name") as? String == "Ada")
            #expect(person.changedValues()["name"] as? String == "Ada")
            let plain = People.insert("Plain", into: try #require(person.managedObjectContext))
            plain.setValue(" Ada ", forKey: "name")
            #expect(plain.value(forKey: "name") as? String == " Ada ")
        }
    }

    @Test func `properties that aren't modelled are found by key, too`() throws {
        try People.withPerson { person in
            person.name = "Ada"
            #expect(person.value(forKey: "greeting") as? String == "Hello, ADA")
            person.setValue("A", forKey: "nickname")
            #expect(person.nickname == "A")
            person.setValue(nil, forKey: "nickname")
            #expect(person.nickname == nil)
            #expect(person.value(forKey: "nickname") == nil)
            person.setValue(3, forKey: "limit")
            #expect(person.limit == 3)
            #expect(person.value(forKey: "limit") as? NSNumber == 3)
            #expect(person.value(forKeyPath: "greeting") as? String == "Hello, ADA")
            #expect(
                person.dictionaryWithValues(forKeys: ["greeting"]) as? [String: String] == ["greeting": "Hello, ADA"])
        }
    }

    @Test func `an enumeration is its raw value by key`() throws {
        try People.withPerson { person in
            person.setValue(1, forKey: "mood")
            #expect(person.mood == .angry)
            #expect(person.value(forKey: "mood") as? NSNumber == 1)
            #expect(person.value(forKey: "mood") as? Int == 1)
        }
    }

    @Test func `an accessor that asks for its own key gets the modelled value`() throws {
        try People.withPerson { person in
            person.setValue(21, forKey: "age")
            #expect(person.primitiveValue(forKey: "age") as? Int == 42)
            #expect(person.value(forKey: "age") as? Int == 42)
            #expect(person.age == 42)
        }
    }

    @Test func `a subclass has what its superclass has written, and its own before it`() throws {
        let context = try People.context()
        try context.performAndWait {
            let employee = try #require(People.insert("Employee", into: context) as? WrittenEmployee)
            employee.setValue(NSDecimalNumber(value: 200), forKey: "salary")
            #expect(employee.value(forKey: "isRich") as? Bool == true)
            #expect(employee.value(forKey: "title") as? String == "employee")
            #expect(employee.value(forKey: "greeting") as? String == "Hello, NOBODY")
            #expect(People.insert("Person", into: context).value(forKey: "title") as? String == "person")
        }
    }

    @Test func `an object without a store is asked in the same way`() throws {
        let model = People.model()
        let entity = try #require(model.entitiesByName["Person"])
        let person = WrittenPerson(entity: entity, insertInto: nil)
        person.setValue(" Ada ", forKey: "name")
        #expect(person.value(forKey: "greeting") as? String == "Hello, ADA")
    }

    @Test func `what Objective-C couldn't represent isn't found by key`() async {
        await #expect(processExitsWith: .failure) {
            try People.withPerson { _ = $0.value(forKey: "place") }
        }
    }

    @Test func `a value of another type stops the program`() async {
        await #expect(processExitsWith: .failure) {
            try People.withPerson { $0.setValue("much", forKey: "limit") }
        }
    }

    // MARK: Predicates and sections

    @Test func `predicates and sort descriptors in memory see transient and computed properties`() throws {
        let context = try People.context()
        try context.performAndWait {
            let people = try ["Ada", "Bob", "Amy"].map { name in
                let person = try #require(People.insert("Person", into: context) as? WrittenPerson)
                person.name = name
                return person
            }
            let predicate = NSPredicate(format: "initial == 'A' AND greeting ENDSWITH 'Y'")
            #expect(people.filter { predicate.evaluate(with: $0) } == [people[2]])
            let sorted = (people as NSArray).sortedArray(using: [NSSortDescriptor(key: "greeting", ascending: false)])
            #expect((sorted as? [WrittenPerson])?.map(\.name) == ["BOB", "AMY", "ADA"])
        }
    }

    @Test func `what has to be unique is the modelled value, whatever the accessor makes of it`() throws {
        let model = People.model()
        model.entitiesByName["Person"]?.uniquenessConstraints = [["name"]]
        let context = try People.context(model)
        try context.performAndWait {
            People.insert("Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
            let new = People.insert("Person", into: context)
            new.setValue("Ada", forKey: "name")
            new.setValue(1, forKey: "mood")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            let conflicts = (error as NSError?)?.userInfo["conflictList"] as? [NSConstraintConflict]
            #expect(conflicts?.first?.constraintValues["name"] as? String == "Ada")
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            let people = try context.fetch(NSFetchRequest<WrittenPerson>(entityName: "Person"))
            #expect(people.count == 1 && people.first?.mood == .angry)
            #expect(people.first?.primitiveValue(forKey: "name") as? String == "Ada")
        }
    }

    @Test func `sections of fetched results are made of a computed property`() throws {
        let context = try People.context()
        try context.performAndWait {
            for name in ["Ada", "Bob", "Amy"] {
                People.insert("Person", into: context).setValue(name, forKey: "name")
            }
            try context.save()
            let request = NSFetchRequest<WrittenPerson>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "initial", cacheName: nil)
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["A", "B"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        }
    }

    // MARK: Validation

    @Test func `a value is validated by the class's own method, which may replace it`() throws {
        try People.withPerson { person in
            var value = "Ada!" as AnyObject?
            try unsafe withUnsafeMutablePointer(to: &value) { try unsafe person.validateValue($0, forKey: "name") }
            #expect(value as? String == "Ada")
            value = "BAD" as AnyObject
            #expect(throws: CocoaError.self) {
                try unsafe withUnsafeMutablePointer(to: &value) { try unsafe person.validateValue($0, forKey: "name") }
            }
            // A key without attribute can be validated, too.
            #expect(throws: Bad.self) {
                try unsafe withUnsafeMutablePointer(to: &value) {
                    try unsafe person.validateValue($0, forKey: "greeting")
                }
            }
        }
    }

    @Test func `saving calls the validations of a class and its superclass`() throws {
        let context = try People.context()
        try context.performAndWait {
            let employee = People.insert("Employee", into: context)
            employee.setValue("BAD", forKey: "name")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect((error as NSError?)?.userInfo[NSValidationKeyErrorKey] as? String == "name")
            employee.setValue("Ada!", forKey: "name")
            try context.save()
            #expect(employee.primitiveValue(forKey: "name") as? String == "Ada")
        }
    }
}
