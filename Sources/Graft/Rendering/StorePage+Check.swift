// What a check of the store says, on its page. `graft check` finds it and makes the words.

extension StorePage {
    /// What a check of a store came to, in words.
    package struct Check: Sendable {
        /// The heading: `2 damages and 0 notes`.
        package var summary: String
        /// The first findings.
        package var findings: [String]
        /// What else there is to say: how many more findings there are, what was looked at.
        package var remarks: [String]

        package init(summary: String, findings: [String] = [], remarks: [String] = []) {
            self.summary = summary
            self.findings = findings
            self.remarks = remarks
        }
    }

    /// The part about the check, folded.
    static func section(_ check: Check) -> String {
        let items = check.findings.map { "<li>\(text($0))</li>\n" }.joined()
        let list = items.isEmpty ? "" : "<ul class=\"findings\">\n\(items)</ul>\n"
        let remarks = check.remarks.map { "<p>\(text($0))</p>\n" }.joined()
        let heading = "<summary><h2>Check: \(text(check.summary))</h2></summary>\n"
        return "<details class=\"check\">\n\(heading)\(list)\(remarks)</details>\n"
    }
}
