// From the entities and properties of an archive to those of a model, and what of them differs.

import CoreData
import Foundation

/// Where a model has the contents of an archive.
struct ArchiveModelMatch {
    struct Entity {
        /// The entity's number in the schema.
        var number: Int
        /// The properties by column of the archive: numbers in the schema; nil where the model has no place for them.
        var attributes: [Int?]
        var toOnes: [Int?]
        var toManys: [Int?]
        /// The columns of the identifying attributes; empty where the archive doesn't have them all.
        var identityColumns: [Int]

        /// Whether the archive's objects say themselves whatever identifies them. Nobody says whose they are where it has their owners'
        /// side instead.
        func tells(_ identity: [Int], of entity: GraphSchema.Entity) -> Bool {
            identity.allSatisfy { entity.properties[$0].isAttribute || toOnes.contains($0) }
        }
    }

    let schema: GraphSchema
    let archived: [ArchiveEntity]
    /// Parallel to the archive's entities; nil where the model has no place for their objects.
    private(set) var entities: [Entity?] = []
    /// By entity of the schema: the properties that the archive has of its objects or those of a sub-entity.
    private var said: [Set<Int>]
    /// One phrase for what has no place.
    private(set) var misfits: [String] = []

    /// - Throws: ``GraftError`` with `otherModel` where the models differ more than they may.
    init(
        _ header: GraphArchive.Header, _ schema: GraphSchema, _ model: NSManagedObjectModel, fit: GraphArchive.ModelFit
    ) throws {
        self.schema = schema
        archived = try header.archiveEntities()
        said = schema.entities.map { _ in [] }
        for (index, entity) in archived.enumerated() { entities.append(match(entity, header.entities[index])) }
        let differences = fit == .exact ? Self.differences(header, schema, model, misfits) : misfits
        guard fit == .partial || differences.isEmpty else {
            throw GraftError(.otherModel(differences: differences))
        }
    }

    /// Whether the archive says both ends of a one-to-one relationship: then each of them may be said without the other.
    func saysBothEnds(of property: GraphSchema.Property) -> Bool {
        guard schema.isOneToOne(property), let destination = property.destination, let inverse = property.inverse else {
            return false
        }
        return says(inverse, of: destination)
    }

    /// What of the archive becomes what a context's store keeps of it.
    func rounding(in context: NSManagedObjectContext) -> Rounding {
        var found: Rounding = []
        for item in archived.flatMap(\.items) {
            if case .attribute(let kind) = item.form { found.formUnion(Rounding(of: kind)) }
        }
        return context.rounding.intersection(found)
    }

    /// Whether the archive says a property of an entity's objects itself.
    func says(_ property: Int, of entity: Int) -> Bool { said[entity].contains(property) }

    /// The entities with other version hashes, and what of the archive has no place.
    private static func differences(
        _ header: GraphArchive.Header, _ schema: GraphSchema, _ model: NSManagedObjectModel, _ misfits: [String]
    ) -> [String] {
        let hashes = model.entityVersionHashesByName
        var differences: [String] = []
        for entity in header.entities {
            guard let hash = hashes[entity.name], let number = schema.number(ofEntity: entity.name) else { continue }
            // With derived attributes the hash can't always be computed; then the properties have to do.
            let isDerived = schema.entities[number].properties.contains(where: \.isDerived)
            if hash != entity.versionHash, !isDerived { differences.append("entity '\(entity.name)' differs") }
        }
        let names = Set(header.entities.map(\.name))
        for entity in schema.entities.map(\.name).sorted() where !names.contains(entity) {
            differences.append("entity '\(entity)' isn't in the archive")
        }
        return differences + misfits
    }

    private mutating func match(_ entity: ArchiveEntity, _ header: GraphArchive.Header.Entity) -> Entity? {
        guard let number = schema.number(ofEntity: entity.name) else {
            misfits.append("entity '\(entity.name)' isn't in the model (objects: \(header.objectCount))")
            return nil
        }
        if schema.entities[number].isAbstract, header.objectCount > 0 {
            misfits.append("entity '\(entity.name)' is abstract in the model")
            return nil
        }
        var match = Entity(number: number, attributes: [], toOnes: [], toManys: [], identityColumns: [])
        for item in entity.items {
            if item.name == ArchiveEntity.rowKey {
                match.attributes.append(nil)
                continue
            }
            let property = property(item, of: number)
            if let property { note(property, of: number) }
            switch item.form {
            case .attribute: match.attributes.append(property)
            case .toOne: match.toOnes.append(property)
            case .toMany: match.toManys.append(property)
            }
        }
        let identity = schema.entities[number].identity.compactMap { match.attributes.firstIndex(of: $0) }
        if identity.count == schema.entities[number].identity.count { match.identityColumns = identity }
        return match
    }

    private mutating func note(_ property: Int, of entity: Int) {
        var ancestor: Int? = entity
        while let next = ancestor {
            said[next].insert(property)
            ancestor = schema.entities[next].parent
        }
    }

    private mutating func property(_ item: ArchiveEntity.Item, of entity: Int) -> Int? {
        let name = "\(schema.entities[entity].name).\(item.name)"
        guard let number = schema.entities[entity].number(ofProperty: item.name) else {
            misfits.append("'\(name)' isn't in the model")
            return nil
        }
        let property = schema.entities[entity].properties[number]
        switch (item.form, property.kind) {
        case (.attribute(let archived), .attribute(let kind)):
            if property.isDerived { return nil }
            if kind == archived || archived.isNarrower(than: kind) { return number }
            misfits.append("'\(name)' is \(kind) in the model and \(archived) in the archive")
        case (.toOne, .toOne(let destination)), (.toMany, .toMany(let destination, _)):
            if schema.entities[destination].name == item.destination { return number }
            misfits.append("'\(name)' leads to another entity")
        default: misfits.append("'\(name)' is another kind of property")
        }
        return nil
    }
}

extension AttributeKind {
    /// Whether another kind can hold every value of this one.
    func isNarrower(than other: AttributeKind) -> Bool {
        switch (self, other) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.float, .double): true
        default: false
        }
    }
}
