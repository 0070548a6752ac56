// Objects from dictionaries: the inverse of toDictionary.

public import CoreData

extension NSManagedObject {
    /// Gives the object the values and relationships of a dictionary.
    ///
    /// A key that is missing leaves a property alone, `NSNull` clears it. A dictionary is a to-one relationship, a collection
    /// of them a to-many one, whose members are added to those that are there. Related objects are found by their identity,
    /// without one among those that the object has already, or made (``PopulateOptions/existingObjects``). So an object's own
    /// dictionary changes nothing. Nothing is saved.
    ///
    /// - Parameters:
    ///   - dictionary: What `toDictionary()` returns, in any of its forms, or for instance the answer of a web service that
    ///     `JSONSerialization` has read. It may be nested to any depth.
    ///     (Foundation on Linux itself converts an `NSDictionary` recursively; a Swift dictionary it leaves alone.)
    ///   - options: How a dictionary is read: identities, members, and what doesn't fit.
    /// - Returns: How many objects were made and changed, and what was left out.
    /// - Throws: ``GraftError`` with the path of what is wrong: `wrongType` and `outOfRange` for values, `unknownEntity`,
    ///   `duplicateIdentity` where the dictionary gives this object the identity of another one. Then the context is as it
    ///   was.
    @discardableResult
    public func populate(
        fromDictionary dictionary: [String: Any], options: PopulateOptions = PopulateOptions()
    ) throws -> ImportReport {
        try PresenceCheck().require(self)
        guard let context = managedObjectContext, !isDeleted else {
            throw GraftError(
                .other(
                    finding: "the object isn't in a context, or is deleted",
                    remedy: "Populate an object that is in a context."),
                at: .init(entity: entity.name))
        }
        let populator = try DictionaryPopulator(context, options)
        return try populator.populate([dictionary], entity: entity, given: self, isArray: false).report
    }

    /// Makes the object of a dictionary, with what it owns: a copy, also in the context that the dictionary comes from.
    ///
    ///     let person = try Person.create(fromDictionary: dictionary, in: context)
    ///     try context.save()
    ///
    /// The dictionary names the entity; without a name, it is that of the class. Nothing is saved. What the object doesn't own
    /// is found by its identity, or made, and never taken from another object (``PopulateOptions/makesCopies``). To update an
    /// object that may be there already, use `populateObjects(fromDictionaries:)` of the context, which also returns a report.
    ///
    /// - Throws: As ``populate(fromDictionary:options:)``; `duplicateIdentity` with the attribute, where the dictionary has the
    ///   identity of an object that is there (``PopulateOptions/copiesIdentities`` leaves it out); `ambiguousEntity` where
    ///   neither dictionary nor class says what the object is; `wrongType` where it isn't of this class.
    public static func create(
        fromDictionary dictionary: [String: Any], in context: NSManagedObjectContext,
        options: PopulateOptions = PopulateOptions()
    ) throws -> Self {
        // One dictionary gives one object.
        guard let object = try create([dictionary], context, options, isArray: false)[0] as? Self else {
            fatalError("NSManagedObject.create(fromDictionary:in:) has checked the class.")
        }
        return object
    }

    /// Makes the objects of some dictionaries, in their order, with what they own; all of them are of this class. If one of them
    /// can't be read, no object is made or changed.
    ///
    /// - Throws: As ``create(fromDictionary:in:options:)``.
    public static func create(
        fromDictionaries dictionaries: [[String: Any]], in context: NSManagedObjectContext,
        options: PopulateOptions = PopulateOptions()
    ) throws -> [NSManagedObject] {
        try create(dictionaries, context, options, isArray: true)
    }

    private static func create(
        _ dictionaries: [[String: Any]], _ context: NSManagedObjectContext, _ options: PopulateOptions, isArray: Bool
    ) throws -> [NSManagedObject] {
        var options = options
        options.makesCopies = true
        let populator = try DictionaryPopulator(context, options)
        let entity = context.graftModel.flatMap(entity(in:))
        return try populator.populate(dictionaries, entity: entity, isArray: isArray) { object, index in
            guard object is Self else {
                throw GraftError(
                    .wrongType(
                        found: "an object of \(object.entity.name ?? "") with the class \(type(of: object))",
                        expected: "a \(Self.self)"),
                    at: .init(path: isArray ? [.index(index)] : []))
            }
        }.objects
    }

    /// The entity whose objects are of this class; nil for `NSManagedObject` itself, and where several are.
    static func entity(in model: NSManagedObjectModel) -> NSEntityDescription? {
        if self == NSManagedObject.self { return nil }
        let name = className(of: self)
        let last = name.split(separator: ".").last.map(String.init) ?? name
        let entities = model.entities.filter {
            let className = $0.managedObjectClassName ?? ""
            return className == name || className == last || className == ".\(last)"
        }
        return entities.count == 1 ? entities[0] : nil
    }
}

extension NSManagedObjectContext {
    /// Makes or updates the objects of some dictionaries, and says what was done.
    ///
    /// - Parameters:
    ///   - dictionaries: One for each object at the top.
    ///   - entity: The entity of the objects at the top, where their dictionaries don't name it.
    ///   - options: How a dictionary is read: identities, members, and what doesn't fit.
    /// - Returns: The objects in the order of the dictionaries, and the report.
    /// - Throws: As ``NSManagedObject/create(fromDictionary:in:options:)``. Then the context is as it was.
    @discardableResult
    public func populateObjects(
        fromDictionaries dictionaries: [[String: Any]], entity: String? = nil,
        options: PopulateOptions = PopulateOptions()
    ) throws -> (objects: [NSManagedObject], report: ImportReport) {
        try populateObjects(dictionaries, entity, options, passedOver: [])
    }

    /// - Parameter passedOver: Where the text of the dictionaries has members that don't count, because their key stands there again.
    func populateObjects(
        _ dictionaries: [[String: Any]], _ entity: String?, _ options: PopulateOptions,
        passedOver: [[GraftError.Place.PathComponent]]
    ) throws -> (objects: [NSManagedObject], report: ImportReport) {
        let populator = try DictionaryPopulator(self, options)
        let description = try entity.map { try requiredModel().entity(named: $0) }
        let result = try populator.populate(
            dictionaries, entity: description, isArray: true, passedOver: passedOver)
        return (result.objects, result.report)
    }
}
