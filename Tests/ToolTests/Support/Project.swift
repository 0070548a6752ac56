// Where things are: the project, the executable beside the test bundle, and the reference data beside the project.

import Foundation
import Testing

enum Project {
    /// The folder that contains Package.swift.
    static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !exists(folder.appending(path: "Package.swift")) { folder.deleteLastPathComponent() }
        return folder
    }()

    /// The tool, built into the same folder as the tests.
    static let executable: URL = {
        // The tests are a program of their own on Linux, and a bundle inside that folder on Apple's platforms.
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let candidates = ([program] + bundles.map { $0.deletingLastPathComponent() }).map {
            $0.appending(path: "graft")
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()

    static let resources = root.appending(path: "Tests/ToolTests/Resources")
    static let heroes = root.appending(path: "Examples/Heroes")
    static let heroesModel = heroes.appending(path: "Heroes.xcdatamodeld").path
    static let worldModel = root.appending(path: "Tests/GraftTests/Resources/World.xcdatamodeld").path

    /// Real JSON and real stores that aren't part of the project.
    static let data = root.deletingLastPathComponent().appending(path: "shared/data")

    static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where the project stands alone.
    static var needsReferenceData: Self { .enabled("The reference data isn't there") { Project.exists(Project.data) } }

    /// Skips a test of pictures where nothing lays them out.
    static var needsGraphviz: Self {
        .enabled("Graphviz isn't installed") {
            ["/usr/bin/dot", "/usr/local/bin/dot", "/opt/homebrew/bin/dot"].contains(
                where: FileManager.default.fileExists)
        }
    }
}

/// A folder that goes when its test has ended.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { _ = try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    /// Copies a file into the folder and returns the copy's path.
    func copy(of original: URL) throws -> String {
        let copy = url.appending(path: original.lastPathComponent)
        try Data(contentsOf: original).write(to: copy)
        return copy.path
    }

    /// The names of everything in the folder, hidden files too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
