// The errors of migrations: Core Data's codes and keys, with the differences between the versions in words.

import Foundation

/// Makes the errors of one store's migration.
package struct MigrationErrors {
    package let source: URL
    package let destination: URL

    /// A migration in place.
    package init(store: URL) { self.init(source: store, destination: store) }

    init(source: URL, destination: URL) {
        self.source = source
        self.destination = destination
    }

    private func make(
        _ code: CocoaError.Code, _ text: String, reason: String, _ more: [String: Any] = [:]
    ) -> CocoaError {
        var userInfo: [String: Any] = [
            "reason": reason, "sourceURL": source, "destinationURL": destination, NSFilePathErrorKey: source.path,
        ]
        userInfo.merge(more) { _, new in new }
        return CoreDataError.make(code, text, userInfo: userInfo)
    }

    /// The store was made with another version, and nobody has allowed a migration.
    ///
    /// - Parameters:
    ///   - error: What opening the store gave.
    ///   - differences: Of the model that the store was made with; nil where that wasn't found.
    static func notAllowed(_ error: CocoaError, differences: [ModelDifference]?) -> CocoaError {
        guard let differences, !differences.isEmpty else { return error }
        var userInfo = (error as NSError).userInfo
        userInfo["modelDifferences"] = differences.map(\.description)
        let text =
            "\(error.localizedDescription) From the store's model to this one: \(words(differences)). A migration has to be "
            + "asked for: by the options of the store, or with graft migrate."
        return CoreDataError.make(error.code, text, userInfo: userInfo)
    }

    func missingSourceModel(searched: [String]) -> CocoaError {
        let places = searched.isEmpty ? "nowhere" : "in \(searched.joined(separator: ", "))"
        return make(
            .migrationMissingSourceModel,
            "The store \(source.storeName) can't be migrated: the model that it was made with wasn't found. Searched "
                + "\(places). Put that version beside the model (.momd, .xcdatamodeld).",
            reason: "Can't find model for source store")
    }

    /// - Parameter underlying: Why none could be inferred; nil where that wasn't asked for.
    package func missingMapping(
        _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel, underlying: CocoaError?
    ) -> CocoaError {
        if let underlying, let error = missingValues(source, destination, underlying) { return error }
        var more: [String: Any] = ["sourceModel": source, "destinationModel": destination]
        var text = "The store \(self.source.storeName) can't be migrated: "
        if let underlying {
            let info = (underlying as NSError).userInfo
            for key in ["differences", "obstacles", "entity", "property"] { more[key] = info[key] }
            more[NSUnderlyingErrorKey] = underlying as NSError
            text += underlying.localizedDescription
        } else {
            text +=
                "there is no mapping model. Set NSInferMappingModelAutomaticallyOption, or migrate with an "
                + "NSMigrationManager and a mapping model of your own."
        }
        return make(
            .migrationMissingMappingModel, text,
            reason: "Can't find or automatically infer mapping model for migration", more)
    }

    /// Nothing is in the way but values that existing objects lack. Observed: Core Data finds a mapping then, and the migration in place
    /// fails with an error of its own (iOS 10).
    private func missingValues(
        _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel, _ underlying: CocoaError
    ) -> CocoaError? {
        let obstacles = ModelMatching(source: source, destination: destination).differences()
            .filter { $0.obstacle != nil }
        guard let first = obstacles.first, obstacles.allSatisfy({ $0.obstacle == .noDefault }) else { return nil }
        let reason = first.obstacle?.reason ?? ""
        var more = (underlying as NSError).userInfo
        more["reason"] = nil
        more[NSUnderlyingErrorKey] = NSError(
            domain: NSCocoaErrorDomain, code: NSMigrationError,
            userInfo: ["entity": first.entity, "attribute": first.property ?? "", "reason": reason])
        return make(
            .migration, "The store \(self.source.storeName) can't be migrated: \(underlying.localizedDescription)",
            reason: "Cannot migrate store in-place: \(reason)", more)
    }

    /// No mapping between two versions can be inferred.
    static func notInferable(_ differences: [ModelDifference]) -> CocoaError {
        let obstacles = differences.filter { $0.obstacle != nil }
        var userInfo: [String: Any] = [
            "differences": differences.map(\.description), "obstacles": obstacles.map(\.description),
            "reason": obstacles.first?.obstacle?.reason ?? "",
        ]
        if let first = obstacles.first {
            userInfo["entity"] = first.entity
            userInfo["property"] = first.property
        }
        return CoreDataError.make(
            .inferredMappingModel,
            "no mapping can be inferred from the older version of the model to the newer one. In the way: "
                + "\(words(obstacles)). All differences: \(words(differences)).", userInfo: userInfo)
    }

    /// What a migration found in the rows.
    func badData(_ findings: [String], reason: String) -> CocoaError {
        make(
            .migration,
            "The store \(source.storeName) can't be migrated, and is as it was: \(findings.joined(separator: "; ")).",
            reason: "Cannot migrate store in-place: \(reason)", ["findings": findings])
    }

    /// What to do about links that lead nowhere.
    static let checkRemedy = "graft check lists them, and graft check --repair takes out those that lead nowhere"

    /// Rows that a uniqueness constraint of the newer version forbids.
    func constraintViolated(_ constraint: SQLUniquenessConstraint, examples: [String], count: Int) -> CocoaError {
        let names = constraint.properties.joined(separator: ", ")
        return make(
            .migrationConstraintViolation,
            "The store \(source.storeName) can't be migrated, and is as it was: the objects of entity "
                + "'\(constraint.entity.name)' have to differ in (\(names)), but \(count) combination(s) occur more than "
                + "once, for instance in \(examples.joined(separator: " and ")). Make them differ, or drop the constraint.",
            reason: "Cannot migrate store in-place: constraint violation during attempted migration",
            ["entity": constraint.entity.name, "constraint": constraint.properties])
    }

    /// The line for standard error about links that no object has; nil where there are none.
    func linksOfNoObject(_ count: Int, first: String) -> String? {
        if count == 0 { return nil }
        let found = count == 1 ? "1 link that is no object's" : "\(count) links that are no object's, the first of them"
        return "CoreData: warning: The migration of \(source.path) has left out \(found): \(first)."
    }

    /// The line for standard error about values that were to come into their rows and have no file; nil where all have one.
    func missingFiles(_ missing: (count: Int, first: String)) -> String? {
        if missing.count == 0 { return nil }
        let found =
            missing.count == 1
            ? "1 value whose file isn't there" : "\(missing.count) values whose files aren't there, the first"
        return "CoreData: warning: The migration of \(source.path) has left out \(found): \(missing.first). Bring the "
            + "file back into a copy of before, and migrate that, if it is needed."
    }

    /// The line for standard error about what others had put on the store's tables; nil where all of it is there.
    func leftOut(_ items: [String]) -> String? {
        if items.isEmpty { return nil }
        return "CoreData: warning: The migration of \(source.path) has left out what doesn't fit the new tables: "
            + "\(items.joined(separator: ", ")). Make it anew for them."
    }

    /// A migration that failed for another reason.
    func failed(_ error: any Error) -> any Error {
        let translated = SQLiteErrors(path: source.path).translated(error, .saving)
        let code = (translated as? CocoaError)?.code.rawValue ?? 0
        // The migration's own errors say it all.
        if (NSMigrationError...NSInferredMappingModelError).contains(code), code != NSSQLiteError { return translated }
        return make(
            .migration,
            "The store \(source.storeName) can't be migrated, and is as it was. \(translated.localizedDescription)",
            reason: "Cannot migrate store in-place: an error occurred", [NSUnderlyingErrorKey: translated as NSError])
    }

    /// At most twenty, one after the other.
    private static func words(_ differences: [ModelDifference]) -> String {
        let shown = differences.prefix(20).map(\.description).joined(separator: "; ")
        return differences.count > 20 ? "\(shown); and \(differences.count - 20) more" : shown
    }
}
