// The one rule of precedence, applied: what holds for an entity or a property of a model is what code says of it, else what
// its annotation says, else the defaults in code, else the dialect's.

import CoreData
import Foundation

/// What code, annotations and defaults together say of a model. Read once, when a mapping is compiled.
struct MappingRules {
    private let options: MappingOptions
    private let descriptions: [String: NSEntityDescription]
    /// By entity: what it says itself, code before annotations. Properties aren't in here.
    private var said: [String: MappingOptions.Entity] = [:]
    private var dialects: [String: MappingOptions.Dialect] = [:]
    /// The roots of the hierarchies in which any property has a key path.
    private var annotatedRoots: Set<ObjectIdentifier> = []
    /// Every problem of the annotations, by entity and property.
    private(set) var problems: [GraftError] = []

    /// - Throws: ``GraftError`` with `unknownEntity` or `unknownProperty` where code names what the model doesn't have.
    init(_ model: NSManagedObjectModel, _ options: MappingOptions = MappingOptions()) throws {
        self.options = options
        descriptions = model.entitiesByName
        try checkNames()
        let dialect = options.dialect ?? MappingOptions.Dialect.dialect(of: model)
        for (name, entity) in descriptions.sorted(by: { $0.key < $1.key }) {
            let dialect = declaredDialect(of: entity) ?? dialect
            dialects[name] = dialect
            var reader = AnnotationReader(dialect)
            let annotated = reader.entity(entity)
            said[name] = options.entities[name]?.filled(from: annotated) ?? annotated
            for property in entity.declaredProperties { _ = reader.property(property, of: entity) }
            problems += reader.problems
            if entity.declaredProperties.contains(where: { Annotation.text(Annotation.keyPath, of: $0.userInfo) != nil }
            ) {
                annotatedRoots.insert(Self.root(of: entity))
            }
        }
    }

    /// Whether any entity of a hierarchy declares a key path.
    func isAnnotated(_ entity: NSEntityDescription) -> Bool { annotatedRoots.contains(Self.root(of: entity)) }

    private static func root(of entity: NSEntityDescription) -> ObjectIdentifier {
        ObjectIdentifier(entity.lineage.last ?? entity)
    }

    /// The dialect of an entity's annotations.
    func dialect(of entity: NSEntityDescription) -> MappingOptions.Dialect { dialects[entity.name ?? ""] ?? .graft }

    /// What holds for an entity.
    func entity(_ entity: NSEntityDescription) -> MappingOptions.Entity {
        let all = entity.lineage.dropFirst().reduce(own(entity)) { $0.inheriting(from: own($1)) }
        return all.filled(from: options.entityDefaults)
    }

    /// What an entity says itself.
    func own(_ entity: NSEntityDescription) -> MappingOptions.Entity {
        said[entity.name ?? ""] ?? MappingOptions.Entity()
    }

    /// What holds for a property of an entity or of its super-entities.
    func property(
        _ description: NSPropertyDescription, of entity: NSEntityDescription
    ) -> (said: MappingOptions.Property, isDeclared: Bool) {
        var coded = MappingOptions.Property()
        for ancestor in entity.lineage {
            if let said = options.entities[ancestor.name ?? ""]?.properties[description.name] {
                coded = coded.filled(from: said)
            }
        }
        let dialect = dialect(of: entity)
        var reader = AnnotationReader(dialect)
        let annotated = coded.filled(from: reader.property(description, of: entity))
        var defaults = options.defaults
        // Key paths of all properties at once are none.
        defaults.keyPaths = nil
        let all = annotated.filled(from: defaults).filled(from: dialect.defaults(of: description))
        return (all, annotated.keyPaths != nil)
    }

    /// What holds for an element of a composite attribute: what it says itself, else what holds for the attribute.
    private func element(
        _ description: NSPropertyDescription, of whole: MappingOptions.Property, in entity: NSEntityDescription
    ) -> MappingOptions.Property {
        var reader = AnnotationReader(dialect(of: entity))
        return reader.property(description, of: entity).filled(from: whole)
    }

    /// What is said of a part of a property: of the property itself, or of an element.
    func part(
        _ part: PropertyPart, of whole: MappingOptions.Property, in entity: NSEntityDescription
    ) -> MappingOptions.Property {
        part.elements.isEmpty ? whole : element(part.property, of: whole, in: entity)
    }

    /// The key paths of a property of an entity: those that are said, or what follows from its name. None where it takes no part.
    ///
    /// - Parameter rule: What holds for the entity.
    func keyPaths(
        of description: NSPropertyDescription, _ said: MappingOptions.Property, in entity: NSEntityDescription,
        _ rule: MappingOptions.NamingRule?
    ) -> [String] {
        if let paths = said.keyPaths { return paths }
        if description.isTransient || description is NSDerivedAttributeDescription { return [] }
        if let rule { return rule.keyPaths(ofProperty: description.name, of: entity.name ?? "") }
        let dialect = dialect(of: entity)
        return dialect == .graft && isAnnotated(entity) ? [] : dialect.keyPaths(of: description, in: entity)
    }

    // MARK: Names

    /// The dialect that an entity or, before it, one of its super-entities declares.
    private func declaredDialect(of entity: NSEntityDescription) -> MappingOptions.Dialect? {
        if options.dialect != nil { return nil }
        return entity.lineage.compactMap { ancestor in
            Annotation.text(Annotation.dialect, of: ancestor.userInfo).flatMap(MappingOptions.Dialect.init)
        }.last
    }

    private mutating func checkNames() throws {
        for (name, said) in options.entities.sorted(by: { $0.key < $1.key }) {
            guard let entity = descriptions[name] else {
                throw GraftError.unknownEntity(name, among: descriptions.keys.sorted(), at: .init(entity: name))
            }
            let known = entity.propertiesByName
            for property in said.properties.keys.sorted() where known[property] == nil {
                throw GraftError.unknownProperty(
                    property, among: known.keys.sorted(), at: .init(entity: name, property: property))
            }
        }
        for (name, entity) in descriptions.sorted(by: { $0.key < $1.key }) {
            guard let text = Annotation.text(Annotation.dialect, of: entity.userInfo),
                MappingOptions.Dialect(rawValue: text) == nil
            else { continue }
            let known = MappingOptions.Dialect.allCases.map(\.rawValue)
            let closest = NameSuggestion.closest(to: text, among: known)
            problems.append(
                GraftError(
                    .invalidMapping(
                        reason: "\(Annotation.dialect) is '\(text)'",
                        remedy: closest.map { "Did you mean '\($0)'?" }
                            ?? "It is one of \(known.joined(separator: ", "))."),
                    at: .init(entity: name)))
        }
    }
}
