// What the elements and attributes of an .xcdatamodel mean.

import CoreData
import Foundation
import Testing

/// A model from the inside of its `<model>` element.
func sourceModel(_ contents: String, attributes: String = "") throws -> NSManagedObjectModel {
    let folder = try TemporaryFolder()
    try folder.write("<?xml version=\"1.0\"?><model \(attributes)>\(contents)</model>", to: "A.xcdatamodel/contents")
    return try NSManagedObjectModel(readingContentsOf: folder.url.appendingPathComponent("A.xcdatamodel"))
}

@Suite struct ModelSourceTests {
    private func attribute(_ xml: String) throws -> NSAttributeDescription {
        let model = try sourceModel("<entity name='E'><attribute name='a' \(xml)/></entity>")
        return try #require(model.entitiesByName["E"]?.attributesByName["a"])
    }

    // MARK: Entities

    @Test func `an entity has its name, class, parent, modifiers and user info`() throws {
        let model = try sourceModel(
            """
            <entity name="Animal" representedClassName=".Beast" isAbstract="YES" elementID="Creature"
                versionHashModifier="v2">
                <attribute name="legs" attributeType="Integer 16"/>
                <userInfo><entry key="id" value="legs"/><entry key="empty" value=""/></userInfo>
            </entity>
            <entity name="Dog" representedClassName="Zoo.Dog" parentEntity="Animal"/>
            <entity name="Stone"/>
            """, attributes: "userDefinedModelVersionIdentifier='7'")
        let animal = try #require(model.entitiesByName["Animal"])
        let dog = try #require(model.entitiesByName["Dog"])
        #expect(model.entities.map(\.name) == ["Animal", "Dog", "Stone"])
        #expect(model.versionIdentifiers == ["7"])
        #expect(animal.managedObjectClassName == "Beast")
        #expect(animal.isAbstract && !dog.isAbstract)
        #expect(animal.renamingIdentifier == "Creature" && dog.renamingIdentifier == "Dog")
        #expect(animal.versionHashModifier == "v2" && dog.versionHashModifier == nil)
        #expect(animal.userInfo as? [String: String] == ["id": "legs", "empty": ""])
        #expect(dog.userInfo?.isEmpty == true)
        #expect(dog.managedObjectClassName == "Zoo.Dog")
        #expect(model.entitiesByName["Stone"]?.managedObjectClassName == "NSManagedObject")
        #expect(dog.superentity === animal && animal.subentities == [dog])
        #expect(dog.ownProperties.isEmpty && dog.attributesByName["legs"] != nil)
        #expect(dog.managedObjectModel === model)
    }

    @Test func `properties keep the order of the source`() throws {
        let model = try sourceModel(
            """
            <entity name="E"><attribute name="z" attributeType="String"/><attribute name="a" attributeType="String"/>
            <relationship name="m" destinationEntity="E" maxCount="1"/></entity>
            """)
        #expect(model.entities[0].properties.map(\.name) == ["z", "a", "m"])
    }

    @Test func `a model without a version identifier has the empty one`() throws {
        #expect(try sourceModel("<entity name='E'/>").versionIdentifiers == [""])
    }

    // MARK: Attributes

    @Test(arguments: NSAttributeType.allCases.filter { $0.modelName != nil && $0 != .compositeAttributeType })
    func `an attribute has the type that it names`(_ type: NSAttributeType) throws {
        let attribute = try attribute("attributeType='\(type.modelName ?? "")'")
        #expect(attribute.attributeType == type)
        #expect(attribute.type.rawValue == type.rawValue)
        #expect(attribute.attributeValueClassName == type.valueClassName)
        #expect(!attribute.isOptional && !attribute.isTransient)
    }

