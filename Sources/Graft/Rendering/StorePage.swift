// A store as a page for people: one file that needs nothing from elsewhere and runs no script. The parts are in +Parts, +Check
// and +Sizes.

public import CoreData
import Foundation

/// A page about the contents of a store.
public struct StorePage: Sendable {
    /// The heading, such as the store's file.
    public var title: String
    /// Lines below the heading.
    public var facts: [String] = []
    /// A picture of the model, as the element `svg`; nil where there is none, and a table says the same.
    public var diagram: String?
    /// What a check of the store came to; nil leaves that part out.
    package var check: Check?
    /// The tables of the store's file; nil where their sizes aren't known.
    package var tables: [Table]?
    /// How many objects of an entity are looked at for its numbers; the page says where there are more.
    public var sampleSize = 1000
    /// How many objects of each entity are shown.
    public var rowCount = 10

    /// Creates a page with a heading.
    public init(title: String) { self.title = title }

    /// The page about the objects that a context can fetch.
    ///
    /// - Throws: ``GraftError`` for a store that can't be read.
    public func html(of context: NSManagedObjectContext) throws -> String {
        let model = try context.requiredModel()
        let schema = try GraphSchema(model)
        let rendering = DiffRendering(maximumValueLength: 60)
        let samples = try context.performAndWait {
            try schema.entities.filter { !$0.isAbstract }.map {
                try EntitySample(
                    $0, in: context, sampleSize: sampleSize, rowCount: rowCount, text: rendering.text(of:))
            }
        }.sorted { $0.entity.name < $1.entity.name }
        var page = HTMLPage(title: title)
        page.style = Self.style
        page.body = body(samples, ModelDiagram(model), schema, rendering)
        return page.html
    }

    private func body(
        _ samples: [EntitySample], _ model: ModelDiagram, _ schema: GraphSchema, _ rendering: DiffRendering
    ) -> String {
        let shown = Set(samples.flatMap { $0.rows.map(\.link) })
        let filled = samples.filter { $0.count > 0 }
        let sizes = sizes(of: filled)
        var body = header(samples)
        body += overview(samples, schema, sizes)
        body += check.map { Self.section($0) } ?? ""
        body += diagram.map { Self.picture($0) } ?? Self.relationships(model)
        body += filled.map { section($0, schema, shown, rendering, sizes) }.joined()
        return body + "</main>\n"
    }

    private func header(_ samples: [EntitySample]) -> String {
        let objects = samples.reduce(0) { $0 + $1.count }
        var lines = facts + ["\(objects) objects of \(samples.count { $0.count > 0 }) entities"]
        if samples.contains(where: \.isPart) {
            lines.append("Of entities with more than \(sampleSize) objects, numbers are those of a sample.")
        }
        if objects > 0 { lines.append(sizeRemark) }
        let paragraphs = lines.map { "<p>\(Self.text($0))</p>\n" }.joined()
        return "<header>\n<h1>\(Self.text(title))</h1>\n\(paragraphs)</header>\n<main>\n"
    }

    static func text(_ text: String) -> String { HTMLPage.escaped(DiffRendering.visible(text)) }

    private static let style = """
        body { max-width: 80rem; }
        .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
        .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        .scroll:has(> svg) { max-height: 85vh; overflow: auto; } header p { margin: .2rem 0; }
        .scroll table { width: 100%; } .scroll > svg { display: block; margin: auto; max-width: 100%; height: auto; }
        main:has(#full-size:checked) .scroll > svg { max-width: none; }
        th.number { text-align: right; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .rows td { max-width: 22rem; overflow-wrap: anywhere; min-width: 5rem; font-size: .9rem; }
        .names { columns: 18rem; padding: 0; } .names li { break-inside: avoid; overflow-wrap: anywhere; }
        .names .none, .quiet { color: var(--quiet); } .names .quiet { white-space: nowrap; }
        .bars rect { fill: var(--bar); } .share { display: inline-block; height: .6rem; background: var(--bar);
          border-radius: 2px; margin-right: .4rem; max-width: 6rem; }
        .shares { font-size: .85rem; } .shares li { overflow-wrap: anywhere; }
        h3 { font-size: 1rem; margin: 1rem 0 .3rem; } tr:target { background: var(--mid); }
        .check { margin: 1.5rem 0; } .check summary { cursor: pointer; } .check h2 { display: inline-block; margin: 0; }
        .findings li { padding: .3rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; font-size: .9rem; }
        caption { text-align: left; padding: .3rem .7rem; color: var(--quiet); font-size: .85rem; }
        :root { --bar: #7fa3d6; }
        @media (prefers-color-scheme: dark) { :root { --bar: #4d74ab; } }
        """
}
