// `graft infer`, and `graft import` without a model.

import Foundation
import Testing

@Suite struct InferCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["heroes.json", "villains.json"] { _ = try folder.copy(of: Project.heroes.appending(path: name)) }
    }

    @Test func `each guess is shown with its evidence, and the model is written`() throws {
        let run = try graft("infer", "heroes.json", "--output", "Inferred.xcdatamodeld", in: folder).succeeded()
        #expect(run.lines.first?.hasPrefix("ENTITY, PROPERTY") == true)
        #expect(run.text.contains("4 objects at Hero; id is in each and in no two the same"))
        #expect(run.text.contains("to-many Power, shared, inverse heroes"))
        #expect(run.text.contains("  rescues  "))
        #expect(run.text.contains("3 integers; missing in 1 of 4"))
        try graft("lint", "Inferred.xcdatamodeld", in: folder).succeeded()
        try graft(
            "import", "heroes.json", "--store", "H.sqlite", "--model", "Inferred.xcdatamodeld", "--entity", "Hero",
            in: folder
        )
        .succeeded()
        try graft("infer", "heroes.json", "--output", "Inferred.xcdatamodeld", in: folder).failed(
            saying: "Inferred.xcdatamodeld", "exists already")
    }

    @Test func `a model isn't written into a folder that isn't there, as an export isn't`() throws {
        let output = ["--output", "nowhere/H.xcdatamodeld"]
        try graft(["infer", "heroes.json"] + output, in: folder).failed(saying: output[1], "folder doesn't exist")
        #expect(!FileManager.default.fileExists(atPath: folder.path("nowhere")))
    }

    @Test(arguments: ["1x", "", "X Y", "a-b"])
    func `a name that no entity can have is refused before a model is written with it`(_ name: String) throws {
        let run = try graft("infer", "heroes.json", "--entity", name, "--output", "M.xcdatamodeld", in: folder)
        #expect(run.status == 64 && run.diagnostics.contains("--entity can't be '\(name)'"), "\(run.diagnostics)")
        try graft("import", "heroes.json", "--entity", name, "--store", "S.sqlite", in: folder).failed(
            saying: "'\(name)' can't be the name of an entity")
        #expect(try folder.names == ["heroes.json", "villains.json"])
    }

    @Test func `names beyond ASCII and with digits are names of entities`() throws {
        for name in ["Größe", "_x1", "x²"] {
            try graft("infer", "heroes.json", "--entity", name, "--output", "\(name).xcdatamodeld", in: folder)
                .succeeded()
            try graft("lint", "\(name).xcdatamodeld", in: folder).succeeded()
        }
    }

    @Test func `the guesses can be had as JSON`() throws {
        let run = try graft("infer", "heroes.json", "--json", in: folder).succeeded()
        let guesses = try JSONSerialization.jsonObject(with: run.output) as? [[String: Any]] ?? []
        #expect(guesses.contains { $0["entity"] as? String == "Hero" && $0["property"] as? String == "rescues" })
    }

    @Test func `the file's name tells the entity again, where records can be of several`() throws {
        let text = #"[{"id": 1, "tags": [{"k": "a"}], "o": {"x": 1}}]"#
        _ = try folder.file("notes.json", text)
        try graft("import", "notes.json", "--store", "N.sqlite", in: folder).succeeded()
        let again = try graft("import", "notes.json", "--store", "N.sqlite", in: folder).succeeded()
        #expect(again.text.contains("Note"))
        try graft("diff", "notes.json", "N.sqlite", "--exit-code", in: folder).endedWell()
        _ = try folder.file("others.json", text)
        try graft("import", "others.json", "--store", "N.sqlite", in: folder).failed(saying: "--entity")
    }

    @Test func `a store's export without its model isn't taken for it without a word`() throws {
        try graft("import", "heroes.json", "--store", "H.sqlite", in: folder).succeeded()
        try graft("export", "--store", "H.sqlite", "--output", "all.json", in: folder).succeeded()
        let run = try graft("import", "all.json", "--store", "A.sqlite", in: folder).succeeded()
        #expect(run.text.contains("If it is the export of a store"), "\(run.text)")
        try graft("import", "all.json", "--store", "B.sqlite", "--model", "H.sqlite", in: folder).succeeded()
        try graft("diff", "H.sqlite", "B.sqlite", "--exit-code", in: folder).succeeded()
    }

    @Test func `an import without a model makes one, and says so`() throws {
        let run = try graft("import", "heroes.json", "--store", "H.sqlite", in: folder).succeeded()
        #expect(run.lines.first?.hasPrefix("There was no model; this one was inferred from the data.") == true)
        #expect(run.lines.contains("  Hero: entity, identified by id"))
        #expect(run.lines.contains { $0.split(separator: " ") == ["Power", "5", "0", "0"] })
        let export = try graft("export", "--store", "H.sqlite", "--entity", "Hero", in: folder).succeeded()
        let original = try Data(contentsOf: folder.url.appending(path: "heroes.json"))
        #expect(try Self.records(export.output) == Self.records(original))
        // The store carries its model now, and nothing is inferred again.
        let again = try graft("import", "heroes.json", "--entity", "Hero", "--store", "H.sqlite", in: folder)
            .succeeded()
        #expect(!again.text.contains("inferred"))
        #expect(again.lines.contains { $0.split(separator: " ") == ["Hero", "0", "0", "4"] })
    }

    @Test func `standard input is read once and imported by the model that it would have`() throws {
        let run = try graft(
            "import", "-", "--entity", "Row", "--store", "R.sqlite", input: #"{"id": 1}{"id": 2, "x": [1]}"#, in: folder
        )
        run.succeeded()
        #expect(run.lines.contains("Row            2        0          0"))
        #expect(try folder.names.filter { $0.hasPrefix("graft-") } == [])
        try graft("import", "-", "--store", "S.sqlite", input: "[1]", in: folder).failed(
            saying: "entities are made from objects")
        #expect(try !folder.names.contains("S.sqlite"))
    }

    @Test func `what comes from standard input is of the entity Record, in a guess as in an import`() throws {
        let input = #"[{"id": 1, "x": "a"}]"#
        let guess = try graft("infer", "-", "--output", "R.xcdatamodeld", input: input, in: folder).succeeded()
        #expect(guess.text.contains("1 object at Record"), "\(guess.text)")
        let run = try graft("import", "-", "--store", "R.sqlite", input: input, in: folder).succeeded()
        #expect(run.lines.contains { $0.split(separator: " ") == ["Record", "1", "0", "0"] }, "\(run.text)")
        try graft("import", "-", "--store", "S.sqlite", "--model", "R.xcdatamodeld", input: input, in: folder)
            .succeeded()
        try graft("infer", "-", input: "[1", in: folder).failed(saying: "standard input")
    }

    private static func records(_ json: Data) throws -> Set<NSDictionary> {
        Set(try JSONSerialization.jsonObject(with: json) as? [NSDictionary] ?? [])
    }

    #if os(Linux)
        /// The largest memory that the tool has had, in bytes, for so many records of a kilobyte.
        private func peakMemory(_ count: Int) throws -> Int {
            let text = String(repeating: "lorem ipsum ", count: 80)
            let records = (0..<count).map { #"{"id": \#($0), "name": "\#($0 % 97)", "text": "\#(text)"}"# }
            let file = try folder.file("\(count).json", records.joined(separator: "\n"))
            var peak = 0
            try run(
                Project.executable, ["infer", file, "--output", "\(count).xcdatamodeld"], input: nil, in: folder
            ) { process in
                while process.isRunning {
                    let status = try? String(
                        contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
                    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                    peak = max(peak, line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
                    usleep(2000)
                }
            }
            .succeeded()
            return peak * 1024
        }

        @Test func `the memory of a guess doesn't grow with the data`() throws {
            let few = try peakMemory(800), many = try peakMemory(4800)
            #expect(few > 0 && many < few + 2_000_000, "\(few), \(many)")
        }
    #endif
}
