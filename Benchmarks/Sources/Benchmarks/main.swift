// Graft beside its peers. Everything runs in this one process (memory: in a fresh one), on data made from a seed, and
// is shown as a ratio to a peer in the same run, because that is the figure that means the same on another machine. A
// plain program and no framework: a ratio of two times needs no statistics beyond the best of a few runs.
//
//     swift run -c release Benchmarks [json|import|reimport|export|memory|all]

import Foundation

do {
    let parts = CommandLine.arguments.dropFirst()
    if parts.first == MemoryBenchmark.childArgument {
        try MemoryBenchmark.runChild(Array(parts.dropFirst()))
    } else {
        try run(parts.isEmpty ? ["all"] : Array(parts))
    }
} catch {
    FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
    exit(1)
}

func run(_ parts: [String]) throws {
    let known = ["json", "import", "reimport", "export", "memory", "all"]
    if let unknown = parts.first(where: { !known.contains($0) }) {
        FileHandle.standardError.write(
            Data("There is no benchmark '\(unknown)'. Name one of \(known.joined(separator: ", ")).\n".utf8))
        exit(64)
    }
    func wants(_ part: String) -> Bool { parts.contains(part) || parts.contains("all") }
    let table = Table()
    if wants("json") { try JSONBenchmark.run(table) }
    if wants("import") || wants("reimport") || wants("export") {
        try StoreBenchmark.run(table, wantsReimport: wants("reimport"), wantsExport: wants("export"))
    }
    if wants("memory") { try MemoryBenchmark.run(table) }
}
