// Plain values in the archive of a model: user info, default values, constants.

import Foundation

extension ModelArchiver {
    private static let deepest = 32

    /// Adds a plain value; nil becomes `$null`.
    ///
    /// - Parameter setting: What the value belongs to, for the error.
    mutating func add(plain value: Any?, setting: String) throws -> PropertyListValue {
        let before = builder
        do {
            return try builder.add(plain: value, deepest: Self.deepest)
        } catch let failure as UnarchivableValue {
            guard isLenient else { throw unarchivable(failure, setting) }
            builder = before
            return KeyedArchiveBuilder.null
        }
    }

    /// Adds a dictionary with texts as keys, sorted by key.
    mutating func add(plainDictionary dictionary: [AnyHashable: Any], setting: String) throws -> PropertyListValue {
        let before = builder
        do {
            return try builder.add(plainDictionary: dictionary, deepest: Self.deepest)
        } catch let failure as UnarchivableValue {
            guard isLenient else { throw unarchivable(failure, setting) }
            builder = before
            return try builder.add(plainDictionary: dictionary.filter(isPlain), deepest: Self.deepest)
        }
    }

    /// Whether an entry of user info can be archived.
    private func isPlain(_ entry: (key: AnyHashable, value: Any)) -> Bool {
        var trial = builder
        return (try? trial.add(plainDictionary: [entry.key: entry.value], deepest: Self.deepest)) != nil
    }

    private func unarchivable(_ failure: UnarchivableValue, _ setting: String) -> ModelError {
        let setting = failure.keys.reduce(setting) { "\($0) '\($1)'" }
        return error(
            .badValue(
                of: setting, text: failure.text,
                expected: "a text, number, date, data, UUID, URL, or a list or dictionary of them, with texts as keys"))
    }
}
