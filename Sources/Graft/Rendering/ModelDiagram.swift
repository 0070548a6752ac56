// A model as a picture: what is in it, in the order of names. The renderings are in +Mermaid and +Dot.

public import CoreData

/// The entities of a model with their attributes, inheritance and relationships, for people.
///
/// A relationship and its inverse are one link. Neither rendering needs anything but this package; Graphviz makes pictures of
/// ``dot``.
public struct ModelDiagram: Sendable {
    struct Entity: Sendable {
        var name: String
        var superentity: String?
        var isAbstract: Bool
        var attributes: [Attribute]
        /// The attributes that aren't shown.
        var hiddenCount = 0
    }

    struct Attribute: Sendable {
        var name: String
        var type: String
        var isOptional: Bool
    }

    /// One direction of a link.
    struct End: Sendable {
        var name: String
        /// How many objects it leads to: `0..1`, `1..*`.
        var count: String
        var isOrdered: Bool
        var deleteRule: NSDeleteRule

        /// Whether the objects that it leads to are deleted with their owner.
        var isOwning: Bool { deleteRule == .cascadeDeleteRule }

        /// The name, with what isn't usual: `powers (ordered, Cascade)`.
        var words: String {
            let rule: String? =
                switch deleteRule {
                case .cascadeDeleteRule: "Cascade"
                case .denyDeleteRule: "Deny"
                case .noActionDeleteRule: "No Action"
                default: nil
                }
            let remarks = [isOrdered ? "ordered" : nil, rule].compactMap { $0 }
            return remarks.isEmpty ? name : "\(name) (\(remarks.joined(separator: ", ")))"
        }
    }

    struct Link: Sendable {
        var source: String
        var destination: String
        var forward: End
        /// Nil for a relationship without inverse.
        var backward: End?

        /// Whether both directions are one relationship, such as the spouse of a person.
        var isItsOwnInverse: Bool { source == destination && forward.name == backward?.name }

        /// The names of both directions.
        var words: String { forward.words + (backward.map { " / \($0.words)" } ?? "") }
    }

    let entities: [Entity]
    let links: [Link]

    /// Takes what a diagram shows from a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - attributeLimit: How many attributes of an entity are shown; the rest is counted. Nil for all.
    public init(_ model: NSManagedObjectModel, attributeLimit: Int? = nil) {
        let sorted = model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        entities = sorted.map { Entity($0, attributeLimit) }
        links = sorted.flatMap { entity in
            entity.sortedDeclaredProperties.compactMap { $0 as? NSRelationshipDescription }
                .compactMap { Link($0, of: entity) }
        }
    }
}

extension ModelDiagram.Entity {
    init(_ entity: NSEntityDescription, _ limit: Int?) {
        name = entity.name ?? ""
        superentity = entity.superentity?.name
        isAbstract = entity.isAbstract
        let all = entity.declaredParts.sorted { $0.name < $1.name }.compactMap { part in
            (part.property as? NSAttributeDescription).map {
                ModelDiagram.Attribute(
                    name: part.name, type: AttributeKind($0).modelName, isOptional: part.isOptional)
            }
        }
        attributes = Array(all.prefix(limit ?? all.count))
        hiddenCount = all.count - attributes.count
    }
}

extension ModelDiagram.End {
    init(_ relationship: NSRelationshipDescription) {
        name = relationship.name
        let minimum = relationship.isOptional ? 0 : max(1, relationship.minCount)
        let maximum = relationship.maxCount > 0 ? "\(relationship.maxCount)" : "*"
        count = "\(minimum)" == maximum ? maximum : "\(minimum)..\(maximum)"
        isOrdered = relationship.isOrdered
        deleteRule = relationship.deleteRule
    }
}

extension ModelDiagram.Link {
    /// Nil where the inverse stands for both.
    init?(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
        guard let destination = relationship.destinationEntity?.name, let source = entity.name else { return nil }
        let inverse = relationship.inverseRelationship
        forward = ModelDiagram.End(relationship)
        backward = inverse.map { ModelDiagram.End($0) }
        self.source = source
        self.destination = destination
        guard let inverse, let backward, inverse !== relationship else { return }
        // The owner's side comes first, then the name that does.
        if forward.isOwning != backward.isOwning {
            if backward.isOwning { return nil }
        } else if (destination, inverse.name) < (source, relationship.name) {
            return nil
        }
    }
}
