// What `graft generate` writes: the files that Xcode's "Create NSManagedObject Subclass" makes, for all platforms.

package import ModelDocuments

/// A file to be written.
package struct GeneratedFile: Sendable {
    package var name: String
    package var text: String
    /// Whether the user goes on writing it, so that it must not be overwritten.
    package var isForTheUser: Bool
}

/// The classes of entities as files.
package enum ClassFiles {
    /// Two files for each entity with a class of its own: the class, for the user to go on with, and its properties.
    ///
    /// - Parameters:
    ///   - entities: The entities.
    ///   - model: The model that they are of.
    package static func files(of entities: [EntityOutline], in model: ModelOutline) -> [GeneratedFile] {
        entities.sorted { $0.name < $1.name }.flatMap { entity -> [GeneratedFile] in
            guard let names = EntityNames(entity) else { return [] }
            let writer = ClassWriter(entity, names, of: model, for: .all)
            let imports = "import CoreData\nimport Foundation\n\n"
            return [
                GeneratedFile(
                    name: "\(names.className)+CoreDataClass.swift", text: imports + writer.classDeclaration,
                    isForTheUser: true),
                GeneratedFile(
                    name: "\(names.className)+CoreDataProperties.swift", text: imports + writer.properties,
                    isForTheUser: false),
            ]
        }
    }
}
