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
        var root = entity
        while let parent = root.superentity { root = parent }
        return ObjectIdentifier(root)
    }

    /// The dialect of an entity's annotations.
    func dialect(of entity: NSEntityDescription) -> MappingOptions.Dialect { dialects[entity.name ?? ""] ?? .graft }

    /// What holds for an entity.
    func entity(_ entity: NSEntityDescription) -> MappingOptions.Entity {
        var all = own(entity)
        var ancestor = entity.superentity
        while let next = ancestor {
            all = all.inheriting(from: own(next))
            ancestor = next.superentity
        }
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
        var ancestor: NSEntityDescription? = entity
        while let next = ancestor {
            if let said = options.entities[next.name ?? ""]?.properties[description.name] {
                coded = coded.filled(from: said)
            }
            ancestor = next.superentity
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
    func element(
        _ description: NSPropertyDescription, of whole: MappingOptions.Property, in entity: NSEntityDescription
    ) -> MappingOptions.Property {
        var reader = AnnotationReader(dialect(of: entity))
        return reader.property(description, of: entity).filled(from: whole)
    }

    // MARK: Names

    /// The dialect that an entity or, before it, one of its super-entities declares.
    private func declaredDialect(of entity: NSEntityDescription) -> MappingOptions.Dialect? {
        if options.dialect != nil { return nil }
        var found: MappingOptions.Dialect?
        var ancestor: NSEntityDescription? = entity
        while let next = ancestor {
            let text = Annotation.text(Annotation.dialect, of: next.userInfo)
            found = text.flatMap(MappingOptions.Dialect.init) ?? found
            ancestor = next.superentity
        }
        return found
    }

    private mutating func checkNames() throws {
        for (name, said) in options.entities.sorted(by: { $0.key < $1.key }) {
            guard let entity = descriptions[name] else {
                let closest = NameSuggestion.closest(to: name, among: descriptions.keys.sorted())
                throw GraftError(.unknownEntity(name, closest: closest), at: .init(entity: name))
            }
            let known = entity.propertiesByName
            for property in said.properties.keys.sorted() where known[property] == nil {
                let closest = NameSuggestion.closest(to: property, among: known.keys.sorted())
                throw GraftError(
                    .unknownProperty(property, closest: closest), at: .init(entity: name, property: property))
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
