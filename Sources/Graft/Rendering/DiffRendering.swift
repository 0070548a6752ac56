// What the renderings for people have in common: the order of the objects, the lines of each one, and values in which
// nothing of what stands in the data can disturb a terminal or a page.

import Foundation

/// How a diff is shown to people.
public struct DiffRendering: Sendable {
    /// A form in which a difference is shown or sent.
    public enum Format: String, CaseIterable, Sendable {
        /// Text for people, in the manner of unified diffs.
        case text
        /// One self-contained page.
        case html
        /// The diff itself: its versioned JSON form.
        case json
        /// The trees of the article: attributes and owned objects, old and new, as JSON.
        case dictionary
        /// JSON Patch (RFC 6902) against the exported JSON.
        case jsonPatch = "json-patch"
        /// JSON Merge Patch (RFC 7396) against the exported JSON.
        case mergePatch = "merge-patch"
    }

    /// What the old graph is called.
    public var oldName: String
    /// What the new graph is called.
    public var newName: String
    /// Words beside an object's identity, such as its name.
    public var labels: [ObjectKey: String]
    /// How many characters of a value are shown; nil shows all.
    public var maximumValueLength: Int?
    /// Whether the text has colours, for terminals (ECMA-48 sequences). HTML always has them.
    public var isColored: Bool
    /// At which end links are shown; nil shows them at both, as the diff has them.
    public var linkSides: DiffRendering.LinkSides?

    /// Creates options.
    public init(
        oldName: String = "old", newName: String = "new", labels: [ObjectKey: String] = [:],
        maximumValueLength: Int? = 200, isColored: Bool = false, linkSides: DiffRendering.LinkSides? = nil
    ) {
        self.oldName = oldName
        self.newName = newName
        self.labels = labels
        self.maximumValueLength = maximumValueLength
        self.isColored = isColored
        self.linkSides = linkSides
    }
}

/// One object of a diff, as people are shown it.
struct DiffEntry {
    enum Kind: String {
        case deleted, inserted, changed

        /// The kind in a word, for people.
        var word: String { self == .inserted ? "new" : rawValue }
    }

    var kind: Kind
    var key: ObjectKey
    /// By name. What an inserted or deleted object hasn't isn't there.
    var details: [PropertyChange]
}

extension GraphDiff {
    /// The objects in the order of their keys, whatever happened to them.
    var entries: [DiffEntry] {
        let all =
            deleted.map { DiffEntry($0, isInserted: false) } + inserted.map { DiffEntry($0, isInserted: true) }
            + changed.map { DiffEntry(kind: .changed, key: $0.key, details: $0.properties) }
        // Sorted stably: an object that is deleted and inserted with one key comes in that order.
        return all.enumerated().sorted { one, other in
            if one.element.key == other.element.key { return one.offset < other.offset }
            return one.element.key < other.element.key
        }.map(\.element)
    }

    /// What is shown, and a sentence on what isn't.
    func shownEntries(_ rendering: DiffRendering) -> (entries: [DiffEntry], note: String?) {
        guard let sides = rendering.linkSides else { return (entries, nil) }
        let (entries, leftOut) = entries.showingLinksOnce(sides)
        guard leftOut > 0 else { return (entries, nil) }
        let objects = leftOut == 1 ? "1 object" : "\(leftOut) objects"
        return (entries, "\(objects) changed only at the other end of a link that is shown.")
    }

    /// For instance `1 new, 3 changed, 0 deleted`.
    var summary: String { "\(inserted.count) new, \(changed.count) changed, \(deleted.count) deleted" }
}

extension DiffEntry {
    /// A whole object. What it hasn't isn't shown.
    fileprivate init(_ contents: ObjectContents, isInserted: Bool) {
        kind = isInserted ? .inserted : .deleted
        key = contents.key
        details = contents.properties.compactMap { property in
            let change: PropertyChange.Kind =
                switch property.value {
                case .attribute(let value): .attribute(old: .null, new: value)
                case .toOne(let key): .toOne(old: nil, new: key)
                case .toMany(let keys, _): .toMany(MembersChange(added: keys.map { MembersChange.Member($0) }))
                }
            return change.isEmpty ? nil : PropertyChange(property.name, isInserted ? change : change.inverted)
        }
    }
}

extension DiffRendering {
    /// A value in one line.
    func text(of value: GraphValue) -> String {
        switch value {
        case .data(let bytes), .encoded(let bytes): "\(bytes.count) bytes: \(shortened(value.description))"
        case .string(let text): "\"\(Self.visible(shortened(text)))\""
        default: Self.visible(shortened(value.description))
        }
    }

    /// An object's name with its label.
    func text(of key: ObjectKey) -> String {
        let name = Self.visible(key.description)
        return labels[key].map { "\(name) (\(Self.visible(shortened($0))))" } ?? name
    }

    private func shortened(_ text: String) -> String {
        guard let maximumValueLength, text.count > maximumValueLength else { return text }
        return "\(text.prefix(max(0, maximumValueLength - 1)))…"
    }

    /// The text with everything visible that a terminal would obey or a reader wouldn't see: control characters, line
    /// separators, and the marks that turn the direction of text.
    static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case _ where isHidden(scalar): line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
