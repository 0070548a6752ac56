// Holds the plugin's scanner of Swift sources against SwiftSyntax:
//
//     SourceComparison FOLDER...
//
// reads each Swift file in the folders with both, as it is and with @NSManaged put before every property and method, so that
// all names, types and places count. It ends with 1 if they differ anywhere, or if there were too few files to say.

import Foundation
import ManagedObjectGenerator

@main
enum Main {
    static let fewest = 2000

    static func main() throws {
        var comparison = Comparison()
        for folder in CommandLine.arguments.dropFirst() {
            let files = FileManager.default.enumerator(
                at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
            let sources = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            for url in sources.sorted(by: { $0.path < $1.path }) {
                var isFolder: ObjCBool = false
                _ = unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
                if !isFolder.boolValue { try comparison.compare(url) }
            }
        }
        print(comparison.summary)
        exit(comparison.differing == 0 && comparison.files >= fewest ? 0 : 1)
    }
}

/// What was compared so far.
struct Comparison {
    private(set) var files = 0
    private(set) var differing = 0
    private var counts: [String: Int] = [:]
    private var scanning = Duration.zero
    private var parsing = Duration.zero

    mutating func compare(_ url: URL) throws {
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        files += 1
        var isSame = true
        for source in [text, Self.managed(text)] {
            let clock = ContinuousClock()
            var found = SourceDeclarations()
            var expected = SourceDeclarations()
            scanning += clock.measure { found = SourceDeclarations(scanning: source, file: url.path) }
            parsing += clock.measure { expected = SourceDeclarations(parsing: source, file: url.path) }
            let scanned = Self.lines(found)
            let parsed = Self.lines(expected)
            for line in parsed { counts[String(line.prefix { $0 != " " }), default: 0] += 1 }
            guard scanned != parsed else { continue }
            isSame = false
            let difference = scanned.difference(from: parsed)
            print("\(url.path)\(source == text ? "" : " (with @NSManaged)"):")
            for change in difference.prefix(6) {
                switch change {
                case .insert(_, let line, _): print("    scanner alone:     \(line)")
                case .remove(_, let line, _): print("    SwiftSyntax alone: \(line)")
                }
            }
        }
        if !isSame { differing += 1 }
    }

    /// A source with @NSManaged before each property and method that begins a line.
    private static func managed(_ text: String) -> String {
        let modifiers: Set = [
            "public", "private", "fileprivate", "internal", "package", "open", "static", "final", "class", "override",
            "mutating", "lazy", "weak", "nonisolated", "private(set)", "fileprivate(set)", "internal(set)",
        ]
        // `let` within the conditions of a statement is no declaration.
        var isCondition = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let words = line.split(separator: " ")
            defer {
                let last = words.last ?? (isCondition ? "," : "")
                isCondition = last.hasSuffix(",") || ["if", "guard", "while"].contains(last)
            }
            guard let first = words.first(where: { !modifiers.contains(String($0)) }), !isCondition,
                ["var", "let", "func"].contains(first), let start = line.firstIndex(where: { $0 != " " })
            else { return String(line) }
            return line[..<start] + "@NSManaged " + line[start...]
        }.joined(separator: "\n")
    }

    /// Declarations as texts, one each.
    private static func lines(_ found: SourceDeclarations) -> [String] {
        let types = found.nominals.map { path in
            "type " + path.map { "\($0.kind) \($0.name)" }.joined(separator: ".")
        }
        let aliases = found.aliases.map { "alias \($0.path.joined(separator: ".")) = \($0.type)" }
        let inherited = found.inherited.map { "inheritance \($0): \($1)" }.sorted()
        let hidden = found.hidden.map { "hidden \($0): \($1)" }.sorted()
        return types + aliases + inherited + hidden + found.members.map { "member \($0)" }
            + found.written.map { "written \($0)" }
    }

    var summary: String {
        let found = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "\(files) files, each twice: \(differing) differ. Compared: \(found). "
            + "Scanner \(scanning), SwiftSyntax \(parsing)."
    }
}
