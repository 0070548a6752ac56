// A diagram in the language of Graphviz, and the finish of the picture that its `dot` makes: colours that follow the page's.

extension ModelDiagram {
    /// The diagram in Graphviz' language. A relationship is a row of its entity, so that it can be read where many meet; lines
    /// lead from row to row, end in a crow's foot where there are many, and begin in a diamond at an owner.
    public var dot: String {
        var lines = [
            "digraph model {",
            "  graph [rankdir=LR, bgcolor=transparent, nodesep=0.35, ranksep=0.9, fontname=\"\(Self.font)\"];",
            "  node [shape=plain, fontname=\"\(Self.font)\", fontsize=11, fontcolor=\"\(Colour.text.rawValue)\"];",
            "  edge [color=\"\(Colour.line.rawValue)\", dir=both, arrowsize=0.8];",
        ]
        lines += entities.map {
            "  \(Self.quoted($0.name)) [label=<\(Self.table($0, rows(of: $0)))>];"
        }
        for entity in entities {
            guard let parent = entity.superentity else { continue }
            lines.append(
                "  \(Self.quoted(parent)) -> \(Self.quoted(entity.name)) [arrowtail=empty, arrowhead=none, style=dashed];"
            )
        }
        lines += links.enumerated().map { Self.edge($1, number: $0) }
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

    /// A relationship as its entity has it. Lines lead to the left of it, named by the port and `l`, and from the right (`r`).
    private struct Row {
        var port: String
        var end: End
        var destination: String
    }

    /// The relationships of an entity by name, both ends of links.
    private func rows(of entity: Entity) -> [Row] {
        links.enumerated().flatMap { number, link in
            var rows: [Row] = []
            if link.source == entity.name {
                rows.append(Row(port: "to\(number)", end: link.forward, destination: link.destination))
            }
            if let backward = link.backward, link.destination == entity.name, !link.isItsOwnInverse {
                rows.append(Row(port: "from\(number)", end: backward, destination: link.source))
            }
            return rows
        }.sorted { ($0.end.name, $0.port) < ($1.end.name, $1.port) }
    }

    private static func table(_ entity: Entity, _ relationships: [Row]) -> String {
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
        if !relationships.isEmpty { rows += "<HR/>" }
        for row in relationships {
            rows +=
                "<TR><TD ALIGN=\"LEFT\" PORT=\"\(row.port)l\">\(HTMLPage.escaped(row.end.words))</TD>"
                + "<TD ALIGN=\"LEFT\" PORT=\"\(row.port)r\"><FONT COLOR=\"\(Colour.quiet.rawValue)\">"
                + "\(row.end.count) \(HTMLPage.escaped(row.destination))</FONT></TD></TR>"
        }
        return
            "<TABLE BORDER=\"1\" COLOR=\"\(Colour.line.rawValue)\" BGCOLOR=\"\(Colour.box.rawValue)\" CELLBORDER=\"0\""
            + " CELLSPACING=\"0\" CELLPADDING=\"3\">\(rows)</TABLE>"
    }

    private static func edge(_ link: Link, number: Int) -> String {
        let head = arrow(link.forward)
        let foot = link.backward.map { arrow($0) } ?? "none"
        let tail = link.forward.isOwning ? "diamond" + (foot == "none" ? "" : foot) : foot
        let end = link.backward == nil ? "" : link.isItsOwnInverse ? ":to\(number)l:w" : ":from\(number)l:w"
        return "  \(quoted(link.source)):to\(number)r:e -> \(quoted(link.destination))\(end)"
            + " [arrowhead=\(head), arrowtail=\(tail)];"
    }

    private static func arrow(_ end: End) -> String { end.count.hasSuffix("1") ? "tee" : "crow" }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
