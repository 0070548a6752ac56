// A diff as one HTML page: nothing loaded from elsewhere, light or dark as the reader's system is. HTMLPage.swift has the frame
// and the colours, DiffFilter.swift the search; everything from the data goes through `escaped`.

extension GraphDiff {
    /// The diff as a self-contained HTML page: an overview by entity, then each object with what was there before and
    /// what is there after. Entities and objects can be folded; of more than 100 objects each is folded at first, so that a
    /// page of thousands opens at once. A search and filters by entity and by kind choose what is shown; all else works
    /// without scripts, too.
    public func html(_ rendering: DiffRendering = DiffRendering()) -> String {
        var page = HTMLPage(title: "\(rendering.oldName) → \(rendering.newName)")
        let (entries, note) = shownEntries(rendering)
        var writer = DiffHTML(rendering, isFolded: entries.count > 100)
        writer.overview(entries, summary, identification.sentences + (note.map { [$0] } ?? []))
        var entity: String?
        for entry in entries {
            if entry.key.entity != entity {
                if entity != nil { writer.html += "</details>\n" }
                entity = entry.key.entity
                let name = HTMLPage.escaped(DiffRendering.visible(entry.key.entity))
                let anchor = DiffHTML.anchor(entry.key.entity)
                writer.html += "<details open class=\"entity\" id=\"\(anchor)\"><summary><h2>\(name)</h2></summary>\n"
            }
            writer.write(entry)
        }
        if entity != nil { writer.html += "</details>\n" }
        page.body = writer.html
        if !entries.isEmpty {
            page.style = DiffFilter.style
            page.script = DiffFilter.script
        }
        return page.html
    }
}

private struct DiffHTML {
    let rendering: DiffRendering
    /// Whether objects are folded at first.
    let isFolded: Bool
    var html = ""

    init(_ rendering: DiffRendering, isFolded: Bool) {
        self.rendering = rendering
        self.isFolded = isFolded
    }

    // MARK: Overview

    mutating func overview(_ entries: [DiffEntry], _ summary: String, _ notes: [String]) {
        let (old, new) = (escaped(rendering.oldName), escaped(rendering.newName))
        html += "<header><h1><span>\(old)</span> <span class=\"arrow\">→</span> <span>\(new)</span></h1>\n"
        html += entries.isEmpty ? "<p>No differences.</p></header>\n" : "<p>\(summary)</p>\n"
        for note in notes { html += "<p>\(escaped(note))</p>\n" }
        guard !entries.isEmpty else { return }
        html += "<table class=\"overview\"><thead><tr><th>Entity</th><th>New</th><th>Changed</th><th>Deleted</th>"
        html += "</tr></thead><tbody>\n"
        var names: [String] = []
        var counts: [String: [DiffEntry.Kind: Int]] = [:]
        for entry in entries {
            if names.last != entry.key.entity { names.append(entry.key.entity) }
            counts[entry.key.entity, default: [:]][entry.kind, default: 0] += 1
        }
        for name in names {
            let cells = [DiffEntry.Kind.inserted, .changed, .deleted].map { kind -> String in
                let count = counts[name]?[kind] ?? 0
                return "<td class=\"\(count == 0 ? "none" : kind.rawValue)\">\(count)</td>"
            }.joined()
            html += "<tr><th scope=\"row\"><a href=\"#\(Self.anchor(name))\">\(escaped(name))</a></th>\(cells)</tr>\n"
        }
        html += "</tbody></table></header>\n"
        html += DiffFilter.html(
            entities: names.map { (Self.anchor($0), escaped($0)) },
            kinds: [DiffEntry.Kind.inserted, .changed, .deleted].map { ($0.rawValue, $0.word) })
    }

    /// The fragment of an entity's heading. Names of entities are identifiers, but a diff may come from anywhere.
    static func anchor(_ entity: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_".utf8)
        return "entity-"
            + entity.utf8.map { plain.contains($0) ? String(Unicode.Scalar($0)) : "-\(String($0, radix: 16))" }.joined()
    }

