// What readers of articles on dictionaries of managed objects asked, one test for each question.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ReaderQuestionTests {
    typealias Model = ArchiveArticleModel

    @Test func `why is the second dictionary empty`() throws {
        try TestStack(Model.make()).perform { context throws in
            let person = Model.fill(context)
            let dictionaries = try (0..<3).map { _ in try person.toDictionary() }
            #expect(dictionaries.allSatisfy { nested($0, "addresses").count == 2 && isSame($0, dictionaries[0]) })
        }
    }

    @Test func `does it work on faults`() throws {
        let stack = try TestStack(Model.make(), .sqlite)
        try stack.perform { context throws in
            _ = Model.fill(context)
            try context.save()
            for object in try context.all("Person") + context.all("Address") {
                context.refresh(object, mergeChanges: false)
            }
            let dictionary = try #require(try context.all("Person").first).toDictionary()
            #expect(nested(dictionary, "addresses").allSatisfy { $0["city"] != nil })
        }
    }

    @Test func `do I need a base class`() throws {
        try TestStack(Model.make()).perform { context throws in
            let person: NSManagedObject = Model.fill(context)
            #expect(type(of: person) == NSManagedObject.self)
            #expect(try person.toDictionary()["firstName"] as? String == "Ann")
        }
    }

    @Test func `how do I write an array of objects`() throws {
        let stack = try TestStack(Model.make())
        try stack.perform { context throws in
            let people = ["p1", "p2"].map { Model.fill(context, guid: $0) }
            for format in DictionaryOptions.Format.allCases {
                let data = try people.dictionaryData(format)
                let other = try TestStack(Model.make(), .sqlite)
                try other.perform { copy throws in
                    let objects = try copy.populateObjects(fromDictionaryData: data).objects
                    #expect(objects.map { $0.text("guid") } == ["p1", "p2"])
                    #expect(objects[1].texts("addresses", "city") == ["Another Town", "Sometown"])
                    #expect(objects[0].value(forKey: "born") as? Date == people[0].value(forKey: "born") as? Date)
                    try copy.save()
                }
            }
        }
    }

    @Test func `why can't sets and dates be written as JSON`() throws {
        try TestStack(Model.make()).perform { context throws in
            var options = DictionaryOptions()
            options.valueForm = .json
            let dictionary = try Model.fill(context).toDictionary(options: options)
            let json = try JSONSerialization.data(withJSONObject: dictionary)
            let read = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            let copy = try NSManagedObject.create(fromDictionary: read, in: context)
            #expect(copy.value(forKey: "born") as? Date == Date(timeIntervalSinceReferenceDate: -300_000_000.25))
            #expect(copy.texts("addresses", "city").count == 2)
        }
    }

    @Test func `what happens with null`() throws {
        try TestStack(Model.make()).perform { context throws in
            let json = Data(#"{"class": "Person", "firstName": "Ann", "born": null, "passport": null}"#.utf8)
            let person = try context.populateObjects(fromDictionaryData: json).objects[0]
            #expect(person.value(forKey: "born") == nil)
            #expect(try person.toDictionary()["born"] == nil)
        }
    }

    @Test func `how do I update instead of insert`() throws {
        try TestStack(Model.make(hasIdentity: true)).perform { context throws in
            let person = Model.fill(context)
            let answer = Data(#"[{"guid": "p1", "age": "31", "addresses": [{"guid": "a1", "city": "Moved"}]}]"#.utf8)
            let (objects, report) = try context.populateObjects(fromDictionaryData: answer, entity: "Person")
            #expect(objects == [person])
            #expect(person.number("age") == 31)
            #expect(person.texts("addresses", "city") == ["Another Town", "Moved"])
            #expect(report.total.inserted == 0)
        }
    }

    @Test func `why are shared children duplicated`() throws {
        let dictionary = try TestStack(Model.make(hasIdentity: true)).perform { try Model.fill($0).toDictionary() }
        try TestStack(Model.make(hasIdentity: true), .sqlite).perform { context throws in
            for _ in 0..<3 { try context.populateObjects(fromDictionaries: [dictionary]) }
            try context.save()
            #expect(try context.all("Country").count == 1)
            #expect(try context.all("Address").count == 2)
            #expect(try context.all("Person").count == 1)
        }
    }

    @Test func `how do I send only what changed, from one device to another`() throws {
        let (mine, yours) = (try TestStack(Model.make(hasIdentity: true)), try TestStack(Model.make(hasIdentity: true)))
        try mine.perform { context throws in
            let person = Model.fill(context)
            let whole = try person.dictionaryData(.binaryPropertyList)
            let earlier = try person.toDictionary()
            person.setValue("Jones", forKey: "lastName")
            let changes = try person.toDictionary(changedSince: earlier)
            let sent = try JSONSerialization.data(withJSONObject: changes)
            #expect(sent.count < 80)
            try yours.perform { other throws in
                _ = try other.populateObjects(fromDictionaryData: whole)
                let copy = try other.populateObjects(fromDictionaryData: sent).objects[0]
                #expect(copy.text("lastName") == "Jones")
                #expect(copy.text("firstName") == "Ann")
                #expect(try other.all("Person").count == 1)
            }
        }
    }

    // MARK: What a reader must not swallow

    private func numbers() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType), .attribute("name"),
                .attribute("height", .doubleAttributeType), .attribute("width", .floatAttributeType),
                .attribute("budget", .decimalAttributeType), .toMany("tags", "Tag", inverse: "teams"),
            ])
        sketch.entity(
            "Tag", info: ["identityAttributes": "name"],
            [.attribute("name"), .toMany("teams", "Team", inverse: "tags")])
        return try TestStack(sketch.model(), .sqlite)
    }

    @Test(arguments: ["height", "width", "budget"])
    func `a boolean is no number, also as JSONSerialization has it`(_ key: String) throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(#"{"id": 1, "\#(key)": true}"#.utf8))
        let dictionary = try #require(parsed as? [String: Any])
        try numbers().perform { context throws in
            let error = graftError { try context.populateObjects(fromDictionaries: [dictionary], entity: "Team") }
            #expect(error?.description.contains("Team.\(key)") == true, "\(String(describing: error))")
            let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
            #expect(graftError { try team.safeSetValues(forKeysWith: dictionary) } != nil)
            #expect(team.value(forKey: key) == nil)
        }
    }

    @Test func `what loses digits is in the report`() throws {
        let dictionary: [String: Any] = [
            "id": 1, "height": 9_007_199_254_740_993, "width": "16777217", "budget": "12345678901234567890.12",
        ]
        try numbers().perform { context throws in
            let report = try context.populateObjects(fromDictionaries: [dictionary], entity: "Team").report
            #expect(report.roundedValues.map(\.property) == ["budget", "height", "width"])
            let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
            let other = try team.safeSetValues(forKeysWith: dictionary)
            #expect(other.roundedValues == report.roundedValues)
            let exact: [String: Any] = ["id": 2, "height": 1e300, "width": 0.1, "budget": 1.5]
            let same = try context.populateObjects(fromDictionaries: [exact], entity: "Team").report
            #expect(same.roundedValues.isEmpty)
        }
    }

    @Test func `keys of changes with anything else are errors, and removed members may be named by themselves`() throws
    {
        let wrong: [[String: Any]] = [
            ["$null": "name"], ["$null": [1]], ["$removed": ["tags": "x"]], ["$removed": ["tags": [[1]]]],
            ["$removed": ["tags": [["label": "x"]]]], ["$objects": "x"], ["$added": "x"],
        ]
        try numbers().perform { context throws in
            let team = try context.populateObjects(
                fromDictionaries: [["id": 1, "name": "a", "tags": ["x", "y", "z"].map { ["name": $0] }]], entity: "Team"
            ).objects[0]
            for changes in wrong {
                #expect(graftError { try team.populate(fromDictionary: changes) } != nil, "\(changes)")
            }
            #expect(team.text("name") == "a")
            #expect(team.texts("tags", "name") == ["x", "y", "z"])
            try team.populate(fromDictionary: ["$removed": ["tags": ["x", ["name": "z"]]], "$null": ["name"]])
            #expect(team.texts("tags", "name") == ["y"])
            #expect(team.text("name") == nil)
        }
    }
}
