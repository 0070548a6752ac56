// Models as keyed archives: what survives, and what becomes of damaged ones.

@testable import CoreData
import Foundation
import Testing

@Suite struct ModelArchiveTests {
    private func roundTrip(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        let again = try NSManagedObjectModel(archive: model.archived())
        #expect(ModelSummary(again).lines == ModelSummary(model).lines)
        return again
    }

    /// A model with one of everything.
    private func richModel() throws -> NSManagedObjectModel {
        try sourceModel(
            """
            <entity name="Base" representedClassName="Base" isAbstract="YES" elementID="Before" versionHashModifier="m">
                <attribute name="id" attributeType="Integer 64" minValueString="1" maxValueString="9"/>
                <attribute name="name" attributeType="String" minValueString="2" maxValueString="5"
                    regularExpressionString="[a-z]+" defaultValueString="Größe"/>
                <attribute name="price" attributeType="Decimal" defaultValueString="-1234567890.0123456789" maxValueString="0.1"/>
                <attribute name="day" attributeType="Date" defaultDateTimeInterval="0.5" minDateTimeInterval="-1"/>
                <attribute name="on" attributeType="Boolean" defaultValueString="YES" optional="YES"/>
                <attribute name="ratio" attributeType="Double" defaultValueString="0.1" elementID="r" versionHashModifier="q"/>
                <attribute name="uuid" attributeType="UUID" defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F"/>
                <attribute name="link" attributeType="URI" defaultValueString="https://example.org/a"/>
                <attribute name="bytes" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"
                    allowsCloudEncryption="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES"/>
                <attribute name="any" attributeType="Transformable" valueTransformerName="T" customClassName="Color"/>
                <attribute name="mood" transient="YES" optional="YES"/>
                <attribute name="count" attributeType="Integer 32" derived="YES" derivationExpression="subs.@count"/>
                <attribute name="home" attributeType="Composite" composite="Address"/>
                <relationship name="subs" toMany="YES" ordered="YES" minCount="1" maxCount="7" deletionRule="Cascade"
                    destinationEntity="Sub" inverseName="base" inverseEntity="Sub"/>
                <relationship name="self" toMany="YES" destinationEntity="Base" inverseName="self" inverseEntity="Base"/>
                <fetchedProperty name="same"><fetchRequest entity="Sub" predicateString="base == $FETCH_SOURCE"
                    fetchLimit="2"/></fetchedProperty>
                <fetchIndex name="one" partialIndexPredicate="id &gt; 2 AND name != nil">
                    <fetchIndexElement property="id" type="Binary" order="descending"/>
                    <fetchIndexElement expression="SELF" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="two"><fetchIndexElement property="id" type="Binary" order="ascending"/>
                    <fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="id"/>
                    </uniquenessConstraint></uniquenessConstraints>
                <userInfo><entry key="id" value="id"/><entry key="ключ" value="значение"/></userInfo>
            </entity>
            <entity name="Sub" parentEntity="Base"><relationship name="base" maxCount="1" deletionRule="Nullify"
                destinationEntity="Base" inverseName="subs" inverseEntity="Base"><userInfo><entry key="JSONKeyPath" value="b"/>
                </userInfo></relationship></entity>
            <composite name="Address"><attribute name="street" attributeType="String"/></composite>
            <fetchRequest name="all" entity="Sub" predicateString="name BEGINSWITH[cd] $N" resultType="1"/>
            <configuration name="C"><memberEntity name="Sub"/></configuration>
            """, attributes: "userDefinedModelVersionIdentifier='3'")
    }

    @Test func `a date's limit is known in the form of Xcode's compiled models and in our former one`() {
        let seconds = NSPredicate(format: "timeIntervalSinceReferenceDate <= 100")
        let date = NSPredicate(format: "SELF <= %@", Date(timeIntervalSinceReferenceDate: 100) as NSDate)
        for predicate in [seconds, date] {
            #expect(AttributeLimit(predicate, of: .dateAttributeType) == .latest(100))
        }
    }

