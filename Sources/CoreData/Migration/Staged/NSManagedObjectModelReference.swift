// A version of a model that is looked for when it is needed.

public import Foundation

/// A version of a model, known by its checksum.
open class NSManagedObjectModelReference: NSObject {
    /// The version's ``NSManagedObjectModel/versionChecksum``.
    public let versionChecksum: String
    private let find: () -> NSManagedObjectModel?
    private let place: String

    /// A model that is there.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        find = { model }
        place = "the given model"
    }

    /// A model in a file or folder; all versions in the folder are considered.
    public init(fileURL: URL, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        place = fileURL.path
        find = {
            let versions = ModelSearch(allVersions: true).versions(of: fileURL)
            return Self.first(of: versions, versionChecksum)
        }
    }

    /// A model of a bundle, by the name of its file without the extension.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        place = "\(modelName) in \((bundle ?? .main).bundlePath)"
        find = {
            let all = ModelSearch(allVersions: true).urls(in: bundle ?? .main)
            let named = all.filter { url in
                [url, url.deletingLastPathComponent()].contains {
                    $0.deletingPathExtension().lastPathComponent == modelName
                }
            }
            return Self.first(of: named, versionChecksum)
        }
    }

    /// A model of a bundle, by the version hashes of its entities.
    public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        place = "any model with these version hashes in \((bundle ?? .main).bundlePath)"
        find = {
            ModelSearch(allVersions: true).urls(in: bundle ?? .main).lazy.compactMap(
                NSManagedObjectModel.init(contentsOf:)
            )
            .first { $0.entityVersionHashesByName as [AnyHashable: Data] == versionHash as? [AnyHashable: Data] }
        }
    }

    private static func first(of urls: [URL], _ checksum: String) -> NSManagedObjectModel? {
        urls.lazy.compactMap(NSManagedObjectModel.init(contentsOf:)).first { $0.versionChecksum == checksum }
    }

    /// The model; stops the program where there is none of that checksum, as Core Data does.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolved()
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// - Throws: `CocoaError` (`.managedObjectModelReferenceNotFound`) where there is no model of that checksum.
    final func resolved() throws -> NSManagedObjectModel {
        if let model = find(), model.versionChecksum == versionChecksum { return model }
        throw CoreDataError.make(
            .managedObjectModelReferenceNotFound,
            "There is no model with the version checksum '\(versionChecksum)' at \(place). Take the checksum from "
                + "NSManagedObjectModel.versionChecksum, or from VersionInfo.plist.")
    }
}
