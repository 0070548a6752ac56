// Graft beside its peers, on data made from a seed. Every figure is shown as a ratio to a peer in the same run, because
// that means the same on another machine. A plain program and no framework: a ratio of two times needs no statistics
// beyond the best of a few runs.
//
//     swift run -c release Benchmarks [json|import|reimport|export|memory|mapping|cycles|archive|codable|dictionary|
//     groot|diff|storediff|objects|lookup|scale|limit|postgresql|all]

import Foundation

do {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == Step.argument {
        try Step.runAsProcess(Array(arguments.dropFirst()))
    } else {
        try run(arguments.isEmpty ? ["all"] : Array(arguments))
    }
} catch {
    FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
    exit(1)
}

func run(_ parts: [String]) throws {
    let known = [
        "json", "import", "reimport", "export", "memory", "mapping", "cycles", "archive", "codable",
        "dictionary", "groot", "diff", "storediff", "objects", "lookup", "scale", "limit", "postgresql", "all",
    ]
    if let unknown = parts.first(where: { !known.contains($0) }) {
        let text = "There is no benchmark '\(unknown)'. Name one of \(known.joined(separator: ", ")).\n"
        FileHandle.standardError.write(Data(text.utf8))
        exit(64)
    }
    func wants(_ part: String) -> Bool { parts.contains(part) || parts.contains("all") }
    let table = Table()
    if wants("json") { try JSONBenchmark.run(table) }
    if wants("import") || wants("reimport") || wants("export") {
        try inTemporaryFolder {
            try StoreBenchmark(table: table, folder: $0)
                .run(wantsReimport: wants("reimport"), wantsExport: wants("export"))
        }
    }
    if wants("codable") { try CodableBenchmark.run(table) }
    if wants("dictionary") { try DictionaryBenchmark(table: table).run() }
    if wants("groot") { try GrootBenchmark.run(table) }
    if wants("memory") { try inTemporaryFolder { try StoreBenchmark(table: table, folder: $0).runMemory() } }
    // It needs a program that is built with a library of its own.
    if parts.contains("limit") { try inTemporaryFolder { try LimitBenchmark(table: table, folder: $0).run() } }
    // It needs a server, Python, and a build with the trait.
    if parts.contains("postgresql") { try inTemporaryFolder { try ServerBenchmark(table: table, folder: $0).run() } }
    if parts.contains("scale") { try inTemporaryFolder { try ScaleBenchmark(table: table, folder: $0).run() } }
    if wants("mapping") { try inTemporaryFolder { try MappingBenchmark(table: table, folder: $0).runImport() } }
    if wants("cycles") { try inTemporaryFolder { try MappingBenchmark(table: table, folder: $0).runCycles() } }
    if wants("archive") { try inTemporaryFolder { try ArchiveBenchmark(table: table, folder: $0).run() } }
    if wants("diff") { try DiffBenchmark.run(table) }
    if wants("objects") { try inTemporaryFolder { try ObjectBenchmark(table: table, folder: $0).run() } }
    if wants("lookup") { try inTemporaryFolder { try LookUpBenchmark(table: table, folder: $0).run() } }
    if wants("storediff") { try inTemporaryFolder { try StoreDiffBenchmark(table: table, folder: $0).run() } }
}

/// Runs a benchmark that needs a folder, which is removed afterwards.
func inTemporaryFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "graft-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Best effort: it is a temporary folder.
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}
