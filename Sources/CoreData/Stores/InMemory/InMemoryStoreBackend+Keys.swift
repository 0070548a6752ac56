// Keys that an entity doesn't have, in predicates of the in-memory store: an error, as in SQL, where evaluating would find nil.

import Foundation

extension InMemoryStoreBackend {
    /// - Throws: `CocoaError` (`.persistentStoreOperation`) naming the key, for a predicate with one that no row has.
    func checkKeys(of query: StoreQuery) throws {
        guard let predicate = query.predicate else { return }
        var problem: String?
        let rewriter = TreeRewriter { expression, _ in
            if case .keyPath(let operand, let path) = expression.node, case .evaluatedObject = operand.node {
                problem = problem ?? Self.unknownKey(path, of: query.entity)
            }
            return nil
        }
        _ = rewriter.apply(to: predicate)
        guard let problem else { return }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "The predicate '\(predicate.formatText)' on '\(query.entity.name ?? "")' can't be evaluated: \(problem). Correct "
                + "the key.")
    }

    private static func unknownKey(_ path: KeyPathSteps, of entity: NSEntityDescription) -> String? {
        var current = entity
        for step in path.steps {
            guard case .key(let key) = step, !["objectID", "entity"].contains(key) else { return nil }
            guard let property = property(key, of: current) else {
                return "the property '\(key)' of '\(current.name ?? "")' doesn't exist; it has "
                    + current.propertiesByName.keys.sorted().joined(separator: ", ")
            }
            // What an attribute's value answers to isn't the model's concern.
            guard let destination = (property as? NSRelationshipDescription)?.destinationEntity else { return nil }
            current = destination
        }
        return nil
    }

    /// A property of an entity or of one that inherits from it.
    private static func property(_ name: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
        entity.propertiesByName[name] ?? entity.subentities.lazy.compactMap { property(name, of: $0) }.first
    }
}
