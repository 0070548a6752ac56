// Objects from dictionaries: create, update, identity, sub-entities, errors.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct PopulatingTests {
    typealias Model = ArchiveArticleModel

    private func dictionary(hasIdentity: Bool = false) throws -> [String: Any] {
        try TestStack(Model.make(hasIdentity: hasIdentity)).perform { try Model.fill($0).toDictionary() }
    }

    @Test func `creating twice makes two identical persons`() throws {
        let stack = try TestStack(Model.make(), .sqlite)
        let dictionary = try dictionary()
        for _ in 0..<2 {
            try stack.perform { context throws in
                let person = try NSManagedObject.create(fromDictionary: dictionary, in: context)
                #expect(person.text("firstName") == "Ann")
                #expect(person.texts("addresses", "city") == ["Another Town", "Sometown"])
                try context.save()
            }
        }
        #expect(try stack.count("Person") == 2)
        #expect(try stack.count("Address") == 4)
        // The addresses of one person are in one country.
        #expect(try stack.count("Country") == 2)
    }

    @Test func `populating twice makes one person with an identity, and creating again is an error`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true), .sqlite)
        let dictionary = try dictionary(hasIdentity: true)
        for _ in 0..<2 {
            try stack.perform { context throws in
                let person = try context.populateObjects(fromDictionaries: [dictionary]).objects[0]
                #expect(person.texts("addresses", "city") == ["Another Town", "Sometown"])
                try context.save()
                let error = graftError { _ = try NSManagedObject.create(fromDictionary: dictionary, in: context) }
                #expect(error?.problem == .duplicateIdentity("\"p1\""))
                #expect(error?.place.property == "guid" && error?.place.entity == "Person")
                #expect(!context.hasChanges)
            }
        }
        #expect(try stack.count("Person") == 1)
        #expect(try stack.count("Address") == 2)
        #expect(try stack.count("Country") == 1)
    }

    @Test func `dates are read as an import reads them, and in ISO 8601 as dictionaries have them`() throws {
        let formats = [
            "seconds": ["JSONDateFormat": "referenceSeconds"], "millis": ["JSONDateFormat": "unixMilliseconds"],
            "day": ["JSONDateFormat": "dd.MM.yyyy"], "local": ["JSONTimeZone": "+02:00"], "plain": [:],
        ]
        var sketch = ModelSketch()
        sketch.entity("Event", formats.keys.sorted().map { .attribute($0, .dateAttributeType) })
        let model = sketch.model()
        for (name, info) in formats { model.entitiesByName["Event"]?.attributesByName[name]?.userInfo = info }
        try TestStack(model).perform { context throws in
            let text = Data(
                """
                {"seconds": 385604710, "millis": 1363911910000, "day": "22.03.2013", "local": "2013-03-22T02:25:10", \
                "plain": 1363911910}
                """.utf8)
            let event = try context.populateObjects(fromDictionaryData: text, entity: "Event").objects[0]
            for name in formats.keys {
                let date = event.value(forKey: name) as? Date
                #expect(date?.timeIntervalSince1970 == (name == "day" ? 1_363_910_400 : 1_363_911_910), "\(name)")
            }
            // Whatever brings the same values finds the object that has them.
            for format in DictionaryOptions.Format.allCases {
                let data = try event.dictionaryData(format)
                #expect(try context.populateObjects(fromDictionaryData: data).report["Event"].unchanged == 1)
            }
            #expect(try context.importJSON(text, entity: "Event")["Event"].unchanged == 1)
            #expect(try context.all("Event").count == 1)
        }
    }

    @Test func `identities can be ignored`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true))
        var options = PopulateOptions()
        options.existingObjects = .insert
        try stack.perform { context throws in
            let dictionary = try dictionary(hasIdentity: true)
            let people = try NSManagedObject.create(
                fromDictionaries: [dictionary, dictionary], in: context, options: options)
            #expect(people[0] !== people[1])
            #expect(people[0].texts("addresses", "guid") == ["a1", "a2"])
            #expect(try context.all("Address").count == 4)
        }
    }

    @Test func `an import finds relatives that the store has already`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true), .sqlite)
        try stack.perform { context throws in
            Model.new("Country", ["code": "DE", "name": "Old"], context)
            Model.new("Address", ["guid": "a2", "street": "Kept"], context)
            try context.save()
        }
        try stack.perform { context throws in
            let dictionary = try dictionary(hasIdentity: true)
            let (objects, report) = try context.populateObjects(fromDictionaries: [dictionary])
            #expect(report.total.inserted == 2 && report.total.updated == 2)
            try context.save()
            #expect(objects.count == 1)
            let address = try #require(try context.one("Address", "guid", "a2"))
            #expect(address.text("street") == "Kept")
            #expect(address.text("city") == "Another Town")
            #expect(try context.all("Country").map { $0.text("name") } == ["Germany"])
            #expect(try context.one("Country", "code", "DE")?.texts("addresses", "guid") == ["a1", "a2"])
        }
        #expect(try stack.count("Address") == 2)
    }

    @Test func `an existing object is updated: absent keys stay, null clears, members are added`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let person = Model.fill(context)
            let passport = Model.new("Passport", ["number": "1"], context)
            person.setValue(passport, forKey: "passport")
            let report = try person.populate(fromDictionary: [
                "lastName": "Jones", "age": "31", "born": NSNull(), "addresses": [["city": "Third"]],
                "passport": ["number": "2"],
            ])
            #expect(person.text("firstName") == "Ann")
            #expect(person.text("lastName") == "Jones")
            #expect(person.number("age") == 31)
            #expect(person.value(forKey: "born") == nil)
            #expect(person.texts("addresses", "city") == ["Another Town", "Sometown", "Third"])
            // What it owns and what has no identity is changed in place.
            #expect(person.object("passport") === passport)
            #expect(passport.text("number") == "2")
            #expect(report.total.inserted == 1 && report.total.updated == 2)

            var options = PopulateOptions()
            options.membersPolicy = .replace
            try person.populate(fromDictionary: ["addresses": [["city": "Only"]]], options: options)
            #expect(person.texts("addresses", "city") == ["Only"])
            try person.populate(fromDictionary: ["passport": NSNull(), "addresses": NSNull()])
            #expect(person.object("passport") == nil)
            #expect(person.texts("addresses", "city").isEmpty)
            context.checkInvariants()
        }
    }

    @Test func `update finds every object or is an error, and nothing is made`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true))
        var options = PopulateOptions()
        options.existingObjects = .update
        try stack.perform { context throws in
            let ann = Model.new("Person", ["guid": "1"], context)
            let known: [String: Any] = ["class": "Person", "guid": "1", "firstName": "Ann"]
            #expect(try context.populateObjects(fromDictionaries: [known], options: options).objects == [ann])
            let unknown: [String: Any] = ["class": "Person", "guid": "2"]
            let error = graftError {
                try context.populateObjects(fromDictionaries: [known, unknown], options: options)
            }
            #expect(error?.problem == .unresolvedReference(entity: "Person", identity: "\"2\""))
            #expect(error?.place.path == [.index(1)])
            #expect(try context.all("Person").count == 1)
        }
    }

    @Test func `replace unlinks what has an identity, and replaceAndDelete deletes what was owned`() throws {
        for policy in [MappingOptions.MembersPolicy.replace, .replaceAndDelete] {
            let stack = try TestStack(Model.make(hasIdentity: true))
            var options = PopulateOptions()
            options.membersPolicy = policy
            try stack.perform { context throws in
                let ann = Model.new("Person", ["guid": "1"], context)
                let addresses = ["a1", "a2"].map { Model.new("Address", ["guid": $0], context) }
                ann.setValue(NSSet(array: addresses), forKey: "addresses")
                try ann.populate(fromDictionary: ["addresses": [["guid": "a1"]]], options: options)
                #expect(ann.texts("addresses", "guid") == ["a1"])
                #expect(addresses[1].isDeleted == (policy == .replaceAndDelete))
            }
        }
    }

    @Test func `a replaced list keeps the object that it is nested in`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true))
        var options = PopulateOptions()
        options.membersPolicy = .replace
        try stack.perform { context throws in
            let ann = Model.new("Person", ["guid": "1"], context)
            let friends = ["2", "3"].map { Model.new("Person", ["guid": $0], context) }
            ann.setValue(NSSet(array: friends), forKey: "friends")
            friends[0].setValue(NSSet(array: [ann, friends[1]]), forKey: "friends")
            let dictionary = try ann.toDictionary()
            try ann.populate(fromDictionary: dictionary, options: options)
            #expect(ann.texts("friends", "guid") == ["2", "3"])
            #expect(friends[0].texts("friends", "guid") == ["1", "3"])
        }
    }

    @Test func `the class key chooses sub-entities`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let employee = Model.new("Employee", ["firstName": "Eve", "badge": 7], context)
            let person = Model.new("Person", ["firstName": "Ann"], context)
            person.setValue(NSSet(object: employee), forKey: "friends")
            let copy = try NSManagedObject.create(fromDictionary: person.toDictionary(), in: context)
            let friend = try #require((copy.value(forKey: "friends") as? NSSet)?.anyObject() as? NSManagedObject)
            #expect(friend.entity.name == "Employee")
            #expect(friend.number("badge") == 7)
            // An employee may be populated from the dictionary of a person.
            try employee.populate(fromDictionary: person.toDictionary())
            #expect(employee.text("firstName") == "Ann")
            let wrong = graftError { try person.populate(fromDictionary: ["class": "Country", "name": "X"]) }
            #expect(wrong?.problem == .wrongType(found: "an object of Country", expected: "one of Person"))
            let unknown = graftError {
                _ = try NSManagedObject.create(fromDictionary: ["class": "Persom"], in: context)
            }
            #expect(unknown?.problem == .unknownEntity("Persom", closest: "Person"))
            let silent = graftError { _ = try NSManagedObject.create(fromDictionary: [:], in: context) }
            if case .ambiguousEntity? = silent?.problem {} else { Issue.record("\(String(describing: silent))") }
        }
    }

    /// What is no age, and what the error says of it.
    private let wrongAges: [(Any, String)] = [
        ("12abc", "found the string \"12abc\" where the model expects an Integer 16"),
        (70000, "which an Integer 16 can't hold"), (1.5, "the number 1.5"), (Double.nan, "nan"),
        ([1], "where the model expects an Integer 16"),
    ]

    private func expectRefusal(of age: Any, _ words: String, by person: NSManagedObject) throws {
        let owner: [String: Any] = ["age": age, "guid": "9"]
        let dictionary: [String: Any] = [
            "firstName": "Changed",
            "addresses": [["city": "New"], ["city": "Other", "person": owner] as [String: Any]],
        ]
        let error = graftError { try person.populate(fromDictionary: dictionary) }
        let text = error?.description ?? ""
        #expect(text.lowercased().contains(words.lowercased()), "\(text)")
        #expect(text.contains("$.addresses[1].person.age"), "\(text)")
    }

    @Test func `a wrong value names its path, and the context is as before`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true))
        try stack.perform { context throws in
            let person = Model.fill(context)
            for isClean in [true, false] {
                if isClean { try context.save() } else { person.setValue("Unsaved", forKey: "lastName") }
                let before = try person.toDictionary()
                let count = try context.all("Address").count
                for (value, problem) in wrongAges { try expectRefusal(of: value, problem, by: person) }
                // What fails only when objects are made is taken back as well.
                let reference = graftError {
                    try person.populate(fromDictionary: ["firstName": "X", "friends": [["$ref": 5]]])
                }
                #expect(reference?.place.path == [.key("friends")])
                let after = try person.toDictionary()
                #expect(isSame(before, after))
                #expect(try context.all("Address").count == count)
                #expect(context.hasChanges == !isClean)
                context.checkInvariants()
            }
        }
    }

    @Test func `an object can't take the identity of another one`() throws {
        let stack = try TestStack(Model.make(hasIdentity: true))
        try stack.perform { context throws in
            let one = Model.new("Person", ["guid": "1"], context)
            Model.new("Person", ["guid": "2", "firstName": "Two"], context)
            let error = graftError { try one.populate(fromDictionary: ["guid": "2", "firstName": "X"]) }
            #expect(error?.problem == .duplicateIdentity("\"2\""))
            #expect(one.text("guid") == "1")
            #expect(one.text("firstName") == nil)
        }
    }

    @Test func `unknown keys and wrong values are reported or refused`() throws {
        let stack = try TestStack(Model.make())
        let dictionary: [String: Any] = [
            "class": "Person", "firstname": "Ann", "age": "old", "addresses": [["town": "X", "city": "Y"]],
        ]
        try stack.perform { context throws in
            var options = PopulateOptions()
            options.failurePolicy = .skip
            let (objects, report) = try context.populateObjects(fromDictionaries: [dictionary], options: options)
            #expect(report.unknownKeys.map { "\($0.entity) \($0.key)" } == ["Address town", "Person firstname"])
            #expect(report.failures.map(\.property) == ["age"])
            #expect(objects[0].value(forKey: "age") == nil)
            #expect(objects[0].texts("addresses", "city") == ["Y"])
            context.rollback()
            options.failurePolicy = .collect
            do {
                _ = try context.populateObjects(fromDictionaries: [dictionary, dictionary], options: options)
                Issue.record("nothing was refused")
            } catch let error as ImportFailures {
                #expect(error.report.failures.map(\.path) == ["$[0].age", "$[1].age"])
            }
            #expect(!context.hasChanges)
            options.unknownKeys = .fail
            let count = try context.all("Person").count
            #expect(
                graftError { try context.populateObjects(fromDictionaries: [dictionary], options: options) }?.place.path
                    == [.index(0), .key("firstname")])
            #expect(try context.all("Person").count == count)
        }
    }

    @Test func `what an object that is stored as one of a super-entity can't have is left out and reported`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("name")])
        sketch.entity(
            "Employee", parent: "Person",
            [.toOne("desk", "Desk", inverse: "employee"), .toMany("bags", "Bag", inverse: "employee")])
        sketch.entity("Desk", [.attribute("name"), .toOne("employee", "Employee", inverse: "desk")])
        sketch.entity("Bag", [.attribute("name"), .toOne("employee", "Employee", inverse: "bags")])
        try TestStack(sketch.model()).perform { context throws in
            let person = context.add("Person", ["id": 1, "name": "Ann"])
            try context.save()
            let dictionary: [String: Any] = [
                "class": "Employee", "id": 1, "desk": ["name": "d"], "bags": [["name": "b"]],
            ]
            let (objects, report) = try context.populateObjects(fromDictionaries: [dictionary])
            #expect(objects == [person] && !person.isDeleted && person.text("name") == "Ann")
            #expect(report.leftOutValues.map(\.property).sorted() == ["bags", "desk"])
            try context.save()
            #expect(try context.all("Person") == [person])
            context.checkInvariants()
        }
    }
}
