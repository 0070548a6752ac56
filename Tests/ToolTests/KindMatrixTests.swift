// Every kind of file with every command: it works, or the error names the command that it is for. Whatever happens, the file and
// the store beside it stay as they were, unless the command is there to change that.

import Foundation
import Testing

@testable import GraftTool

@Suite struct KindMatrixTests {
    enum Kind: String, CaseIterable, Sendable {
        case json, ndjson, lines, blocks, export, store, diff, patch, mergePatch, tracker, report, folder, empty, noise
    }

    enum Job: String, CaseIterable, Sendable {
        case importing, diffing, diffingReversed, merging, mergingTheirs, applying, linting, restoring, inspecting
        case exporting, archiving, migrating, storing, checking, copying, inferring, picturing, generating
    }

    struct Cell: CustomTestStringConvertible, Sendable {
        let job: Job, kind: Kind
        var testDescription: String { "\(job) \(kind)" }
    }

    static let cells = Job.allCases.flatMap { job in Kind.allCases.map { Cell(job: job, kind: $0) } }

    private static let importing = "graft import", applying = "graft apply", restoring = "graft restore"
    private static let reading = "graft export", folder = "it is a folder"

    /// What a command says that can't use a kind.
    private static let advice: [Kind: String] = [
        .json: importing, .ndjson: importing, .export: importing, .mergePatch: importing, .lines: restoring,
        .blocks: restoring, .store: reading, .diff: applying, .patch: applying, .tracker: "GraphTracker(file:context:)",
        .report: importing, .folder: folder, .empty: "with contents", .noise: "binary data",
    ]

    /// What a command can use.
    private static let fitting: [Job: Set<Kind>] = [
        .importing: [.json, .ndjson, .lines, .blocks, .export, .store],
        .diffing: [.json, .ndjson, .lines, .blocks, .export, .store, .empty],
        .diffingReversed: [.json, .ndjson, .lines, .blocks, .export, .store, .empty],
        .merging: [.lines, .blocks, .store], .mergingTheirs: [.lines, .blocks, .store, .export],
        .applying: [.diff, .patch, .mergePatch], .linting: [.lines, .blocks, .store],
        .restoring: [.lines, .blocks], .inspecting: [.lines, .blocks, .store],
        .exporting: [.store], .archiving: [.store], .migrating: [.store], .storing: [.store, .empty],
        .checking: [.store], .copying: [.store], .inferring: [.json, .ndjson, .export, .mergePatch],
        .picturing: [.lines, .blocks, .store], .generating: [.lines, .blocks, .store],
    ]

    /// The words that are to be in the error; nil where there is to be none.
    private static func words(_ cell: Cell) -> String? {
        if fitting[cell.job]?.contains(cell.kind) ?? false { return nil }
        switch (cell.job, cell.kind) {
        // A Merge Patch is any object of JSON: as records, it is one without a known key. This one looks like a whole graph.
        case (.importing, .mergePatch): return "Leave out --entity"
        case (.diffing, .mergePatch), (.diffingReversed, .mergePatch): return "JSONRootKeyPath"
        case (.importing, .empty): return "the input is empty"
        // The beginning of a damaged archive may look like any of these.
        case (.restoring, .empty), (.restoring, .noise): return importing
        // A damaged store may look like any of these, too.
        case (.exporting, .empty), (.archiving, .empty), (.migrating, .empty), (.inspecting, .empty):
            return "file"
        case (.copying, .empty): return "no Core Data store"
        case (.checking, .empty), (.checking, .noise), (.copying, .noise): return "isn't a SQLite store"
        case (.inferring, .lines), (.inferring, .blocks), (.inferring, .store): return "graft inspect"
        case (.inferring, .empty): return "at least one record"
        case (.picturing, .folder), (.generating, .folder): return "Name an .xcdatamodeld"
        case (.exporting, .noise), (.archiving, .noise), (.migrating, .noise), (.storing, .noise),
            (.inspecting, .noise):
            return "isn't a SQLite store"
        // Folders may be models.
        case (.linting, .folder), (.inspecting, .folder): return "folder"
        case (.merging, .mergePatch), (.mergingTheirs, .mergePatch): return importing
        case (.linting, .json), (.linting, .ndjson), (.linting, .export), (.linting, .mergePatch),
            (.picturing, .json), (.picturing, .ndjson), (.picturing, .export), (.picturing, .mergePatch),
            (.generating, .json), (.generating, .ndjson), (.generating, .export), (.generating, .mergePatch):
            return "graft infer"
        default: return advice[cell.kind]
        }
    }

