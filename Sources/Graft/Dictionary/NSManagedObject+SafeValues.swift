// Setting attributes from JSON that nobody checked. The entity's attributes are walked and looked up, never the keys of the
// dictionary: what isn't modelled can't do harm, and what isn't there isn't touched (the article on saving JSON safely).

public import CoreData
public import Foundation

extension NSManagedObject {
    /// Sets the attributes that a dictionary has values for, each converted to the attribute's type.
    ///
    ///     try hero.safeSetValues(forKeysWith: json, dateFormatter: formatter)
    ///
    /// Unknown keys are ignored, and a missing key leaves the attribute alone. Numbers become texts and texts numbers, where
    /// nothing is lost; true, yes, on, t, y, 1 and their opposites are booleans in any case of letters; a text becomes a date
    /// by the formatter, else in ISO 8601. A value that can't be converted is an error or reported, never a silent zero:
    /// `"12abc"` or 1.5 for an integer, 70,000 for an Integer 16, NaN, an array for a text.
    ///
    /// Relationships, transient and derived attributes are left alone; `populate(fromDictionary:)` sets relationships.
    ///
    /// - Parameters:
    ///   - dictionary: The values, as `JSONSerialization` or a property list has them.
    ///   - dateFormatter: Reads the texts of dates. A text that it refuses is tried in ISO 8601.
    ///   - options: What happens to nulls and to values that can't be converted.
    /// - Returns: Whether the object changed, what was skipped, and the keys that nothing is read from.
    /// - Throws: ``GraftError`` with the attribute and its key path; then nothing has been changed. Errors of the model's
    ///   annotations.
    /// - Complexity: O(*n*) in the attributes of the entity.
    @discardableResult
    public func safeSetValues(
        forKeysWith dictionary: [String: Any], dateFormatter: DateFormatter? = nil,
        options: SafeValueOptions = SafeValueOptions()
    ) throws -> ImportReport {
        let model = try CompiledModel.model(of: self)
        try requireLiving()
        let compiled = try CompiledModel.of(model)
        let number = try compiled.number(of: entity)
        try options.checkNames(of: compiled.schema.entities[number])
        let reader = SafeValueReader(
            entity: compiled.schema.entities[number], description: entity,
            mapping: options.usesMapping ? try compiled.entityMapping(number, of: model) : nil,
            dateFormatter: dateFormatter, options: options,
            rounding: managedObjectContext?.rounding ?? [])
        var report = ImportReport()
        let values = try reader.values(in: dictionary, &report)
        var counts = ImportReport.Counts()
        for (slot, value) in values {
            let property = compiled.schema.entities[number].properties[slot]
            if try holds(value, slot, property) { continue }
            try assign(value, slot, property)
            counts.updated = 1
        }
        counts.unchanged = 1 - counts.updated
        report.entities = [.init(name: compiled.schema.entities[number].name, counts: counts)]
        return report
    }
}

extension NSManagedObject {
    /// Refuses an object that is deleted: what it is given would be lost.
    func requireLiving() throws {
        guard isDeleted || managedObjectContext == nil && !objectID.isTemporaryID else { return }
        throw GraftError(
            .other(finding: "the object is deleted, so that it can't take values", remedy: "Give another object."),
            at: .init(entity: entity.name))
    }
}

extension SafeValueOptions {
    /// Refuses policies for attributes that the entity doesn't have.
    fileprivate func checkNames(of entity: GraphSchema.Entity) throws {
        let attributes = entity.properties.filter(\.isAttribute).map(\.name)
        for name in nullPolicies.keys.sorted() where !attributes.contains(name) {
            throw GraftError.unknownProperty(name, among: attributes, at: .init(entity: entity.name, property: name))
        }
    }
}

/// Finds and converts the values for one object.
private struct SafeValueReader {
    let entity: GraphSchema.Entity
    let description: NSEntityDescription
    let mapping: EntityMapping?
    let dateFormatter: DateFormatter?
    let options: SafeValueOptions
    let rounding: Rounding

    /// The values by number of the attribute.
    func values(in dictionary: [String: Any], _ report: inout ImportReport) throws -> [(Int, GraphValue)] {
        var values: [(Int, GraphValue)] = []
        var failures: [GraftError] = []
        for path in Self.unknownKeys(in: dictionary, at: [], known: knownPaths) {
            try report.take(
                unknownKey: path.joined(separator: "."), of: entity, options.unknownKeys,
                .init(path: path.map { .key($0) }, entity: entity.name))
        }
        for (number, property) in entity.properties.enumerated() {
            guard property.isAttribute, !property.isTransient, !property.isDerived else { continue }
            var path: [String] = []
            do {
                guard let (place, object) = try found(number, property, in: dictionary) else { continue }
                path = place
                guard let exact = try value(of: object, number, property) else { continue }
                let value = exact.kept(rounding)
                // What a transformer makes is what it makes.
                if mapping?.properties[number]?.transformer == nil,
                    DictionaryValue.isRounded(value, exact, from: object)
                {
                    report.addRounded(property.name, of: entity.name)
                }
                values.append((number, value))
            } catch let error as GraftError {
                failures.append(
                    error.located(
                        in: .init(path: path.map { .key($0) }, entity: entity.name, property: property.name)))
            }
        }
        guard var first = failures.first else { return values }
        report.failures = failures.map { .init($0, record: nil) }
        try report.throwFailures(options.failurePolicy)
        if options.failurePolicy == .fail {
            first.others = Array(failures.dropFirst())
            throw first
        }
        return values
    }

