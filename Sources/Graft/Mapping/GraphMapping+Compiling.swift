// From what code, annotations and defaults say of a model to its mapping: entities here, properties in PropertyCompiler.swift.

package import CoreData
import Foundation

extension GraphMapping {
    /// Compiles the mapping of a model.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping`, `invalidModel`, or the name in `options` that the model doesn't have.
    package convenience init(
        _ model: NSManagedObjectModel, _ options: MappingOptions = MappingOptions(), isDocument: Bool = false
    ) throws {
        let rules = try MappingRules(model, options)
        if let problem = rules.problems.first { throw problem }
        try self.init(model, GraphSchema(model, rules), rules, isDocument: isDocument)
    }

    /// Compiles the mapping of one entity alone. Its identity is that of the schema.
    ///
    /// - Throws: ``GraftError`` for what is wrong with the entity or one that it inherits from.
    static func entityMapping(
        _ number: Int, of model: NSManagedObjectModel, _ schema: GraphSchema
    ) throws -> EntityMapping {
        let rules = try MappingRules(model)
        let descriptions = model.entitiesByName
        let compiler = try EntityCompiler(schema, number, rules, descriptions)
        let names = compiler.entity.lineage.map { $0.name ?? "" }
        if let problem = rules.problems.first(where: { $0.place.entity.map(names.contains) ?? true }) { throw problem }
        var builder = KeyTreeBuilder()
        return try compiler.mapping(&builder)
    }

    /// Everything that is wrong with a model's mapping, each with its entity and property.
    ///
    /// - Throws: ``GraftError`` where the options name what the model doesn't have.
    static func problems(of model: NSManagedObjectModel, _ options: MappingOptions) throws -> [GraftError] {
        var options = options
        var problems = try MappingRules(model, options).problems
        var made: GraphSchema?
        // An entity whose identity is wrong is looked at without one, so that the others are looked at, too.
        for _ in model.entities.indices where made == nil {
            do {
                made = try GraphSchema(model, MappingRules(model, options))
            } catch let error as GraftError {
                problems.append(error)
                guard let name = error.place.entity, options.entities[name]?.identity != [] else { return problems }
                options[name].identity = []
            }
        }
        guard let schema = made else { return problems }
        let rules = try MappingRules(model, options)
        let descriptions = model.entitiesByName
        for number in schema.entities.indices {
            problems += try EntityCompiler(schema, number, rules, descriptions).problems()
        }
        return problems
    }

    private convenience init(
        _ model: NSManagedObjectModel, _ schema: GraphSchema, _ rules: MappingRules, isDocument: Bool
    ) throws {
        let descriptions = model.entitiesByName
        var builder = KeyTreeBuilder()
        let entities = try schema.entities.indices.map { number in
            try EntityCompiler(schema, number, rules, descriptions, isDocument: isDocument).mapping(&builder)
        }
        self.init(schema: schema, entities: entities, isDocument: isDocument, keyCount: builder.keyCount)
    }
}

/// Compiles the mapping of one entity.
private struct EntityCompiler {
    let schema: GraphSchema
    let number: Int
    let entity: NSEntityDescription
    let rules: MappingRules
    let descriptions: [String: NSEntityDescription]
    let isDocument: Bool
    /// What holds for the entity.
    private let said: MappingOptions.Entity
    private let compiler: PropertyCompiler

    init(
        _ schema: GraphSchema, _ number: Int, _ rules: MappingRules, _ descriptions: [String: NSEntityDescription],
        isDocument: Bool = false
    ) throws {
        let name = schema.entities[number].name
        guard let entity = descriptions[name] else { throw GraftError(.unknownEntity(name, closest: nil)) }
        (self.schema, self.number, self.entity, self.rules) = (schema, number, entity, rules)
        (self.descriptions, self.isDocument) = (descriptions, isDocument)
        said = rules.entity(entity)
        compiler = PropertyCompiler(
            entity: entity, rules: rules, namingRule: said.namingRule, isDocument: isDocument)
    }

