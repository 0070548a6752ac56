// Graft beside its peers, on data made from a seed. Every figure is shown as a ratio to a peer in the same run, because
// that means the same on another machine. A plain program and no framework: a ratio of two times needs no statistics
// beyond the best of a few runs.
//
//     swift run -c release Benchmarks [json|import|reimport|export|memory|mapping|cycles|archive|codable|diff|storediff|
//     objects|all]

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
        "json", "import", "reimport", "export", "memory", "mapping", "cycles", "archive", "codable", "diff",
        "storediff", "objects", "all",
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
        try StoreBenchmark(table).run(wantsReimport: wants("reimport"), wantsExport: wants("export"))
    }
    if wants("codable") { try CodableBenchmark.run(table) }
    if wants("memory") { try StoreBenchmark(table).runMemory() }
    if wants("mapping") { try MappingBenchmark(table).runImport() }
    if wants("cycles") { try MappingBenchmark(table).runCycles() }
    if wants("archive") { try ArchiveBenchmark(table).run() }
    if wants("diff") { try DiffBenchmark.run(table) }
    if wants("objects") { try ObjectBenchmark(table).run() }
    if wants("storediff") { try StoreDiffBenchmark(table).run() }
}