    /// What stands for an attribute, at the first of its places where there is something.
    private func found(
        _ number: Int, _ property: GraphSchema.Property, in dictionary: [String: Any]
    ) throws -> (path: [String], object: Any)? {
        guard let mapping else {
            // An element of a composite attribute may stand under its path, too.
            if let object = dictionary[property.name] { return ([property.name], object) }
            let path = property.name.split(separator: ".").map(String.init)
            return try Self.object(at: path, in: dictionary).map { (path, $0) }
        }
        guard let mapped = mapping.properties[number], mapped.direction.isImported else { return nil }
        for source in mapped.sources where source.origin == .object {
            guard let object = try Self.object(at: source.keys, in: dictionary) else { continue }
            // As in an import, a null that is ignored isn't there.
            if DictionaryValue.isNull(object), nullPolicy(number, property) == .ignore { continue }
            return (source.keys, object)
        }
        return nil
    }

    /// What stands at the end of a key path; nil where a key is missing on the way. A null on the way is a null.
    ///
    /// - Throws: ``GraftError`` with `wrongType` for something on the way that has no keys.
    private static func object(at path: [String], in dictionary: [String: Any]) throws -> Any? {
        var object: Any = dictionary
        for (index, key) in path.enumerated() {
            if DictionaryValue.isNull(object) { return object }
            guard let step = object as? [String: Any] else {
                throw GraftError(
                    .wrongType(found: DictionaryValue.words(for: object), expected: "an object with '\(key)'"),
                    at: .init(path: path[..<index].map { .key($0) }))
            }
            guard let next = step[key] else { return nil }
            object = next
        }
        return object
    }

    /// Where something may stand.
    private var knownPaths: [[String]] {
        guard let mapping else {
            return entity.properties.flatMap { [[$0.name], $0.name.split(separator: ".").map(String.init)] }
        }
        return mapping.properties.flatMap { property -> [[String]] in
            guard let property else { return [] }
            return [property.path] + property.sources.filter { $0.origin == .object }.map(\.keys)
        }
    }

    /// The keys that nothing is read from, each with those on the way to it.
    private static func unknownKeys(
        in dictionary: [String: Any], at path: [String], known: [[String]]
    ) -> [[String]] {
        let places = Dictionary(grouping: known.filter { !$0.isEmpty }) { $0[0] }
        return dictionary.keys.sorted().flatMap { key -> [[String]] in
            guard let below = places[key]?.map({ Array($0.dropFirst()) }) else { return [path + [key]] }
            if below.contains([]) { return [] }
            return unknownKeys(in: dictionary[key] as? [String: Any] ?? [:], at: path + [key], known: below)
        }
    }

    /// The value for an attribute; nil where it is to be left alone.
    private func value(of object: Any, _ number: Int, _ property: GraphSchema.Property) throws -> GraphValue? {
        let kind = property.attributeKind ?? .transformable
        if DictionaryValue.isNull(object) { return try null(number, property, kind) }
        if let transformer = mapping?.properties[number]?.transformer {
            return try transformed(object, transformer, kind)
        }
        if kind == .date, let text = object as? String, let date = dateFormatter?.date(from: text) {
            return .date(date.timeIntervalSinceReferenceDate)
        }
        if kind != .transformable, !Self.isFinite(object) {
            throw DictionaryValue.wrongType(object, AttributeConverter(kind))
        }
        var converter = mapping?.properties[number]?.converter ?? AttributeConverter(kind)
        if let numericDate = options.numericDate { converter.numericDate = numericDate }
        let attribute = description.attributePartsByName[property.name]
        return try DictionaryValue.value(of: object, converter, transformerName: attribute?.valueTransformerName)
    }

    /// Whether something isn't a number that is infinite or none.
    private static func isFinite(_ object: Any) -> Bool {
        if let number = object as? Double { return number.isFinite }
        return (object as? Decimal)?.isFinite ?? true
    }

    private func nullPolicy(_ number: Int, _ property: GraphSchema.Property) -> MappingOptions.NullPolicy {
        options.nullPolicies[property.name] ?? options.nullPolicy ?? mapping?.properties[number]?.nullPolicy ?? .clear
    }

    private func null(_ number: Int, _ property: GraphSchema.Property, _ kind: AttributeKind) throws -> GraphValue? {
        switch nullPolicy(number, property) {
        case .clear: return .null
        case .ignore: return nil
        case .default:
            guard let value = description.attributePartsByName[property.name]?.defaultValue else { return .null }
            return try DictionaryValue.value(of: value, AttributeConverter(kind))
        }
    }

    private func transformed(
        _ object: Any, _ transformer: NamedTransformer, _ kind: AttributeKind
    ) throws -> GraphValue {
        guard let json = JSONValue(object: object) else {
            throw DictionaryValue.wrongType(object, AttributeConverter(kind))
        }
        guard let made = transformer.value(for: json) else {
            throw GraftError(
                transformer.refusal(of: DictionaryValue.words(for: object)))
        }
        return try DictionaryValue.value(of: made, AttributeConverter(kind))
    }
}
