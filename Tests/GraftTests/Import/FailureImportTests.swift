// Records that can't be taken: the first one ends the import, or all of them are collected, or they are left out. Lesson 48:
// path, row and value in every failure, and none is lost on the way up.

import CoreData
import Foundation
import Graft
import Testing

/// A class with rules of its own, which throw errors of its own.
final class RuledMember: NSManagedObject {
    enum Refusal: Error { case unknown }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try check()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try check()
    }

    private func check() throws {
        switch value(forKey: "name") as? String {
        case "bad": throw NSError(domain: "App", code: 7, userInfo: [NSLocalizedDescriptionKey: "bad name"])
        case "unknown": throw Refusal.unknown
        default: break
        }
    }
}

@Suite struct FailureImportTests {
    /// Records 1, 3, 4 and 6 can't be taken. Record 5 is an identifier alone: in a context it may wait for its name, in a store it can't.
    private let text = """
        [{"id": 1, "name": "One", "powers": [{"id": 4, "name": "Four"}]},
         {"id": "x", "name": ["no", {"text": [1]}], "publisher": {"id": 10, "name": "DC"}},
         {"id": 3, "name": "Three", "powers": [4, 5], "publisher": 10},
         {"id": 4, "powers": [6]},
         {"id": 1, "name": {}, "real_name": "never"},
         7,
         {"id": 8, "name": "Eight", "powers": [{"id": 9e99}], "publisher": [1]},
         {"id": 9, "name": "Nine"}]
        """

    private func stack(_ kind: StoreKind = .sqlite) throws -> TestStack {
        try TestStack(ComicModel.make(nameIsOptional: false), kind)
    }

    private func options(
        _ policy: ImportOptions.FailurePolicy, batch: Int? = nil, isDryRun: Bool = false
    ) -> ImportOptions {
        var options = ImportOptions()
        options.failurePolicy = policy
        options.isDryRun = isDryRun
        if let batch {
            options.batchSize = batch
            options.savesEachBatch = true
        }
        return options
    }

    private func failures(_ block: () throws -> Void) -> ImportReport? {
        do {
            try block()
            return nil
        } catch {
            return (error as? ImportFailures)?.report
        }
    }

    @Test func `the first failure ends an import by default`() throws {
        let stack = try stack()
        let error = try #require(graftError { try stack.importJSON(text, "Character") })
        #expect(error.place.path == [.index(1), .key("id")])
        #expect(try stack.count("Character") == 0)
    }

