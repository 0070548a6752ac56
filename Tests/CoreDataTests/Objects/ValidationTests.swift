import Testing

@testable import CoreData

@Suite struct ValidationTests {
    /// A model whose Book has limits, and whose Author needs one to two books.
    private func library() throws -> Library {
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"]), author = try #require(model.entitiesByName["Author"])
        book.attributesByName["pages"]?.validationRules = [
            ValidationRule(.minimum(.integer(1))), ValidationRule(.maximum(.integer(100))),
        ]
        book.attributesByName["title"]?.validationRules = [
            ValidationRule(.maximumLength(5)), ValidationRule(.pattern("[a-z]*")),
        ]
        book.attributesByName["isbn"]?.setValidationPredicates(
            [NSPredicate(format: "SELF BEGINSWITH 'x'")], withValidationWarnings: ["An ISBN begins with x."])
        author.relationshipsByName["books"]?.isOptional = false
        author.relationshipsByName["books"]?.minCount = 1
        author.relationshipsByName["books"]?.maxCount = 2
        return try Library(.inMemory, model: model)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let key: String, value: any Sendable, code: Int
        var testDescription: String { "\(key) = \(value)" }
    }

    @Test(arguments: [
        Case(key: "pages", value: 0, code: NSValidationNumberTooSmallError),
        Case(key: "pages", value: 101, code: NSValidationNumberTooLargeError),
        Case(key: "title", value: "sixsix", code: NSValidationStringTooLongError),
        Case(key: "title", value: "Six", code: NSValidationStringPatternMatchingError),
        Case(key: "isbn", value: "y", code: NSManagedObjectValidationError),
    ])
    func `a value outside the model's limits fails with the limit's code`(_ broken: Case) throws {
        let library = try library()
        let book = library.insert("Book", [broken.key: broken.value])
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        let info = (error as NSError?)?.userInfo
        #expect(error?.code.rawValue == broken.code)
        #expect(info?[NSValidationKeyErrorKey] as? String == broken.key)
        #expect(info?[NSValidationObjectErrorKey] as? NSManagedObject === book)
        if broken.key == "isbn" { #expect(error?.localizedDescription == "An ISBN begins with x.") }
    }

    @Test(arguments: [
        (0, NSValidationRelationshipLacksMinimumCountError), (3, NSValidationRelationshipExceedsMaximumCountError),
    ])
    func `a relationship has as many members as the model demands`(_ count: Int, _ code: Int) throws {
        let library = try library()
        let author = library.insert("Author", ["name": "Ada"])
        for _ in 0..<count { _ = library.insert("Book", ["author": author]) }
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code.rawValue == code)
    }

    private enum Refusal: LocalizedError {
        case tooOld(Int)
        var errorDescription: String? { "too old" }
    }

    private final class Guest: NSManagedObject {
        override func validateForInsert() throws { throw Refusal.tooOld(value(forKey: "age") as? Int ?? 0) }
    }

    @Test(arguments: [[30], [30, 40]])
    func `errors of a class's own are in the list with what they are made of`(_ ages: [Int]) throws {
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer64AttributeType
        let entity = NSEntityDescription()
        entity.name = "Guest"
        entity.properties = [age]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let context = try Library(.inMemory, model: model).context
        for age in ages { Guest(entity: entity, insertInto: context).setValue(age, forKey: "age") }
        do {
            try context.save()
            Issue.record("Nothing was refused.")
        } catch let Refusal.tooOld(age) {
            #expect(ages == [age])
        } catch {
            let details = try #require((error as NSError).userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(details.map(\.localizedDescription) == ["too old", "too old"])
            let refusals = details.compactMap { $0.userInfo[NSUnderlyingErrorKey] as? Refusal }
            #expect(refusals.map { if case .tooOld(let age) = $0 { age } else { 0 } } == ages)
        }
    }

    @Test func `values within the limits are saved`() throws {
        let library = try library()
        let author = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["title": "fives", "pages": 100, "isbn": "x1", "author": author])
        try library.context.save()
    }

    // `setValidationPredicates(_:withValidationWarnings:)` is every property's: NSPropertyDescription.
    @Test(arguments: [["author"], ["tags"]])
    func `a relationship has rules, too`(_ names: [String]) throws {
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"])
        let rules = ["author": "SELF.name BEGINSWITH 'A'", "tags": "SUBQUERY(SELF, $t, $t.label == 'x').@count == 0"]
        for name in names {
            book.propertiesByName[name]?.setValidationPredicates(
                [NSPredicate(format: try #require(rules[name]))], withValidationWarnings: ["no"])
        }
        let library = try Library(.inMemory, model: model)
        let (ada, bea) = (library.insert("Author", ["name": "Ada"]), library.insert("Author", ["name": "Bea"]))
        let (good, bad) = (library.insert("Tag", ["label": "a"]), library.insert("Tag", ["label": "x"]))
        let new = library.insert("Book", ["author": ada, "tags": NSSet(object: good)])
        try library.context.save()
        new.setValuesForKeys(["author": bea, "tags": NSSet(object: bad)])
        #expect(throws: CocoaError.self) { try library.context.save() }
        new.setValuesForKeys(["author": ada, "tags": NSSet(object: good)])
        try library.context.save()
    }
}
