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

    func run(on console: Console) throws {
        let model = try StoreAccess.model(at: model)
        let chosen = entities.isEmpty ? model.entities : try entities.map { try model.entity(named: $0) }
        let files = ClassFiles.files(
            of: chosen.map(EntityOutline.init), in: ModelOutline(model.entities.map(EntityOutline.init)))
        guard !files.isEmpty else {
            throw GraftError(
                .other(
                    finding: "no entity has a class of its own",
                    remedy: "Set the class of an entity in the model; NSManagedObject itself needs no file."))
        }
        try requireOwnFiles(files)
        let directory = URL(fileURLWithPath: folder)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for file in files {
            let url = directory.appendingPathComponent(file.name)
            if file.isForTheUser, FileManager.default.fileExists(atPath: url.path) {
                try console.print("\(file.name) stays as it is")
                continue
            }
            try Data(file.text.utf8).write(to: url, options: .atomic)
            try console.print(file.name)
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
