// What a person should know of a model's annotations before data is imported by them: everything that can't be followed, what
// is probably a slip, and which identity is used. Errors of an import name the first problem; here are all of them.
//
// The rules are in +Keys (what is in the user info), +Identity and +Paths; this file has the findings and their order.

public import CoreData
import Foundation

/// The findings on a model's annotations.
///
///     let lint = try ModelLint(model)
///     for finding in lint.findings { print(finding) }
public struct ModelLint: Sendable, Hashable, Codable {
    /// How bad a finding is.
    public enum Severity: String, Sendable, Codable, CaseIterable {
        /// An import or export by the model fails.
        case error
        /// It works, but probably otherwise than was meant.
        case warning
    }

    /// What a finding is about.
    public enum Rule: String, Sendable, Codable, CaseIterable {
        /// A key in the user info that nobody reads, and that looks like one that is read.
        case unknownKey
        /// A key that means nothing where it stands.
        case misplacedKey
        /// The name of a transformer that isn't registered.
        case unknownTransformer
        /// A value that an annotation can't have: a policy, a flag, a format.
        case invalidValue
        /// A key path that leads nowhere.
        case invalidPath
        /// A default value that a store can't keep exactly.
        case lossyDefault
        /// What Xcode's compiler takes, and that says something else than it seems to.
        case unusualValue
        /// Two properties at one place in JSON, or one on the way to another.
        case collidingPaths
        /// Annotations of several libraries.
        case mixedDialects
        /// An identity that names what the entity doesn't have.
        case invalidIdentity
        /// An entity whose objects nothing identifies.
        case missingIdentity
        /// An identity that nobody has declared: it follows from a name.
        case inferredIdentity
        /// An identifying attribute with a default value: all objects that nobody has given another one share it.
        case defaultIdentity
        /// An identity that JSON has no place for.
        case unmappedIdentity
        /// A relationship to an entity with sub-entities that JSON doesn't tell apart.
        case untoldEntity
        /// Anything else that keeps the mapping from being made.
        case invalidMapping
    }

    /// One finding.
    public struct Finding: Sendable, Hashable, Codable {
        /// How bad it is.
        public var severity: Severity
        /// What it is about.
        public var rule: Rule
        /// The entity's name.
        public var entity: String?
        /// The property's name; nil where the finding is about the entity.
        public var property: String?
        /// What was found, without a full stop.
        public var message: String
        /// What to do about it, as a sentence.
        public var suggestion: String
    }

    /// Which identity the objects of an entity have.
    public struct Identity: Sendable, Hashable, Codable {
        /// The entity's name.
        public var entity: String
        /// The names of the attributes and to-one relationships; none where nothing identifies.
        public var properties: [String]
        /// Who says so, such as `identityAttributes` or `a uniqueness constraint`; nil where nobody does.
        public var origin: String?
        /// Whether it follows from names, and nobody has said it.
        public var isInferred: Bool
        /// Whether the model has an index or a constraint for it. Otherwise an import into a large store reads the identities of
        /// all objects first.
        public var isIndexed: Bool
    }

    /// The findings: by entity and property, first those on the entity itself.
    public private(set) var findings: [Finding] = []

    /// The identity of each entity, by name.
    public private(set) var identities: [Identity] = []
    /// The entities whose kinds a key tells (`JSONEntityKey`), by themselves and their sub-entities: one identity is one object there.
    package private(set) var families: [String: String] = [:]

    /// Whether there is an error among the findings.
    public var hasErrors: Bool { findings.contains { $0.severity == .error } }

    /// Checks a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - mapping: What code says of it, which goes before its annotations.
    ///   - transformers: Names of transformers that will be registered when the model is used, besides those that are now.
    /// - Throws: ``GraftError``, for a model without coherent structure, and where `mapping` names what it doesn't have.
    public init(
        _ model: NSManagedObjectModel, mapping: MappingOptions = MappingOptions(), transformers: Set<String> = []
    ) throws {
        let rules = try MappingRules(model, mapping)
        for problem in rules.problems { add(problem, .invalidValue) }
        let registered = ValueTransformer.valueTransformerNames().map(\.rawValue)
        let entities = model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        for entity in entities {
            checkKeys(of: entity)
            checkTransformers(of: entity, rules, transformers.union(registered))
            checkPaths(of: entity, rules)
            checkIdentity(of: entity, rules)
            checkDestinations(of: entity, rules)
            checkDefaults(of: entity)
            checkDateFormats(of: entity)
            checkOrders(of: entity)
            for ancestor in entity.lineage where rules.entity(ancestor).entityKey != nil {
                families[entity.name ?? ""] = ancestor.name
            }
        }
        checkReading(of: model)
        checkDialects(of: model, mapping)
        checkMapping(model, mapping, transformers)
        arrange()
    }

    /// What the rules above don't know and making the mapping finds. What they have found already isn't said twice.
    private mutating func checkMapping(
        _ model: NSManagedObjectModel, _ mapping: MappingOptions, _ transformers: Set<String>
    ) {
        do {
            for problem in try GraphMapping.problems(of: model, mapping) {
                addUnlessKnown(problem, in: model, transformers)
            }
        } catch {
            addUnlessKnown(CoreDataErrors.graftError(error), in: model, transformers)
        }
        guard !hasErrors, transformers.isEmpty else { return }
        var options = ExportOptions()
        options.mapping = mapping
        do {
            _ = try ObjectWriter(model, options)
        } catch {
            add(CoreDataErrors.graftError(error), .invalidMapping)
        }
    }

