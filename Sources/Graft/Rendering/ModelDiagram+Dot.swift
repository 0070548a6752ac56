// A diagram in the language of Graphviz, and the finish of the picture that its `dot` makes: colours that follow the page's.

extension ModelDiagram {
    /// The diagram in Graphviz' language. Lines end in a crow's foot where there are many, and begin in a diamond at an owner.
    public var dot: String {
        var lines = [
            "digraph model {",
            "  graph [rankdir=LR, bgcolor=transparent, nodesep=0.35, ranksep=0.9, fontname=\"\(Self.font)\"];",
            "  node [shape=plain, fontname=\"\(Self.font)\", fontsize=11, fontcolor=\"\(Colour.text.rawValue)\"];",
            "  edge [fontname=\"\(Self.font)\", fontsize=9, color=\"\(Colour.line.rawValue)\","
                + " fontcolor=\"\(Colour.quiet.rawValue)\", dir=both, arrowsize=0.8, labeldistance=2];",
        ]
        lines += entities.map {
            "  \(Self.quoted($0.name)) [label=<\(Self.table($0))>];"
        }
        for entity in entities {
            guard let parent = entity.superentity else { continue }
            lines.append(
                "  \(Self.quoted(parent)) -> \(Self.quoted(entity.name)) [arrowtail=empty, arrowhead=none, style=dashed];"
            )
        }
        lines += links.map(Self.edge)
        return lines.joined(separator: "\n") + "\n}\n"
    }

    /// The picture that Graphviz has made of ``dot``, in the colours of light and dark pages, and without what stands before it,
    /// so that it can be part of a page.
    public static func themed(svg: String) -> String {
        var picture = svg.range(of: "<svg").map { String(svg[$0.lowerBound...]) } ?? svg
        for colour in Colour.allCases { picture = picture.replacing(colour.rawValue, with: "var(--\(colour))") }
        guard let end = picture.firstIndex(of: ">") else { return picture }
        picture.insert(contentsOf: "\n<style>\(Colour.style)</style>", at: picture.index(after: end))
        return picture
    }

    // MARK: Parts

    private static let font = "Helvetica,Arial,sans-serif"

    /// Colours, as Graphviz is told them.
    private enum Colour: String, CaseIterable {
        case text = "#1c1e21"
        case quiet = "#5c636b"
        case line = "#8a9098"
        case box = "#f5f6f7"
        case head = "#dfe7f3"

        /// A picture by itself has the page's background, too.
        static let style = """
            svg:root { background: var(--page); } svg { --page: #ffffff; --text: #1c1e21; --quiet: #5c636b; \
            --line: #8a9098; --box: #f5f6f7; --head: #dfe7f3; } \
            @media (prefers-color-scheme: dark) { \
            svg { --page: #16181b; --text: #e6e7e9; --quiet: #a3a9b1; --line: #7d848c; --box: #1f2226; --head: #2b3547; } }
            """
    }

    private static func table(_ entity: Entity) -> String {
        let name = HTMLPage.escaped(entity.name)
        let title = entity.isAbstract ? "<I>\(name)</I>" : "<B>\(name)</B>"
        var rows = "<TR><TD BGCOLOR=\"\(Colour.head.rawValue)\" COLSPAN=\"2\">\(title)</TD></TR>"
        for attribute in entity.attributes {
            rows +=
                "<TR><TD ALIGN=\"LEFT\">\(HTMLPage.escaped(attribute.name))</TD><TD ALIGN=\"LEFT\">"
                + "<FONT COLOR=\"\(Colour.quiet.rawValue)\">\(attribute.type)\(attribute.isOptional ? "?" : "")</FONT></TD></TR>"
        }
        if entity.hiddenCount > 0 {
            rows +=
                "<TR><TD COLSPAN=\"2\"><FONT COLOR=\"\(Colour.quiet.rawValue)\">\(entity.hiddenCount) more</FONT></TD></TR>"
        }
        return
            "<TABLE BORDER=\"1\" COLOR=\"\(Colour.line.rawValue)\" BGCOLOR=\"\(Colour.box.rawValue)\" CELLBORDER=\"0\""
            + " CELLSPACING=\"0\" CELLPADDING=\"3\">\(rows)</TABLE>"
    }

    private static func edge(_ link: Link) -> String {
        let head = arrow(link.forward)
        let foot = link.backward.map { arrow($0) } ?? "none"
        let tail = link.forward.isOwning ? "diamond" + (foot == "none" ? "" : foot) : foot
        let settings = [
            "label=\(quoted(link.words))", "headlabel=\(quoted(link.forward.count))",
            link.backward.map { "taillabel=\(quoted($0.count))" }, "arrowhead=\(head)", "arrowtail=\(tail)",
        ]
        return "  \(quoted(link.source)) -> \(quoted(link.destination))"
            + " [\(settings.compactMap { $0 }.joined(separator: ", "))];"
    }

    private static func arrow(_ end: End) -> String { end.count.hasSuffix("1") ? "tee" : "crow" }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
