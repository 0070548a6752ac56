// What the command line accepts, and what it answers to the rest.

import Testing

@Suite struct CommandLineTests {
    struct Usage: CustomTestStringConvertible {
        var arguments: [String]
        var says: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Usage(arguments: ["imprt"], says: "There is no command 'imprt'. Did you mean 'import'?"),
        Usage(arguments: ["query", "a.sqlite", "--all"], says: "There is no command 'query'."),
        Usage(arguments: ["help", "imprt"], says: "There is no command 'imprt'. Did you mean 'import'?"),
        Usage(arguments: ["help", "nope"], says: "There is no command 'nope'."),
        Usage(arguments: ["import"], says: "Missing expected argument"),
        Usage(arguments: ["import", "a.json"], says: "--store"),
        Usage(arguments: ["import", "a.json", "--store", "s", "--batch", "0"], says: "--batch needs a number"),
        Usage(arguments: ["import", "a.json", "--store", "s", "--batch", "ten"], says: "'ten' is invalid"),
        Usage(arguments: ["import", "-", "-", "--store", "s"], says: "only once"),
        Usage(arguments: ["export"], says: "Name one store to export, with --store."),
        Usage(arguments: ["export", "a", "--store", "s"], says: "Name one store to export, with --store."),
        Usage(arguments: ["export", "a", "b"], says: "Unexpected argument 'b'"),
        Usage(arguments: ["export", "--store", "s", "--limit", "-1"], says: "--limit"),
        Usage(arguments: ["export", "--store", "s", "--format", "xml"], says: "'json' and 'ndjson'"),
        Usage(arguments: ["export", "--store", "s", "--format", "ndjson", "--pretty"], says: "--pretty"),
        Usage(arguments: ["export", "--store", "s", "--transformer", "x"], says: "--transformer x"),
        Usage(arguments: ["import", "a", "--store", "s", "--transformer", "A=none"], says: "--transformer A=none"),
        Usage(arguments: ["import", "a", "--store", "s", "--max-deletions", "-1"], says: "a number of objects"),
        Usage(arguments: ["diff", "a", "b", "--value-length", "-1"], says: "--value-length needs a number"),
        Usage(arguments: ["lint", "m", "--transformer", "A=loud"], says: "--transformer A=loud"),
        Usage(arguments: ["archive"], says: "Missing expected argument"),
        Usage(
            arguments: ["restore", "a", "--store", "s", "--fit", "any"], says: "'exact', 'compatible' or 'partial'"),
        Usage(arguments: ["restore", "a", "--store", "s", "--batch", "0"], says: "--batch needs a number"),
        Usage(arguments: ["inspect"], says: "Missing expected argument"),
        Usage(arguments: ["inspect", "a", "b"], says: "Unexpected argument 'b'"),
    ])
    func `a command line that makes no sense is answered with its usage and 64`(_ usage: Usage) throws {
        let run = try graft(usage.arguments)
        #expect(run.status == 64)
        #expect(run.text == "")
        #expect(run.diagnostics.contains(usage.says), "\(run.diagnostics)")
        #expect(run.diagnostics.contains("Usage: graft"))
    }

    @Test func `an export of a path without option is one of that store, and its errors and help name the option`()
        throws
    {
        let folder = try TemporaryFolder()
        try graft("export", "Gone.sqlite", in: folder).failed(saying: "Gone.sqlite")
        let store = try heroStore(in: folder)
        let run = try graft("export", store, "--entity", "Hero", "--sort", "id").succeeded()
        #expect(try graft("export", "--store", store, "--entity", "Hero", "--sort", "id").output == run.output)
        let help = try graft("export", "--help").succeeded().text
        #expect(help.contains("--store <store>") && !help.contains("<path>"))
    }

    @Test(arguments: [
        ["import", "", "--store", "S.sqlite"], ["import", "a.json", "--store", ""],
        ["import", "a.json", "--store", "S.sqlite", "--model", ""], ["apply", "", "--store", "S.sqlite"],
        ["export", "--store", ""], ["inspect", ""],
        ["import", "a.json", "--store", "S.sqlite", "--backup", ""], ["generate", "S.sqlite", "-o", ""],
        ["migrate", "S.sqlite", "--model", "S.sqlite", "--mapping", ""],
        ["migrate", "S.sqlite", "--model", "S.sqlite", "--backup", ""],
        ["merge", "S.sqlite", "S.sqlite", "S.sqlite", "-o", ""],
        ["lint", ""], ["copy", "S.sqlite", ""], ["export", "S.sqlite", "-o", ""], ["diff", "a.json", ""],
    ])
    func `an empty path is called empty, and not a folder`(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        _ = try (heroStore(in: folder, named: "S.sqlite"), folder.file("a.json", "[]"))
        let run = try graft(arguments, in: folder)
        #expect(run.status != 0 && run.text == "")
        #expect(run.diagnostics == "graft: The path of a file is empty. Name a file.\n")
    }

    @Test(arguments: [["--help"], ["help", "import"], ["import", "--help"], ["export", "-h"], []])
    func `help is a result`(_ arguments: [String]) throws {
        let run = try graft(arguments).succeeded()
        #expect(run.text.contains("USAGE: graft"))
    }

    @Test func `the version is a number of three parts`() throws {
        let run = try graft("--version").succeeded()
        #expect(run.text.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
    }
}