    private mutating func addUnlessKnown(
        _ problem: GraftError, in model: NSManagedObjectModel, _ transformers: Set<String>
    ) {
        let (entity, property) = (problem.place.entity, problem.place.property)
        // A transformer that will be registered isn't now.
        if transformers.contains(where: { problem.description.contains("names '\($0)'") }) { return }
        // Of an entity itself, several things may be wrong: one that is known speaks of the same names.
        let names = (problem.failureReason ?? "").matches(of: /'[^\s']+'/).map(\.output)
        let isKnown = findings.contains { finding in
            finding.severity == .error && finding.entity == entity && finding.property == property
                && (property != nil || names.allSatisfy { finding.message.contains($0) })
        }
        // A property that is inherited has been checked where it is declared.
        let parent = entity.flatMap { model.entitiesByName[$0]?.superentity }
        let isInherited =
            property.map { parent?.propertiesByName[$0] != nil || parent?.partsByName[$0] != nil } ?? false
        if !isKnown, !isInherited { add(problem, .invalidMapping) }
    }

    /// Names defaults that a store rounds: an object that has one differs from itself when it is read again.
    private mutating func checkDefaults(of entity: NSEntityDescription) {
        for part in entity.declaredParts {
            guard let attribute = part.property as? NSAttributeDescription,
                attribute.attributeType == .decimalAttributeType,
                let value = (attribute.defaultValue as? NSDecimalNumber)?.decimalValue, value.keptBySQLite != value
            else { continue }
            add(
                .warning, .lossyDefault, entity.name, part.name,
                "the default value \(value) has more than the 15 digits that a SQLite store keeps of a decimal",
                "Shorten it to \(value.keptBySQLite), or keep it as a text.")
        }
    }

    /// Names the date formats that MagicalRecord doesn't have and that are understood all the same.
    private mutating func checkDateFormats(of entity: NSEntityDescription) {
        for property in entity.sortedDeclaredProperties {
            let format = Annotation.text(MagicalRecordKey.dateFormat, of: property.userInfo)
            guard let format, format != MagicalRecordKey.unixTime, MagicalRecordKey.isUnixTime(format) else { continue }
            add(
                .warning, .unusualValue, entity.name, property.name,
                "the date format '\(format)' is read as milliseconds since 1970",
                "Write \(MagicalRecordKey.unixTime), which MagicalRecord has for that.")
        }
    }

    /// Names ordered relationships that are their own inverses: of a pair a SQLite store has one row with one place, which both ends
    /// read.
    private mutating func checkOrders(of entity: NSEntityDescription) {
        for case let relationship as NSRelationshipDescription in entity.sortedDeclaredProperties
        where relationship.isOrdered && relationship.isToMany && relationship.inverseRelationship === relationship {
            add(
                .warning, .unusualValue, entity.name, relationship.name,
                "the relationship is ordered and its own inverse: a SQLite store has one place for both ends of a link, so that "
                    + "setting the order of one object may change that of another",
                "Take away the order, or give it an inverse of its own.")
        }
    }

    /// Names what the model's file says otherwise than it is read.
    private mutating func checkReading(of model: NSManagedObjectModel) {
        for note in model.unusualDefaults {
            add(
                .warning, .unusualValue, note.entity, note.attribute,
                "the default value '\(note.text)' isn't one of its type, and is read as \(note.value)",
                "Write \(note.value).")
        }
    }

    private mutating func arrange() {
        func key(_ finding: Finding) -> (String, String) { (finding.entity ?? "", finding.property ?? "") }
        findings = findings.enumerated().sorted { one, other in
            let (first, second) = (key(one.element), key(other.element))
            return first == second ? one.offset < other.offset : first < second
        }.map(\.element)
        var seen: Set<Finding> = []
        findings = findings.filter { seen.insert($0).inserted }
    }

    // MARK: Adding

    mutating func add(
        _ severity: Severity, _ rule: Rule, _ entity: String?, _ property: String?, _ message: String,
        _ suggestion: String
    ) {
        findings.append(
            Finding(
                severity: severity, rule: rule, entity: entity, property: property, message: message,
                suggestion: suggestion))
    }

    /// Adds an error as a finding.
    mutating func add(_ error: GraftError, _ rule: Rule) {
        add(
            .error, rule, error.place.entity, error.place.property, error.failureReason ?? "",
            error.recoverySuggestion ?? "")
    }

    mutating func add(_ identity: Identity) { identities.append(identity) }
}

extension ModelLint.Finding: CustomStringConvertible {
    /// For instance `error: Hero.name: found 'JSONKeypath', which nobody reads. Did you mean 'JSONKeyPath'?`
    public var description: String {
        let place = [entity, property].compactMap(\.self).joined(separator: ".")
        return GraftError.oneLine(
            "\(severity.rawValue): \(place.isEmpty ? "" : "\(place): ")\(message). \(suggestion) [\(rule.rawValue)]")
    }
}

extension ModelLint.Identity: CustomStringConvertible {
    /// For instance `Hero: id, declared by identityAttributes`.
    public var description: String {
        guard let origin, !properties.isEmpty else { return "\(entity): none" }
        let how = isInferred ? "inferred from \(origin)" : "declared by \(origin)"
        return GraftError.oneLine("\(entity): \(properties.joined(separator: ", ")), \(how)")
    }
}