    @Test(arguments: cells)
    func `a file of any kind is used, or refused with the command that it is for`(_ cell: Cell) throws {
        let folder = try TemporaryFolder()
        let file = try self.file(cell.kind, in: folder)
        let store = folder.path("Store.sqlite"), output = folder.path("output")
        try FileManager.default.copyItem(
            at: Self.files.appending(path: "heroes.sqlite"), to: URL(fileURLWithPath: store))
        let before = try (StoreFile(path: store).content, bytes(of: file), names(folder))
        let run = try inProcess(arguments(cell.job, file, store, output), in: folder)
        let words = Self.words(cell)
        if let words {
            #expect(run.status != 0 && run.output.isEmpty, "\(run)")
            #expect(run.diagnostics.hasPrefix("graft: ") && run.diagnostics.contains(words), "\(run)")
            #expect(run.diagnostics.count { $0 == "\n" } == 1, "\(run)")
            #expect(try names(folder) == before.2)
        } else {
            let isDiff = [.diffing, .diffingReversed].contains(cell.job)
            let remark = isDiff && run.output.isEmpty ? "no difference\n" : ""
            #expect(run.status == 0 && run.diagnostics == remark, "\(run)")
            try check(cell, run, store: store, output: output)
        }
        let changes = words == nil && [.importing, .applying].contains(cell.job)
        if !changes { #expect(try StoreFile(path: store).content == before.0) }
        if cell.job != .storing || words != nil { #expect(try bytes(of: file) == before.1) }
    }

    /// What a command that works has done.
    private func check(_ cell: Cell, _ run: InProcessRun, store: String, output: String) throws {
        switch cell.job {
        case .importing:
            // The same heroes, except in the two that say something of one.
            #expect(try StoreFile(path: store).count("ZCHARACTER") == 4)
            #expect(run.output.contains("Hero"))
        case .diffing, .diffingReversed:
            let isSame = [.lines, .blocks, .store, .export].contains(cell.kind)
            #expect(isSame == run.output.isEmpty, "\(run.output)")
        case .merging:
            #expect(run.output.hasPrefix("0 new, 0 changed, 0 deleted"), "\(run.output)")
            #expect(try inProcess(["diff", output, store, "--exit-code"]).status == 0)
        case .mergingTheirs: #expect(run.output.hasPrefix("0 new, 0 changed, 0 deleted"), "\(run.output)")
        case .applying: #expect(run.output.hasPrefix("1 new") || run.output.hasPrefix("2 new"), "\(run.output)")
        case .linting: #expect(run.output.contains("IDENTITY"))
        case .restoring: #expect(try StoreFile(path: output).count("ZCHARACTER") == 4)
        case .inspecting: #expect(run.output.contains("Hero"))
        case .exporting: #expect(run.output.contains("Revontuli"))
        case .archiving: #expect(run.output.hasPrefix(#"{"$archive""#))
        case .migrating, .storing: break
        case .checking: #expect(run.output.contains("nothing found"))
        case .copying: #expect(try inProcess(["diff", output, store, "--exit-code"]).status == 0)
        case .inferring: #expect(try inProcess(["inspect", output + ".xcdatamodeld"]).output.contains("Hero"))
        case .picturing: #expect(run.output.hasPrefix("digraph") && run.output.contains("Hero"))
        case .generating:
            let files = try FileManager.default.contentsOfDirectory(atPath: output)
            #expect(files.contains("Hero+CoreDataClass.swift"))
        }
    }

    private func arguments(_ job: Job, _ file: String, _ store: String, _ output: String) -> [String] {
        let isJSON = ["file", "merge-patch.json"].contains(URL(fileURLWithPath: file).lastPathComponent)
        let model = ["--model", Project.heroesModel], heroes = Project.heroes.appending(path: "heroes.json").path
        return switch job {
        case .importing: ["import", file, "--entity", "Hero", "--store", store] + model
        case .diffing: ["diff", file, store] + model + (isJSON ? ["--entity", "Hero"] : [])
        case .diffingReversed: ["diff", store, file] + model + (isJSON ? ["--entity", "Hero"] : [])
        case .merging: ["merge", store, file, store, "--output", output]
        case .mergingTheirs: ["merge", store, store, file, "--output", output]
        case .applying: ["apply", file, "--store", store]
        case .linting: ["lint", file]
        case .restoring: ["restore", file, "--store", output]
        case .inspecting: ["inspect", file]
        case .exporting: ["export", "--store", file, "--entity", "Hero"] + model
        case .archiving: ["archive", file] + model
        case .migrating: ["migrate", file] + model
        case .storing: ["import", heroes, "--entity", "Hero", "--store", file] + model
        case .checking: ["check", file] + model
        case .copying: ["copy", file, output] + model
        case .inferring: ["infer", file, "--entity", "Hero", "--output", output + ".xcdatamodeld"]
        case .picturing: ["diagram", file, "--format", "dot"]
        case .generating: ["generate", file, "--output", output]
        }
    }

    // MARK: Files

    private static let files = Project.root.appending(path: "Tests/GraftTests/Resources/Before")

    private func file(_ kind: Kind, in folder: TemporaryFolder) throws -> String {
        func copy(_ name: String) throws -> String { try folder.copy(of: Self.files.appending(path: name)) }
        switch kind {
        case .json: return try folder.file("file", #"[{"id": 101, "name": "Changed"}, {"id": 104, "rescues": 1}]"#)
        case .ndjson: return try folder.file("file", "{\"id\": 101, \"name\": \"Changed\"}\n{\"id\": 104}\n")
        case .lines: return try copy("heroes-lines.archive")
        case .blocks: return try copy("heroes-blocks.archive")
        case .export: return try copy("heroes-graft.json")
        case .store: return try copy("heroes.sqlite")
        case .diff: return try copy("diff.json")
        case .patch: return try copy("patch.json")
        case .mergePatch: return try copy("merge-patch.json")
        case .tracker: return try copy("tracker.graft-sync")
        case .report: return try copy("report.json")
        case .folder:
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: "folder"), withIntermediateDirectories: true)
            return folder.path("folder")
        case .empty: return try folder.file("file", "")
        case .noise:
            try Data([0, 1, 2, 0xFF, 0x80, 0x0A, 0]).write(to: folder.url.appending(path: "file"))
            return folder.path("file")
        }
    }

    /// What is in a folder, but for the logs of stores, which come and go.
    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try folder.names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    private func bytes(of path: String) throws -> Data {
        path.hasSuffix("folder") ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
    }
}

/// What a command line came to that ran in this process.
struct InProcessRun: CustomStringConvertible {
    var status: Int32
    var output: String
    var diagnostics: String
    var description: String { "\(status): \(output)\(diagnostics)" }
}

/// Runs a command line in this process.
func inProcess(_ arguments: [String], in folder: TemporaryFolder? = nil) throws -> InProcessRun {
    // Elsewhere, so that the folder has nothing but what the command makes.
    let streams = try TemporaryFolder()
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: streams.file("out", "")))
    let diagnostics = try FileHandle(forWritingTo: URL(fileURLWithPath: streams.file("err", "")))
    var console = Console()
    console.output = output.fileDescriptor
    console.diagnostics = diagnostics.fileDescriptor
    let status = Tool.run(arguments, console: console)
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: streams.url.appending(path: name)), as: UTF8.self)
    }
    return InProcessRun(status: status, output: try text("out"), diagnostics: try text("err"))
}
