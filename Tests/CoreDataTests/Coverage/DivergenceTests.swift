// docs/divergences.md names a test for each divergence. Whether there is one of that name, this looks up.

import Foundation
import Testing

@Suite struct DivergenceTests {
    @Test func `each divergence has a test, which is there`() throws {
        let page = try String(contentsOf: Repository.divergencesPage, encoding: .utf8)
        let known = try Repository.testNames(under: "Tests")
        let listed = page.matches(of: /(?m)^\| (\d+) \|/).map { String($0.1) }
        var shown: [String] = []
        for line in page.split(separator: "\n") {
            guard let entry = line.wholeMatch(of: /\* (\d+): (.*)/) else { continue }
            shown.append(String(entry.1))
            var suite = ""
            for part in entry.2.matches(of: /(\w+Tests): |`([^`]*)`/) {
                if let name = part.1 { suite = String(name) }
                if let test = part.2 { #expect(known.contains("\(suite): \(test)"), "\(entry.1)") }
            }
        }
        #expect(listed.count > 20 && listed == shown)
    }
}
