// What an import couldn't take, as data that can be kept and shown: one entry for each value or object.

public import Foundation

extension ImportReport {
    /// One thing in the data that an import couldn't take.
    public struct Failure: Sendable, Hashable, Codable {
        /// The name of the text.
        public var source: String?
        /// The number of the record in its text, from 0.
        public var record: Int?
        /// Where the value is, such as `$[3].powers[0].id` (RFC 9535).
        public var path: String?
        /// The line, from 1.
        public var line: Int?
        /// The column, from 1, in UTF-8 bytes.
        public var column: Int?
        /// The entity of the object.
        public var entity: String?
        /// The property that the value is for.
        public var property: String?
        /// The value, as far as it is one value that is wrong.
        public var value: String?
        /// What the model expects in its place.
        public var expected: String?
        /// Core Data's error code, where a rule of the model is broken.
        public var code: Int?
        /// The whole in one line, with what to do about it.
        public var message: String

        init(_ error: GraftError, record: Int?) {
            source = error.place.source
            path = error.place.path.map(GraftError.Place.text)
            line = error.place.line
            column = error.place.column
            entity = error.place.entity
            property = error.place.property
            self.record = record
            message = error.description
            switch error.problem {
            case .wrongType(let found, let expected), .invalidJSON(let found, let expected):
                value = found
                self.expected = expected
            case .outOfRange(let found, let type, let range):
                value = found
                expected = "\(type) (\(range))"
            case .notRepresentable(let value, let format):
                self.value = value
                expected = "a value with a form in \(format)"
            case .unresolvedReference(let entity, let identity):
                value = identity
                expected = "an object of \(entity)"
            case .unknownKeys(let keys, _, let known, _):
                value = keys.joined(separator: ", ")
                expected = known.joined(separator: ", ")
            case .validation(let code, let reason):
                self.code = code
                expected = reason
            default: break
            }
        }
    }
}

/// Why an import that collects failures has kept nothing.
public struct ImportFailures: Error, Sendable {
    /// What was found, in ``ImportReport/failures``.
    public let report: ImportReport

    /// How many failures the description shows.
    private static let shownCount = 5
}

extension ImportFailures: CustomStringConvertible, LocalizedError {
    /// The number of failures and the first ones, a line each.
    public var description: String {
        let failures = report.failures
        let count = failures.count == 1 ? "1 failure" : "\(failures.count) failures"
        let shown = failures.prefix(Self.shownCount).map { "\n\($0.message)" }.joined()
        let rest = failures.count > Self.shownCount ? "\n... and \(failures.count - Self.shownCount) more" : ""
        return "\(count), and nothing was imported\(shown)\(rest)"
    }

    /// The description.
    public var errorDescription: String? { description }
}
