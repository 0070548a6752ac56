// What `graft diff` does.

import CoreData
import Foundation
import Graft

/// A comparison of two files.
struct DiffJob {
    var old: String
    var new: String
    var model: String?
    var entity: String?
    var format: DiffRendering.Format
    var maximumValueLength: Int?
    /// Whether people are shown links at both ends.
    var showsAllLinks = false
    /// What tells objects apart.
    var options = DiffOptions()
    /// The store or archive that both sides come from.
    var base: String?

    /// Compares, and prints the difference.
    ///
    /// - Returns: Whether there is one.
    func run(on console: Console) throws -> Bool {
        let files = (try GraphFile(path: old, for: .graph), try GraphFile(path: new, for: .graph))
        let model = try GraphFile.model(
            of: [files.0, files.1], at: model, orWords: "neither side carries one, and there is no --model")
        try ModelTransformers.registerKnown(for: model, at: self.model ?? old)
        if let entity {
            let stores = [files.0, files.1].filter(\.isStore).map(\.path)
            try StoreAccess.requireEntity(entity, in: model, at: self.model, of: stores)
        }
        if entity != nil, let file = [files.0, files.1].first(where: { $0.kind == .export }) {
            throw GraftError(
                .other(
                    finding: "an export of several entities names them itself, and is compared whole",
                    remedy: "Leave out --entity."),
                at: .init(source: file.path))
        }
        return try GraphFile.sharingModel([files.0, files.1], self.model) { try show(files, model, console) }
    }

    /// Prints the difference in the form that is asked for.
    private func show(
        _ files: (GraphFile, GraphFile), _ model: NSManagedObjectModel, _ console: Console
    ) throws -> Bool {
        switch format {
        case .jsonPatch, .mergePatch: return try printPatch(files, model, console)
        case .json:
            let diff = try compare(files, model, console).diff
            note(diff.identification, console)
            try console.print(ReportText.json(diff))
            return !diff.isEmpty
        case .dictionary:
            let differences = try differences(files, model)
            let json = JSONValue.array(try differences.map { try $0.json() })
            try console.write(String(decoding: JSONWriter.data(of: json, isPretty: true), as: UTF8.self))
            return !differences.isEmpty
        case .text, .html:
            let (diff, snapshots) = try compare(files, model, console)
            let labels = try DiffLabels(diff, model).labels(
                in: [files.1, files.0], snapshots: snapshots.reversed(), modelPath: self.model)
            let rendering = DiffRendering(
                oldName: old, newName: new, labels: labels, maximumValueLength: maximumValueLength,
                isColored: format == .text && console.hasColor,
                linkSides: showsAllLinks ? nil : DiffRendering.LinkSides(of: model))
            if diff.isEmpty { note(diff.identification, console) }
            let text = format == .text ? diff.text(rendering) : diff.html(rendering)
            if !text.isEmpty { try console.write(text) }
            return !diff.isEmpty
        }
    }

    /// The difference, and both sides where they were read whole.
    private func compare(
        _ files: (GraphFile, GraphFile), _ model: NSManagedObjectModel, _ console: Console
    ) throws -> (diff: GraphDiff, snapshots: [GraphSnapshot]) {
        if files.0.isStore, files.1.isStore { return (try storeDiff(model, console), []) }
        let options = try diffOptions(model)
        let old = try files.0.snapshot(model, modelPath: self.model, entity: entity)
        let new = try files.1.snapshot(model, modelPath: self.model, entity: entity)
        return (try GraphDiff(from: old, to: new, options: options), [old, new])
    }

    /// The differences as trees, after the article.
    private func differences(
        _ files: (GraphFile, GraphFile), _ model: NSManagedObjectModel
    ) throws -> [ObjectDiff] {
        let options = try diffOptions(model)
        return try ObjectDiff.differences(
            from: files.0.snapshot(model, modelPath: self.model, entity: entity),
            to: files.1.snapshot(model, modelPath: self.model, entity: entity), options: options)
    }

    /// The options with what is known of the base.
    private func diffOptions(_ model: NSManagedObjectModel) throws -> DiffOptions {
        var options = options
        guard let base else { return options }
        let file = try GraphFile(path: base, for: .wholeGraph)
        options.base = try file.lineage(modelPath: self.model)
        if options.base == nil {
            throw GraftError(
                .wrongKind(
                    found: file.kind.words, expected: "a store, or an archive of one with its rows",
                    remedy: "Name the store that both sides are copies of."), at: .init(source: base))
        }
        return options
    }

