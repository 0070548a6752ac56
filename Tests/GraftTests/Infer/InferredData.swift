// Data on its way through an inferred model: in by an import, out by an export, compared up to the order of keys and records.

import CoreData
import Foundation
import Graft
import Testing

/// A model that was inferred from texts, with what an export of each text's records gives.
struct InferredData {
    let inference: ModelInference
    let report: ImportReport
    /// By text.
    let exported: [[JSONValue]]
    let original: [[JSONValue]]

    init(_ texts: [(name: String, text: String)], batchSize: Int? = nil) throws {
        let sources = texts.map { ImportSource.data(Data($0.text.utf8), name: $0.name) }
        inference = try ModelInference(of: sources)
        let stack = try TestStack(inference.model, .sqlite)
        let named = zip(texts, inference.entities).map { text, entity in
            ImportSource.data(Data(text.text.utf8), name: text.name, entity: entity)
        }
        var options = ImportOptions()
        options.unknownKeys = .fail
        if let batchSize { (options.batchSize, options.savesEachBatch) = (batchSize, true) }
        report = try stack.container.importJSON(from: named, options: options)
        exported = try inference.entities.map { entity in
            let context = stack.container.newBackgroundContext()
            let data = try context.performAndWait {
                try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: entity))
            }
            return try Self.records(data)
        }
        original = try texts.map { try Self.records(Data($0.text.utf8)) }
    }

    /// The records of a text, whichever of its forms it has.
    static func records(_ data: Data) throws -> [JSONValue] {
        var reader = JSONReader(data, format: .automatic)
        var records: [JSONValue] = []
        while try reader.nextRecord() != nil { records.append(try reader.value()) }
        return records
    }

    /// The entity, and its property, of the model.
    func attribute(_ entity: String, _ name: String) throws -> NSAttributeDescription {
        try #require(inference.model.entitiesByName[entity]?.attributesByName[name], "\(entity).\(name)")
    }

    func relationship(_ entity: String, _ name: String) throws -> NSRelationshipDescription {
        try #require(inference.model.entitiesByName[entity]?.relationshipsByName[name], "\(entity).\(name)")
    }

    func guess(_ entity: String, _ property: String?) throws -> ModelInference.Guess {
        try #require(inference.guesses.first { $0.entity == entity && $0.property == property })
    }

    /// Checks that the export is the data, up to the order of keys and records.
    func expectEqual(
        _ form: (JSONValue) -> JSONValue = { $0 }, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (exported, original) in zip(exported, original) {
            let (one, other) = (Self.counted(exported.map(form)), Self.counted(original.map(form)))
            guard one != other else { continue }
            let lost = original.map(form).first { one[$0] != other[$0] }
            let made = exported.map(form).first { one[$0] != other[$0] }
            Issue.record(
                "\(comment.map { "\($0): " } ?? "")\(lost?.description ?? "-") became \(made?.description ?? "-")\n\(inference.guesses.map(\.description).joined(separator: "\n"))",
                sourceLocation: sourceLocation)
        }
    }

    private static func counted(_ values: [JSONValue]) -> [JSONValue: Int] {
        Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

extension JSONValue {
    /// The value with the last member of each key.
    var withoutRepeatedKeys: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutRepeatedKeys))
        case .object(let object):
            .object(
                JSONValue.Object(
                    members: object.members.reduce(into: []) { members, member in
                        members.removeAll { $0.key == member.key }
                        members.append(.init(key: member.key, value: member.value.withoutRepeatedKeys))
                    }))
        default: self
        }
    }

    /// The value without nulls and empty arrays in its objects.
    var withoutNothing: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutNothing))
        case .object(let object):
            .object(
                JSONValue.Object(
                    members: object.members.filter { !$0.value.isNull && $0.value != .array([]) }
                        .map { .init(key: $0.key, value: $0.value.withoutNothing) }))
        default: self
        }
    }
}