    @Test(arguments: [nil, 2])
    func `lesson 48: collecting lists every failure with path, line, column, entity, property, value and type`(
        _ batch: Int?
    ) throws {
        let stack = try stack()
        let report = try #require(
            failures { try stack.importJSON(text, "Character", options: options(.collect, batch: batch)) })
        let unreadable = report.failures.filter { $0.code == nil }
        #expect(unreadable.map(\.record) == [1, 1, 4, 6, 6])
        #expect(
            unreadable.map(\.path) == [
                "$[1].id", "$[1].name", "$[4].name", "$[6].powers[0].id", "$[6].publisher",
            ])
        #expect(unreadable.map(\.line) == [2, 2, 5, 7, 7])
        #expect(unreadable.map(\.column) == [9, 22, 20, 47, 68])
        #expect(unreadable.map(\.entity) == ["Character", "Character", "Character", "Power", "Character"])
        #expect(unreadable.map(\.property) == ["identifier", "name", "name", "identifier", "publisher"])
        #expect(unreadable[0].value?.contains("x") == true)
        #expect(unreadable[0].expected == "an Integer 64")
        #expect(unreadable.allSatisfy { !$0.message.isEmpty && $0.value != nil && $0.expected != nil })
        let refused = report.failures.filter { $0.code != nil }
        #expect(refused.map(\.path) == ["$[3]", "$[5]"])
        #expect(refused.allSatisfy { $0.code == 1570 && $0.property == "name" && $0.value == "null" })
        #expect(try stack.count("Character") == 0)
        #expect(try stack.count("Power") == 0)
    }

    @Test func `collecting keeps nothing, also where a rule refuses a record of a later batch`() throws {
        let stack = try stack()
        let text = #"[{"id": 1, "name": "1"}, {"id": 2, "name": "2"}, {"id": 3}, {"id": 4, "name": "4"}, {"id": 5}]"#
        let report = try #require(
            failures { try stack.importJSON(text, "Character", options: options(.collect, batch: 1)) })
        #expect(report.failures.map(\.path) == ["$[2]", "$[4]"])
        #expect(try stack.count("Character") == 0)
    }

    @Test func `collecting without a failure is an import`() throws {
        let stack = try stack()
        let report = try stack.importJSON(ComicModel.batman, "Character", options: options(.collect))
        #expect(report["Character"].inserted == 1)
        #expect(report.failures.isEmpty)
        #expect(try stack.count("Power") == 2)
    }

    @Test(arguments: [nil, 1, 2, 3, 100])
    func `skipping leaves records out as if they weren't in the data`(_ batch: Int?) throws {
        let stack = try stack()
        let report = try stack.importJSON(text, "Character", options: options(.skip, batch: batch))
        #expect(report["Character"].skipped == 5)
        #expect(report.recordCount == 8)
        #expect(Set(report.failures.compactMap(\.record)) == [1, 3, 4, 5, 6])

        let clean = try self.stack()
        try clean.importJSON(
            """
            [{"id": 1, "name": "One", "powers": [{"id": 4, "name": "Four"}]},
             {"id": 3, "name": "Three", "powers": [4, 5], "publisher": 10},
             {"id": 9, "name": "Nine"}]
            """, "Character")
        let archives = try [stack, clean].map { try $0.perform { try $0.exportJSON() } }
        #expect(String(decoding: archives[0], as: UTF8.self) == String(decoding: archives[1], as: UTF8.self))
        #expect(report["Character"].inserted == 3)
        #expect(report["Power"].inserted == 1)
        #expect(report["Power"].stubs == 1)
    }

    @Test func `what depends on a skipped record is what it would be without it`() throws {
        let stack = try stack()
        // Character 2 gets its name in record 1 alone, which is bad: so record 0 is bad as well.
        let report = try stack.importJSON(
            """
            [{"id": 2, "real_name": "two"}, {"id": 2, "name": "Two", "powers": "none"}, {"id": 3, "name": "Three"}]
            """, "Character", options: options(.skip))
        #expect(report.failures.map(\.record) == [0, 1])
        #expect(report["Character"].skipped == 2)
        #expect(try stack.count("Character") == 1)
    }

    @Test func `a context gets the objects of the good records, and its own changes stay`() throws {
        let stack = try stack()
        try stack.perform { context throws in
            let own = NSEntityDescription.insertNewObject(forEntityName: "Power", into: context)
            own.setValue(77, forKey: "identifier")
            let objects = try context.objects(
                fromJSON: Data(text.utf8), entity: "Character", options: options(.skip))
            #expect(objects.map { $0.number("identifier") } == [1, 3, 7, 9])
            #expect(own.isInserted)
            context.rollback()
            let report = failures {
                try context.importJSON(Data(text.utf8), entity: "Character", options: options(.collect))
            }
            #expect(report?.failures.count == 6)
            #expect(!context.hasChanges)
        }
    }

    @Test func `a dry run finds the same failures and keeps nothing`() throws {
        let stack = try stack()
        let report = try stack.importJSON(text, "Character", options: options(.skip, isDryRun: true))
        #expect(report.isDryRun)
        #expect(report["Character"].skipped == 5)
        #expect(report["Character"].inserted == 3)
        #expect(try stack.count("Character") == 0)
    }

    @Test func `NDJSON and several texts have failures of their own`() throws {
        let stack = try stack()
        let sources: [ImportSource] = [
            .data(Data("{\"id\": 1, \"name\": \"A\"}\n{\"id\": 2, \"name\": []}\n".utf8), name: "a.ndjson"),
            .data(Data(#"[{"id": 3, "name": "C"}, {"id": 4}]"#.utf8), name: "b.json"),
            .data(Data(#"[{"name": "Agility"}, {"id": {}}]"#.utf8), name: "c.json", entity: "Power"),
        ]
        let report = try stack.container.importJSON(from: sources, entity: "Character", options: options(.skip))
        #expect(report.failures.map(\.source) == ["a.ndjson", "b.json", "c.json"])
        #expect(report.failures.map(\.record) == [1, 1, 1])
        #expect(report.failures.map(\.line) == [2, 1, 1])
        #expect(report["Character"].skipped == 2)
        #expect(report["Power"].skipped == 1)
        #expect(try stack.count("Character") == 2)
        #expect(try stack.count("Power") == 1)
    }

    // Lesson 29: what isn't read to its end changes nothing.
    @Test(arguments: [ImportOptions.FailurePolicy.collect, .skip])
    func `lesson 29: text that isn't JSON ends an import whatever the policy`(_ policy: ImportOptions.FailurePolicy)
        throws
    {
        let stack = try stack()
        let broken = #"[{"id": 1, "name": "A"}, {"id": 2, "name": []}, {"id": 3, "#
        do {
            try stack.importJSON(broken, "Character", options: options(policy))
            Issue.record("A broken text was imported.")
        } catch let failures as ImportFailures {
            #expect(policy == .collect)
            #expect(failures.report.failures.map(\.path) == ["$[1].name", "$[2].id"])
            #expect(failures.description.hasPrefix("2 failures, and nothing was imported\n"))
        } catch let error as GraftError {
            #expect(policy == .skip)
            guard case .invalidJSON = error.problem else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try stack.count("Character") == 0)
    }

    @Test func `a limit keeps an import of nothing but failures from going on`() throws {
        let stack = try stack()
        var options = options(.skip)
        options.failureLimit = 3
        let text = "[\(Array(repeating: #"{"id": []}"#, count: 10).joined(separator: ","))]"
        let error = graftError { try stack.importJSON(text, "Character", options: options) }
        #expect(error?.problem == .tooLarge(what: "the number of failures", limit: 3))
    }

    @Test func `failures in objects that a transformer has changed are placed where the object stands`() throws {
        ValueTransformer.setDictionaryTransformer(withName: "Failure.Unwrap") { $0["inner"] as? [String: Any] }
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["identityAttributes": "id", "JSONDictionaryTransformerName": "Failure.Unwrap"],
            [
                .attribute("id", .integer32AttributeType, json: "id"),
                .attribute("count", .integer16AttributeType, json: "count"),
            ])
        let stack = try TestStack(sketch.model())
        let text = #"[{"inner": {"id": 1, "count": 1}}, {"inner": {"id": 2, "count": "many"}}]"#
        let report = try stack.importJSON(text, "Item", options: options(.skip))
        #expect(report["Item"].inserted == 1)
        #expect(report.failures.map(\.path) == ["$[1].count"])
        #expect(report.failures.map(\.column) == [36])
    }

    @Test(arguments: [false, true])
    func `a value that one object may have is named with the object that has it, too`(_ isStored: Bool) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "User", info: ["identityAttributes": "id"], unique: [["mail"]], [.attribute("id"), .attribute("mail")])
        }
        if isStored { try world.take(#"[{"id": "1", "mail": "a@b"}]"#, "User") }
        let more = isStored ? "" : #", {"id": "3", "mail": "a@b"}"#
        let error = graftError { try world.take(#"[{"id": "0"}, {"id": "2", "mail": "a@b"}\#(more)]"#, "User") }
        #expect(error?.problem == .duplicateIdentity(#""a@b""# + (isStored ? ", one of them in the store" : "")))
        #expect(
            error?.place.entity == "User" && error?.place.property == "mail" && error?.place.path?.first == .index(1))
        #expect(try world.count("User") == (isStored ? 1 : 0))
    }

    @Test(arguments: [("bad", "bad name"), ("unknown", "unknown")])
    func `what a class's own validation throws is an error of validation with the record's place`(
        _ name: String, _ reason: String
    ) throws {
        var sketch = ModelSketch()
        sketch.entity("Member", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("name")])
        let model = sketch.model()
        model.entitiesByName["Member"]?.managedObjectClassName = NSStringFromClass(RuledMember.self)
        let stack = try TestStack(model, .sqlite)
        try stack.importJSON(#"[{"id": "0", "name": "old"}]"#, "Member")
        for id in ["0", "2"] {
            let text = #"[{"id": "1", "name": "good"}, {"id": "\#(id)", "name": "\#(name)"}]"#
            for isDryRun in [false, true] {
                let error = graftError {
                    try stack.importJSON(text, "Member", options: options(.fail, isDryRun: isDryRun))
                }
                #expect(error?.problem == .validation(code: 1550, reason: reason))
                #expect(error?.place.entity == "Member" && error?.place.path == [.index(1)], "\(isDryRun)")
            }
            let skipped = try stack.importJSON(text, "Member", options: options(.skip, isDryRun: true))
            #expect(skipped.failures.map(\.record) == [1] && skipped.failures.first?.code == 1550)
        }
        #expect(try stack.count("Member") == 1)
    }

    @Test(arguments: ImportOptions.FailurePolicy.allCases, [nil, 1])
    func `what an import has made and gives up again is refused by no rule`(
        _ policy: ImportOptions.FailurePolicy, _ batch: Int?
    ) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toMany("notes", "Note", inverse: "owner", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Note", [.attribute("text"), .toOne("owner", "Owner", inverse: "notes", isOptional: false)])
        }
        let text = #"[{"id": 1, "name": "x", "notes": [{"text": "a"}]}, {"id": 1, "notes": [{"text": "b"}]}]"#
        let report = try world.stack.importJSON(text, "Owner", options: options(policy, batch: batch))
        #expect(report.failures.isEmpty)
        #expect(try world.value("name", of: "Owner", "id", 1) == "x")
        #expect(try world.values("text", of: "Note") == ["b"])
    }

    @Test func `collecting names each missing object, each link that can't be made, and what rules refuse`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal", info: ["identityAttributes": "id"],
                [.attribute("id", .integer64AttributeType), .attribute("name")])
            sketch.entity("Cat", parent: "Animal", [.toOne("owner", "Person", inverse: "cat")])
            sketch.entity(
                "Person", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name", isOptional: false),
                    .toOne("cat", "Cat", inverse: "owner"),
                    .toOne("boss", "Person", inverse: "reports").annotated(["JSONReferencePolicy": "fail"]),
                    .toMany("reports", "Person", inverse: "boss"),
                ])
        }
        try world.take(#"[{"id": 9, "name": "x"}]"#, "Animal")
        let report = try #require(
            failures {
                try world.stack.importJSON(
                    """
                    [{"id": 1, "name": "a", "boss": 8}, {"id": 2, "name": "b", "cat": 9}, {"id": 3},
                     {"id": 4, "name": "d", "boss": 1}, {"id": 5, "name": "e", "boss": 7}]
                    """, "Person", options: options(.collect))
            })
        #expect(report.failures.map(\.record) == [0, 1, 2, 4])
        #expect(report.failures.map(\.property) == ["boss", "cat", "name", "boss"])
        #expect(report.failures.map(\.line) == [1, 1, 1, 2])
        #expect(try world.count("Person") == 0)
    }

    /// Records 1 and 4 are of an abstract entity, 2 and 5 of another one than the stored object's; 6 refers to 1.
    @Test(arguments: [1, 5000])
    func `collecting names each object that can't be made, or is stored as another one`(_ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "type", "JSONEntityChange": "fail"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toOne("friend", "Animal", inverse: "friends").annotated(["JSONReferencePolicy": "fail"]),
                    .toMany("friends", "Animal", inverse: "friend"),
                ])
            sketch.entity("Mammal", parent: "Animal", isAbstract: true, [])
            sketch.entity("Cat", parent: "Animal", [])
            sketch.entity("Dog", parent: "Animal", [])
        }
        try world.take(#"[{"id": 2, "name": "b"}, {"id": 5, "name": "e"}]"#, "Dog")
        let text = """
            [{"id": 0, "type": "Cat"}, {"id": 1, "type": "Mammal", "name": "x"}, {"id": 2, "type": "Cat", "name": "x"},
             {"id": 3, "type": "Dog"}, {"id": 4, "type": "Mammal", "name": "x"}, {"id": 5, "type": "Cat", "name": "x"},
             {"id": 6, "type": "Dog", "friend": 1}]
            """
        let collected = try #require(
            failures {
                world.options.failurePolicy = .collect
                world.options.batchSize = size
                try world.take(text, "Animal")
            })
        #expect(collected.failures.map(\.record) == [1, 2, 4, 5])
        #expect(collected.failures.map(\.entity) == ["Mammal", "Cat", "Mammal", "Cat"])
        #expect(try world.values("name", of: "Animal") == ["b", "e"])
        world.options.failurePolicy = .skip
        // Without the first one, what refers to it waits in vain.
        #expect(try world.take(text, "Animal").failures.map(\.record) == [1, 2, 4, 5, 6])
        #expect(try world.values("id", of: "Animal") == ["0", "2", "3", "5"])
    }

    @Test(arguments: [nil, 1, 5000])
    func `each object that is gone, and lacks the owner that identifies it, is named once`(_ batch: Int?) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("parts", "Part", inverse: "owner", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Part", info: ["identityAttributes": "owner, id", "JSONDeletedKey": "gone"],
                [.attribute("id", .integer64AttributeType), .toOne("owner", "Owner", inverse: "parts")])
        }
        try world.take(#"[{"id": 1, "owner": 1}, {"id": 2, "owner": 1}]"#, "Part")
        let text = #"[{"id": 1, "gone": 1}, {"id": 1, "owner": 1, "gone": 1}, {"id": 3, "gone": 1}]"#
        let report = try world.stack.importJSON(text, "Part", options: options(.skip, batch: batch))
        #expect(report.failures.map(\.record) == [0, 2] && report["Part"].deleted == 1)
        #expect(try world.values("id", of: "Part") == ["2"])
    }

    @Test func `a report survives a coder`() throws {
        let stack = try stack()
        let report = try stack.importJSON(text, "Character", options: options(.skip))
        let data = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(ImportReport.self, from: data) == report)
    }
}