    /// Says what isn't the model's word, where the output has no head for it.
    private func note(_ identification: GraphDiff.Identification, _ console: Console) {
        for sentence in identification.sentences { console.note("graft: \(sentence)") }
    }

    private func storeDiff(_ model: NSManagedObjectModel, _ console: Console) throws -> GraphDiff {
        let containers = (
            try StoreAccess.openForReading(old, modelPath: self.model),
            try StoreAccess.openForReading(new, modelPath: self.model)
        )
        return try console.working(StoreAccess.title(of: new)) { progress in
            try GraphDiff(
                from: containers.0, to: containers.1, entities: entity.map { [$0] }, options: diffOptions(model),
                progress: progress)
        }
    }

    /// Prints the patch that leads from one export to the other.
    private func printPatch(
        _ files: (GraphFile, GraphFile), _ model: NSManagedObjectModel, _ console: Console
    ) throws -> Bool {
        let isPlain = files.0.isPlain || files.1.isPlain
        let entity = self.entity
        if format == .mergePatch, entity != nil { throw GraftError.mergePatchOfEntity }
        if isPlain, entity == nil, !files.0.isPlain || !files.1.isPlain {
            throw GraftError(
                .other(
                    finding: "a patch between JSON and a store or an archive is about the objects of one entity",
                    remedy: "Name it with --entity."))
        }
        let documents = (
            try files.0.document(model, modelPath: self.model, entity: entity),
            try files.1.document(model, modelPath: self.model, entity: entity)
        )
        let hasDifferences = documents.0 != documents.1
        if format == .jsonPatch {
            let root = isPlain || entity != nil ? try entity ?? Self.soleRoot(of: model) : nil
            let options = try JSONPatch.Options.identified(byMappingOf: root, in: model)
            let patch = try JSONPatch(from: documents.0, to: documents.1, options: options)
            try console.print(patch.prettyDescription)
            note(patch.operations.count(where: \.removesMember), leftOutOf: files.1, console)
        } else {
            let (patch, losses) = JSONMergePatch.difference(from: documents.0, to: documents.1)
            try console.write(String(decoding: JSONWriter.data(of: patch.json, isPretty: true), as: UTF8.self))
            for loss in losses { console.note("graft: a merge patch can't set \(loss) to null") }
            note(patch.json.nullCount, leftOutOf: files.1, console)
        }
        return hasDifferences
    }

    /// Says how many values a patch takes away because a text leaves them out.
    private func note(_ count: Int, leftOutOf file: GraphFile, _ console: Console) {
        guard count > 0, !file.isStore, !file.isArchive else { return }
        console.note(
            "graft: the patch takes away \(count == 1 ? "a value" : "\(count) values") that '\(file.path)' leaves out. "
                + "--format json compares what both have.")
    }

    private static func soleRoot(of model: NSManagedObjectModel) throws -> String {
        let names = model.rootNames
        if names.count == 1 { return names[0] }
        throw GraftError(.ambiguousEntity(candidates: names))
    }
}

extension GraftError {
    /// What a Merge Patch of one entity's export, or for it, is refused with.
    static let mergePatchOfEntity = GraftError(
        .other(
            finding: "a Merge Patch replaces an array as a whole (RFC 7396): that of an entity has all objects",
            remedy: "Use a JSON Patch (graft diff --format json-patch), or leave out --entity."))
}

extension JSONPatch.Operation {
    /// Whether a member of an object is removed, and not an element of an array.
    fileprivate var removesMember: Bool {
        if case .remove(let pointer) = self { pointer.tokens.last.map { Int($0) == nil } ?? false } else { false }
    }
}

extension JSONValue {
    /// The number of nulls in a tree.
    fileprivate var nullCount: Int {
        switch self {
        case .null: 1
        case .object(let object): object.members.reduce(0) { $0 + $1.value.nullCount }
        case .array, .bool, .number, .string: 0
        }
    }
}

extension JSONPatch {
    /// One operation on a line.
    fileprivate var prettyDescription: String {
        guard !isEmpty else { return "[]" }
        let lines = operations.map { JSONPatch([$0]).description.dropFirst().dropLast() }
        return "[\n  \(lines.joined(separator: ",\n  "))\n]"
    }
}
