// The yes-or-no settings of archived fetch requests. Core Data packs them into one number (`NSFetchRequestFlags`) whose bits
// no archive at hand shows. So they have keys of ours, which Core Data ignores; it then takes its defaults. Of a request
// that Core Data archived, these settings are the defaults here.

import Foundation

/// A setting of fetch requests with its default and its key.
struct ArchivedRequestFlag {
    let key: String
    let standard: Bool
    let path: ReferenceWritableKeyPath<NSFetchRequest<any NSFetchRequestResult>, Bool>

    static var all: [ArchivedRequestFlag] {
        [
            .init(key: "GraftIncludesSubentities", standard: true, path: \.includesSubentities),
            .init(key: "GraftIncludesPropertyValues", standard: true, path: \.includesPropertyValues),
            .init(key: "GraftReturnsObjectsAsFaults", standard: true, path: \.returnsObjectsAsFaults),
            .init(key: "GraftReturnsDistinctResults", standard: false, path: \.returnsDistinctResults),
            .init(key: "GraftIncludesPendingChanges", standard: true, path: \.state.includesPendingChanges),
            .init(key: "GraftRefreshesRefetchedObjects", standard: false, path: \.shouldRefreshRefetchedObjects),
        ]
    }

    /// The settings that aren't the defaults.
    static func fields(of request: NSFetchRequest<any NSFetchRequestResult>) -> [KeyedArchiveBuilder.Field] {
        all.filter { request[keyPath: $0.path] != $0.standard }.map { flag in
            KeyedArchiveBuilder.Field(flag.key, .boolean(request[keyPath: flag.path]))
        }
    }

    static func set(
        _ request: NSFetchRequest<any NSFetchRequestResult>, from object: KeyedArchive.Object, in archive: KeyedArchive
    ) throws(KeyedArchive.Damage) {
        for flag in all where object[flag.key] != nil {
            request[keyPath: flag.path] = try archive.flag(object[flag.key])
        }
    }
}