    private func thawed<Part: NSObject & NSSecureCoding>(_ part: Part) throws -> Part {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: part, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Part.self, from: archive))
    }

    @Test func `entities and properties are archived by themselves, and lead to their like`() throws {
        let model = try richModel()
        for entity in model.entities {
            let again = try thawed(entity)
            #expect(again == entity && again !== entity)
            #expect(again.superentity?.name == entity.superentity?.name && again.subentities == entity.subentities)
            #expect(again.ownProperties.allSatisfy { property in again.propertiesByName[property.name] === property })
        }
        for property in model.entities.flatMap(\.ownProperties) {
            let again: NSPropertyDescription =
                switch property {
                case let relationship as NSRelationshipDescription: try thawed(relationship)
                case let attribute as NSAttributeDescription: try thawed(attribute)
                default: try thawed(property)
                }
            #expect(type(of: again) == type(of: property) && again.name == property.name && again.owner == nil)
            // But for the owner's name, which a property from an archive doesn't have.
            let texts = [again, property].map {
                ModelSummary.text($0).replacing("\(property.owner?.name ?? "").", with: "?.")
            }
            #expect(texts[0] == texts[1])
        }
    }

    @Test func `a property of no model and an expression are archived, and what is none is an error`() throws {
        let attribute = NSAttributeDescription()
        attribute.name = "age"
        attribute.attributeType = .integer16AttributeType
        attribute.defaultValue = 3
        #expect(try thawed(attribute).defaultValue as? Int == 3)
        let entity = NSEntityDescription()
        entity.name = "Hero"
        entity.properties = [attribute]
        #expect(try thawed(entity) == entity && thawed(attribute) == attribute.copied())
        let expression = NSExpressionDescription()
        expression.name = "oldest"
        expression.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "age")])
        expression.expressionResultType = .integer16AttributeType
        #expect(try thawed(expression) == expression)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: NSString("x"), requiringSecureCoding: true)
        let empty = try NSKeyedUnarchiver(forReadingFrom: archive)
        empty.decodingFailurePolicy = .setErrorAndReturn
        #expect(NSAttributeDescription(coder: empty) == nil && empty.error != nil)
    }

    @Test func `a model with one of everything survives`() throws {
        let model = try richModel()
        let again = try roundTrip(model)
        #expect(again == model && again.hash == model.hash)
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(again.entitiesByName["Base"]?.userInfo as? [String: String] == ["id": "id", "ключ": "значение"])
        let template = try #require(again.fetchRequestTemplate(forName: "all"))
        #expect(template.resultType == .managedObjectIDResultType && !template.includesSubentities)
        let base = try #require(again.entitiesByName["Base"])
        #expect(base.properties.map(\.name) == base.properties.map(\.name).sorted())
        #expect(base.attributesByName["name"]?.limits == model.entitiesByName["Base"]?.attributesByName["name"]?.limits)
        let own = try #require(base.relationshipsByName["self"])
        #expect(own.inverseRelationship === own)
    }

    @Test func `the same model gives the same bytes, whatever the order of its parts`() throws {
        let model = try richModel()
        let archive = try model.archived()
        for _ in 0..<5 { #expect(try richModel().archived() == archive) }
        model.entities.reverse()
        for entity in model.entities { entity.properties.reverse() }
        #expect(try model.archived() == archive)
    }

    // MARK: Predicates and values

    @Test(arguments: [
        "name == \"a\"", "age != 3", "age > 1.5 AND NOT (name CONTAINS[cd] \"x\" OR name == nil)", "name LIKE \"a*\"",
        "name MATCHES[c] \"[a-z]+\"", "name ENDSWITH \"x\"", "age BETWEEN {1, 5}", "name IN {\"a\", \"b\"}",
        "ANY friends.age >= 3", "ALL friends.name == $NAME", "friends.@count > 2", "TRUEPREDICATE", "FALSEPREDICATE",
        "age + 1 > 2 * size", "SUBQUERY(friends, $f, $f.age > 3).@count > 0", "$X.name == name",
        "lowercase(name) == \"a\"",
        "TERNARY(age > 1, 1, 2) == 1", "(friends UNION others) == friends", "day > CAST(5, \"NSDate\")",
    ])
    func `a predicate survives in a model`(_ format: String) throws {
        let predicate = try NSPredicate.parsing(format)
        let model = try sourceModel("<entity name='E'><attribute name='a' attributeType='String'/></entity>")
        let attribute = model.entities[0].attributesByName["a"]
        attribute?.setValidationPredicates([predicate], withValidationWarnings: ["text"])
        let again = try roundTrip(model).entities[0].attributesByName["a"]
        #expect(again?.validationPredicates.map(\.formatText) == [predicate.formatText])
        #expect(again?.validationWarnings as? [String] == ["text"])
    }

    @Test func `rules with a text stay rules and limits stay limits`() throws {
        let model = try sourceModel(
            "<entity name='E'><attribute name='a' attributeType='Integer 16' minValueString='1'/></entity>")
        #expect(try roundTrip(model).entities[0].attributesByName["a"]?.limits == [.minimum(.integer(1))])
        model.entities[0].attributesByName["a"]?.setValidationPredicates(
            [NSPredicate(format: "SELF >= 1")], withValidationWarnings: ["too small"])
        let again = try roundTrip(model).entities[0].attributesByName["a"]
        #expect(again?.limits == [] && again?.validationWarnings as? [String] == ["too small"])
    }

    @Test func `a fetch request keeps its order and settings`() throws {
        let model = try sourceModel("<entity name='E'><attribute name='a' attributeType='String'/></entity>")
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "E")
        request.sortDescriptors = [
            NSSortDescriptor(key: "a", ascending: false),
            NSSortDescriptor(key: "a", ascending: true, selector: Selector("caseInsensitiveCompare:")),
        ]
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (3, 2, 1)
        (request.returnsDistinctResults, request.includesPropertyValues) = (true, false)
        model.setFetchRequestTemplate(request, forName: "all")
        let again = try #require(roundTrip(model).fetchRequestTemplate(forName: "all"))
        #expect(again.sortDescriptors?.map(\.ascending) == [false, true])
        #expect(again.sortDescriptors?.map(\.selector) == ["compare:", "caseInsensitiveCompare:"])
        #expect((again.fetchLimit, again.fetchOffset, again.fetchBatchSize) == (3, 2, 1))
        #expect(again.returnsDistinctResults && !again.includesPropertyValues && again.includesSubentities)
    }

    @Test func `user info may be any plain data`() throws {
        let model = try sourceModel("<entity name='E'/>")
        let info: [AnyHashable: Any] = [
            "text": "a", "number": 7, "negative": -7, "real": 0.5, "yes": true, "list": ["a", 1, ["b"]],
            "dictionary": ["k": ["l": "m"]], "date": Date(timeIntervalSinceReferenceDate: 1.5), "data": Data([1, 2]),
        ]
        model.entities[0].userInfo = info
        let again = try #require(roundTrip(model).entities[0].userInfo)
        #expect(again["text"] as? String == "a" && again["number"] as? Int == 7 && again["negative"] as? Int == -7)
        #expect(again["real"] as? Double == 0.5 && again["yes"] as? Bool == true)
        #expect(
            again["date"] as? Date == Date(timeIntervalSinceReferenceDate: 1.5)
                && again["data"] as? Data == Data([1, 2]))
        #expect((again["dictionary"] as? [AnyHashable: Any])?["k"] as? [AnyHashable: String] == ["l": "m"])
    }

    @Test func `what can't be archived is an error with its place`() throws {
        struct Odd {}
        let model = try sourceModel("<entity name='E'><attribute name='a' attributeType='Transformable'/></entity>")
        model.entities[0].userInfo = ["x": ["y": Odd()]]
        let info = try #require(throws: ModelError.self) { try model.archived() }
        #expect(
            info.description.hasPrefix("model: entity 'E': user info 'x' 'y' is 'Odd() (Odd)' where a text, number"))
        model.entities[0].userInfo = nil
        model.entities[0].attributesByName["a"]?.defaultValue = Odd()
        let value = try #require(throws: ModelError.self) { try model.archived() }
        #expect(value.description.hasPrefix("model: E.a: default value is 'Odd() (Odd)'"))
        model.entities[0].attributesByName["a"]?.defaultValue = nil
        model.entities[0].attributesByName["a"]?.setValidationPredicates(
            [NSPredicate { _, _ in true }], withValidationWarnings: nil)
        let closure = try #require(throws: ModelError.self) { try model.archived() }
        #expect(closure.description.contains("closures can't be archived"))
    }

    @Test(arguments: [
        "0", "1", "-1", "0.1", "65535", "65536", "18446744073709551616", "-98765432109876543210.98765",
        "340282366920938463463374607431768211455", "1e100", "-1e-100",
    ])
    func `a decimal keeps its value`(_ text: String) throws {
        let value = try #require(Decimal(string: text))
        let model = try sourceModel("<entity name='E'><attribute name='a' attributeType='Decimal'/></entity>")
        model.entities[0].attributesByName["a"]?.defaultValue = NSDecimalNumber(decimal: value)
        let again = try NSManagedObjectModel(archive: model.archived())
        #expect((again.entities[0].attributesByName["a"]?.defaultValue as? NSDecimalNumber)?.decimalValue == value)
    }

    // MARK: Damage

    @Test func `an archive that is cut off is an error`() throws {
        let archive = try richModel().archived()
        for length in stride(from: 0, to: archive.count, by: 211) {
            #expect(throws: ModelError.self) { try NSManagedObjectModel(archive: archive.prefix(length)) }
        }
        let cache = try richModel().modelCacheData()
        for length in stride(from: 0, to: cache.count, by: 31) {
            #expect(throws: ModelError.self) { try NSManagedObjectModel(modelCache: cache.prefix(length)) }
        }
    }

    @Test(arguments: 0..<6)
    func `an archive with random damage is an error or a model`(_ seed: UInt64) throws {
        try damage(richModel().archived(), seed: seed)
    }

    @Test(.needsReferenceData, arguments: 6..<12)
    func `a real archive with random damage is an error or a model`(_ seed: UInt64) throws {
        let path = "CoreDataPlus-SampleModel/Fixtures/SampleModel.momd/SampleModel2.mom"
        try damage(Data(contentsOf: ModelTestData.stores.appendingPathComponent(path)), seed: seed)
    }

    private func damage(_ original: Data, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            var archive = original
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // Half of the damage goes to the tables at the end, where it does most.
                let lowest = Bool.random(using: &random) ? 0 : archive.count * 3 / 4
                archive[Int.random(in: lowest..<archive.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            do {
                let model = try NSManagedObjectModel(archive: archive)
                _ = ModelSummary(model).lines
                _ = model.entityVersionHashesByName
            } catch is ModelError {}
        }
    }

    @Test(arguments: 0..<12)
    func `an archive whose objects are mixed up is an error or a model`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = try BinaryPropertyListReader.value(of: richModel().archived())
        for _ in 0..<20 {
            var mixer = ArchiveMixer(random: random, changes: Int.random(in: 1...6, using: &random))
            let archive = BinaryPropertyListWriter.data(of: mixer.mixed(original))
            random = mixer.random
            do {
                let model = try NSManagedObjectModel(archive: archive)
                _ = ModelSummary(model).lines
                _ = model.entityVersionHashesByName
                _ = try model.copied().archived()
            } catch is ModelError {}
        }
    }

    @Test(arguments: 0..<8)
    func `a model cache with random damage is an error or a model`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = try richModel().modelCacheData()
        for _ in 0..<20 {
            var cache = original
            cache[Int.random(in: 0..<cache.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            do {
                _ = ModelSummary(try NSManagedObjectModel(modelCache: cache)).lines
            } catch is ModelError {}
        }
    }

    // MARK: Indexes

    /// Changes the fields of all objects of a class in an archive.
    private func changed(
        _ archive: Data, _ className: String,
        _ change: (inout [PropertyListValue.Entry], inout [PropertyListValue]) -> Void
    ) throws -> Data {
        guard case .dictionary(var top) = try BinaryPropertyListReader.value(of: archive),
            let place = top.firstIndex(where: { $0.key == "$objects" }), case .array(var objects) = top[place].value
        else { throw PropertyListError(description: "no archive") }
        for index in objects.indices {
            guard case .dictionary(var fields) = objects[index], case .uid(let uid)? = objects[index]["$class"],
                objects[uid]["$classname"] == .string(className)
            else { continue }
            change(&fields, &objects)
            objects[index] = .dictionary(fields)
        }
        top[place].value = .array(objects)
        return BinaryPropertyListWriter.data(of: .dictionary(top))
    }

    private func indexedModel() -> NSManagedObjectModel {
        let date = TestModel.attribute("date", .dateAttributeType, indexed: true)
        let root = TestModel.entity("Root", [date, TestModel.attribute("rank", .integer16AttributeType)])
        root.compoundIndexes = [["date", "rank"]]
        let leaf = TestModel.entity("Leaf")
        root.subentities = [leaf]
        return TestModel.model([root, leaf])
    }

    @Test func `where a compiled model has fetch indexes, its older lists are left alone`() throws {
        // They name what isn't a property, and repeat in a sub-entity what its super-entity has.
        let archive = try changed(indexedModel().archived(), "NSEntityDescription") { fields, objects in
            objects += [.string("self"), .string("gone")]
            let names: [PropertyListValue] = [.uid(objects.count - 2), .uid(objects.count - 1)]
            guard case .uid(let list)? = PropertyListValue.dictionary(fields)["NSCompoundIndexes"],
                case .array(let lists)? = objects[list]["NS.objects"], case .uid(let first)? = lists.first,
                case .dictionary(var entries) = objects[first],
                let index = entries.firstIndex(where: { $0.key == "NS.objects" })
            else { return }
            entries[index].value = .array(names)
            objects[first] = .dictionary(entries)
        }
        let model = try NSManagedObjectModel(archive: archive)
        #expect(model.entitiesByName["Root"]?.indexes.map(\.name) == ["date", "date_rank"])
        #expect(model.entitiesByName["Leaf"]?.indexes.isEmpty == true)
    }

    @Test func `where a compiled model has older lists alone, they are its indexes`() throws {
        let archive = try changed(indexedModel().archived(), "NSEntityDescription") { fields, _ in
            fields.removeAll { $0.key == "NSFetchIndexDescriptions" }
        }
        let model = try NSManagedObjectModel(archive: archive)
        #expect(model.entitiesByName["Root"]?.indexes.map(\.name).sorted() == ["date", "date_rank"])
    }

    @Test func `a fetch index that is listed twice or names what isn't there refuses no model`() throws {
        let twice = try changed(indexedModel().archived(), "NSEntityDescription") { fields, objects in
            guard case .uid(let list)? = PropertyListValue.dictionary(fields)["NSFetchIndexDescriptions"],
                case .dictionary(var entries) = objects[list],
                let index = entries.firstIndex(where: { $0.key == "NS.objects" }),
                case .array(let members) = entries[index].value
            else { return }
            entries[index].value = .array(members + members)
            objects[list] = .dictionary(entries)
        }
        #expect(try NSManagedObjectModel(archive: twice).entitiesByName["Root"]?.indexes.count == 2)
        let unknown = try changed(indexedModel().archived(), "NSFetchIndexElementDescription") { fields, objects in
            objects.append(.string("gone"))
            guard let index = fields.firstIndex(where: { $0.key == "NSPropertyName" }) else { return }
            fields[index].value = .uid(objects.count - 1)
        }
        #expect(try NSManagedObjectModel(archive: unknown).entitiesByName["Root"]?.indexes.isEmpty == true)
    }

    @Test func `objects that multiply by reference are an error`() throws {
        // Thirty lists, each with the next one twice: a billion texts.
        var builder = KeyedArchiveBuilder()
        let root = builder.reserve()
        var list = builder.text("x")
        for _ in 0..<30 { list = builder.array([list, list]) }
        let entity = builder.add(
            classes: ["NSEntityDescription", "NSObject"],
            [
                .init("NSEntityName", builder.text("E")),
                .init("NSUserInfo", builder.dictionary([(builder.text("k"), list)])),
            ])
        let entities = builder.dictionary([(builder.text("E"), entity)])
        builder.fill(root, classes: ["NSManagedObjectModel", "NSObject"], [.init("NSEntities", entities)])
        let error = try #require(throws: ModelError.self) {
            try NSManagedObjectModel(archive: builder.archive(root: root))
        }
        #expect(error.description.contains("refer to one another too often"))
    }

    @Test func `data that expand without end are an error`() {
        let zeros = Deflate.deflated(Data(count: 10_000_000))
        #expect(zeros.count < 20_000)
        let error = #expect(throws: Deflate.Damage.self) { try Deflate.inflated(zeros, limit: 1_000_000) }
        #expect(error?.reason == "it expands to more than 1000000 bytes")
    }

    @Test(arguments: [0, 1, 100, 70_000])
    func `compressed data expand to what they were`(_ count: Int) throws {
        var random = SeededGenerator(seed: 1)
        let data = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        #expect(try Deflate.inflated(Deflate.deflated(data)) == data)
    }
}

