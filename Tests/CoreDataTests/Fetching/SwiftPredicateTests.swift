// Swift predicates over managed objects give the same answers evaluated by Swift, as an NSPredicate in memory, and in SQL.

import CoreData
import Testing

/// Accessors written by hand, as code does that has no generated ones.
final class Person: NSManagedObject {
    enum Mood: Int16, CaseIterable, Codable { case calm = 1, cross }

    var name: String {
        get { modelledValue(forKey: "name") }
        set { setModelledValue(newValue, forKey: "name") }
    }
    var nickname: String? {
        get { modelledValue(forKey: "nickname") }
        set { setModelledValue(newValue, forKey: "nickname") }
    }
    var age: Int {
        get { modelledValue(forKey: "age") }
        set { setModelledValue(newValue, forKey: "age") }
    }
    var height: Double {
        get { modelledValue(forKey: "height") }
        set { setModelledValue(newValue, forKey: "height") }
    }
    var isMember: Bool {
        get { modelledValue(forKey: "isMember") }
        set { setModelledValue(newValue, forKey: "isMember") }
    }
    var joined: Date? {
        get { modelledValue(forKey: "joined") }
        set { setModelledValue(newValue, forKey: "joined") }
    }
    var mood: Mood {
        get { modelledValue(forKey: "mood") }
        set { setModelledValue(newValue, forKey: "mood") }
    }
    var mentor: Person? {
        get { modelledValue(forKey: "mentor") }
        set { setModelledValue(newValue, forKey: "mentor") }
    }
    var students: Set<Person> { modelledValue(forKey: "students") }
    var shout: String { name.uppercased() }
    var title: String { name + (nickname ?? "") }
}

private enum People {
    static func model() -> NSManagedObjectModel {
        let person = NSEntityDescription()
        person.name = "Person"
        person.managedObjectClassName = NSStringFromClass(Person.self)
        person.properties = [
            LibraryModel.attribute("name", .stringAttributeType, default: ""),
            LibraryModel.attribute("nickname", .stringAttributeType),
            LibraryModel.attribute("age", .integer64AttributeType, default: 0),
            LibraryModel.attribute("height", .doubleAttributeType, default: 0.0),
            LibraryModel.attribute("isMember", .booleanAttributeType, default: false),
            LibraryModel.attribute("joined", .dateAttributeType),
            LibraryModel.attribute("mood", .integer16AttributeType, default: 1),
        ]
        LibraryModel.connect(
            person, "students", many: true, .nullifyDeleteRule, person, "mentor", many: false)
        let model = NSManagedObjectModel()
        model.entities = [person]
        return model
    }

    /// Ada (36, mentor of Bea and Cy), Bea (20, mentor of Dot), Cy (17), Dot (8, no nickname).
    static func library(_ kind: StoreKind) throws -> (Library, [Person]) {
        let library = try Library(kind, model: model())
        let people = try ["Ada", "Bea", "Cy", "Dot"].map { name in
            let person = try #require(library.insert("Person") as? Person)
            person.name = name
            return person
        }
        for (person, age) in zip(people, [36, 20, 17, 8]) { person.age = age }
        for (person, nickname) in zip(people, ["Countess", "Béa", "cy"]) { person.nickname = nickname }
        for (person, height) in zip(people, [1.7, 1.8, 1.6, 1.2]) { person.height = height }
        people[0].isMember = true
        people[1].isMember = true
        people[0].joined = Date(timeIntervalSinceReferenceDate: 0)
        people[2].mood = .cross
        people[1].mentor = people[0]
        people[2].mentor = people[0]
        people[3].mentor = people[1]
        try library.context.save()
        return (library, people)
    }
}

@Suite(.serialized) struct SwiftPredicateTests {
    private static let limit = 17
    private static let names = ["Ada", "Cy"]
    private static let range = 10..<20
    private static let start = Date(timeIntervalSinceReferenceDate: -1)

