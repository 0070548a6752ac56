// A model in the making: what the planner has decided, before it becomes descriptions (+Model) and a document (+Document).

import CoreData

/// A model as values.
struct ModelDraft {
    struct Entity {
        var name: String
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        /// The name of the identifying attribute.
        var identity: String?
    }

    struct Attribute {
        var name: String
        var keyPath: String
        var kind: AttributeKind
        var dateFormat: MappingOptions.DateFormat?
        var isOptional: Bool
        /// Whether an absent value is written as null; false where the data leaves the key out.
        var exportsNull = true
    }

    struct Relationship {
        var name: String
        /// Nil for an inverse, which has no place in the data.
        var keyPath: String?
        var destination: Int
        var inverse: String
        var isToMany: Bool
        /// Arrays have an order, and so have the relationships made from them.
        var isOrdered = false
        var deleteRule = NSDeleteRule.nullifyDeleteRule
        var isByIdentifier = false
        var exportsNull = true
    }

    var entities: [Entity] = []
}

extension ModelDraft.Entity {
    var userInfo: [String: String] { identity.map { [Annotation.identityAttributes: $0] } ?? [:] }
}

extension ModelDraft.Attribute {
    var userInfo: [String: String] {
        var info = [Annotation.keyPath: keyPath]
        if let dateFormat, dateFormat != .iso8601 { info[Annotation.dateFormat] = dateFormat.description }
        if !exportsNull { info[Annotation.exportsNull] = "NO" }
        return info
    }

    /// Whatever JSON can be is kept as an archive of plain values.
    var transformerName: String? {
        kind == .transformable ? NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue : nil
    }
}

extension ModelDraft.Relationship {
    var userInfo: [String: String] {
        guard let keyPath else { return [:] }
        var info = [Annotation.keyPath: keyPath]
        if isByIdentifier { info[Annotation.exportForm] = ExportOptions.RelationshipForm.identifier.rawValue }
        if !exportsNull { info[Annotation.exportsNull] = "NO" }
        return info
    }
}
