// What `graft generate` does.

import CoreData
import Foundation
import Graft
import ManagedObjectGenerator
import ModelDocuments

/// The writing of a model's classes.
struct GenerateJob {
    var model: String
    var folder: String
    /// The names of entities; all if empty.
    var entities: [String]

    /// Writes all files, and then says which.
    func run(on console: Console) throws {
        try FileKind.requireName(folder)
        let model = try StoreAccess.model(at: model)
        let chosen = entities.isEmpty ? model.entities : try Set(entities).sorted().map { try model.entity(named: $0) }
        let outlines = chosen.map(EntityOutline.init)
        try requireNames(outlines)
        let files = ClassFiles.files(of: outlines, in: ModelOutline(model.entities.map(EntityOutline.init)))
        guard !files.isEmpty else {
            throw GraftError(
                .other(
                    finding: "no entity has a class of its own",
                    remedy: "Set the class of an entity in the model; NSManagedObject itself needs no file."))
        }
        try requireOwnFiles(files)
        let directory = try makeFolder()
        let lines = try files.map { try write($0, into: directory) }
        try console.report(lines, after: "the classes are written")
    }

    private func makeFolder() throws -> URL {
        let directory = FilePath.target(of: folder)
        guard [.folder, .missing].contains(FileKind(ofPath: directory.path)) else {
            throw GraftError(
                .other(finding: "it is a file, and classes are written into a folder", remedy: "Name a folder."),
                at: .init(source: folder))
        }
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw GraftError(
                .other(
                    finding: "the folder can't be made: \(GraftError.words(of: error))",
                    remedy: "Name another one, or check the permissions of the one that it is in."),
                at: .init(source: folder))
        }
        return directory
    }

    /// - Returns: What is said of the file.
    private func write(_ file: GeneratedFile, into directory: URL) throws -> String {
        let url = directory.appendingPathComponent(file.name)
        if file.isForTheUser, FileManager.default.fileExists(atPath: url.path) {
            return "\(file.name) stays as it is"
        }
        do {
            try Data(file.text.utf8).write(to: url, options: .atomic)
        } catch {
            throw GraftError(
                .unwritableFile(reason: GraftError.words(of: error)), at: .init(source: "\(folder)/\(file.name)"))
        }
        return file.name
    }

    /// Refuses a class whose name isn't one: no file could be called so, and no class.
    private func requireNames(_ entities: [EntityOutline]) throws {
        for entity in entities {
            let name = entity.className.split(separator: ".").last.map(String.init) ?? ""
            if name.isEmpty || ModelInference.isName(name) { continue }
            throw GraftError(
                .other(
                    finding: "the entity's class can't be called '\(name)'",
                    remedy: "Correct its class in the model. \(ModelInference.rulesOfNames)."),
                at: .init(source: model, entity: entity.name))
        }
    }

    /// Refuses entities that share a class: the file of one would replace that of the other.
    private func requireOwnFiles(_ files: [GeneratedFile]) throws {
        let shared = Dictionary(grouping: files, by: \.name).filter { $0.value.count > 1 }.keys.min()
        guard let shared else { return }
        throw GraftError(
            .other(
                finding: "several entities would be written into \(shared), because they share a class",
                remedy: "Give each a class of its own, or choose one of them with --entity."),
            at: .init(source: model))
    }
}

extension EntityOutline {
    /// An entity of a model that has been read, which may have been compiled.
    init(_ entity: NSEntityDescription) {
        self.init(
            name: entity.name ?? "", className: entity.managedObjectClassName ?? "",
            isClassOfBuiltModule: entity.isClassOfBuiltModule, codeGeneration: entity.codeGeneration,
            parent: entity.superentity?.name, properties: entity.ownProperties.compactMap(PropertyOutline.init))
    }
}

extension PropertyOutline {
    /// Nil for what is neither attribute nor relationship.
    fileprivate init?(_ property: NSPropertyDescription) {
        switch property {
        case let attribute as NSAttributeDescription:
            let type = attribute.attributeType.typeName
            self.init(
                name: attribute.name,
                form: .attribute(
                    type, isScalar: attribute.usesScalarValueType,
                    valueClass: type == nil || type == .transformable ? attribute.attributeValueClassName : nil))
        case let relationship as NSRelationshipDescription:
            self.init(
                name: relationship.name,
                form: .relationship(
                    to: relationship.destinationEntity?.name ?? "", isToMany: relationship.isToMany,
                    isOrdered: relationship.isOrdered))
        default: return nil
        }
    }
}
