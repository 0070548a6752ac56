// Whether the relationships of a model's source are each other's inverses. The runtime checks it, too, with all else
// (Sources/CoreData/Model/Checking/ModelCheck+Relationships.swift), but not before the program runs.

import ModelDocuments

/// The relationships of one version of a model.
struct InverseCheck {
    private struct Found {
        let relationship: XMLElementNode
        /// The entity that declares it.
        let owner: String
        var text: String { "\(owner).\(relationship["name"] ?? "")" }
    }

    private let entities: [String: XMLElementNode]

    /// - Parameter root: A `<model>`.
    init(_ root: XMLElementNode) {
        entities = Dictionary(root.children(named: "entity").map { ($0["name"] ?? "", $0) }) { first, _ in first }
    }

    /// What is wrong with a relationship's inverse; nil where nothing is, or the inverse's own line says so.
    func problem(of relationship: XMLElementNode) -> String? {
        guard let name = relationship["inverseName"] else { return nil }
        guard let inverse = inverse(of: relationship) else {
            let owner = Self.inverseOwner(of: relationship)
            return "'\(owner)' has no relationship '\(name)', which should be the inverse. Correct the inverse."
        }
        let back = self.inverse(of: inverse.relationship)
        if back == nil, inverse.relationship["inverseName"] != nil { return nil }
        guard back?.relationship === relationship else {
            return "the inverse is '\(inverse.text)', and its inverse is \(back.map { "'\($0.text)'" } ?? "not set"). "
                + "Make the two each other's inverse."
        }
        let destination = relationship["destinationEntity"] ?? ""
        guard lineage(of: destination).contains(where: { $0["name"] == inverse.owner }) else {
            return "the inverse '\(inverse.text)' isn't a relationship of the destination '\(destination)'. "
                + "Correct the destination or the inverse."
        }
        return nil
    }

    private static func inverseOwner(of relationship: XMLElementNode) -> String {
        relationship["inverseEntity"] ?? relationship["destinationEntity"] ?? ""
    }

    private func inverse(of relationship: XMLElementNode) -> Found? {
        guard let name = relationship["inverseName"] else { return nil }
        for entity in lineage(of: Self.inverseOwner(of: relationship)) {
            let found = entity.children(named: "relationship").first { $0["name"] == name }
            if let found { return Found(relationship: found, owner: entity["name"] ?? "") }
        }
        return nil
    }

    /// The entity and those that it inherits from.
    private func lineage(of name: String) -> [XMLElementNode] {
        var lineage: [XMLElementNode] = []
        var next = entities[name]
        while let entity = next, !lineage.contains(where: { $0 === entity }) {
            lineage.append(entity)
            next = entity["parentEntity"].flatMap { entities[$0] }
        }
        return lineage
    }
}
