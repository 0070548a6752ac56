// Predicates, expressions and fetch requests that stand as text in an .xcdatamodel.

import Foundation
import ModelDocuments

/// A text in a model that is no predicate or expression.
struct ModelTextError: Error {
    let text: String
    let reason: String
}

enum ModelTexts {
    static func predicate(_ text: String) throws(ModelTextError) -> NSPredicate {
        do {
            return try NSPredicate.parsing(text)
        } catch {
            throw ModelTextError(text: text, reason: reason(error))
        }
    }

    static func expression(_ text: String) throws(ModelTextError) -> NSExpression {
        do {
            return try NSExpression.parsing(text)
        } catch {
            throw ModelTextError(text: text, reason: reason(error))
        }
    }

    /// One line: the whole message shows the format again.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? PredicateError else { return "\(error)" }
        return "character \(error.position): found \(error.found) where \(error.expected) is expected"
    }

    /// A `<fetchRequest>`. An absent yes or no means no, but for pending changes, which fetches are expected to include.
    static func request(_ element: XMLElementNode) throws(ModelTextError) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: element["entity"] ?? "")
        if let text = element["predicateString"], !text.isEmpty { request.predicate = try predicate(text) }
        request.fetchLimit = try number("fetchLimit", of: element)
        request.fetchBatchSize = try number("fetchBatchSize", of: element)
        request.resultType = NSFetchRequestResultType(rawValue: UInt(try number("resultType", of: element)))
        request.includesSubentities = element.says("includeSubentities")
        request.includesPropertyValues = element.says("includePropertyValues")
        request.returnsObjectsAsFaults = element.says("returnObjectsAsFaults")
        request.returnsDistinctResults = element.says("returnDistinctResults")
        if element["includesPendingChanges"] != nil {
            request.includesPendingChanges = element.says("includesPendingChanges")
        }
        return request
    }

    private static func number(_ setting: String, of element: XMLElementNode) throws(ModelTextError) -> Int {
        guard let text = element[setting], !text.isEmpty else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw ModelTextError(text: text, reason: "\(setting) isn't a number")
        }
        return number
    }
}