/// Changes some values of an archive: references lead elsewhere, numbers and texts are others, entries are gone.
private struct ArchiveMixer {
    var random: SeededGenerator
    var changes: Int

    mutating func mixed(_ list: PropertyListValue) -> PropertyListValue {
        guard case .dictionary(var entries) = list,
            let index = entries.firstIndex(where: { $0.key == "$objects" }),
            case .array(var objects) = entries[index].value
        else { return list }
        for _ in 0..<changes {
            let object = Int.random(in: 1..<objects.count, using: &random)
            objects[object] = changed(objects[object], count: objects.count)
        }
        entries[index].value = .array(objects)
        return .dictionary(entries)
    }

    private mutating func changed(_ value: PropertyListValue, count: Int) -> PropertyListValue {
        switch value {
        case .dictionary(var entries) where !entries.isEmpty:
            let index = Int.random(in: entries.indices, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                entries.remove(at: index)
            } else {
                entries[index].value = changed(entries[index].value, count: count)
            }
            return .dictionary(entries)
        case .array(var members) where !members.isEmpty:
            let index = Int.random(in: members.indices, using: &random)
            members[index] = changed(members[index], count: count)
            return .array(members)
        case .uid: return .uid(Int.random(in: 0...count, using: &random))
        case .integer: return .integer([-1, 0, 1, 2, 99, .max, .min].randomElement(using: &random) ?? 0)
        case .string:
            return .string(["", "x", "$null", "NSArray", "Base", "count:"].randomElement(using: &random) ?? "")
        case .data: return .data(Data())
        default: return .integer(7)
        }
    }
}
