// `graft diagram`: each form of the picture, and what happens where Graphviz isn't installed.

import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct DiagramCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `Mermaid's text has entities, inheritance, counts and names`() throws {
        let lines = try graft("diagram", Project.heroesModel, "--format", "mermaid").succeeded().lines
        #expect(lines.first == "classDiagram")
        for line in [
            "    class Hero {", "        <<abstract>>", "        Integer64 id", "        String? motto",
            "    Character <|-- Hero", #"    Character "0..*" -- "0..1" Publisher : publisher / characters"#,
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test func `who owns has a diamond, and delete rules are named`() throws {
        _ = try folder.file(
            "orders.json", #"[{"id": 1, "lines": [{"count": 2}, {"count": 1}], "address": {"zip": 1}}]"#)
        try graft("import", "orders.json", "--store", "O.sqlite", in: folder).succeeded()
        let mermaid = try graft("diagram", "O.sqlite", "--format", "mermaid", in: folder).succeeded()
        #expect(mermaid.lines.contains(#"    Order "0..1" *-- "0..*" Line : lines (ordered, Cascade) / order"#))
        let dot = try graft("diagram", "O.sqlite", "--format", "dot", in: folder).succeeded()
        #expect(
            dot.text.contains(
                #""Order":to1r:e -> "Line":from1l:w [arrowhead=crow, arrowtail=diamondtee];"#))
        for row in [
            ##"<TD ALIGN="LEFT" PORT="to1l">lines (ordered, Cascade)</TD><TD ALIGN="LEFT" PORT="to1r"><FONT COLOR="#5c636b">0..* Line<"##,
            ##"<TD ALIGN="LEFT" PORT="from1l">order</TD><TD ALIGN="LEFT" PORT="from1r"><FONT COLOR="#5c636b">0..1 Order<"##,
        ] {
            #expect(dot.text.contains(row), "\(row)")
        }
    }

    @Test func `attributes are counted where not all are shown`() throws {
        let run = try graft("diagram", Project.heroesModel, "--format", "mermaid", "--attributes", "2").succeeded()
        #expect(run.lines.contains("        5 more"))
        #expect(!run.text.contains("motto"))
    }

    @Test func `without Graphviz there is an error that says how to get it`() throws {
        let run = try shell("PATH=/nonexistent \"$GRAFT\" diagram '\(Project.heroesModel)'", in: folder)
        #expect(run.status == 1)
        #expect(run.diagnostics.contains("apt-get install graphviz"))
    }

    @Test(.needsGraphviz) func `the picture is SVG in the colours of the page around it`() throws {
        let run = try graft("diagram", Project.heroesModel, "--output", "heroes.svg", in: folder).succeeded()
        #expect(run.text.hasPrefix("heroes.svg: "))
        let svg = try String(contentsOf: folder.url.appending(path: "heroes.svg"), encoding: .utf8)
        #expect(svg.hasPrefix("<svg") && svg.contains("prefers-color-scheme: dark") && svg.contains("var(--text)"))
        #expect(try XMLDocument(xmlString: svg, options: []).rootElement()?.name == "svg")
    }

    /// Where Graphviz puts things differs from version to version; what there is doesn't.
    @Test(.needsGraphviz) func `the picture in the documentation is the one that the tool draws`() throws {
        let drawn = try graft("diagram", Project.heroesModel).succeeded().text
        let shown = try String(
            contentsOf: Project.root.appending(path: "Sources/Graft/Graft.docc/heroes-model.svg"), encoding: .utf8)
        func parts(_ svg: String) -> [Substring] {
            (svg.matches(of: /<title>(.*?)<\/title>/) + svg.matches(of: /<text [^>]*>(.*?)<\/text>/)).map(\.1).sorted()
        }
        #expect(parts(shown) == parts(drawn) && parts(shown).count > 40)
        #expect(shown.contains("prefers-color-scheme: dark"))
    }
}
