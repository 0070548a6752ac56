// A diff as text, in the manner of unified diffs.
//
//     --- Heroes.sqlite
//     +++ New.sqlite
//     @@ Hero 101 (Revontuli) changed @@
//     - motto: "Every night ends in colour."
//     + motto: null
//       powers:
//     -   Power 4 (Light bending)
//     +   Power 11 (Tides) at 2
//     ~   Power 9 (Flight) from 1 to 0
//     @@ Hero 105 (Sunbird) new @@
//     + active: true
//
//     1 new, 1 changed, 0 deleted

extension GraphDiff {
    /// The diff as text that people read: objects by key, properties by name, one line for each value.
    ///
    /// Values are shortened, and control characters in them are shown as escape sequences. The empty diff is the empty
    /// text.
    public func text(_ rendering: DiffRendering = DiffRendering()) -> String {
        guard !isEmpty else { return "" }
        var text = DiffText(rendering)
        text.line(.deleted, "--- ", DiffRendering.visible(rendering.oldName))
        text.line(.inserted, "+++ ", DiffRendering.visible(rendering.newName))
        for sentence in identification.sentences { text.line(nil, "# ", DiffRendering.visible(sentence)) }
        let (entries, note) = shownEntries(rendering)
        for entry in entries { text.write(entry) }
        text.line(nil, "", "")
        if let note { text.line(nil, "", note) }
        text.line(nil, "", summary)
        return text.text
    }
}

/// Lines with their colours.
private struct DiffText {
    let rendering: DiffRendering
    private(set) var text = ""

    /// What a line is about, by colour.
    enum Tone: String {
        case deleted = "31"
        case inserted = "32"
        case moved = "33"
        case heading = "36"
    }

    init(_ rendering: DiffRendering) { self.rendering = rendering }

    mutating func line(_ tone: Tone?, _ mark: String, _ words: String) {
        let end = rendering.isColored && tone != nil ? "\u{1B}[0m" : ""
        if rendering.isColored, let tone { text += "\u{1B}[\(tone.rawValue)m" }
        text += "\(mark)\(words)\(end)\n"
    }

    mutating func write(_ entry: DiffEntry) {
        line(.heading, "@@ ", "\(rendering.text(of: entry.key)) \(entry.kind.word) @@")
        for change in entry.details { write(DiffRendering.visible(change.name), change.kind, entry.kind) }
    }

    private mutating func write(_ name: String, _ change: PropertyChange.Kind, _ kind: DiffEntry.Kind) {
        switch change {
        case .attribute(let old, let new):
            if kind != .inserted { line(.deleted, "- ", "\(name): \(rendering.text(of: old))") }
            if kind != .deleted { line(.inserted, "+ ", "\(name): \(rendering.text(of: new))") }
        case .toOne(let old, let new):
            if let old { line(.deleted, "- ", "\(name): \(rendering.text(of: old))") }
            if let new { line(.inserted, "+ ", "\(name): \(rendering.text(of: new))") }
        case .toMany(let change):
            line(nil, "  ", "\(name):")
            for member in change.removed { line(.deleted, "-   ", words(member)) }
            for member in change.added { line(.inserted, "+   ", words(member)) }
            for move in change.moved {
                line(.moved, "~   ", "\(rendering.text(of: move.key)) from \(move.from) to \(move.to)")
            }
        }
    }

    private func words(_ member: MembersChange.Member) -> String {
        let name = rendering.text(of: member.key)
        return member.index.map { "\(name) at \($0)" } ?? name
    }
}
