// Numbers and references: exactly where an object is met again, and read back by whoever reads dictionaries.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DictionaryNotationTests {
    typealias Model = ArchiveArticleModel

    private func people(_ names: [String], _ context: NSManagedObjectContext) -> [NSManagedObject] {
        names.map { Model.new("Person", ["firstName": $0], context) }
    }

    @Test func `two friends are nested without a number`() throws {
        try TestStack(Model.make()).perform { context throws in
            let friends = people(["Ann", "Bob"], context)
            friends[0].setValue(NSSet(object: friends[1]), forKey: "friends")
            let dictionary = try friends[0].toDictionary()
            #expect(!"\(dictionary)".contains("$"))
            let bob = nested(dictionary, "friends")
            #expect(bob.count == 1 && bob[0]["friends"] == nil)
            let copy = try NSManagedObject.create(fromDictionary: dictionary, in: context)
            #expect(try context.all("Person").count == 4)
            #expect(copy.texts("friends", "firstName") == ["Bob"])
        }
    }

    @Test func `a link to itself and a triangle come back through each format`() throws {
        for format in DictionaryOptions.Format.allCases {
            try TestStack(Model.make()).perform { context throws in
                let three = people(["Ann", "Bob", "Cid"], context)
                for person in three { person.setValue(NSSet(array: three), forKey: "friends") }
                let data = try three[0].dictionaryData(format)
                context.reset()
                let copy = try context.populateObjects(fromDictionaryData: data).objects[0]
                #expect(try context.all("Person").count == 3)
                let friends = copy.value(forKey: "friends") as? Set<NSManagedObject> ?? []
                #expect(friends.contains(copy) && friends.count == 3)
                #expect(friends.allSatisfy { $0.value(forKey: "friends") as? Set<NSManagedObject> == friends })
            }
        }
    }

    @Test func `an order on the other side keeps its places`() throws {
        var sketch = ModelSketch()
        sketch.entity("Song", [.attribute("title"), .toMany("lists", "List", inverse: "songs", isOrdered: true)])
        sketch.entity("List", [.attribute("title"), .toMany("songs", "Song", inverse: "lists", isOrdered: true)])
        try TestStack(sketch.model()).perform { context throws in
            let lists = ["A", "B", "C"].map { Model.new("List", ["title": $0], context) }
            let song = Model.new("Song", ["title": "S"], context)
            song.setValue(NSOrderedSet(array: [lists[2], lists[0], lists[1]]), forKey: "lists")
            for nesting in [200, 1] {
                var options = DictionaryOptions()
                options.maximumNesting = nesting
                let copy = try NSManagedObject.create(
                    fromDictionary: lists[0].toDictionary(options: options), in: context)
                let made = try #require((copy.value(forKey: "songs") as? NSOrderedSet)?.firstObject as? NSManagedObject)
                #expect(made.texts("lists", "title") == ["C", "A", "B"])
            }
        }
    }

    @Test func `dictionaries that were made by themselves have numbers of their own`() throws {
        try TestStack(Model.make()).perform { context throws in
            let triangles = (0..<2).map { number in people(["A", "B", "C"].map { "\($0)\(number)" }, context) }
            for triangle in triangles {
                for person in triangle {
                    person.setValue(NSSet(array: triangle.filter { $0 !== person }), forKey: "friends")
                }
            }
            let apart = try triangles.map { try $0[0].toDictionary() }
            #expect(apart.allSatisfy { "\($0)".contains("$id") })
            let copies = try NSManagedObject.create(fromDictionaries: apart, in: context)
            #expect(copies.map { $0.texts("friends", "firstName") } == [["B0", "C0"], ["B1", "C1"]])
            #expect(try context.all("Person").count == 12)
            // In one call, a number holds for the whole array.
            let together = try [triangles[0][1], triangles[0][0], triangles[0][1]].toDictionaries()
            #expect(together[2].keys.sorted() == ["$ref"])
            let same = try NSManagedObject.create(fromDictionaries: together, in: context)
            #expect(same[0] === same[2] && same[0].texts("friends", "firstName") == ["A0", "C0"])
            #expect(try context.all("Person").count == 15)
        }
    }

    @Test func `a reference that leads nowhere, or to another kind of object, is an error`() throws {
        try TestStack(Model.make()).perform { context throws in
            let wrong: [([String: Any], String)] = [
                (["class": "Person", "friends": [["$ref": 7]]], "$.friends"),
                (["class": "Person", "friends": [["$id": "7"], ["$ref": "7"]]], "$.friends[1]"),
                (["class": "Person", "passport": ["$ref": NSNull()]], "$.passport"),
                (["class": "Person", "$id": 1, "passport": ["$ref": 1]], "$.passport"),
                (["class": "Person", "$id": 1, "passport": ["$id": 1]], "$.passport"),
            ]
            for (dictionary, path) in wrong {
                let error = graftError { _ = try NSManagedObject.create(fromDictionary: dictionary, in: context) }
                #expect(error?.place.description.contains(path) == true, "\(String(describing: error))")
                #expect(!context.hasChanges)
            }
            let nowhere = graftError { try context.populateObjects(fromDictionaries: [["$ref": 3]], entity: "Person") }
            #expect(nowhere?.place.path == [.index(0)])
        }
    }

    @Test func `no value where the model has one by default comes back as none`() throws {
        var sketch = ModelSketch()
        sketch.entity("Page", [.attribute("title", default: "Untitled"), .attribute("text")])
        for format in DictionaryOptions.Format.allCases {
            try TestStack(sketch.model()).perform { context throws in
                let page = Model.new("Page", [:], context)
                page.setValue(nil, forKey: "title")
                #expect(try page.toDictionary()["title"] is NSNull)
                let data = try page.dictionaryData(format)
                context.reset()
                let copy = try context.populateObjects(fromDictionaryData: data).objects[0]
                #expect(copy.text("title") == nil)
            }
        }
    }

    @Test func `JSON has no white space, and each level of it is looked at once`() throws {
        try TestStack(Model.chain()).perform { context throws in
            var nodes: [NSManagedObject] = []
            for number in 0..<2_000 {
                let node = Model.new("Node", ["number": number], context)
                node.setValue(nodes.last, forKey: "previous")
                nodes.append(node)
            }
            let data = try nodes[0].dictionaryData(.json)
            #expect(!data.contains(UInt8(ascii: " ")) && !data.contains(UInt8(ascii: "\n")))
            context.reset()
            let copy = try context.populateObjects(fromDictionaryData: data).objects[0]
            var last: NSManagedObject = copy
            while let next = last.object("next") { last = next }
            #expect(last.number("number") == 1_999)
            context.reset()
        }
    }

    @Test(arguments: [#""amount": 1e400"#, #""count": 1e-400"#, #""tree": [1e400]"#])
    func `a number that no object holds is an error, as it is in an import`(_ member: String) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Value",
            [
                .attribute("amount", .doubleAttributeType), .attribute("count", .integer64AttributeType),
                .attribute("tree", .transformableAttributeType),
            ])
        try TestStack(sketch.model()).perform { context throws in
            let text = Data(#"[{"class": "Value", \#(member)}]"#.utf8)
            #expect(throws: GraftError.self) { try context.populateObjects(fromDictionaryData: text) }
            #expect(try context.all("Value").isEmpty && !context.hasChanges)
        }
    }

    @Test func `a number in a file is read as an import reads it, whatever its attribute's type`() throws {
        var sketch = ModelSketch()
        sketch.entity("Value", [.attribute("text"), .attribute("amount", .doubleAttributeType)])
        try TestStack(sketch.model()).perform { context throws in
            let members = [
                #""text": 1e39, "amount": 1e-400"#,
                #""text": 1e400, "amount": 123456789012345678901234567890123456789"#,
                #""text": 1.10, "amount": 2, "unknown": 1e400"#,
            ]
            let text = members.map { "{\"class\": \"Value\", \($0)}" }.joined(separator: ",")
            let (values, report) = try context.populateObjects(fromDictionaryData: Data("[\(text)]".utf8))
            #expect(values.map { $0.text("text") } == ["1e39", "1e400", "1.10"])
            #expect(values.map { $0.value(forKey: "amount") as? Double } == [0, 1.2345678901234568e38, 2])
            #expect(report.unknownKeys.map(\.key) == ["unknown"])
        }
    }

    @Test(arguments: DictionaryOptions.Format.allCases)
    func `dates of all years come back through each format, and one without end is an error`(
        _ format: DictionaryOptions.Format
    ) throws {
        var sketch = ModelSketch()
        sketch.entity("Value", [.attribute("date", .dateAttributeType)])
        try TestStack(sketch.model()).perform { context throws in
            let dates = [0, -63_114_076_800, -6e10, -1e11, 252_423_993_599, 252_423_993_600, 1e18, -1e18]
            for seconds in dates {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                let data = try Model.new("Value", ["date": date], context).dictionaryData(format)
                context.reset()
                let copy = try context.populateObjects(fromDictionaryData: data).objects[0]
                #expect(copy.value(forKey: "date") as? Date == date)
            }
            for seconds in [Double.infinity, -.infinity] {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                let error = graftError {
                    _ = try Model.new("Value", ["date": date], context).dictionaryData(format)
                }
                guard case .notRepresentable = error?.problem else {
                    Issue.record("\(seconds): \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test func `control characters in keys have no form in XML, as in texts`() throws {
        var sketch = ModelSketch()
        sketch.entity("Value", [.attribute("tree", .transformableAttributeType)])
        try TestStack(sketch.model()).perform { context throws in
            let text = Data(#"{"class": "Value", "tree": {"a\u0000": 1}}"#.utf8)
            let value = try context.populateObjects(fromDictionaryData: text).objects[0]
            let error = graftError { _ = try value.dictionaryData(.xmlPropertyList) }
            #expect(error?.problem == .notRepresentable(value: "a text with control characters", format: "XML"))
            #expect(throws: Never.self) { try value.dictionaryData(.binaryPropertyList) }
        }
    }

    @Test(arguments: [DictionaryOptions.Format.xmlPropertyList, .binaryPropertyList])
    func `numbers of a tree that a property list has no place for keep their digits`(
        _ format: DictionaryOptions.Format
    ) throws {
        var sketch = ModelSketch()
        sketch.entity("Value", [.attribute("tree", .transformableAttributeType)])
        try TestStack(sketch.model()).perform { context throws in
            let tree = #"{"n":[18446744073709551615],"price":0.12345678901234567890123}"#
            let text = Data(#"{"class":"Value","tree":\#(tree)}"#.utf8)
            let data = try context.populateObjects(fromDictionaryData: text).objects[0].dictionaryData(format)
            let copy = try context.populateObjects(fromDictionaryData: data).objects[0]
            let written = String(decoding: try copy.dictionaryData(.json), as: UTF8.self)
            #expect(written.contains(tree), "\(written)")
        }
    }
}
