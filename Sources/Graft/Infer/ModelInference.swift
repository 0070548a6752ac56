// A model for data that has none.

public import CoreData
import Foundation

/// The model that some JSON would have.
///
///     let inference = try ModelInference(of: [.file(heroes)])
///     try inference.write(to: folder.appending(path: "Heroes.xcdatamodeld"))
///
/// The data imports by it without failure, and an export equals the data up to the order of keys, but for the differences that
/// ``guesses`` name. Records are entities named after their text; objects are entities named after their keys; what has no type
/// is kept as a tree in a transformable attribute.
public struct ModelInference {
    /// The model, with the annotations that an import reads.
    public let model: NSManagedObjectModel
    /// What was concluded, from what, entity by entity.
    public let guesses: [ModelInference.Guess]
    /// The entity of each text's records.
    public let entities: [String]
    private let draft: ModelDraft

    /// Reads texts once, in pieces, and concludes a model. Memory is bounded by the number of identities.
    ///
    /// - Parameters:
    ///   - sources: JSON or NDJSON.
    ///   - entity: The entity of the records; nil to name it after each text (`heroes.json` has heroes).
    ///   - options: Format and depth of the texts.
    /// - Throws: ``GraftError`` for what isn't JSON, for records that aren't objects, for texts without records, for
    ///   arrays and objects with numbers of more digits than a Decimal has that no entity can be made of, and for an entity whose
    ///   name no model can have.
    public init(of sources: [ImportSource], entity: String? = nil, options: ImportOptions = ImportOptions()) throws {
        var roots: [ObjectShape] = []
        var entities: [String] = []
        var counts = ShapeReader.Counts()
        for source in sources {
            try source.kind().require(.records, source: source.name)
            let name = source.entity ?? entity ?? Self.entityName(of: source)
            guard Self.isName(name) else {
                throw GraftError(
                    .other(finding: "'\(name)' can't be the name of an entity", remedy: "\(Self.rulesOfNames)."),
                    at: .init(source: source.name))
            }
            let root: ObjectShape
            if let known = roots.first(where: { $0.key == name }) {
                root = known
            } else {
                root = ObjectShape(key: name, path: name, isRoot: true)
                roots.append(root)
            }
            var reader = ShapeReader(try source.makeReader(options), after: counts)
            try reader.readRecords(into: root)
            counts = reader.counts
            entities.append(name)
        }
        guard let empty = roots.first(where: \.members.isEmpty) else {
            let planner = try ModelPlanner(ShapePlan(roots))
            (draft, guesses) = (planner.draft, planner.guesses)
            model = draft.makeModel()
            self.entities = entities
            return
        }
        throw GraftError(
            .other(
                finding: "there are no objects with keys for the entity \(empty.key)",
                remedy: "Give data that has at least one record."),
            at: .init(source: sources.first?.name))
    }

    /// Whether an entity can be called so. The runtime's check of models has the same rule, but not on Apple's platforms.
    package static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    /// What names have to be.
    package static let rulesOfNames = "Names begin with a letter or _ and go on with letters, digits and _"

    /// The entity after which a text is named.
    static func entityName(of source: ImportSource) -> String {
        let name = source.name == ImportSource.standardInputName ? nil : source.name
        let file = name.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent } ?? "records"
        return EnglishNames.entity(EnglishNames.singular(file))
    }

    /// Writes the model as an `.xcdatamodeld`, for Xcode and everything else that reads models.
    ///
    /// - Throws: ``GraftError`` where there is something already; with `unwritableFile` where nothing can be written.
    public func write(to url: URL) throws {
        let name = url.deletingPathExtension().lastPathComponent
        let draftURL = url.deletingLastPathComponent().appendingPathComponent(".graft-\(UUID().uuidString)-\(name)")
        let version = draftURL.appendingPathComponent("\(name).xcdatamodel")
        do {
            guard !FileManager.default.fileExists(atPath: url.path) else { throw CocoaError(.fileWriteFileExists) }
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: draftURL) }
            try Data(draft.document.utf8).write(to: version.appendingPathComponent("contents"))
            try Data(ModelDraft.versionDocument(current: version.lastPathComponent).utf8)
                .write(to: draftURL.appendingPathComponent(".xccurrentversion"))
            try FileManager.default.moveItem(at: draftURL, to: url)
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            throw GraftError(
                .other(finding: "it exists already", remedy: "Remove it, or name another."),
                at: .init(source: url.path))
        } catch {
            throw GraftError(.unwritableFile(reason: "the model"), at: .init(source: url.path), underlying: error)
        }
    }
}
