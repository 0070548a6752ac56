// What is wrong with a broken model, in words.

import CoreData
import Foundation
import Testing

@Suite struct ModelCheckTests {
    /// The problems of a model's source, without the file's name.
    private func problems(_ contents: String) throws -> [String] {
        try #require(throws: ModelError.self) { try sourceModel(contents) }.problems.map(\.description)
    }

    private func entity(_ name: String = "Hero", _ contents: String) -> String {
        "<entity name='\(name)'>\(contents)</entity>"
    }

    // MARK: Names

    @Test func `an unknown parent is suggested`() throws {
        #expect(
            try problems("<entity name='Character'/><entity name='Hero' parentEntity='Charakter'/>")
                == ["entity 'Hero': the parent entity 'Charakter' doesn't exist. Did you mean 'Character'?"])
        #expect(
            try problems("<entity name='Hero' parentEntity='Completely'/>")
                == ["entity 'Hero': the parent entity 'Completely' doesn't exist. Add it or correct the name."])
    }

    @Test func `duplicate and missing names are found`() throws {
        #expect(
            try problems("<entity name='Hero'/><entity name='Hero'/>")
                == ["entity 'Hero': there are several entities of this name. Rename all but one."])
        #expect(
            try problems(
                entity("Hero", "<attribute name='a' attributeType='String'/><attribute name='a' attributeType='Date'/>")
            )
                == ["Hero.a: 'Hero' has a property of this name already. Rename one of them."])
        #expect(
            try problems(
                entity("Character", "<attribute name='a' attributeType='String'/>")
                    + "<entity name='Hero' parentEntity='Character'><attribute name='a' attributeType='String'/></entity>"
            )
                == ["Hero.a: 'Character' has a property of this name already. Rename one of them."])
        #expect(try problems("<entity/>") == ["entity '': an entity has no name. Give it one."])
        #expect(
            try problems(entity("Hero", "<attribute attributeType='String'/>"))
                == ["entity 'Hero': a property has no name. Give it one."])
        #expect(try problems("<entity name='My Hero'/>").first?.contains("'My Hero' can't be a name") == true)
    }

    @Test func `names of other scripts are names`() throws {
        let model = try sourceModel("<entity name='Größe'><attribute name='名前' attributeType='String'/></entity>")
        #expect(model.entitiesByName["Größe"]?.attributesByName["名前"] != nil)
    }

    @Test func `names of elements are checked at every depth, as they become columns`() throws {
        func composite(_ name: String, _ element: String) -> String {
            "<composite name='\(name)'>\(element)</composite>"
        }
        let place = "<attribute name='place' attributeType='Composite' composite='Place'/>"
        let geo = "<attribute name='geo' attributeType='Composite' composite='Geo'/>"
        func text(_ name: String) -> String { "<attribute name=\"\(name)\" attributeType='String'/>" }
        for name in ["zip code", "x varchar ); create table evil (a"] {
            let flat = try problems(entity("Shop", place) + composite("Place", text(name)))
            #expect(flat.first?.hasPrefix("Shop.\(name): '\(name)' can't be a name.") == true)
            let nested = try problems(entity("Shop", place) + composite("Place", geo) + composite("Geo", text(name)))
            #expect(nested.first?.hasPrefix("Shop.\(name): '\(name)' can't be a name.") == true)
        }
        let unnamed = NSCompositeAttributeDescription()
        unnamed.name = "place"
        unnamed.elements = [TestModel.attribute("", .stringAttributeType)]
        let model = TestModel.model([TestModel.entity("Shop", [unnamed])])
        let error = try #require(throws: ModelError.self) { try model.validated() }
        #expect(error.problems.map(\.description) == ["Shop.place: an element has no name. Give it one."])
    }

    @Test func `inheritance in a circle is found`() throws {
        let found = try problems(
            "<entity name='A' parentEntity='C'/><entity name='B' parentEntity='A'/><entity name='C' parentEntity='B'/>")
        #expect(found.first == "entity 'A': the entity inherits from itself: A -> C -> B -> A. Take one parent away.")
        #expect(try problems("<entity name='A' parentEntity='A'/>").first?.contains("A -> A") == true)
    }

    // MARK: Relationships

    @Test func `a relationship needs a known destination`() throws {
        #expect(
            try problems(entity("Hero", "<relationship name='powers' toMany='YES'/>"))
                == ["Hero.powers: the relationship has no destination. Name an entity."])
        #expect(
            try problems(
                "<entity name='Power'/>"
                    + entity("Hero", "<relationship name='p' maxCount='1' destinationEntity='Powr'/>"))
                == ["Hero.p: the destination 'Powr' doesn't exist. Did you mean 'Power'?"])
    }

    @Test func `an inverse has to exist and to point back`() throws {
        let powers =
            "<relationship name='powers' toMany='YES' destinationEntity='Power' inverseName='%' inverseEntity='Power'/>"
        func hero(_ inverse: String) -> String {
            entity("Hero", powers.replacingOccurrences(of: "%", with: inverse))
        }
        let heroes = "<relationship name='heroes' toMany='YES' destinationEntity='Hero'/>"
        #expect(
            try problems(hero("heros") + entity("Power", heroes))
                == [
                    "Hero.powers: 'Power' has no relationship 'heros', which should be the inverse. Did you mean 'heroes'?"
                ])
        #expect(
            try problems(hero("heroes") + entity("Power", heroes)) == [
                "Hero.powers: the inverse is 'Power.heroes', and its inverse is not set. Make the two each other's inverse."
            ])
    }

    @Test func `an inverse has to belong to the destination`() throws {
        let found = try problems(
            entity(
                "A", "<relationship name='b' maxCount='1' destinationEntity='B' inverseName='a' inverseEntity='C'/>")
                + "<entity name='B'/>"
                + entity(
                    "C", "<relationship name='a' maxCount='1' destinationEntity='A' inverseName='b' inverseEntity='A'/>"
                ))
        #expect(
            found.first == "A.b: the inverse 'a' is a relationship of 'C', not of the destination 'B'. "
                + "Correct the destination or the inverse.")
    }

    @Test func `counts and delete rules are checked`() throws {
        let start = "<relationship name='r' toMany='YES' destinationEntity='Hero' "
        #expect(
            try problems(entity("Hero", start + "minCount='3' maxCount='2'/>"))
                == ["Hero.r: the smallest number of objects, 3, is above the largest, 2. Exchange or correct them."])
        #expect(
            try problems(entity("Hero", start + "deletionRule='Explode'/>"))
                == ["Hero.r: 'Explode' is no delete rule. Use Nullify, Cascade, Deny or No Action."])
        #expect(
            try problems(entity("Hero", start + "maxCount='two'/>"))
                == ["Hero.r: maxCount is 'two' where a whole number is expected. Correct it."])
        #expect(
            try problems(entity("Hero", start + "maxCount='-7'/>")).first?.contains("largest number of objects is -7")
                == true)
    }

    // MARK: Attributes

    @Test func `attribute types are checked`() throws {
        #expect(
            try problems(entity("Hero", "<attribute name='a' attributeType='Sting'/>"))
                == ["Hero.a: 'Sting' is no attribute type. Did you mean 'String'?"])
        #expect(
            try problems(entity("Hero", "<attribute name='a'/>"))
                == ["Hero.a: the attribute is stored and has no type. Give it one, or make it transient."])
        #expect(
            try problems(
                entity("Hero", "<attribute name='a' attributeType='Composite' composite='Adress'/>")
                    + "<composite name='Address'/>")
                == ["Hero.a: the composite type 'Adress' doesn't exist. Did you mean 'Address'?"])
        #expect(
            try problems(
                entity("Hero", "<attribute name='a' attributeType='Composite' composite='C'/>")
                    + "<composite name='C'><attribute name='c' attributeType='Composite' composite='C'/></composite>"
            )
            .contains { $0.contains("contains itself") })
    }

    @Test func `limits that nothing satisfies are found`() throws {
        #expect(
            try problems(
                entity("Hero", "<attribute name='a' attributeType='Integer 16' minValueString='5' maxValueString='4'/>")
            )
                == ["Hero.a: the smallest value, 5, is above the largest, 4. Exchange or correct them."])
        #expect(
            try problems(
                entity("Hero", "<attribute name='a' attributeType='String' minValueString='5' maxValueString='4'/>"))
                == ["Hero.a: the smallest length, 5, is above the largest, 4. Exchange or correct them."])
        #expect(
            try problems(entity("Hero", "<attribute name='a' attributeType='String' regularExpressionString='[a'/>"))
                == ["Hero.a: '[a' is no regular expression. Correct it."])
    }

    @Test func `expressions and predicates are checked`() throws {
        let found = try problems(
            entity("Hero", "<attribute name='a' attributeType='String' derived='YES' derivationExpression='name ('/>"))
        #expect(found.first?.hasPrefix("Hero.a: the expression 'name (' can't be read (character ") == true)
        let request = "<fetchRequest name='all' entity='Hero' predicateString='a =='/><entity name='Hero'/>"
        #expect(try problems(request).first?.hasPrefix("'all': the predicate 'a ==' can't be read (character ") == true)
    }

    // MARK: Combinations

    @Test func `uniqueness constraints name stored properties`() throws {
        func constraint(_ name: String) -> String {
            entity(
                "Hero",
                """
                <attribute name='name' attributeType='String'/><attribute name='mood' transient='YES'/>
                <relationship name='friends' toMany='YES' destinationEntity='Hero'/>
                <uniquenessConstraints><uniquenessConstraint><constraint value='\(name)'/></uniquenessConstraint>
                </uniquenessConstraints>
                """)
        }
        #expect(
            try problems(constraint("nmae")) == [
                "entity 'Hero': the uniqueness constraint names 'nmae', which is no property of the entity. "
                    + "Did you mean 'name'?"
            ])
        #expect(try problems(constraint("mood")).first?.contains("'mood', which is transient.") == true)
        #expect(try problems(constraint("friends")).first?.contains("'friends', which is to-many.") == true)
    }

    @Test func `indexes and configurations name what exists`() throws {
        let index =
            "<fetchIndex name='byName'><fetchIndexElement property='nam' type='Binary' order='ascending'/></fetchIndex>"
        #expect(
            try problems(entity("Hero", "<attribute name='name' attributeType='String'/>" + index)) == [
                "entity 'Hero': the index 'byName' names 'nam', which is no property of the entity. Did you mean 'name'?"
            ])
        #expect(
            try problems(
                "<entity name='Hero'/><configuration name='Local'><memberEntity name='Heroo'/></configuration>") == [
                    "the configuration 'Local' lists the entity 'Heroo', which doesn't exist. Did you mean 'Hero'?"
                ])
    }

    // FreeCoreData, testAnElementIsAscendingBinaryOrAnRTreeOfNumbers. Divergence 73.
    @Test func `an R-tree is of numbers and dates`() throws {
        func place(_ type: String) -> String {
            entity(
                "Hero",
                """
                <attribute name='place' attributeType='\(type)'/><fetchIndex name='byPlace'>
                <fetchIndexElement property='place' type='RTree' order='ascending'/></fetchIndex>
                """)
        }
        #expect(
            try problems(place("String")) == [
                "entity 'Hero': the index 'byPlace' is an R-tree and names 'place', whose type takes a text where a number "
                    + "or a date is expected. Make its elements binary."
            ])
        for type in ["Integer 16", "Float", "Double", "Date"] { _ = try sourceModel(place(type)) }
    }

    @Test func `all problems are reported at once, in the order of the model`() throws {
        let error = try #require(throws: ModelError.self) {
            try sourceModel(
                entity("B", "<attribute name='x' attributeType='Sting'/><relationship name='r' maxCount='1'/>")
                    + "<entity name='A' parentEntity='Z'/>")
        }
        #expect(
            error.description == """
                A.xcdatamodel: 3 problems
                  B.x: 'Sting' is no attribute type. Did you mean 'String'?
                  B.r: the relationship has no destination. Name an entity.
                  entity 'A': the parent entity 'Z' doesn't exist. Add it or correct the name.
                """)
    }

    // MARK: Models made in code

    @Test func `a model made in code is checked, too`() throws {
        let model = NSManagedObjectModel()
        let hero = NSEntityDescription(), stranger = NSEntityDescription()
        (hero.name, stranger.name) = ("Hero", "Stranger")
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer16AttributeType
        age.defaultValue = "old"
        let friend = NSRelationshipDescription(), back = NSRelationshipDescription()
        (friend.name, back.name) = ("friend", "back")
        friend.destinationEntity = stranger
        friend.inverseRelationship = back
        hero.properties = [age, friend]
        model.entities = [hero]
        let error = try #require(throws: ModelError.self) {
            try withExtendedLifetime((stranger, back)) { try model.validated() }
        }
        #expect(
            error.problems.map(\.description) == [
                "Hero.age: the default value is old (String) where the type takes a whole number of 16 bits. "
                    + "Correct the value or the type.",
                "Hero.friend: the destination 'Stranger' isn't one of the model's entities. Add it to them.",
                "Hero.friend: 'Stranger' has no relationship 'back', which should be the inverse. "
                    + "Add it or correct the name.",
            ])
        hero.properties = []
        try model.validated()
    }
}
