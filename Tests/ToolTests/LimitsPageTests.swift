// docs/limits.md has every limit of the code, and the code those of the page.

import Foundation
import Testing

@Suite struct LimitsPageTests {
    /// How the sources call their limits.
    private static func declarations(in source: String) -> [String] {
        source.matches(
            of:
                /(?:let|var) ((?:deepest|maximum|most)\w*|\w+(?:Limit|Depth)|longestLine|largest|limit)(?:: \w+)? = ([1-9][^\n]*|Int\(UInt32[^\n]*)/
        ).map { "\($0.1) = \($0.2)" }
    }

    /// Numbers that bound how work is divided, not what is taken.
    private static let portions = [
        "NestedObjectMemo.swift", "BlockArchiveEncoder.swift", "ArchiveRestorer+Matching.swift",
        "NestedReadAhead.swift",
        "ObjectMatcher+Related.swift", "ObjectMatcher+Identities.swift", "FetchBatch.swift", "DiffLabels.swift",
        "PredicateSQL+Membership.swift", "PatternMatching.swift", "ToManyMembers.swift",
    ]

    @Test func `the page and the sources have the same limits`() throws {
        let page = try String(contentsOf: Project.root.appending(path: "docs/limits.md"), encoding: .utf8)
        let said = Dictionary(
            grouping: page.matches(of: /`([\w+]+\.swift): ([^`]+)`/).map { (file: String($0.1), limit: String($0.2)) },
            by: \.file)
        #expect(said.count > 30)
        let root = Project.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.lastPathComponent
            let source = try String(contentsOf: file, encoding: .utf8)
            let limits = said[name, default: []].map(\.limit)
            // A type says no more than the value.
            let plain = source.replacing(#/: (?:Int|TimeInterval) = /#, with: " = ")
            for limit in limits where plain.contains(limit + "\n") { found.insert("\(name): \(limit)") }
            guard !Self.portions.contains(name) else { continue }
            for declared in Self.declarations(in: source) {
                #expect(limits.contains(declared), "docs/limits.md lacks `\(name): \(declared)`")
            }
        }
        for (name, limits) in said {
            for (_, limit) in limits { #expect(found.contains("\(name): \(limit)"), "\(name) has no `\(limit)`") }
        }
    }
}