    // One by one and with their types: long lists of closures take the type checker long.
    private static var predicates: [(Predicate<Person>, [String])] {
        let limit = limit, names = names, range = range, start = start
        let same = ComparisonResult.orderedSame
        var list: [(Predicate<Person>, [String])] = []
        list.append((#Predicate { $0.name == "Ada" }, ["Ada"]))
        list.append((#Predicate { $0.name != "Ada" }, ["Bea", "Cy", "Dot"]))
        list.append((#Predicate { $0.age > limit }, ["Ada", "Bea"]))
        list.append((#Predicate { $0.age >= limit && $0.isMember == false }, ["Cy"]))
        list.append((#Predicate { $0.isMember || $0.age < 10 }, ["Ada", "Bea", "Dot"]))
        list.append((#Predicate { !$0.isMember }, ["Cy", "Dot"]))
        list.append((#Predicate { $0.nickname == nil }, ["Dot"]))
        list.append((#Predicate { $0.nickname != nil }, ["Ada", "Bea", "Cy"]))
        list.append((#Predicate { $0.nickname != "cy" }, ["Ada", "Bea", "Dot"]))
        list.append((#Predicate { $0.mentor?.name == "Ada" }, ["Bea", "Cy"]))
        list.append((#Predicate { $0.mentor?.mentor?.name == "Ada" }, ["Dot"]))
        list.append((#Predicate { ($0.mentor?.age ?? 100) > 30 }, ["Ada", "Bea", "Cy"]))
        list.append((#Predicate { ($0.nickname ?? "none") == "none" }, ["Dot"]))
        list.append(
            (#Predicate { if let mentor = $0.mentor { mentor.isMember } else { false } }, ["Bea", "Cy", "Dot"]))
        list.append((#Predicate { $0.mentor?.name.contains("d") ?? true }, ["Ada", "Bea", "Cy"]))
        list.append((#Predicate { $0.mentor.flatMap { $0.age > 30 } == true }, ["Bea", "Cy"]))
        list.append((#Predicate { person in person.mentor.flatMap { mentor in person.name } == nil }, ["Ada"]))
        list.append((#Predicate { $0.name.contains("e") }, ["Bea"]))
        list.append((#Predicate { $0.name.starts(with: "D") }, ["Dot"]))
        list.append((#Predicate { $0.nickname?.localizedStandardContains("BE") ?? false }, ["Bea"]))
        list.append((#Predicate { $0.name.caseInsensitiveCompare("ADA") == same }, ["Ada"]))
        list.append((#Predicate { $0.name.count == 2 }, ["Cy"]))
        list.append((#Predicate { !$0.students.isEmpty }, ["Ada", "Bea"]))
        list.append((#Predicate { $0.students.count > 1 }, ["Ada"]))
        list.append((#Predicate { $0.students.contains { $0.age < 18 } }, ["Ada", "Bea"]))
        list.append((#Predicate { $0.students.allSatisfy { $0.age < 18 } }, ["Bea", "Cy", "Dot"]))
        list.append((#Predicate { $0.students.filter { $0.isMember }.count == 1 }, ["Ada"]))
        list.append((#Predicate { person in person.students.contains { $0.age < person.age - 18 } }, ["Ada"]))
        list.append((#Predicate { names.contains($0.name) }, ["Ada", "Cy"]))
        list.append((#Predicate { range.contains($0.age) }, ["Cy"]))
        list.append((#Predicate { (8...17).contains($0.age) }, ["Cy", "Dot"]))
        list.append((#Predicate { $0.age % 2 == 1 }, ["Cy"]))
        list.append((#Predicate { $0.age / 10 == 2 }, ["Bea"]))
        list.append((#Predicate { $0.age * 2 - 4 == 12 }, ["Dot"]))
        list.append((#Predicate { $0.height / 2 > 0.84 }, ["Ada", "Bea"]))
        list.append((#Predicate { -$0.age < -30 }, ["Ada"]))
        list.append((#Predicate { ($0.isMember ? $0.age : 0) > 30 }, ["Ada"]))
        list.append((#Predicate { ($0.isMember ? $0.age > 30 : $0.age < 10) }, ["Ada", "Dot"]))
        list.append((#Predicate { ($0.joined ?? start) > start }, ["Ada"]))
        list.append((#Predicate { _ in true }, ["Ada", "Bea", "Cy", "Dot"]))
        return list
    }

    @Test(arguments: 0..<40)
    func `a Swift predicate gives the same answer in Swift, in memory and in SQL`(_ index: Int) throws {
        let (library, people) = try People.library(.sqlite)
        #expect(Self.predicates.count == 40)
        let (swift, names) = Self.predicates[index]
        #expect(try people.filter { try swift.evaluate($0) }.map(\.name) == names, "in Swift")
        let predicate = try NSPredicate.translating(swift)
        #expect(people.filter { predicate.evaluate(with: $0) }.map(\.name) == names, "\(predicate) in memory")
        let found = try library.fetch("Person", sortedBy: "name", where: predicate, in: library.newContext())
        #expect(found.compactMap { $0.text("name") } == names, "\(predicate) in SQL")
    }

    @Test func `enumerations are compared by their raw values`() throws {
        let (library, people) = try People.library(.sqlite)
        let cross = Person.Mood.cross
        let byMood = try #require(NSPredicate(#Predicate<Person> { $0.mood == cross }))
        #expect(try library.fetch("Person", where: byMood) == [people[2]])
    }

    @Test func `what can't be put is nil, and the error names it`() throws {
        let stack = try People.library(.inMemory)
        defer { withExtendedLifetime(stack) {} }
        let computed = #Predicate<Person> { $0.shout == "ADA" }
        #expect(NSPredicate(computed) == nil)
        #expect(throws: PredicateTranslationError.unknownProperty(of: "Person")) {
            try NSPredicate.translating(computed)
        }
    }

    @Test func `the predicate prints as a format`() throws {
        let stack = try People.library(.inMemory)
        defer { withExtendedLifetime(stack) {} }
        let predicate = try #require(NSPredicate(#Predicate<Person> { $0.age > 17 && $0.mentor?.name == "Ada" }))
        #expect(predicate.description == #"age > 17 AND mentor.name == "Ada""#)
        let students = try #require(NSPredicate(#Predicate<Person> { $0.students.contains { $0.age < 18 } }))
        #expect(students.description == "SUBQUERY(students, $_local_1, $_local_1.age < 18).@count != 0")
    }

    @Test func `an expression of an object's values is an NSExpression`() throws {
        let (library, people) = try People.library(.inMemory)
        defer { withExtendedLifetime(library) {} }
        let expression = try #require(NSExpression(#Expression<Person, Int> { $0.age * 2 }))
        #expect(expression.expressionValue(with: people[0], context: nil) as? Int == 72)
    }

    // MARK: Key paths

    @Test func `key paths have the names of the properties that they lead to`() throws {
        let stack = try People.library(.inMemory)
        defer { withExtendedLifetime(stack) {} }
        #expect((\Person.name)._kvcKeyPathString == "name")
        #expect((\Person.nickname)._kvcKeyPathString == "nickname")
        #expect((\Person.age)._kvcKeyPathString == "age")
        #expect((\Person.mood)._kvcKeyPathString == "mood")
        #expect((\Person.joined)._kvcKeyPathString == "joined")
        #expect((\Person.mentor)._kvcKeyPathString == "mentor")
        #expect((\Person.students)._kvcKeyPathString == "students")
        #expect((\Person.mentor?.name)._kvcKeyPathString == "mentor.name")
        #expect((\Person.mentor?.mentor?.age)._kvcKeyPathString == "mentor.mentor.age")
        #expect((\Person.objectID)._kvcKeyPathString == "objectID")
        #expect((\Person.mentor?.objectID)._kvcKeyPathString == "mentor.objectID")
    }

    @Test func `key paths of what is computed have no name`() throws {
        let stack = try People.library(.inMemory)
        defer { withExtendedLifetime(stack) {} }
        #expect((\Person.shout)._kvcKeyPathString == nil)
        #expect((\Person.title)._kvcKeyPathString == nil)
        #expect((\Person.name.count)._kvcKeyPathString == nil)
    }

    @Test func `key paths sort and select`() throws {
        let (library, people) = try People.library(.sqlite)
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Person.mentor?.name, ascending: false),
            NSSortDescriptor(keyPath: \Person.age, ascending: true),
        ]
        #expect(try library.context.fetch(request).map(\.name) == ["Dot", "Cy", "Bea", "Ada"])
        #expect(NSExpression(forKeyPath: \Person.mentor?.age).keyPath == "mentor.age")
        #expect(people.count == 4)
    }
}
