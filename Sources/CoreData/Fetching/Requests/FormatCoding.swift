// Archives of expressions and fetch requests. Foundation's predicates on Linux can't be archived, so predicates go in as
// formats; what has no literal (managed objects, closures) can't go in at all.

package import Foundation

enum FormatCoding {
    static func encode(_ expression: NSExpression, _ coder: NSCoder) {
        coder.encode(ExpressionPrinter.text(of: expression) as NSString, forKey: "format")
    }

    static func decodeExpression(_ coder: NSCoder) -> NSExpression? {
        guard let format = coder.decodeObject(of: NSString.self, forKey: "format") else { return nil }
        do {
            return try NSExpression.parsing(format as String)
        } catch {
            coder.failWithError(error)
            return nil
        }
    }

    static func decodePredicate(_ coder: NSCoder, forKey key: String) throws -> NSPredicate? {
        guard let format = coder.decodeObject(of: NSString.self, forKey: key) else { return nil }
        return try NSPredicate.parsing(format as String)
    }
}

extension FetchRequestState {
    /// A state from an archive; nil, with the coder's error set, for one that can't be read.
    package convenience init?(coder: NSCoder) {
        self.init()
        do {
            predicate = try FormatCoding.decodePredicate(coder, forKey: "predicate")
            havingPredicate = try FormatCoding.decodePredicate(coder, forKey: "havingPredicate")
        } catch {
            coder.failWithError(error)
            return nil
        }
        name = coder.decodeObject(of: NSString.self, forKey: "entityName") as String?
        sortDescriptors = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "sortDescriptors")
            .flatMap { $0 as? [String] }?.compactMap(NSSortDescriptor.fromArchive)
        fetchLimit = coder.decodeInteger(forKey: "fetchLimit")
        fetchOffset = coder.decodeInteger(forKey: "fetchOffset")
        fetchBatchSize = coder.decodeInteger(forKey: "fetchBatchSize")
        resultType = NSFetchRequestResultType(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "resultType")))
        includesSubentities = coder.decodeBool(forKey: "includesSubentities")
        includesPropertyValues = coder.decodeBool(forKey: "includesPropertyValues")
        includesPendingChanges = coder.decodeBool(forKey: "includesPendingChanges")
        returnsObjectsAsFaults = coder.decodeBool(forKey: "returnsObjectsAsFaults")
        returnsDistinctResults = coder.decodeBool(forKey: "returnsDistinctResults")
        shouldRefreshRefetchedObjects = coder.decodeBool(forKey: "shouldRefreshRefetchedObjects")
        relationshipKeyPathsForPrefetching =
            coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "prefetched") as? [String]
        let columns: [AnyClass] = [NSArray.self, NSString.self, NSExpressionDescription.self]
        propertiesToFetch = coder.decodeObject(of: columns, forKey: "propertiesToFetch") as? [Any]
        propertiesToGroupBy = coder.decodeObject(of: columns, forKey: "propertiesToGroupBy") as? [Any]
    }

    /// Writes everything; properties of the model to fetch and to group by as their names.
    package func encode(with coder: NSCoder) {
        coder.encode(entityName as NSString?, forKey: "entityName")
        coder.encode(predicate?.formatText as NSString?, forKey: "predicate")
        coder.encode(havingPredicate?.formatText as NSString?, forKey: "havingPredicate")
        coder.encode(sortDescriptors.map { Self.array($0.compactMap(\.archived)) }, forKey: "sortDescriptors")
        coder.encode(fetchLimit, forKey: "fetchLimit")
        coder.encode(fetchOffset, forKey: "fetchOffset")
        coder.encode(fetchBatchSize, forKey: "fetchBatchSize")
        coder.encode(Int(bitPattern: resultType.rawValue), forKey: "resultType")
        coder.encode(includesSubentities, forKey: "includesSubentities")
        coder.encode(includesPropertyValues, forKey: "includesPropertyValues")
        coder.encode(includesPendingChanges, forKey: "includesPendingChanges")
        coder.encode(returnsObjectsAsFaults, forKey: "returnsObjectsAsFaults")
        coder.encode(returnsDistinctResults, forKey: "returnsDistinctResults")
        coder.encode(shouldRefreshRefetchedObjects, forKey: "shouldRefreshRefetchedObjects")
        coder.encode(relationshipKeyPathsForPrefetching.map(Self.array), forKey: "prefetched")
        coder.encode(propertiesToFetch.map(Self.columns), forKey: "propertiesToFetch")
        coder.encode(propertiesToGroupBy.map(Self.columns), forKey: "propertiesToGroupBy")
    }

    private static func array(_ strings: [String]) -> NSArray { NSArray(array: strings.map { NSString(string: $0) }) }

    /// Names, and what the model doesn't have: computed columns.
    private static func columns(_ properties: [Any]) -> NSArray {
        NSArray(
            array: properties.compactMap { property -> Any? in
                switch property {
                case let expression as NSExpressionDescription: expression
                case let property as NSPropertyDescription: NSString(string: property.name)
                case let name as String: NSString(string: name)
                default: nil
                }
            })
    }
}

extension NSSortDescriptor {
    /// Direction, selector and key, separated by spaces; nil for a descriptor that compares by a closure.
    fileprivate var archived: String? {
        guard let selectorName, let key else { return nil }
        return "\(ascending ? "+" : "-") \(selectorName) \(key)"
    }

    fileprivate static func fromArchive(_ text: String) -> NSSortDescriptor? {
        let parts = text.split(separator: " ", maxSplits: 2)
        guard parts.count == 3 else { return nil }
        return KeyedSortDescriptor(key: String(parts[2]), ascending: parts[0] == "+", selectorName: String(parts[1]))
    }
}
