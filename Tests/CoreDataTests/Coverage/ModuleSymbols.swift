// What the module really declares: its public symbols, asked of the compiler's own tool for the module that the tests
// run with.

import Foundation

/// The public symbols of the module `CoreData`.
struct ModuleSymbols {
    /// The paths of all public and open symbols: `NSManagedObject.value(forKey:)`.
    private let paths: Set<String>

    /// Asks the compiler.
    ///
    /// - Throws: What the tool says if it fails.
    static func extracted() throws -> ModuleSymbols {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try run(writingTo: folder)
        var paths: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
            for symbol in graph.symbols where symbol.accessLevel == "public" || symbol.accessLevel == "open" {
                paths.insert(path(symbol.pathComponents))
            }
        }
        return ModuleSymbols(paths: paths)
    }

    /// The path under the names that code uses: initialisers that assign `self` are in protocols' extensions.
    private static func path(_ components: [String]) -> String {
        var components = components
        switch components[0] {
        case "PredicateFormatReading": components[0] = "NSPredicate"
        case "ExpressionFormatReading": components[0] = "NSExpression"
        case "SortDescriptorKeyReading": components[0] = "NSSortDescriptor"
        case "NSNotification": components[0] = "Notification"
        default: break
        }
        return components.joined(separator: ".")
    }

    func has(_ path: String) -> Bool { paths.contains(path) }

    private static func run(writingTo folder: URL) throws {
        // The folder is named by the target: .build/x86_64-unknown-linux-gnu/debug
        let build = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        let target = build.deletingLastPathComponent()
        let tool = Process(), output = Pipe()
        tool.executableURL = URL(filePath: "/usr/bin/env")
        var arguments = ["swift-symbolgraph-extract", "-module-name", "CoreData", "-target", target.lastPathComponent]
        arguments += ["-minimum-access-level", "public", "-output-dir", folder.path]
        arguments += ["-I", build.appending(path: "Modules").path]
        for library in systemLibraries(target.deletingLastPathComponent()) { arguments += ["-I", library.path] }
        let moduleMaps = ["CClassNames", "CTryRetain"].map {
            build.appending(path: "\($0).build/module.modulemap").path
        }
        tool.arguments = arguments + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        tool.standardError = output
        tool.standardOutput = output
        try tool.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { throw ToolFailure(description: text) }
    }

    /// Where the module maps of the C libraries are that the module is built with.
    private static func systemLibraries(_ scratch: URL) -> [URL] {
        [
            scratch.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite"),
            Repository.root.appending(path: "Sources/CZlib"),
        ]
    }
}

/// The repository's own files, and the list that lies beside it.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let coveragePage = root.appending(path: "docs/coverage.md")
    static let divergencesPage = root.appending(path: "docs/divergences.md")
    static let specification = root.deletingLastPathComponent().appending(path: "shared/spec/core-data-api.md")

    /// The names of the tests in a folder, as the sources have them: with their suites' files, `LeavingTests: a refresh ...`.
    static func testNames(under folder: String) throws -> Set<String> {
        let folder = root.appending(path: folder)
        var names: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let file = folder.appending(path: path), suite = file.deletingPathExtension().lastPathComponent
            let source = try String(contentsOf: file, encoding: .utf8)
            for match in source.matches(of: /func `([^`]*)`/) { names.insert("\(suite): \(match.1)") }
        }
        return names
    }
}

struct ToolFailure: Error, CustomStringConvertible {
    let description: String
}

private struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        let accessLevel: String
        let pathComponents: [String]
    }
    let symbols: [Symbol]
}
