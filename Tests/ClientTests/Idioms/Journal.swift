// A model made in code, with the classes that override what apps override.

import CoreData

class Entry: NSManagedObject {
    static let entityName = "Entry"

    /// A value that is kept in another form: `text` is computed from `body`, and cached in a transient property.
    var summary: String {
        willAccessValue(forKey: "summary")
        defer { didAccessValue(forKey: "summary") }
        if let cached = primitiveValue(forKey: "summary") as? String { return cached }
        let made = String((value(forKey: "body") as? String ?? "").prefix(5))
        setPrimitiveValue(made, forKey: "summary")
        return made
    }

    var body: String? {
        get {
            willAccessValue(forKey: "body")
            defer { didAccessValue(forKey: "body") }
            return primitiveValue(forKey: "body") as? String
        }
        set {
            willChangeValue(forKey: "body")
            setPrimitiveValue(newValue, forKey: "body")
            didChangeValue(forKey: "body")
        }
    }

    var deletions = 0
    var savedCount = 0

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 1000), forKey: "createdAt")
    }

    override func willSave() {
        super.willSave()
        if !isDeleted, primitiveValue(forKey: "modifiedAt") == nil {
            setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 2000), forKey: "modifiedAt")
        }
    }

    override func didSave() {
        super.didSave()
        savedCount += 1
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        deletions += 1
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        if body == "forbidden" {
            throw NSError(domain: "Journal", code: 1, userInfo: [NSLocalizedDescriptionKey: "forbidden"])
        }
    }
}

class Page: NSManagedObject {}

final class Journal {
    let container: NSPersistentContainer
    var context: NSManagedObjectContext { container.viewContext }

    nonisolated(unsafe) static let model: NSManagedObjectModel = {
        func attribute(_ name: String, _ type: NSAttributeType, optional: Bool = true) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = optional
            return attribute
        }
        let entry = NSEntityDescription()
        entry.name = "Entry"
        entry.managedObjectClassName = NSStringFromClass(Entry.self)
        let page = NSEntityDescription()
        page.name = "Page"
        page.managedObjectClassName = NSStringFromClass(Page.self)

        let summary = attribute("summary", .stringAttributeType)
        summary.isTransient = true
        let rating = attribute("rating", .integer16AttributeType, optional: false)
        rating.defaultValue = 3
        rating.setValidationPredicates(
            [NSPredicate(format: "SELF <= 5")], withValidationWarnings: ["rating is too large"])

        let pages = NSRelationshipDescription()
        let owner = NSRelationshipDescription()
        pages.name = "pages"
        pages.destinationEntity = page
        pages.inverseRelationship = owner
        pages.isOrdered = true
        pages.deleteRule = .denyDeleteRule
        owner.name = "entry"
        owner.destinationEntity = entry
        owner.inverseRelationship = pages
        owner.maxCount = 1
        owner.deleteRule = .nullifyDeleteRule
        entry.properties = [
            attribute("body", .stringAttributeType, optional: false), attribute("createdAt", .dateAttributeType),
            attribute("modifiedAt", .dateAttributeType), rating, summary, pages,
        ]
        page.properties = [attribute("number", .integer32AttributeType), owner]

        let model = NSManagedObjectModel()
        model.entities = [entry, page]
        model.setFetchRequestTemplate(
            {
                let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Entry")
                request.predicate = NSPredicate(format: "body BEGINSWITH $START")
                return request
            }(), forName: "entriesStartingWith")
        return model
    }()

    init() {
        container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in
            if let error { fatalError("\(error)") }
        }
    }

    func entry(_ body: String) -> Entry {
        let entry = Entry(context: context)
        entry.body = body
        return entry
    }

    func page(_ number: Int, of entry: Entry?) -> Page {
        let page = Page(context: context)
        page.setValue(number, forKey: "number")
        page.setValue(entry, forKey: "entry")
        return page
    }
}
