// What `graft diagram` does.

import CoreData
import Foundation
import Graft

/// A picture of a model.
struct DiagramJob {
    enum Format: String, CaseIterable {
        case svg, mermaid, dot
    }

    var model: String
    var format: Format
    /// Nil for as many as the size of the model allows, 0 for all.
    var attributeLimit: Int?
    var output: String?

    func run(on console: Console) throws {
        let destination = try OutputFile.destination(output, besides: [model], console)
        let text = try text(of: Self.diagram(StoreAccess.model(at: model), attributeLimit))
        if output == nil { return try console.write(text) }
        try destination.write(Data(text.utf8))
        try OutputFile.report(output, console)
    }

    /// The diagram of a model; of a large one with the beginning of each entity's attributes.
    static func diagram(_ model: NSManagedObjectModel, _ limit: Int? = nil) -> ModelDiagram {
        let usual = model.entities.count > 30 ? 12 : nil
        return ModelDiagram(model, attributeLimit: limit.map { $0 == 0 ? nil : $0 } ?? usual)
    }

    private func text(of diagram: ModelDiagram) throws -> String {
        switch format {
        case .mermaid: diagram.mermaid
        case .dot: diagram.dot
        case .svg: try Graphviz.svg(of: diagram)
        }
    }
}

/// The program that lays diagrams out.
enum Graphviz {
    /// The picture of a diagram.
    ///
    /// - Throws: ``GraftError`` where Graphviz isn't installed, with the command that does it, or where it fails.
    static func svg(of diagram: ModelDiagram) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, picture) = (folder.appendingPathComponent("model.dot"), folder.appendingPathComponent("model.svg"))
        try Data(diagram.dot.utf8).write(to: input)
        let messages = folder.appendingPathComponent("messages")
        try Data().write(to: messages)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["dot", "-Tsvg", "-o", picture.path, input.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            // 126 is `env`'s answer where PATH has something that may not be searched or run, and no program.
            throw [126, 127].contains(process.terminationStatus) ? missing : failure(try Data(contentsOf: messages))
        }
        return ModelDiagram.themed(svg: String(decoding: try Data(contentsOf: picture), as: UTF8.self))
    }

    /// The picture of a diagram; nil where Graphviz isn't installed.
    static func svgIfInstalled(of diagram: ModelDiagram) throws -> String? {
        do {
            return try svg(of: diagram)
        } catch let error as GraftError where error == missing {
            return nil
        }
    }

    private static let missing = GraftError(
        .other(
            finding: "Graphviz, which makes the picture, isn't installed",
            remedy: "Install it (apt-get install graphviz, or brew install graphviz), or use --format mermaid."))

    private static func failure(_ messages: Data) -> GraftError {
        let words = String(decoding: messages, as: UTF8.self).split(separator: "\n").first.map(String.init)
        return GraftError(
            .other(
                finding: "Graphviz failed: \(words ?? "without a word")",
                remedy: "Use --format dot and look at its text."))
    }
}
