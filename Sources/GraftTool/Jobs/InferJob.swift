// What `graft infer` does.

import CoreData
import Foundation
import Graft

/// A model from data.
struct InferJob {
    var files: [String]
    var output: String?
    var entity: String?
    var isJSON: Bool

    /// Reads the data, writes the model if it is wanted, and shows each guess with its evidence.
    func run(on console: Console) throws {
        let target = output.map(FilePath.target)
        if let output, let target { try FileKind.requireFolder(of: target, shownAs: output) }
        for file in files where file != "-" { try FileKind.require(.records, at: file) }
        let inference = try ModelInference(of: files.map(console.source), entity: entity)
        if let target { try inference.write(to: target) }
        try console.report(lines(inference), after: output.map { "\($0) is written" })
    }

    private func lines(_ inference: ModelInference) throws -> [String] {
        try isJSON
            ? [ReportText.json(inference.guesses)] : Self.table(inference) + Self.differences(inference)
    }

    /// The guesses, each entity followed by its properties.
    private static func table(_ inference: ModelInference) -> [String] {
        let guesses = Dictionary(grouping: inference.guesses, by: \.entity)
        let rows = inference.guesses.filter { $0.property == nil }.flatMap { entity in
            let properties = (guesses[entity.entity] ?? []).compactMap { guess in
                guess.property.map { ["  \($0)", guess.guess, guess.evidence] }
            }
            return [[entity.entity, entity.guess, entity.evidence]] + properties
        }
        return TextTable.lines([["ENTITY, PROPERTY", "GUESS", "EVIDENCE"]] + rows)
    }

    /// Where an export differs from the data, a line each.
    private static func differences(_ inference: ModelInference) -> [String] {
        let found = inference.guesses.compactMap { guess in
            guess.difference.map { "  \(guess.entity)\(guess.property.map { ".\($0)" } ?? ""): \($0)" }
        }
        return found.isEmpty ? [] : ["", "An export differs from the data:"] + found
    }

    /// What an import says of the model that it has made up.
    static func remarks(_ inference: ModelInference) -> [String] {
        let entities = inference.guesses.filter { $0.property == nil }.map { "  \($0.entity): \($0.guess)" }
        return ["There was no model; this one was inferred from the data. `graft infer` writes it and says why."]
            + entities
            + differences(inference) + [""]
    }
}
