// From Core Data's description classes to the schema.

import CoreData
import Foundation

extension GraphSchema {
    /// Takes the structure of a model.
    ///
    /// - Parameter options: What code says of its identities.
    /// - Throws: ``GraftError`` with `invalidModel` for an entity or relationship that leads nowhere, `invalidMapping`
    ///   for an identity that isn't made of attributes and to-one relationships.
    convenience init(_ model: NSManagedObjectModel, _ options: MappingOptions = MappingOptions()) throws {
        try self.init(model, MappingRules(model, options))
    }

    /// Takes the structure of a model whose rules have been read.
    convenience init(_ model: NSManagedObjectModel, _ rules: MappingRules) throws {
        var builder = SchemaBuilder(rules: rules)
        try builder.number(model.entities)
        self.init(entities: try builder.described())
    }
}

/// Numbers entities parents first, each generation by name: the order in which the model lists them doesn't matter.
private struct SchemaBuilder {
    private let rules: MappingRules
    private var order: [NSEntityDescription] = []
    private var parents: [Int?] = []
    private var ends: [Int] = []
    private var numbers: [String: Int] = [:]

    init(rules: MappingRules) { self.rules = rules }

    mutating func number(_ entities: [NSEntityDescription]) throws {
        let roots = entities.filter { $0.superentity == nil }
        for root in roots.sorted(by: Self.byName) { try add(root, parent: nil, depth: 0) }
        guard order.count == entities.count else {
            throw GraftError(.invalidModel(reason: "the inheritance of its entities has no beginning"))
        }
    }

    private mutating func add(_ entity: NSEntityDescription, parent: Int?, depth: Int) throws {
        guard let name = entity.name, !name.isEmpty else {
            throw GraftError(.invalidModel(reason: "an entity has no name"))
        }
        guard depth < 256, numbers[name] == nil else {
            throw GraftError(.invalidModel(reason: "the entity '\(name)' occurs twice"), at: .init(entity: name))
        }
        let number = order.count
        numbers[name] = number
        order.append(entity)
        parents.append(parent)
        ends.append(0)
        for child in entity.subentities.sorted(by: Self.byName) { try add(child, parent: number, depth: depth + 1) }
        ends[number] = order.count
    }

    private static func byName(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
        (one.name ?? "").utf8.lexicographicallyPrecedes((other.name ?? "").utf8)
    }

    func described() throws -> [GraphSchema.Entity] {
        let properties = order.map(Self.properties)
        var entities: [GraphSchema.Entity] = []
        for (number, entity) in order.enumerated() {
            var columns = [0, 0, 0]
            var described: [GraphSchema.Property] = []
            for property in properties[number] {
                var made = try self.described(property, in: entity, properties)
                made.column = columns[made.columnKind]
                columns[made.columnKind] += 1
                described.append(made)
            }
            let names = try IdentityDeclaration(of: entity, rules)?.names ?? []
            // Names that are no properties have been refused.
            let all = names.compactMap { name in described.firstIndex { $0.name == name } }
            let isRelated = all.contains { !described[$0].isAttribute }
            let identity = isRelated ? [] : all
            let parent = parents[number]
            let sharesParents =
                parent.map {
                    !all.isEmpty && entities[$0].identity == identity
                        && entities[$0].relatedIdentity == (isRelated ? all : [])
                } ?? false
            entities.append(
                GraphSchema.Entity(
                    name: entity.name ?? "", parent: parent, end: ends[number], isAbstract: entity.isAbstract,
                    properties: described, identity: identity, relatedIdentity: isRelated ? all : [],
                    identitySpace: sharesParents ? parent.map { entities[$0].identitySpace } ?? number : number,
                    uniqueness: Self.uniqueness(of: entity, described)))
        }
        return entities
    }

    /// The uniqueness constraints that consist of attributes, those of super-entities first.
    private static func uniqueness(
        of entity: NSEntityDescription, _ properties: [GraphSchema.Property]
    ) -> [[Int]] {
        var constraints: [[Int]] = []
        for constraint in entity.lineage.reversed().flatMap(\.uniquenessConstraints) {
            let names = constraint.map { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
            let numbers = names.compactMap { name in
                properties.firstIndex { $0.name == name && $0.isAttribute }
            }
            if numbers.count == names.count, !numbers.isEmpty, !constraints.contains(numbers) {
                constraints.append(numbers)
            }
        }
        return constraints
    }

    /// The properties that have values, those of super-entities first.
    private static func properties(of entity: NSEntityDescription) -> [PropertyPart] {
        return entity.lineage.reversed().flatMap(\.declaredParts).filter {
            $0.property is NSAttributeDescription || $0.property is NSRelationshipDescription
        }
    }

    private func described(
        _ part: PropertyPart, in entity: NSEntityDescription, _ properties: [[PropertyPart]]
    ) throws -> GraphSchema.Property {
        let property = part.property
        var made = GraphSchema.Property(
            name: part.name, kind: .toOne(0), column: 0, isOptional: part.isOptional,
            isTransient: part.whole.isTransient)
        made.diffRole = try diffRole(of: part.whole, in: entity)
        guard let relationship = property as? NSRelationshipDescription else {
            made.kind = .attribute((property as? NSAttributeDescription).map(AttributeKind.init) ?? .transformable)
            made.isDerived = property is NSDerivedAttributeDescription
            return made
        }
        guard let name = relationship.destinationEntity?.name, let destination = numbers[name] else {
            throw GraftError(
                .invalidModel(reason: "a relationship has no destination"),
                at: .init(entity: entity.name, property: property.name))
        }
        made.kind =
            relationship.isToMany ? .toMany(destination, isOrdered: relationship.isOrdered) : .toOne(destination)
        made.isOwning = relationship.deleteRule == .cascadeDeleteRule
        made.isDenying = relationship.deleteRule == .denyDeleteRule
        if relationship.isToMany {
            made.minimumCount = relationship.minCount > 0 ? relationship.minCount : nil
            made.maximumCount = relationship.maxCount > 1 ? relationship.maxCount : nil
        }
        made.inverse = relationship.inverseRelationship.flatMap { inverse in
            properties[destination].firstIndex { $0.name == inverse.name }
        }
        return made
    }

    private func diffRole(
        of property: NSPropertyDescription, in entity: NSEntityDescription
    ) throws -> GraphSchema.DiffRole? {
        guard let text = Annotation.text(Annotation.diffRole, of: property.userInfo) else { return nil }
        if let role = GraphSchema.DiffRole(rawValue: text) { return role }
        throw GraftError(
            .invalidMapping(
                reason: "\(Annotation.diffRole) is '\(text)'",
                remedy: "It is one of \(GraphSchema.DiffRole.allCases.map(\.rawValue).joined(separator: ", "))."),
            at: .init(entity: entity.name, property: property.name))
    }
}
