// What `graft lint` does.

import CoreData
import Foundation
import Graft

/// A check of a model's annotations.
struct LintJob {
    var model: String
    /// The names of transformers that the program registers.
    var transformers: [String]
    var isStrict: Bool
    var isJSON: Bool

    /// Prints the findings and the identities.
    ///
    /// - Throws: ``GraftError`` where there is an error among the findings or, if they count, a warning.
    func run(on console: Console) throws {
        let read = try StoreAccess.model(at: model)
        try ModelTransformers.registerKnown(for: read, at: model)
        try ModelTransformers.require(transformers, in: read)
        let lint = try ModelLint(read, transformers: Set(transformers))
        if isJSON {
            try console.print(ReportText.json(lint))
        } else {
            for finding in lint.findings { try console.print(finding.description) }
            if !lint.findings.isEmpty { try console.print("") }
            for line in Self.identityLines(lint) + Self.indexLines(lint) { try console.print(line) }
        }
        let wrong = isStrict ? lint.findings : lint.findings.filter { $0.severity == .error }
        guard !wrong.isEmpty else { return }
        throw GraftError(
            .other(
                finding: wrong.count == 1 ? "one thing is wrong" : "\(wrong.count) things are wrong",
                remedy: "Correct the model as suggested."),
            at: .init(source: model))
    }

    /// What would make imports into large stores faster.
    private static func indexLines(_ lint: ModelLint) -> [String] {
        let names = lint.identities.filter { !$0.isIndexed && !$0.properties.isEmpty }.map(\.entity)
        if names.isEmpty { return [] }
        return [
            "", "No index on the identity, which large imports would be faster with: \(names.joined(separator: ", "))",
        ]
    }

    private static func identityLines(_ lint: ModelLint) -> [String] {
        let rows = lint.identities.map { identity in
            [
                identity.entity, identity.properties.isEmpty ? "none" : identity.properties.joined(separator: ", "),
                identity.origin.map { identity.isInferred ? "inferred: \($0)" : $0 } ?? "-",
            ]
        }
        return TextTable.lines([["ENTITY", "IDENTITY", "DECLARED BY"]] + rows, rightAligned: [])
    }
}
