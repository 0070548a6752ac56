// What once passed without a word: refused values, misspelt names, deleted objects, lost digits, counts that counted twice.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct NeverSilentTests {
    // MARK: Transformers

    private static let transformer = "NeverSilentTests.TextToNumber"

    private func comics() -> NSManagedObjectModel {
        ValueTransformer.setValueTransformer(withName: Self.transformer) { (text: String) in Int(text) }
        return ComicModel.make(transformer: Self.transformer)
    }

    @Test(arguments: [
        (#"[{"id": 7, "name": "A"}]"#, "$[0].id"), (#"[{"id": "x"}]"#, "$[0].id"),
        (#"[{"id": "1", "publisher": 3}]"#, "$[0].publisher"),
        (#"[{"id": "1", "powers": ["2", true]}]"#, "$[0].powers[1]"),
    ])
    func `a value that a transformer refuses is an error with its place, and nothing is doubled`(
        _ text: String, _ path: String
    ) throws {
        let stack = try TestStack(comics())
        try stack.importJSON(#"[{"id": "7", "name": "A"}]"#, "Character")
        let error = try #require(graftError { try stack.importJSON(text, "Character") })
        #expect(error.place.path.map(GraftError.Place.text) == path && error.description.contains(Self.transformer))
        #expect(try stack.count("Character") == 1)
        #expect(
            graftError { _ = try GraphSnapshot(json: Data(text.utf8), entity: "Character", model: comics()) } != nil)
        #expect(try stack.importJSON(#"[{"id": null, "name": "B"}]"#, "Character")["Character"].inserted == 1)
    }

    @Test func `decoding and safe values refuse what a transformer refuses`() throws {
        ValueTransformer.setValueTransformer(withName: Self.transformer) { (text: String) in Int(text) }
        let stack = try TestStack(CodedModel.make(isAnnotated: true, transformer: Self.transformer))
        var options = ManagedCodingOptions()
        options.keys = .mapping
        try stack.perform { context throws in
            #expect(try context.decodeHero(#"{"id": "3"}"#, options).number("heroID") == 3)
            let error = graftError { _ = try context.decodeHero(#"{"id": 3}"#, options) }
            #expect(error?.description.contains(Self.transformer) == true && error?.place.property == "heroID")
            let hero = context.add("Hero")
            #expect(
                graftError { try hero.safeSetValues(forKeysWith: ["id": 3]) }?.description.contains(Self.transformer)
                    == true)
        }
    }

    @Test func `a transformer of objects that makes something else is an error`() throws {
        let name = "NeverSilentTests.Wrong"
        ValueTransformer.setValueTransformer(withName: name) { (_: [String: Any]) in 17 }
        for key in ["JSONDictionaryTransformerName", "entityMapperName"] {
            var sketch = ModelSketch()
            sketch.entity("A", info: [key: name], [.attribute("x")])
            let stack = try TestStack(sketch.model())
            #expect(graftError { try stack.importJSON(#"[{"x": "1"}]"#) }?.description.contains(name) == true, "\(key)")
        }
    }

    // MARK: Names

    @Test func `a misspelt name is an error with the one that was meant, also where there is nothing to do`() throws {
        let stack = try TestStack(ComicModel.make())
        func meant(_ name: String, _ body: () throws -> Void) {
            let error = graftError(body)
            #expect(
                error?.description.contains("Did you mean '\(name)'?") == true, "\(error?.description ?? "no error")")
        }
        meant("Character") { try stack.importJSON("[]", "Charakter") }
        meant("Character") { try stack.importJSON("", "Charakter") }
        meant("Power") { try stack.container.importJSON(from: [.data(Data("[]".utf8), entity: "Powr")]) }
        meant("Power") { _ = try GraphSnapshot(json: Data("[]".utf8), entity: "Powr", model: ComicModel.make()) }
        try stack.perform { context throws in
            let hero = context.add("Character", ["identifier": 1])
            var safe = SafeValueOptions()
            safe.nullPolicies = ["nmae": .ignore]
            meant("name") { try hero.safeSetValues(forKeysWith: [:], options: safe) }
            var options = DictionaryOptions()
            options.relationships = .only(["pwers"])
            meant("powers") { _ = try hero.toDictionary(options: options) }
            options.relationships = .only(["Charcter.powers"])
            meant("Character") { _ = try hero.toDictionary(options: options) }
            options.relationships = .only(["Character.powers", "publisher"])
            #expect(try hero.toDictionary(options: options)["powers"] != nil)
            options.entityNames = ["Chracter": "hero"]
            meant("Character") { _ = try hero.toDictionary(options: options) }
            var populate = PopulateOptions()
            populate.entityNames = ["Publsher": "p"]
            meant("Publisher") { _ = try hero.populate(fromDictionary: [:], options: populate) }
        }
    }

    // MARK: Safe values

    @Test func `safe values know only their own entity, refuse what is in the way, and deleted objects`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", [.attribute("street", json: "contact.address.street"), .attribute("x", json: "x")])
        sketch.entity("B", [.attribute("y", json: "y", transformer: "NeverSilentTests.Unregistered")])
        let stack = try TestStack(sketch.model())
        try stack.perform { context throws in
            let object = context.add("A")
            let report = try object.safeSetValues(forKeysWith: [
                "x": 1, "z": 2, "contact": ["address": ["street": "s"]],
            ])
            #expect(object.text("street") == "s" && report.unknownKeys.map(\.key) == ["z"])
            let error = graftError { try object.safeSetValues(forKeysWith: ["contact": "x"]) }
            #expect(error?.place.path.map(GraftError.Place.text) == "$.contact" && error?.place.property == "street")
            #expect(graftError { _ = try context.add("B").safeSetValues(forKeysWith: ["y": 1]) } != nil)
            context.delete(object)
            #expect(
                graftError { try object.safeSetValues(forKeysWith: ["x": 2]) }?.description.contains("deleted") == true)
        }
    }

    // MARK: Decoding

    @Test func `a mandatory attribute without a value is an error, as in a struct`() throws {
        let model = CodedModel.make()
        model.entitiesByName["Hero"]?.attributesByName["heroID"]?.isOptional = false
        model.entitiesByName["Villain"]?.attributesByName["heroID"]?.isOptional = false
        let stack = try TestStack(model)
        try stack.perform { context throws in
            for text in ["{}", #"{"heroID": null}"#, #"{"realName": "A"}"#] {
                #expect(throws: DecodingError.self, "\(text)") { _ = try context.decodeHero(text) }
            }
            #expect(context.insertedObjects.isEmpty)
            #expect(try context.decodeHero(#"{"heroID": 1}"#).text("realName") == "nobody")
        }
    }

    @Test func `an entity name that the model doesn't have is an error, also where there are no sub-entities`() throws {
        let stack = try TestStack(CodedModel.make())
        try stack.perform { context throws in
            let text = #"{"heroID": 1, "powers": [{"$entity": "Powr", "name": "x"}]}"#
            let error = graftError { _ = try context.decodeHero(text) }
            #expect(error?.problem == .unknownEntity("Powr", closest: "Power"))
            #expect(error?.place.path.map(GraftError.Place.text) == "$.powers[0]['$entity']")
            let other = #"{"heroID": 1, "powers": [{"$entity": "Lair", "name": "x"}]}"#
            #expect(graftError { _ = try context.decodeHero(other) } != nil)
        }
    }

    // MARK: Counts and digits

    @Test(arguments: [false, true])
    func `an object counts once, in however many batches it occurs`(_ isSaved: Bool) throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        var options = ImportOptions()
        options.batchSize = 3
        options.savesEachBatch = isSaved
        func heroes(_ change: String) -> String {
            let list = (1...40).map {
                #"{"id": \#($0), "powers": [{"id": \#($0 % 5), "name": "p"}], "publisher": \#($0 % 2)}"#
            }
            return "[\(list.joined(separator: ",")), {\"id\": 1, \"name\": \"\(change)\"}]"
        }
        let first = try stack.importJSON(heroes("x"), "Character", options: options)
        #expect(first["Character"].inserted == 40 && first["Power"].inserted == 5 && first["Publisher"].stubs == 2)
        #expect(first.total.updated == 0 && first.total.unchanged == 0, "\(first)")
        let second = try stack.importJSON(heroes("y"), "Character", options: options)
        #expect(second["Character"].updated == 1 && second["Character"].unchanged == 39, "\(second)")
        #expect(second["Power"].unchanged == 5 && second["Power"].updated == 0, "\(second)")
    }

    @Test func `whole numbers that a double or float can't hold are named`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Post", info: ["identityAttributes": "id"],
            [.attribute("id", .doubleAttributeType), .attribute("likes", .floatAttributeType)])
        let stack = try TestStack(sketch.model())
        let report = try stack.importJSON(
            """
            [{"id": 9007199254740993, "likes": "16777217"}, {"id": 9007199254740992, "likes": 16777216},
             {"id": -9223372036854775807, "likes": 0.1}, {"id": 1e300, "likes": 16777218},
             {"id": 18446744073709551617}, {"id": 18446744073709551616}]
            """)
        #expect(report["Post"].inserted == 4)
        #expect(
            report.roundedValues.map(\.description)
                == ["Post.id: 3 values lost digits", "Post.likes: 1 value lost digits"])
    }

    @Test func `the shortest text of a double or float, which an export writes, has lost no digits`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Post", info: ["identityAttributes": "id"],
            [.attribute("id", .doubleAttributeType), .attribute("likes", .floatAttributeType)])
        let stack = try TestStack(sketch.model())
        let text = #"[{"id": 1.2345678901234568e+18, "likes": 1.2345679e+11}, {"id": 12345678901234567000}]"#
        let report = try stack.importJSON(text)
        #expect(report["Post"].inserted == 2)
        #expect(report.roundedValues.isEmpty, "\(report)")
        let written = try stack.perform { try $0.exportJSON(NSFetchRequest<NSManagedObject>(entityName: "Post")) }
        #expect(try stack.importJSON(String(decoding: written, as: UTF8.self), "Post").roundedValues.isEmpty)
    }

    private func accounts() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Account", info: ["identityAttributes": "number"],
            [.attribute("number", .decimalAttributeType), .attribute("balance", .decimalAttributeType)])
        return sketch.model()
    }

    private let longDecimals =
        #"[{"number": 1234567890123456.75, "balance": 1234567890123456.78}, {"number": 2, "balance": 0.1}]"#

    @Test func `a decimal is compared as the store keeps it, and lost digits are named`() throws {
        let text = longDecimals
        let stack = try TestStack(accounts(), .sqlite)
        let first = try stack.importJSON(text)
        #expect(first["Account"].inserted == 2)
        #expect(first.roundedValues.map(\.description).contains("Account.balance: 1 value lost digits"), "\(first)")
        let again = try stack.importJSON(text)
        #expect(!again.hasChanges && again["Account"].unchanged == 2, "\(again)")
        // A store in memory keeps them all.
        let memory = try TestStack(accounts())
        #expect(try memory.importJSON(text).roundedValues.isEmpty)
        try memory.perform { context throws in
            let kept = try context.all("Account").compactMap {
                ($0.value(forKey: "balance") as? NSDecimalNumber)?.description
            }
            #expect(kept.contains("1234567890123456.78"))
        }
    }

    @Test(arguments: [StoreKind.inMemory, .sqlite])
    func `what an object loses because others get it is counted`(_ kind: StoreKind) throws {
        let world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .toOne("customer", "Customer", inverse: "order"),
                    .toMany("items", "Item", inverse: "order"),
                ])
            sketch.entity(
                "Customer", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("order", "Order", inverse: "customer")])
            sketch.entity(
                "Item", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("order", "Order", inverse: "items")])
        }
        let first = #"[{"id": "1", "customer": "a", "items": ["x", "y", "z"]}, {"id": "2", "customer": "b"}]"#
        #expect(try world.take(first, "Order").lostLinks.isEmpty)
        #expect(try world.take(first, "Order").lostLinks.isEmpty)
        let report = try world.take(#"[{"id": "3", "customer": "a", "items": ["x", "y"]}]"#, "Order")
        #expect(
            report.lostLinks.map(\.description) == [
                "Order.customer: 1 link lost, because its object was given to another one",
                "Order.items: 2 links lost, because their objects were given to others",
            ])
        #expect(report["Order"].updated == 1 && report["Order"].inserted == 1)
        let copy = try JSONDecoder().decode(ImportReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
        // What the data says itself, in whichever order, is no loss; neither is what is given back.
        for said in [
            #"[{"id": "2", "customer": "a"}, {"id": "3", "customer": "b"}]"#,
            #"[{"id": "4", "items": ["x"]}, {"id": "3", "items": ["x", "y"]}]"#,
        ] {
            #expect(try world.take(said, "Order").lostLinks.isEmpty, "\(said)")
        }
        #expect(try world.take(#"[{"id": "y", "order": "1"}]"#, "Item").lostLinks.isEmpty)
    }

    @Test func `snapshots, archives, diffs and answers bring decimals as the store keeps them`() throws {
        let (stack, memory) = (try TestStack(accounts(), .sqlite), try TestStack(accounts()))
        let model = stack.container.managedObjectModel
        try memory.importJSON(longDecimals)
        let snapshot = try GraphSnapshot(json: Data(longDecimals.utf8), model: model)
        let lost = ["Account.balance: 1 value lost digits", "Account.number: 1 value lost digits"]
        try stack.perform { context throws in
            let first = try context.importSnapshot(snapshot)
            #expect(first["Account"].inserted == 2 && first.roundedValues.map(\.description) == lost, "\(first)")
            try context.save()
            let again = try context.importSnapshot(snapshot)
            #expect(again["Account"].unchanged == 2, "\(again)")
            let stored = try GraphSnapshot(of: context)
            #expect(try GraphDiff(from: stored, to: snapshot).isEmpty && GraphDiff(from: snapshot, to: stored).isEmpty)
            let merge = try GraphMerge(base: snapshot, ours: stored, theirs: GraphSnapshot(model: model))
            #expect(merge.conflicts.isEmpty && merge.ours.isEmpty && merge.theirs.deleted.count == 2)
        }
        let archived = try stack.container.importJSON(from: [.data(memory.archive())])
        #expect(archived["Account"].unchanged == 2 && archived.roundedValues.map(\.description) == lost, "\(archived)")
        #expect(try GraphDiff(from: memory.container, to: stack.container).isEmpty)

        let other = try GraphSnapshot(
            json: Data(longDecimals.replacing("3456.78", with: "9999.78").utf8), model: model)
        let diff = try GraphDiff(from: snapshot, to: other)
        #expect(try stack.container.apply(diff).changed == 1)
        #expect(try stack.container.apply(diff.inverted).changed == 1)
        #expect(try stack.perform { try GraphDiff(from: GraphSnapshot(of: $0), to: snapshot) }.isEmpty)
        #expect(try stack.container.apply(GraphDiff(deleted: snapshot.contents())).deleted == 2)
        #expect(try stack.container.apply(GraphDiff(inserted: snapshot.contents())).inserted == 2)
    }

    @Test(arguments: [true, false])
    func `the digits that the store doesn't keep aren't sent back to the server`(_ isWhole: Bool) throws {
        let stack = try TestStack(accounts(), .sqlite)
        let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
        try stack.perform { context throws in
            let tracker = try GraphTracker(file: GraphTracker.file(besideStoreAt: store), context: context)
            for _ in 1...2 {
                try tracker.receive(json: Data(longDecimals.utf8), isWhole: isWhole)
                #expect(try tracker.pendingChange().isEmpty)
            }
            #expect(try context.all("Account").count == 2)
            // An answer as a diff is about what the server has, with all its digits.
            let snapshot = try GraphSnapshot(
                json: Data(longDecimals.utf8), model: stack.container.managedObjectModel)
            try tracker.receive(GraphDiff(deleted: snapshot.contents()))
            #expect(try context.all("Account").isEmpty && tracker.pendingChange().isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a number that is no Float is the nearest one, by every door`(_ kind: StoreKind) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["identityAttributes": "id"],
            [
                .attribute("id"), .attribute("weight", .floatAttributeType), .toMany("parts", "Item", inverse: "whole"),
                .toOne("whole", "Item", inverse: "parts"),
            ])
        let stack = try TestStack(sketch.model(), kind)
        try stack.perform { context throws in
            for (id, weight) in [("a", 0.1), ("b", -1e30), ("c", 1e300)] {
                let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                item.setValue(id, forKey: "id")
                item.setValue(weight, forKey: "weight")
            }
            try context.save()
        }
        let before = try stack.perform { try GraphSnapshot(of: $0) }
        let archived = try GraphSnapshot(
            reading: .data(stack.archive(.binary)), model: stack.container.managedObjectModel)
        #expect(try GraphDiff(from: before, to: archived).isEmpty)
        try stack.perform { context throws in
            for item in try context.all("Item") where item.value(forKey: "id") as? String != "c" {
                try item.populate(fromDictionary: item.toDictionary())
                try item.populate(fromDictionary: ["parts": [item.toDictionary()]])
                item.setValue(nil, forKey: "whole")
                context.processPendingChanges()
                #expect(item.changedValues().isEmpty, "\(item.changedValues())")
            }
            context.rollback()
        }
        let text = try before.json(model: stack.container.managedObjectModel)
        let whole = String(decoding: text, as: UTF8.self).replacing("1e+300", with: "0.5").replacing(
            "1e300", with: "0.5")
        let report = try stack.importJSON(whole)
        #expect(report["Item"].updated == 1 && report["Item"].unchanged == 2, "\(report) \(whole)")
    }
}