    func mapping(_ builder: inout KeyTreeBuilder) throws -> EntityMapping {
        let dialect = rules.dialect(of: entity)
        let byName = entity.partsByName
        var properties = try schema.entities[number].properties.map { property in
            try byName[property.name].flatMap { try compiler.mapping(of: property, $0) }
        }
        if isDocument {
            separatePlaces(of: &properties)
            makeRoomForKeysOfDocuments(in: &properties)
        }
        var entries: [KeyTreeBuilder.Entry] = []
        var ignored: [[String]] = []
        for (number, property) in schema.entities[number].properties.enumerated() {
            guard let mapping = properties[number] else { continue }
            guard mapping.direction.isImported else {
                ignored.append(mapping.path)
                continue
            }
            for (rank, source) in mapping.sources.enumerated() where source.origin == .object {
                entries.append(
                    .init(
                        path: source.keys, role: property.role, property: number, rank: UInt8(clamping: rank),
                        isPlain: mapping.isReadPlainly))
            }
        }
        var compiled = EntityMapping(
            dialect: dialect, isAnnotated: dialect == .graft && said.namingRule == nil && rules.isAnnotated(entity),
            properties: properties, keys: builder.tree([]))
        let identity = try IdentityDeclaration(of: entity, rules)
        compiled.identityOrigin = identity?.origin
        compiled.isIdentityInferred = identity?.isInferred ?? false
        for step in isDocument ? [] : steps { try step(&compiled) }
        if let path = compiled.entityKeyPath { ignored.append(path) }
        if let path = compiled.tombstone?.path { ignored.append(path) }
        compiled.keys = builder.tree(KeyTreeBuilder.adding(ignored: entries.isEmpty ? [] : ignored, to: entries))
        return compiled
    }

    /// Of properties at one place, the first of the identity keeps it, else the first attribute, else the first one; the others, and what
    /// is on the way to another place, stand under `$` and their names. So each has a place of its own.
    private func separatePlaces(of properties: inout [PropertyMapping?]) {
        let entity = schema.entities[number]
        let identity = entity.identityParts
        let paths = properties.map { ($0?.path ?? []).map(JSONKeyBytes.init) }
        func comesBefore(_ one: Int, _ other: Int) -> Bool {
            func rank(_ index: Int) -> Int {
                identity.contains(index) ? 0 : entity.properties[index].isAttribute ? 1 : 2
            }
            return (rank(one), one) < (rank(other), other)
        }
        let places = Dictionary(grouping: paths.indices.filter { !paths[$0].isEmpty }) { paths[$0][0] }
        for neighbours in places.values where neighbours.count > 1 {
            for index in neighbours {
                let path = paths[index]
                let isTaken = neighbours.contains { other in
                    other != index && paths[other].starts(with: path)
                        && (paths[other].count > path.count || comesBefore(other, index))
                }
                if isTaken { properties[index]?.move(to: ["$" + entity.properties[index].name]) }
            }
        }
    }

    /// Documents have keys of their own. What would stand under one of them gets another `$` in front, until the key is free; and so
    /// does what the mapping leaves out, where another property has the key that it would get.
    private func makeRoomForKeysOfDocuments(in properties: inout [PropertyMapping?]) {
        var taken = Set(properties.compactMap { $0?.path.first }.map(JSONKeyBytes.init))
        var renamed: [String: String] = [:]
        for (index, property) in schema.entities[number].properties.enumerated() {
            guard let path = properties[index]?.path, let key = path.first else { continue }
            let isOwn = path == ["$" + property.name]
            let isTaken = isOwn && properties.indices.contains { $0 != index && properties[$0]?.path.first == key }
            guard isTaken || DictionaryKey.ofDocuments.contains(key) else { continue }
            var free = key
            if !isOwn, let known = renamed[key] {
                free = known
            } else {
                repeat { free = "$" + free } while !taken.insert(JSONKeyBytes(free)).inserted
                if !isOwn { renamed[key] = free }
            }
            properties[index]?.move(to: [free] + path.dropFirst())
        }
    }

    /// Everything that is wrong with what the entity and its properties say.
    func problems() -> [GraftError] {
        let byName = entity.partsByName
        var problems: [GraftError] = []
        func note(_ body: () throws -> Void) {
            do { try body() } catch { problems.append(CoreDataErrors.graftError(error)) }
        }
        for property in schema.entities[number].properties {
            guard let description = byName[property.name] else { continue }
            note { _ = try compiler.mapping(of: property, description) }
        }
        note { _ = try IdentityDeclaration(of: entity, rules) }
        var builder = KeyTreeBuilder()
        var mapping = EntityMapping(dialect: .graft, isAnnotated: false, properties: [], keys: builder.tree([]))
        for step in steps { note { try step(&mapping) } }
        return problems
    }

    // MARK: What concerns the entity itself

