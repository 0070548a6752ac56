// The memory of a streaming import: the largest resident set of a process that does nothing else.

import CoreData
import Foundation
import Graft

enum MemoryBenchmark {
    /// The argument that makes this program the process that is measured.
    static let childArgument = "--measured-import"

    static func run(_ table: Table) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graft-memory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        table.title("Memory of a streaming import, in a process of its own")
        var peaks: [Int] = []
        for count in [100_000, 300_000] {
            let file = try HeroFile(count: count).write(to: folder, name: "heroes-\(count).json")
            let peak = try measured(file, folder.appending(path: "heroes-\(count).sqlite"))
            table.note("\(count) heroes: \(peak / 1024) MB at most")
            peaks.append(peak)
        }
        let peak = Double(peaks.max() ?? 0) / 1024
        table.goal("peak memory", String(format: "%.0f MB", peak), "below 300 MB", isMet: peak < 300)
    }

    /// Runs an import in a process of its own and returns its peak memory in KB.
    private static func measured(_ file: URL, _ store: URL) throws -> Int {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [childArgument, file.path, store.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let peak = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            throw GraftError(.other(finding: "the measured process failed: \(text)", remedy: "Run it by itself."))
        }
        return peak
    }

    /// The measured process: imports in batches, each saved, and prints its peak memory in KB.
    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2 else {
            throw GraftError(
                .other(finding: "\(childArgument) needs a file and a store", remedy: "Run 'memory' instead."))
        }
        var options = ImportOptions()
        options.savesEachBatch = true
        try StoreBenchmark.withContainer(URL(filePath: arguments[1])) { container in
            _ = try container.importJSON(contentsOf: [URL(filePath: arguments[0])], entity: "Hero", options: options)
        }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        print(line.split(separator: " ").dropFirst().first ?? "0")
    }
}
