// Gives a target on Linux what Xcode and the Objective-C runtime give it on Apple's platforms: compiled models among its
// resources, the classes of its entities, and accessors for @NSManaged.

import Foundation
import PackagePlugin

@main
struct ManagedObjectClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        #if os(macOS)
            // Apple's build system compiles models itself.
            return []
        #else
            guard let module = target.sourceModule else { return [] }
            let models = module.sourceFiles.map(\.url).filter { $0.pathExtension.hasPrefix("xcdatamodel") }
            let sources = module.sourceFiles.filter { $0.type == .source }.map(\.url)
                .filter { $0.pathExtension == "swift" }
            let folder = context.pluginWorkDirectoryURL
            let code = folder.appending(path: "ManagedObjectClasses.swift")
            let compiled = models.map { model in
                let name = model.deletingPathExtension().lastPathComponent
                return folder.appending(path: model.pathExtension == "xcdatamodeld" ? "\(name).momd" : "\(name).mom")
            }
            return [
                .buildCommand(
                    displayName: "Making managed object classes of \(target.name)",
                    executable: try context.tool(named: "managed-object-classes").url,
                    arguments: [module.moduleName, code.path, folder.path] + (models + sources).map(\.path),
                    inputFiles: sources + models + models.flatMap(Self.contents), outputFiles: [code] + compiled)
            ]
        #endif
    }

    /// The files of a model, so that a change of one of them makes its classes anew.
    private static func contents(of model: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: model, includingPropertiesForKeys: nil)
        return files?.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath } ?? []
    }
}