    // MARK: Objects

    mutating func write(_ entry: DiffEntry) {
        html += "<details\(isFolded ? "" : " open") class=\"object \(entry.kind.rawValue)\"><summary>"
        html += "<span class=\"badge \(entry.kind.rawValue)\">\(entry.kind.word)</span> \(name(entry.key))</summary>\n"
        if !entry.details.isEmpty {
            html += "<table class=\"properties\"><thead><tr><th>Property</th>"
            if entry.kind != .inserted { html += "<th>Before</th>" }
            if entry.kind != .deleted { html += "<th>After</th>" }
            html += "</tr></thead><tbody>\n"
            for change in entry.details { row(change.name, change.kind, entry.kind) }
            html += "</tbody></table>\n"
        }
        html += "</details>\n"
    }

    private mutating func row(_ name: String, _ change: PropertyChange.Kind, _ kind: DiffEntry.Kind) {
        html += "<tr><th scope=\"row\">\(escaped(name))</th>"
        switch change {
        case .attribute(let old, let new): cells(kind, value(old, against: new), value(new, against: old))
        case .toOne(let old, let new):
            let none = kind == .changed ? Self.none : nil
            cells(kind, old.map(self.name) ?? none, new.map(self.name) ?? none)
        case .toMany(let change) where kind == .changed:
            html += "<td colspan=\"2\" class=\"members\"><ul>"
            for member in change.removed { item("deleted", "removed", words(member)) }
            for member in change.added { item("inserted", "added", words(member)) }
            for move in change.moved {
                item("moved", "moved", "\(self.name(move.key)) from \(move.from) to \(move.to)")
            }
            html += "</ul></td>"
        case .toMany(let change):
            let items: [String] = (change.removed + change.added).map { "<li>\(words($0))</li>" }
            let members = items.joined()
            cells(kind, "<ul>\(members)</ul>", "<ul>\(members)</ul>")
        }
        html += "</tr>\n"
    }

    private mutating func cells(_ kind: DiffEntry.Kind, _ old: String?, _ new: String?) {
        if kind != .inserted { html += "<td class=\"old\">\(old ?? Self.none)</td>" }
        if kind != .deleted { html += "<td class=\"new\">\(new ?? Self.none)</td>" }
    }

    private mutating func item(_ style: String, _ word: String, _ content: String) {
        html += "<li><span class=\"badge \(style)\">\(word)</span> \(content)</li>"
    }

    // MARK: Values

    private static let none = "<span class=\"null\">nothing</span>"

    /// A value; of a text, the part that the other side doesn't have is marked.
    private func value(_ value: GraphValue, against other: GraphValue) -> String {
        if value.isNull { return Self.none }
        let text = rendering.text(of: value)
        guard case .string = value, case .string = other else { return escaped(text) }
        let otherText = rendering.text(of: other)
        let prefix = zip(text, otherText).prefix { $0 == $1 }.count
        let rest = (text.dropFirst(prefix), otherText.dropFirst(prefix))
        let suffix = zip(rest.0.reversed(), rest.1.reversed()).prefix { $0 == $1 }.count
        // Marking almost everything helps nobody.
        guard prefix + suffix > 4 else { return escaped(text) }
        let middle = rest.0.dropLast(suffix)
        let mark = middle.isEmpty ? "" : "<mark>\(escaped(String(middle)))</mark>"
        return escaped(String(text.prefix(prefix))) + mark + escaped(String(text.suffix(suffix)))
    }

    private func name(_ key: ObjectKey) -> String { "<span class=\"key\">\(escaped(rendering.text(of: key)))</span>" }

    private func words(_ member: MembersChange.Member) -> String {
        member.index.map { "\(name(member.key)) at \($0)" } ?? name(member.key)
    }

    private func escaped(_ text: String) -> String { HTMLPage.escaped(DiffRendering.visible(text)) }
}
