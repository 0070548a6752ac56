// Several imports of the same data into one store at the same time: nothing is doubled, and nobody fails for being second.
// GRAFT_ROUNDS says how many times over.

import Foundation
import Testing

@Suite(.serialized) struct ConcurrentImportTests {
    struct Case: CustomTestStringConvertible {
        var processes: Int
        var batch: Int?
        /// What the model has for the identity.
        var index = ""
        var isNew = false
        var testDescription: String {
            "\(processes) processes, batch \(batch.map(String.init) ?? "none"), \(index.isEmpty ? "no index" : index)"
                + (isNew ? ", new store" : "")
        }
    }

    private let folder: TemporaryFolder
    private let input: String
    private let empty: String
    private let count = Laws.count(1200, otherwise: 600)
    private static let rounds = ProcessInfo.processInfo.environment["GRAFT_ROUNDS"].flatMap(Int.init) ?? 1
    private static let constraint = """
        <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
        """
    private static let fetchIndex = """
        <fetchIndex name="byID"><fetchIndexElement property="id" type="Binary" order="ascending"/></fetchIndex>
        """

    init() throws {
        folder = try TemporaryFolder()
        input = try folder.file("input.json", generatedHeroes(count))
        empty = try folder.file("empty.json", "[]")
    }

    /// The heroes' model with something more in the entity of the characters.
    private func model(_ addition: String) throws -> String {
        if addition.isEmpty { return Project.heroesModel }
        let path = folder.path("Heroes.xcdatamodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let versions = try FileManager.default.contentsOfDirectory(atPath: Project.heroesModel)
        let version = try #require(versions.first { $0.hasSuffix(".xcdatamodel") })
        let text = try String(contentsOfFile: "\(Project.heroesModel)/\(version)/contents", encoding: .utf8)
        let end = try #require(text.range(of: "</entity>"))
        try text.replacingCharacters(in: end, with: addition + "</entity>")
            .write(toFile: path + "/contents", atomically: true, encoding: .utf8)
        return path
    }

    private func arguments(_ file: String, _ store: String, _ model: String, _ batch: Int?) -> [String] {
        ["import", file, "--entity", "Hero", "--store", store, "--model", model]
            + (batch.map { ["--batch", "\($0)"] } ?? [])
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: [
            Case(processes: 2, batch: nil), Case(processes: 2, batch: 200), Case(processes: 8, batch: nil),
            Case(processes: 8, batch: 200), Case(processes: 8, batch: 200, index: constraint),
            Case(processes: 8, batch: nil, index: fetchIndex), Case(processes: 2, batch: nil, index: fetchIndex),
            Case(processes: 3, batch: nil, isNew: true),
        ])
    func `imports at the same time make the same store as one after the other`(_ example: Case) throws {
        let model = try model(example.index)
        let alone = folder.path("Alone.sqlite")
        try graft(arguments(input, alone, model, example.batch)).succeeded()
        for round in 1...Self.rounds {
            let store = folder.path("Store\(round).sqlite")
            if !example.isNew { try graft(arguments(empty, store, model, nil)).succeeded() }
            let jobs = try (1...example.processes).map {
                try start(arguments(input, store, model, example.batch) + ["--report", folder.path("r\($0).json")])
            }
            for job in jobs {
                job.process.waitUntilExit()
                #expect(job.process.terminationStatus == 0, "round \(round): \(job.diagnostics())")
            }
            let file = StoreFile(path: store)
            #expect(try file.integrity == ["ok"])
            #expect(try file.count("ZCHARACTER") == count, "round \(round)")
            let difference = try graft("diff", alone, store)
            #expect(difference.status == 0, "round \(round): \(difference.text)")
            var inserted = 0
            for number in 1...example.processes {
                let report = try JSONSerialization.jsonObject(
                    with: Data(contentsOf: folder.url.appending(path: "r\(number).json")))
                let entities = (report as? [String: Any])?["entities"] as? [[String: Any]] ?? []
                for case let counts as [String: Int] in entities.map({ $0["counts"] as Any }) {
                    inserted += counts["inserted"] ?? 0
                }
            }
            #expect(inserted == count + 7 + 11, "each object is inserted by one import alone; round \(round)")
            #expect(try folder.names.filter { $0.hasPrefix(".graft-") } == [])
        }
    }

    /// A job that runs, with what it writes into a file.
    private func start(_ arguments: [String], input: Any? = nil) throws -> (process: Process, diagnostics: () -> String)
    {
        let file = URL(fileURLWithPath: try folder.file("said-\(UUID().uuidString)", ""))
        let process = Process()
        process.executableURL = Project.executable
        process.arguments = arguments
        process.standardInput = input ?? FileHandle.nullDevice
        let said = try FileHandle(forWritingTo: file)
        (process.standardOutput, process.standardError) = (said, said)
        try process.run()
        return (process, { (try? String(contentsOf: file, encoding: .utf8)) ?? "" })
    }

    @Test(.timeLimit(.minutes(5)))
    func `an import has its turn from the first look-up on; others read, and wait as long as they are told to`() throws
    {
        let store = folder.path("Store.sqlite")
        try graft(arguments(empty, store, Project.heroesModel, nil)).succeeded()
        // More than a batch, so that the first objects are looked up before the pipe has ended.
        let lines = generatedHeroes(5100).split(separator: "\n").dropFirst().dropLast()
        let records = lines.map { $0.hasSuffix(",") ? $0.dropLast() : $0 }.joined(separator: "\n")
        let pipe = Pipe()
        let first = try start(["import", "-", "--entity", "Hero", "--store", store], input: pipe)
        try pipe.fileHandleForWriting.write(contentsOf: Data(records.utf8))
        let other = try folder.file("other.json", #"{"id": "9999", "name": "Other"}"#)
        var refused: ToolRun?
        for _ in 1...200 where refused == nil {
            let run = try graft("import", other, "--entity", "Hero", "--store", store, "--wait", "0.1")
            if run.status != 0 { refused = run }
        }
        try #require(refused).failed(saying: "Store.sqlite", "locked")
        // Nothing of the import is there yet, and who reads doesn't wait.
        let export = try graft("export", "--store", store, "--entity", "Hero").succeeded()
        #expect(!export.text.contains("Hero 5100"))
        try pipe.fileHandleForWriting.close()
        first.process.waitUntilExit()
        #expect(first.process.terminationStatus == 0, "\(first.diagnostics())")
        try graft("import", other, "--entity", "Hero", "--store", store).succeeded()
        #expect(try StoreFile(path: store).count("ZCHARACTER") == 5101)
    }
}
