// Plain values in the archive of a model: user info, default values, constants.

import Foundation

extension ModelArchiver {
    private static let deepest = 32

    /// Adds a plain value; nil becomes `$null`.
    ///
    /// - Parameter setting: What the value belongs to, for the error.
    mutating func add(plain value: Any?, setting: String) throws -> PropertyListValue {
        if isLenient, !canArchive({ try $0.add(plain: value, deepest: Self.deepest) }) {
            return KeyedArchiveBuilder.null
        }
        return try locating(setting) { try $0.add(plain: value, deepest: Self.deepest) }
    }

    /// Adds a dictionary with texts as keys, sorted by key.
    mutating func add(plainDictionary dictionary: [AnyHashable: Any], setting: String) throws -> PropertyListValue {
        var plain = dictionary
        if isLenient {
            plain = dictionary.filter { entry in
                canArchive { try $0.add(plainDictionary: [entry.key: entry.value], deepest: Self.deepest) }
            }
        }
        return try locating(setting) { try $0.add(plainDictionary: plain, deepest: Self.deepest) }
    }

    /// Whether something can be archived. It is tried in an archive of its own: to take it back out of this one, all of it would have to
    /// be copied before.
    private func canArchive(_ add: (inout KeyedArchiveBuilder) throws -> PropertyListValue) -> Bool {
        var trial = KeyedArchiveBuilder()
        return (try? add(&trial)) != nil
    }

    private mutating func locating(
        _ setting: String, _ add: (inout KeyedArchiveBuilder) throws -> PropertyListValue
    ) throws -> PropertyListValue {
        do {
            return try add(&builder)
        } catch let failure as UnarchivableValue {
            throw unarchivable(failure, setting)
        }
    }

    private func unarchivable(_ failure: UnarchivableValue, _ setting: String) -> ModelError {
        let setting = failure.keys.reduce(setting) { "\($0) '\($1)'" }
        return error(
            .badValue(
                of: setting, text: failure.text,
                expected: "a text, number, date, data, UUID, URL, or a list or dictionary of them, with texts as keys"))
    }
}
