// Values that a store couldn't give back, and orders that there aren't: an error that names the property, whichever store it is.

import CoreData
import Foundation
import TestSupport
import Testing

/// A class with nothing of its own.
final class SilentTag: NSManagedObject {}

/// One whose values are looked at.
final class CheckedTag: NSManagedObject {
    var checked: [String] = []

    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        checked.append(key)
        try unsafe super.validateValue(value, forKey: key)
    }
}

@Suite struct KeptValuesTests {
    private static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let external = LibraryModel.attribute("scan", .binaryDataAttributeType)
        external.allowsExternalBinaryDataStorage = true
        model.entitiesByName["Tag"]?.properties += [
            LibraryModel.attribute("small", .integer16AttributeType),
            LibraryModel.attribute("single", .floatAttributeType), LibraryModel.attribute("seen", .dateAttributeType),
            LibraryModel.attribute("weight", .doubleAttributeType, optional: false, default: 0),
            LibraryModel.attribute("cost", .decimalAttributeType, optional: false, default: 0), external,
        ]
        return model
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let entity: String, key: String, value: any Sendable, code: Int, words: String
        var testDescription: String { words }
    }

    static let cases = [
        Case(
            entity: "Tag", key: "small", value: 70_000, code: NSValidationNumberTooLargeError,
            words: "Tag.small is 70000 and has to be an integer of 16 bits (-32768 to 32767)"),
        Case(
            entity: "Tag", key: "small", value: -32_769, code: NSValidationNumberTooSmallError,
            words: "Tag.small is -32769"),
        Case(
            entity: "Book", key: "pages", value: 1 << 40, code: NSValidationNumberTooLargeError,
            words: "Book.pages is 1099511627776 and has to be an integer of 32 bits"),
        Case(
            entity: "Tag", key: "weight", value: Double.nan, code: NSValidationMissingMandatoryPropertyError,
            words: "Tag.weight is required and is not a number (NaN)"),
        Case(
            entity: "Tag", key: "cost", value: Decimal.nan, code: NSValidationMissingMandatoryPropertyError,
            words: "Tag.cost is required"),
    ]

    @Test(arguments: StoreKind.allCases, cases)
    func `a value that a store can't give back isn't saved`(_ kind: StoreKind, _ broken: Case) throws {
        let library = try Library(kind, model: Self.model())
        let object = library.insert(broken.entity, [broken.key: broken.value])
        for isStored in [false, true] {
            let error = #expect(throws: CocoaError.self) { try library.context.save() }
            #expect(error?.code.rawValue == broken.code)
            #expect(error?.localizedDescription.contains(broken.words) == true)
            #expect((error as NSError?)?.userInfo[NSValidationKeyErrorKey] as? String == broken.key)
            #expect(throws: CocoaError.self) { try object.validateForInsert() }
            if isStored { break }
            object.setValue(object.entity.attributesByName[broken.key]?.defaultValue, forKey: broken.key)
            try library.context.save()
            object.setValue(broken.value, forKey: broken.key)
        }
        library.context.rollback()
        #expect(try library.fetch(broken.entity, in: library.newContext()).count == 1)
    }

    @Test(arguments: [NSManagedObject.self, SilentTag.self, CheckedTag.self])
    func `a number that others stored keeps no other change from being saved`(_ cls: NSManagedObject.Type) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Tags.sqlite")
        let model = Self.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(cls)
        let library = try Library(at: url, model: model)
        let tag = library.insert("Tag")
        try library.context.save()
        try StoreSQL.run("UPDATE ZTAG SET ZSMALL = 70000", at: url)
        library.context.refresh(tag, mergeChanges: false)
        #expect(tag.value(forKey: "small") as? Int == 70_000)
        tag.setValue(1.5, forKey: "single")
        try library.context.save()
        tag.setValue(70_001, forKey: "small")
        #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(type(of: tag) == cls)
        if let checked = (tag as? CheckedTag)?.checked { #expect(checked.contains("single")) }
    }

    @Test func `an object with a date that is no number describes itself`() throws {
        let library = try Library(.inMemory, model: Self.model())
        let tag = library.insert("Tag", ["seen": Date(timeIntervalSinceReferenceDate: .nan)])
        #expect("\(tag)".contains("seen = nan"))
    }

    @Test func `a value that is wider than its attribute is in no batch, either`() throws {
        let library = try Library(.database, model: Self.model())
        let update = NSBatchUpdateRequest(entityName: "Tag")
        update.propertiesToUpdate = ["small": 70_000]
        let insertion = NSBatchInsertRequest(entityName: "Tag", objects: [["small": 70_000]])
        let missing = NSBatchInsertRequest(entityName: "Tag", objects: [["weight": Double.nan]])
        for (request, name) in [(update, "small"), (insertion, "small"), (missing, "weight")] {
            let error = #expect(throws: CocoaError.self) { try library.context.execute(request) }
            #expect(error?.localizedDescription.contains("'\(name)'") == true)
        }
        #expect(try library.fetch("Tag").isEmpty)
    }

    @Test(arguments: StoreKind.allCases, ["notes", "book.notes", "scan"])
    func `what has no order is sorted by in no store, and an error names it`(_ kind: StoreKind, _ key: String) throws {
        let library = try Library(kind, model: Self.model())
        let entity = ["notes": "Book", "scan": "Tag"][key] ?? "Chapter"
        for _ in 0..<2 { _ = library.insert(entity) }
        for isSaved in [false, true] {
            if isSaved { try library.context.save() }
            let error = #expect(throws: CocoaError.self) { try library.fetch(entity, sortedBy: key) }
            #expect(error?.localizedDescription.contains("\(key.split(separator: ".").last ?? "")'") == true)
        }
    }

    @Test func `a save of one object computes what depends on that, however many others there are`() throws {
        let model = LibraryModel.make()
        func derive(_ entity: String, _ format: String) {
            let derived = NSDerivedAttributeDescription()
            (derived.name, derived.attributeType, derived.isOptional) = ("derived", .stringAttributeType, true)
            derived.derivationExpression = NSExpression(format: format)
            if format.contains("count") { derived.attributeType = .integer64AttributeType }
            model.entitiesByName[entity]?.properties.append(derived)
        }
        derive("Author", "prizes.@count")
        derive("Prize", "canonical:(winner.name)")
        func library(_ count: Int) throws -> (Library, NSManagedObject) {
            let library = try Library(.inMemory, model: model.copy() as? NSManagedObjectModel ?? model)
            let authors = (0..<count).map { library.insert("Author", ["name": "\($0)"]) }
            for author in authors { _ = library.insert("Prize", ["winner": author]) }
            try library.context.save()
            return (library, authors[0])
        }
        let small = try library(200)
        let large = try library(8_000)
        func save(_ library: Library, _ author: NSManagedObject) throws {
            for round in 0..<20 {
                author.setValue("É\(round)", forKey: "name")
                library.context.delete(library.insert("Prize", ["winner": author]))
                _ = library.insert("Prize", ["winner": author])
                try library.context.save()
            }
            let fresh = library.newContext()
            let again = try #require(try fresh.existingObject(with: author.objectID) as NSManagedObject?)
            #expect(again.value(forKey: "derived") as? Int == again.many("prizes").count)
            #expect(again.many("prizes").allSatisfy { $0.text("derived") == "e19" })
        }
        let ratio = try Growth.ratio(attempts: 2) {
            try save(small.0, small.1)
        } large: {
            try save(large.0, large.1)
        }
        #expect(ratio < 5)
    }
}
