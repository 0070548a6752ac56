// From a model's source to the compiled form that programs load.

package import CoreData
import Foundation

/// A model's source: an `.xcdatamodeld` or `.xcdatamodel` folder.
package struct ModelSource {
    package let url: URL
    /// By name of the version.
    package let versions: [(name: String, model: NSManagedObjectModel)]
    package let currentName: String

    /// The current version.
    package var current: NSManagedObjectModel? { versions.first { $0.name == currentName }?.model }

    /// Reads all versions.
    ///
    /// - Throws: The model's error, which says what is wrong and where.
    package init(readingContentsOf url: URL) throws {
        self.url = url
        let name = url.deletingPathExtension().lastPathComponent
        guard url.pathExtension == "xcdatamodeld" else {
            versions = [(name, try NSManagedObjectModel(readingContentsOf: url))]
            currentName = name
            return
        }
        let folders = try FileManager.default.contentsOfDirectory(atPath: url.path)
            .filter { $0.hasSuffix(".xcdatamodel") }.sorted()
        versions = try folders.map { folder in
            let model = try NSManagedObjectModel(readingContentsOf: url.appendingPathComponent(folder))
            return (String(folder.dropLast(".xcdatamodel".count)), model)
        }
        let pointer = url.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: pointer.path) else {
            guard versions.count == 1 else {
                throw GeneratorProblem(
                    message:
                        "\(url.lastPathComponent) has \(versions.count) versions and no .xccurrentversion. Choose the "
                        + "current version in the model editor.")
            }
            currentName = versions[0].name
            return
        }
        let list = try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: pointer), format: nil)
        let current = (list as? [String: Any])?["_XCCurrentVersionName"] as? String ?? ""
        currentName = current.hasSuffix(".xcdatamodel") ? String(current.dropLast(".xcdatamodel".count)) : current
        guard versions.contains(where: { $0.name == currentName }) else {
            throw GeneratorProblem(
                message: "\(url.lastPathComponent)'s current version is '\(current)', which isn't there. It has: "
                    + "\(folders.joined(separator: ", ")). Choose one in the model editor.")
        }
    }

    /// The name of the compiled model.
    package var compiledName: String {
        let name = url.deletingPathExtension().lastPathComponent
        return url.pathExtension == "xcdatamodeld" ? "\(name).momd" : "\(name).mom"
    }

    /// Writes the compiled model: a `.momd` folder with the versions and `VersionInfo.plist`, or a `.mom` file.
    ///
    /// - Throws: The model's error, or that of the file system.
    package func compile(to output: URL) throws {
        guard url.pathExtension == "xcdatamodeld" else {
            try versions[0].model.archived().write(to: output, options: .atomic)
            return
        }
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let wanted = Set(versions.map { "\($0.name).mom" } + ["VersionInfo.plist"])
        for name in try FileManager.default.contentsOfDirectory(atPath: output.path) where !wanted.contains(name) {
            try FileManager.default.removeItem(at: output.appendingPathComponent(name))
        }
        var hashes: [String: [String: Data]] = [:]
        for (name, model) in versions {
            try model.archived().write(to: output.appendingPathComponent("\(name).mom"), options: .atomic)
            hashes[name] = model.entityVersionHashesByName
        }
        let info: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": currentName, "NSManagedObjectModel_VersionHashes": hashes,
        ]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: output.appendingPathComponent("VersionInfo.plist"), options: .atomic)
    }
}
