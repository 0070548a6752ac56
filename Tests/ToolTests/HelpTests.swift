// The help: subcommands in groups, and two examples for each, which are run here as they stand.

import Foundation
import Testing

@Suite struct HelpTests {
    private static let commands = [
        "import", "export", "inspect", "infer", "diagram", "lint", "generate", "migrate", "diff", "apply", "merge",
        "archive", "restore", "copy", "check",
    ]

    /// The files that the examples speak of.
    private func examplesFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: Project.heroes.path) {
            try FileManager.default.copyItem(
                at: Project.heroes.appending(path: name), to: folder.url.appending(path: name))
        }
        try shell(
            """
            set -e
            cp -R Heroes.xcdatamodeld Old.xcdatamodeld
            "$GRAFT" import heroes.json --entity Hero --store Heroes.sqlite --model Heroes.xcdatamodeld >log
            for name in Base Ours Copy Theirs; do cp Heroes.sqlite $name.sqlite; done
            for name in Copy Theirs; do "$GRAFT" import heroes-update.json --entity Hero --store $name.sqlite >log; done
            "$GRAFT" diff Heroes.sqlite Copy.sqlite --format json >changes.json
            "$GRAFT" archive Heroes.sqlite --output heroes.archive >log
            """, in: folder
        ).succeeded()
        return folder
    }

    @Test(arguments: commands)
    func `the examples of a command's help work as they stand`(_ command: String) throws {
        let help = try graft("help", command).succeeded()
        let examples = help.lines.filter { $0.hasPrefix("  graft \(command) ") }.map { $0.dropFirst(2) }
        #expect(examples.count == 2, "\(help.text)")
        let folder = try examplesFolder()
        for example in examples {
            let run = try shell("graft() { \"$GRAFT\" \"$@\"; }; \(example)", in: folder)
            #expect(run.status == 0 && run.diagnostics.isEmpty, "\(example): \(run.diagnostics)")
        }
    }

    @Test func `the list of commands is in groups, and has all of them`() throws {
        let help = try graft("help").succeeded()
        for title in [
            "JSON AND STORE SUBCOMMANDS:", "MODEL SUBCOMMANDS:", "DIFFERENCE SUBCOMMANDS:", "ARCHIVE SUBCOMMANDS:",
        ] {
            #expect(help.lines.contains { $0 == title }, "\(title)")
        }
        for command in Self.commands { #expect(help.lines.contains { $0.hasPrefix("  \(command) ") }, "\(command)") }
    }

    @Test func `the manual has a page for each command, with its options and examples`() throws {
        let folder = try TemporaryFolder()
        let script = Project.root.appending(path: "scripts/manual").path
        try shell("'\(script)' \"$GRAFT\" .", in: folder).succeeded()
        #expect(try folder.names == (["graft"] + Self.commands.map { "graft-\($0)" }).map { "\($0).1" }.sorted())
        for command in Self.commands {
            let page = try String(contentsOfFile: folder.path("graft-\(command).1"), encoding: .utf8)
                .replacing("\\-", with: "-")
            let help = try graft("help", command).succeeded()
            for option in help.text.matches(of: /(?m)^  (--[a-z][a-z-]*)/) {
                #expect(page.contains("\n.B \(option.1)"), "\(command): \(option.1)")
            }
            for example in help.lines where example.hasPrefix("  graft \(command) ") {
                #expect(page.contains("\n\(example.dropFirst(2))\n"), "\(example)")
            }
        }
    }
}