    @Test func `an attribute without a type is undefined and has to be transient`() throws {
        #expect(try attribute("transient='YES'").attributeType == .undefinedAttributeType)
        #expect(throws: ModelError(source: "A.xcdatamodel", problems: [.init(.noType, entity: "E", property: "a")])) {
            try attribute("")
        }
    }

    @Test func `an attribute has its flags`() throws {
        let all = try attribute(
            """
            attributeType='Binary' optional='YES' transient='YES' allowsExternalBinaryDataStorage='YES'
            preserveAfterDeletion='YES' allowsCloudEncryption='YES' spotlightIndexingEnabled='YES' storedInTruthFile='YES'
            elementID='before' versionHashModifier='m'
            """)
        #expect(all.isOptional && all.isTransient && all.allowsExternalBinaryDataStorage)
        #expect(all.preservesValueInHistoryOnDeletion && all.allowsCloudEncryption)
        #expect(all.isIndexedBySpotlight && all.isStoredInExternalRecord)
        #expect(all.renamingIdentifier == "before" && all.versionHashModifier == "m")
        let none = try attribute("attributeType='Binary'")
        #expect(!none.allowsExternalBinaryDataStorage && !none.preservesValueInHistoryOnDeletion)
        #expect(!none.allowsCloudEncryption && !none.isIndexedBySpotlight && !none.isStoredInExternalRecord)
        #expect(none.renamingIdentifier == "a" && none.versionHashModifier == nil)
    }

    @Test func `a transformable attribute has its transformer and class`() throws {
        let attribute = try attribute(
            "attributeType='Transformable' valueTransformerName='ColorTransformer' customClassName='UIColor'")
        #expect(attribute.valueTransformerName == "ColorTransformer")
        #expect(attribute.attributeValueClassName == "UIColor")
        #expect(try self.attribute("attributeType='Transformable' valueTransformerName=''").valueTransformerName == nil)
    }

    struct Default: CustomTestStringConvertible {
        let type: String, text: String
        let isExpected: @Sendable (Any) -> Bool
        var testDescription: String { "\(type) \(text)" }

        init<T: Equatable & Sendable>(_ type: String, _ text: String, _ value: T) {
            self.type = type
            self.text = text
            isExpected = { $0 as? T == value }
        }
    }

    @Test(arguments: [
        Default("Integer 16", "-32768", -32768), Default("Integer 32", "12", 12),
        Default("Integer 64", "9223372036854775807", Int64.max), Default("Integer 64", "0.0", 0),
        Default("Double", "0.1", 0.1), Default("Float", "2.5e3", 2500.0), Default("Boolean", "YES", true),
        Default("Boolean", "0", false), Default("Decimal", "0.10", Decimal(string: "0.1")),
        Default("String", "a &lt; b", "a < b"),
        Default(
            "UUID", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
        Default("URI", "https://example.org/a?b=c", URL(string: "https://example.org/a?b=c")),
    ])
    func `a default value is read as its type`(_ given: Default) throws {
        let attribute = try attribute("attributeType='\(given.type)' defaultValueString='\(given.text)'")
        let value = try #require(attribute.defaultValue)
        #expect(given.isExpected((value as? NSDecimalNumber)?.decimalValue ?? value))
        #expect(attribute.attributeType == .stringAttributeType || !(value is String))
    }

    @Test func `a decimal default keeps all its digits`() throws {
        let digits = "1234567890123456789.0123456789"
        let value = try attribute("attributeType='Decimal' defaultValueString='\(digits)'").defaultValue
        #expect((value as? NSDecimalNumber)?.decimalValue == Decimal(string: digits))
    }

    @Test func `a date default is the exact interval and not the displayed text`() throws {
        let attribute = try attribute(
            "attributeType='Date' defaultDateTimeInterval='600000000.5' defaultValueString='1/6/20, 10:40 AM'")
        #expect(attribute.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 600_000_000.5))
        #expect(try self.attribute("attributeType='Date'").defaultValue == nil)
    }

    @Test(arguments: [
        ("Integer 16", "40000", "a whole number of 16 bits"), ("Integer 32", "1.5", "a whole number of 32 bits"),
        ("Integer 64", "many", "a whole number of 64 bits"), ("Double", "1,5", "a number"),
        ("Boolean", "maybe", "YES or NO"), ("Decimal", "12abc", "a decimal number"), ("UUID", "1234", "a UUID"),
        ("Binary", "AQID", "bytes"),
    ])
    func `a default value that isn't of the type is an error with the place`(
        _ type: String, _ text: String, _ expected: String
    ) throws {
        let error = try #require(throws: ModelError.self) {
            try attribute("attributeType='\(type)' defaultValueString='\(text)'")
        }
        #expect(error.description.hasPrefix("A.xcdatamodel: E.a: "))
        #expect(error.description.contains(text) && error.description.contains(expected))
    }

    @Test(arguments: ["Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Decimal"])
    func `a number that was a Boolean once keeps its default`(_ type: String) throws {
        for (text, number) in [("NO", 0), ("YES", 1)] {
            let value = try attribute("attributeType='\(type)' defaultValueString='\(text)'").defaultValue
            #expect(value as? NSNumber == NSNumber(value: number))
        }
        #expect(try attribute("attributeType='String' defaultValueString='NO'").defaultValue as? String == "NO")
        #expect(throws: ModelError.self) { try attribute("attributeType='UUID' defaultValueString='NO'") }
    }

    // MARK: Limits

    @Test func `limits of numbers, dates and texts are read`() throws {
        #expect(
            try attribute("attributeType='Integer 32' minValueString='-5' maxValueString='10'").limits
                == [.minimum(.integer(-5)), .maximum(.integer(10))])
        #expect(try attribute("attributeType='Double' minValueString='0.5'").limits == [.minimum(.double(0.5))])
        #expect(
            try attribute("attributeType='Decimal' maxValueString='0.1'").limits
                == [.maximum(.decimal(Decimal(string: "0.1") ?? 0))])
        #expect(
            try attribute("attributeType='Date' minDateTimeInterval='100' minValueString='x' maxDateTimeInterval='200'")
                .limits == [.earliest(100), .latest(200)])
        // As Xcode compiles it.
        let day = try attribute("attributeType='Date' minDateTimeInterval='100'")
        let paths = day.validationPredicates.map { ($0 as? CoreData.NSComparisonPredicate)?.leftExpression.keyPath }
        #expect(paths == ["timeIntervalSinceReferenceDate"] && day.limits == [.earliest(100)])
        #expect(
            try attribute(
                "attributeType='String' minValueString='2' maxValueString='5' regularExpressionString='[a-z]+'"
            ).limits == [.minimumLength(2), .maximumLength(5), .pattern("[a-z]+")])
    }

    @Test func `limits are validation predicates with Core Data's error codes`() throws {
        let attribute = try attribute(
            "attributeType='String' minValueString='2' maxValueString='5' regularExpressionString='[a-z]+'")
        #expect(
            attribute.validationPredicates.map(\.formatText) == [
                "length >= 2", "length <= 5", "SELF MATCHES \"[a-z]+\"",
            ])
        #expect(attribute.validationWarnings.map { $0 as? Int } == [1670, 1660, 1680])
        for (text, holds) in [("abc", true), ("a", false), ("abcdef", false), ("ABC", false)] {
            #expect(attribute.validationPredicates.allSatisfy { $0.evaluate(with: text) } == holds)
            #expect(attribute.limits.allSatisfy { $0.allows(text: text) } == holds)
        }
    }

    // MARK: Relationships

    @Test func `relationships have destination, inverse, counts and delete rule`() throws {
        let model = try sourceModel(
            """
            <entity name="Author">
                <relationship name="books" optional="YES" toMany="YES" ordered="YES" minCount="1" maxCount="9"
                    deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                <relationship name="friends" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Author"/>
            </entity>
            <entity name="Book">
                <relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
                    inverseName="books" inverseEntity="Author"/>
                <relationship name="editor" maxCount="1" deletionRule="No Action" destinationEntity="Author"/>
            </entity>
            """)
        let author = try #require(model.entitiesByName["Author"]), book = try #require(model.entitiesByName["Book"])
        let books = try #require(author.relationshipsByName["books"])
        let friends = try #require(author.relationshipsByName["friends"])
        let back = try #require(book.relationshipsByName["author"])
        #expect(books.destinationEntity === book && back.destinationEntity === author)
        #expect(books.inverseRelationship === back && back.inverseRelationship === books)
        #expect(books.isToMany && books.isOrdered && books.minCount == 1 && books.maxCount == 9)
        #expect(friends.isToMany && !friends.isOrdered && friends.maxCount == 0 && friends.inverseRelationship == nil)
        #expect(!back.isToMany && !back.isOptional && books.isOptional)
        #expect(books.deleteRule == .cascadeDeleteRule && friends.deleteRule == .denyDeleteRule)
        #expect(back.deleteRule == .nullifyDeleteRule)
        #expect(book.relationshipsByName["editor"]?.deleteRule == .noActionDeleteRule)
        #expect(book.relationships(forDestination: author).map(\.name) == ["author", "editor"])
    }

    // MARK: The rest

    @Test func `uniqueness constraints and indexes are read in order`() throws {
        let model = try sourceModel(
            """
            <entity name="E">
                <attribute name="a" attributeType="String" indexed="YES"/><attribute name="b" attributeType="String"/>
                <attribute name="c" attributeType="String"/>
                <fetchIndex name="byCA"><fetchIndexElement property="c" type="Binary" order="descending"/>
                <fetchIndexElement property="a" type="Binary" order="ascending"/></fetchIndex>
                <compoundIndexes><compoundIndex><index value="b"/><index value="c"/></compoundIndex></compoundIndexes>
                <uniquenessConstraints><uniquenessConstraint><constraint value="b"/><constraint value="a"/>
                </uniquenessConstraint><uniquenessConstraint><constraint value="c"/></uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            """)
        let entity = model.entities[0]
        #expect(entity.uniquenessConstraints as? [[String]] == [["b", "a"], ["c"]])
        #expect(entity.indexes.map(\.name) == ["byCA", "a", "b_c"])
        #expect(entity.indexes[0].elements.map(\.propertyName) == ["c", "a"])
        #expect(entity.indexes[0].elements.map(\.isAscending) == [false, true])
        #expect(entity.indexes[0].elements[0].property === entity.attributesByName["c"])
        #expect(entity.indexes[0].entity === entity)
        #expect(entity.properties.map(\.isIndexed) == [true, false, false])
        #expect(entity.compoundIndexes as? [[String]] == [["b", "c"]])
    }

    @Test func `an index may have expressions, ranges and a condition`() throws {
        let model = try sourceModel(
            """
            <entity name="E"><attribute name="x" attributeType="Double"/><attribute name="y" attributeType="Double"/>
                <fetchIndex name="place" partialIndexPredicate="x &gt; 0">
                <fetchIndexElement property="x" type="RTree" order="ascending"/>
                <fetchIndexElement expression="SELF" expressionType="2000" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            """)
        let index = model.entities[0].indexes[0]
        #expect(index.elements[0].collationType == .rTree && index.elements[1].collationType == .binary)
        let expression = try #require(index.elements[1].property as? NSExpressionDescription)
        #expect(expression.expression?.expressionType == .evaluatedObject)
        #expect(expression.expressionResultType == .objectIDAttributeType)
        #expect(index.partialIndexPredicate?.formatText == "x > 0")
    }

    @Test func `derived attributes have their expression`() throws {
        let model = try sourceModel(
            """
            <entity name="Book"><attribute name="count" attributeType="Integer 64" derived="YES"
                derivationExpression="pages.@count"/><attribute name="by" attributeType="String" derived="YES"
                derivationExpression="author.name"/><relationship name="pages" toMany="YES" destinationEntity="Book"/>
                <relationship name="author" maxCount="1" destinationEntity="Book"/></entity>
            """)
        let attributes = model.entities[0].attributesByName
        let count = try #require((attributes["count"] as? NSDerivedAttributeDescription)?.derivationExpression)
        #expect(count.expressionType == .function && count.function == "count:")
        #expect(count.arguments?.first?.keyPath == "pages")
        let by = try #require((attributes["by"] as? NSDerivedAttributeDescription)?.derivationExpression)
        #expect(by.keyPath == "author.name")
    }

    @Test func `composite attributes have their elements, composites among them`() throws {
        let model = try sourceModel(
            """
            <entity name="E"><attribute name="home" attributeType="Composite" composite="Address" optional="YES"/></entity>
            <composite name="Address"><attribute name="street" attributeType="String"/>
                <attribute name="place" attributeType="Composite" composite="Place"/></composite>
            <composite name="Place"><attribute name="x" attributeType="Double" defaultValueString="1"/></composite>
            """)
        let home = try #require(model.entities[0].attributesByName["home"] as? NSCompositeAttributeDescription)
        #expect(home.isOptional && home.elements.map(\.name) == ["street", "place"])
        let place = try #require(home.elements[1] as? NSCompositeAttributeDescription)
        #expect(place.elements.map(\.name) == ["x"] && place.elements[0].defaultValue as? Double == 1)
    }

    @Test func `fetched properties, fetch requests and configurations are read`() throws {
        let model = try sourceModel(
            """
            <entity name="A"><attribute name="n" attributeType="String"/>
                <fetchedProperty name="same" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="B"
                predicateString="n == $FETCH_SOURCE.n" fetchLimit="3"/></fetchedProperty></entity>
            <entity name="B"><attribute name="n" attributeType="String"/></entity>
            <fetchRequest name="named" entity="B" predicateString="n == $NAME" includeSubentities="YES"/>
            <configuration name="Local"><memberEntity name="B"/></configuration>
            """)
        let same = try #require(model.entitiesByName["A"]?.propertiesByName["same"] as? NSFetchedPropertyDescription)
        #expect(same.isOptional && same.fetchRequest?.entityName == "B" && same.fetchRequest?.fetchLimit == 3)
        #expect(same.fetchRequest?.predicate?.formatText == "n == $FETCH_SOURCE.n")
        #expect(same.fetchRequest?.includesSubentities == false)
        let template = try #require(model.fetchRequestTemplate(forName: "named"))
        #expect(template.entityName == "B" && template.includesSubentities)
        #expect(model.configurations == ["Local"])
        #expect(model.entities(forConfigurationName: "Local")?.map(\.name) == ["B"])
        #expect(model.entities(forConfigurationName: nil)?.count == 2)
        #expect(model.entities(forConfigurationName: "Remote") == nil)
    }

    // FreeCoreData, MomcSerializerTests.
    @Test func `a fetch request leaves pending changes out where its source says so, and in dictionaries`() throws {
        let model = try sourceModel(
            """
            <entity name="E"/><fetchRequest name="plain" entity="E"/>
            <fetchRequest name="stored" entity="E" includesPendingChanges="NO"/>
            <fetchRequest name="all" entity="E" includesPendingChanges="YES"/>
            <fetchRequest name="rows" entity="E" resultType="2" includesPendingChanges="YES"/>
            """)
        let settings = model.fetchRequestTemplatesByName.mapValues(\.includesPendingChanges)
        #expect(settings == ["plain": true, "stored": false, "all": true, "rows": false])
    }

    @Test func `unknown elements and attributes are ignored`() throws {
        let model = try sourceModel(
            "<entity name='E' novelty='YES'><hologram/><attribute name='a' attributeType='String' x='y'/></entity><elements/>"
        )
        #expect(model.entities[0].properties.map(\.name) == ["a"])
    }
}