    /// What is said of the entity, each part by itself: one may be wrong, and the others not.
    private var steps: [(inout EntityMapping) throws -> Void] {
        [
            { if let path = said.rootKeyPath { $0.rootPath = try keys(path, Annotation.rootKeyPath) } },
            { mapping in
                if let path = said.deletedListKeyPath {
                    mapping.deletedListPath = try keys(path, Annotation.deletedListKeyPath)
                }
                guard let path = said.deletedKey else { return }
                let values = said.deletedValue?.split(separator: ",").map { $0.trimmingPrefix(" ") }.map(String.init)
                mapping.tombstone = .init(path: try keys(path, Annotation.deletedKey), values: values ?? [])
            },
            { mapping in
                mapping.collectionForm = said.collectionForm ?? .array
                mapping.entityChangePolicy = said.entityChangePolicy ?? .keep
                mapping.entityValue = Self.value(of: entity, rules)
                if said.orphanPolicy == .delete {
                    let orphans = EntityMapping.Orphans(predicate: said.orphanPredicate)
                    _ = try orphans.predicate(of: entity)
                    mapping.orphans = orphans
                }
                mapping.deletionLimit = said.deletionLimit
            },
            { $0.version = try said.versionAttribute.map(versionNumber) },
            { $0.entityMapper = try transformer(said.entityMapperName, Annotation.entityMapperName) },
            {
                $0.dictionaryTransformer = try transformer(
                    said.dictionaryTransformerName, Annotation.dictionaryTransformerName)
            },
            { mapping in
                guard let path = said.entityKey else { return }
                let keys = try keys(path, Annotation.entityKey)
                mapping.entityKeyPath = keys
                guard schema.entities[number].end > number + 1 else { return }
                mapping.discriminator = .init(
                    path: keys, entities: try values(), unknown: said.unknownEntityPolicy ?? .base)
            },
        ]
    }

    /// The entities from this one down by what the discriminating key has for them.
    private func values() throws -> [String: Int] {
        var values: [String: Int] = [:]
        for candidate in number..<schema.entities[number].end {
            guard let description = descriptions[schema.entities[candidate].name] else { continue }
            let value = Self.value(of: description, rules)
            if let other = values.updateValue(candidate, forKey: value) {
                throw invalid(
                    "\(Annotation.entityValue) is '\(value)' for '\(schema.entities[other].name)' and for "
                        + "'\(schema.entities[candidate].name)'",
                    "Give each entity a value of its own.")
            }
        }
        return values
    }

    private static func value(of entity: NSEntityDescription, _ rules: MappingRules) -> String {
        rules.own(entity).entityValue ?? entity.name ?? ""
    }

    private func versionNumber(_ name: String) throws -> Int {
        let properties = schema.entities[number].properties
        guard let found = schema.entities[number].number(ofProperty: name) else {
            let closest = NameSuggestion.closest(to: name, among: properties.filter(\.isAttribute).map(\.name))
            throw invalid(
                "\(Annotation.versionAttribute) names '\(name)', which is no attribute of the entity",
                closest.map { "Did you mean '\($0)'?" } ?? "Name an attribute.")
        }
        switch properties[found].attributeKind {
        case .integer16, .integer32, .integer64, .double, .decimal, .date, .string: return found
        default:
            throw invalid(
                "\(Annotation.versionAttribute) names '\(name)', whose values have no order",
                "Name an attribute with a number, a date or a text.")
        }
    }

    private func keys(_ path: String, _ annotation: String) throws -> [String] {
        if let source = SourcePath(path), source.origin == .object { return source.keys }
        throw invalid("\(annotation) '\(path)' isn't a key path", "Name a key for each step.")
    }

    private func transformer(_ name: String?, _ annotation: String) throws -> NamedTransformer? {
        try name.map { try NamedTransformer(registered: $0, annotation, at: .init(entity: entity.name)) }
    }

    private func invalid(_ reason: String, _ remedy: String) -> GraftError {
        GraftError(.invalidMapping(reason: reason, remedy: remedy), at: .init(entity: entity.name))
    }
}

extension PropertyMapping {
    fileprivate mutating func move(to path: [String]) {
        self.path = path
        sources = [SourcePath(keys: path)]
    }
}

extension GraphSchema.Property {
    /// What the reader does with the property's value.
    var role: KeyTree.Role {
        switch kind {
        case .attribute: .attribute
        case .toOne: .toOne
        case .toMany: .toMany
        }
    }
}
