// Objects as dictionaries: what the archive article calls toDictionary, as extensions, so that no base class is needed.

public import CoreData

extension NSManagedObject {
    /// The object and everything that it reaches, as nested dictionaries.
    ///
    ///     let dictionary = try person.toDictionary()
    ///     // ["class": "Person", "firstName": "Ann", "addresses": [["class": "Address", "city": "Sometown"]]]
    ///
    /// Attributes without a value are left out. A to-one relationship is a dictionary, a to-many one an array of them: an
    /// ordered one in its order, an unordered one in the order of its members (by object ID on Apple's platforms). The object
    /// that led to another one isn't repeated there as the inverse. Any other object that is met again has a number under
    /// `$id` and is `{"$ref": number}` there, so every graph comes back (``DictionaryOptions/repeatedObjects``). Faults are
    /// fired. Nothing is kept on the objects, so each call gives the same.
    ///
    /// A graph may be of any depth: beyond ``DictionaryOptions/maximumNesting``, objects are referred to by number, so
    /// that the dictionary can be released, printed and serialized without exhausting the stack.
    ///
    /// - Throws: ``GraftError`` with entity and property: `notRepresentable` for a value without the form that is asked for
    ///   (NaN in JSON), `missingObject` for an object that is gone, `invalidMapping` where a property has the name of the
    ///   entity key.
    /// - Complexity: O(*n*) in the objects and links that are reached: each object is expanded once.
    public func toDictionary(options: DictionaryOptions = DictionaryOptions()) throws -> [String: Any] {
        // One object gives one dictionary.
        try [self].toDictionaries(options: options)[0]
    }

    /// What changed in the object, and in everything that it reaches, since an earlier dictionary: small enough to send.
    ///
    ///     let sent = try person.toDictionary()
    ///     // …
    ///     let changes = try person.toDictionary(changedSince: sent)
    ///     try copy.populate(fromDictionary: changes)
    ///
    /// The result is empty where nothing changed. Otherwise it names the object and has its changed values (`NSNull` for those
    /// that are gone), what entered and left its relationships (`$added`, `$removed`, or `$members` with all of them), and in
    /// `$objects` the other objects that are new or changed, each with its identity. `populate(fromDictionary:)` understands
    /// all of that: what leaves a relationship that owns it is deleted, unless something else owns it or the dictionary has it
    /// elsewhere.
    ///
    /// Related objects are recognised by their identities. Where an entity has none, an object is written as a whole.
    ///
    /// - Parameters:
    ///   - earlier: What `toDictionary(options:)` returned for this object, in any form, with the same relationships.
    ///   - options: The form of values and which relationships are compared; cycles and depth need no option here.
    /// - Throws: ``GraftError``: as ``toDictionary(options:)``, and as `populate(fromDictionary:)` for the earlier
    ///   dictionary.
    /// - Complexity: O(*n*) in the objects and links that are reached.
    public func toDictionary(
        changedSince earlier: [String: Any], options: DictionaryOptions = DictionaryOptions()
    ) throws -> [String: Any] {
        try changes(since: earlier, options: options).dictionary
    }

    /// The changes, and how many rows, links and dictionaries were looked at for them.
    package func changes(
        since earlier: [String: Any], options: DictionaryOptions = DictionaryOptions()
    ) throws -> (dictionary: [String: Any], stepCount: Int) {
        let model = try CompiledModel.model(of: self)
        let compiled = try CompiledModel.of(model)
        var current = options
        current.repeatedObjects = .referenced
        current.valueForm = .native
        var reading = PopulateOptions()
        reading.entityKey = options.entityKey
        reading.entityNames = options.entityNames
        let number = try compiled.number(of: entity)
        var old = try DictionaryReader(compiled, model, reading, rounding: [])
        try old.read([earlier], entity: number, from: nil)
        var new = try DictionaryReader(compiled, model, reading, rounding: [])
        try new.read([toDictionary(options: current)], entity: number, from: nil)
        return try DictionaryChanges.dictionary(old, new, options)
    }
}

extension Sequence where Element: NSManagedObject {
    /// The objects, with everything that they reach, as an array of dictionaries in their order.
    ///
    /// Each object of the sequence stands at the top, with its relationships; where another one leads to it, there is its
    /// number. Numbers hold for the whole array. The objects have to be of one model.
    ///
    /// - Throws: As ``CoreData/NSManagedObject/toDictionary(options:)``.
    public func toDictionaries(options: DictionaryOptions = DictionaryOptions()) throws -> [[String: Any]] {
        let objects = Array(self)
        guard let first = objects.first else { return [] }
        var writer = DictionaryWriter(try ObjectDictionarySource(CompiledModel.of(first), options), options)
        return try first.withFaultsAsErrors { try writer.dictionaries(of: objects) }
    }
}
